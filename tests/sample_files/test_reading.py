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
    second_paths = write_all(tmp_path / "again")
    assert [path.read_bytes() for path in first] == [
        p.read_bytes() for p in second_paths
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_read_as_expected(file: SampleFile, tmp_path: Path) -> None:
    table = read_table(file.make(tmp_path))
    assert not unmet(table, file.expects)


def unmet(table: Table, expects: Expectation) -> list[str]:
    """Return which expectations on what is read are not met."""
    problems = list(_unmet_shape(table, expects))
    for name, numbers in expects.numbers.items():
        if name not in table.schema:
            problems.append(f"no column {name}")
        elif not pd.api.types.is_numeric_dtype(table.frame[name].dtype):
            problems.append(f"{name} holds no numbers")
        else:
            head = table.frame[name].iloc[: len(numbers)].astype("float64")
            expected = pd.Series(numbers, dtype="float64")
            if not head.equals(expected):
                problems.append(f"{name} begins {head.tolist()}, not {list(numbers)}")
    for name, dates in expects.dates.items():
        if name not in table.schema:
            problems.append(f"no column {name}")
        elif not pd.api.types.is_datetime64_any_dtype(table.frame[name].dtype):
            problems.append(f"{name} holds no dates")
        else:
            moments = table.frame[name].iloc[: len(dates)]
            if moments.tolist() != pd.to_datetime(list(dates)).tolist():
                problems.append(f"{name} begins {moments.tolist()}, not {list(dates)}")
    for name, texts in expects.texts.items():
        if name not in table.schema:
            problems.append(f"no column {name}")
        elif not isinstance(table.frame[name].dtype, pd.StringDtype):
            problems.append(f"{name} is no text")
        else:
            cells = table.frame[name].iloc[: len(texts)]
            cell_texts = [
                None if cell is pd.NA or cell != cell else cell for cell in cells
            ]
            if cell_texts != list(texts):
                problems.append(f"{name} begins {cell_texts}, not {list(texts)}")
    return problems


def _unmet_shape(table: Table, expects: Expectation) -> list[str]:
    problems = []
    if expects.n_records not in (None, table.n_records):
        problems.append(f"{table.n_records} records, not {expects.n_records}")
    if expects.columns and expects.columns != table.schema.names:
        problems.append(f"columns {table.schema.names}, not {expects.columns}")
    sheet = table.origin.options.get("sheet", "")
    if expects.left_out is not None:
        omitted_rows = tuple(row for _, row in table.origin.options.get("left_out", ()))
        if omitted_rows != tuple(expects.left_out):
            problems.append(f"rows {omitted_rows} left out, not {expects.left_out}")
    if expects.asked:
        asked_columns = {
            n for question in format_questions(table) for n in question.columns
        }
        if asked_columns != set(expects.asked):
            problems.append(f"asked about {asked_columns}, not {expects.asked}")
    if expects.missing:
        codes = {
            name: {missing_code.code: missing_code.count for missing_code in some}
            for name, some in find_missing_codes_by_column(table).items()
        }
        if codes != expects.missing:
            problems.append(f"codes {codes}, not {expects.missing}")
    if expects.sheet and sheet != expects.sheet:
        problems.append(f"sheet {sheet}, not {expects.sheet}")
    return problems
