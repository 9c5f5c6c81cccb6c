"""Sample files are read as an expert would read them."""

from pathlib import Path

import pandas as pd
import pytest

from engine.data.formats.questions import format_questions
from engine.data.missing_values.missing_codes import find_missing_codes_by_column
from engine.data.table import Table
from engine.files import read_table
from tests.sample_files.base import Expectation, SampleFile, sample_files, write_all

FILES = sample_files()


def test_a_file_is_the_same_each_time(tmp_path: Path) -> None:
    first = write_all(tmp_path / "first")
    again = write_all(tmp_path / "again")
    assert [path.read_bytes() for path in first] == [p.read_bytes() for p in again]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_read_as_expected(file: SampleFile, tmp_path: Path) -> None:
    table = read_table(file.make(tmp_path))
    assert not unmet(table, file.expects)


def unmet(table: Table, expects: Expectation) -> list[str]:
    """Return which expectations on what is read are not met."""
    found = list(_unmet_shape(table, expects))
    for name, numbers in expects.numbers.items():
        if name not in table.schema:
            found.append(f"no column {name}")
        elif not pd.api.types.is_numeric_dtype(table.frame[name].dtype):
            found.append(f"{name} holds no numbers")
        else:
            head = table.frame[name].iloc[: len(numbers)].astype("float64")
            wanted = pd.Series(numbers, dtype="float64")
            if not head.equals(wanted):
                found.append(f"{name} begins {head.tolist()}, not {list(numbers)}")
    for name, dates in expects.dates.items():
        if name not in table.schema:
            found.append(f"no column {name}")
        elif not pd.api.types.is_datetime64_any_dtype(table.frame[name].dtype):
            found.append(f"{name} holds no dates")
        else:
            moments = table.frame[name].iloc[: len(dates)]
            if moments.tolist() != pd.to_datetime(list(dates)).tolist():
                found.append(f"{name} begins {moments.tolist()}, not {list(dates)}")
    for name, texts in expects.texts.items():
        if name not in table.schema:
            found.append(f"no column {name}")
        elif not isinstance(table.frame[name].dtype, pd.StringDtype):
            found.append(f"{name} is no text")
        else:
            cells = table.frame[name].iloc[: len(texts)]
            said = [None if cell is pd.NA or cell != cell else cell for cell in cells]
            if said != list(texts):
                found.append(f"{name} begins {said}, not {list(texts)}")
    return found


def _unmet_shape(table: Table, expects: Expectation) -> list[str]:
    found = []
    if expects.n_records not in (None, table.n_records):
        found.append(f"{table.n_records} records, not {expects.n_records}")
    if expects.columns and expects.columns != table.schema.names:
        found.append(f"columns {table.schema.names}, not {expects.columns}")
    sheet = table.origin.options.get("sheet", "")
    if expects.left_out is not None:
        left_out = tuple(row for _, row in table.origin.options.get("left_out", ()))
        if left_out != tuple(expects.left_out):
            found.append(f"rows {left_out} left out, not {expects.left_out}")
    if expects.asked:
        asked = {n for question in format_questions(table) for n in question.columns}
        if asked != set(expects.asked):
            found.append(f"asked about {asked}, not {expects.asked}")
    if expects.missing:
        codes = {
            name: {one.code: one.count for one in some}
            for name, some in find_missing_codes_by_column(table).items()
        }
        if codes != expects.missing:
            found.append(f"codes {codes}, not {expects.missing}")
    if expects.sheet and sheet != expects.sheet:
        found.append(f"sheet {sheet}, not {expects.sheet}")
    return found
