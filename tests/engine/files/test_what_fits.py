"""Every format keeps every type, says how, or refuses it, as others read it."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from engine.core.errors import InputError
from engine.data.table import Origin, Table
from engine.files import formats, frame_to_bytes, read_table
from engine.files.format_compatibility import stored_frame_and_messages
from engine.files.unprotected_columns import reread_input_columns
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions, check_release_format
from tests.engine.files.columns import COLUMNS, NAMES

FORMATS = [info.id for info in formats.infos() if info.writable]


def by_pandas(content: bytes, _: Path) -> pd.DataFrame:
    return pd.read_csv(
        io.BytesIO(content), dtype=str, keep_default_na=False, na_values=[""]
    )


def by_calamine(content: bytes, _: Path) -> pd.DataFrame:
    return pd.read_excel(
        io.BytesIO(content), engine="calamine", dtype=object, na_filter=False
    ).replace("", None)


def by_arrow(content: bytes, _: Path) -> pd.DataFrame:
    table = pq.read_table(io.BytesIO(content))
    return pd.DataFrame(
        {
            name: pd.Series(table[name].to_pylist(), dtype=object)
            for name in table.column_names
        }
    )


def by_pyreadstat(reader: Callable[..., Any]) -> Callable[[bytes, Path], pd.DataFrame]:
    def read(content: bytes, folder: Path) -> pd.DataFrame:
        path = folder / "table"
        path.write_bytes(content)
        frame: pd.DataFrame = reader(path, dates_as_pandas_datetime=True)[0]
        for name in frame.select_dtypes("datetime"):
            # Seconds as float64 are a microsecond off.
            frame[name] = frame[name].dt.round("ms")
        return frame.replace("", None)

    return read


READERS: dict[str, Callable[[bytes, Path], pd.DataFrame]] = {
    "csv": by_pandas,
    "excel": by_calamine,
    "parquet": by_arrow,
    "spss": by_pyreadstat(pyreadstat.read_sav),
    "stata": by_pyreadstat(pyreadstat.read_dta),
}


def values(found: pd.Series, like: pd.Series) -> list[Any]:
    """Return cells as values of the type of another column."""
    if isinstance(like.dtype, pd.CategoricalDtype):
        like = like.astype(like.dtype.categories.dtype)
    kind = like.dtype
    read: Callable[[Any], Any] = str
    if pd.api.types.is_bool_dtype(kind):
        read = {"True": True, "1": True, "1.0": True, "False": False}.get
        found = found.map(lambda c: "False" if str(c) in ("0", "0.0") else str(c))
        found = found.mask(found.isin(["None", "nan", "<NA>"]))
    elif pd.api.types.is_integer_dtype(kind):
        read = int
    elif kind == np.float32:
        read = np.float32
    elif pd.api.types.is_float_dtype(kind):
        read = float
    elif pd.api.types.is_timedelta64_dtype(kind):
        read = pd.Timedelta
    elif pd.api.types.is_datetime64_any_dtype(kind):

        def read(cell: Any) -> Any:
            moment = pd.Timestamp(cell)
            return moment if moment.tz is None else moment.tz_convert("UTC")

    cells = found.astype(object)
    return [None if pd.isna(cell) else read(cell) for cell in cells]


def refusal(attempt: Callable[[], object]) -> InputError | None:
    """Return why something is refused; None if it is not."""
    try:
        attempt()
    except InputError as error:
        return error
    return None


def with_others(column: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"id": np.arange(len(column)) + 0.5, "found": column})


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_kept_or_said_or_refused(name: str, tmp_path: Path) -> None:
    for format_id in FORMATS:
        check_column(COLUMNS[name], format_id, tmp_path)


def check_column(column: pd.Series, format_id: str, folder: Path) -> None:
    """Write a column, and compare what another reader finds or what is said of it."""
    frame = with_others(column)
    refused = refusal(lambda: stored_frame_and_messages(frame, format_id))
    if refused is not None:
        assert f"Column 'found' holds {refused.message.values['what']}" in str(refused)
        fitting = str(refused.message.values["others"]).split(" or ")
        assert formats.info(format_id).title not in fitting
        for info in formats.infos():
            if info.title in fitting:
                assert stored_frame_and_messages(frame, info.id)[1] == ()
        with pytest.raises(InputError, match="'found' holds"):
            frame_to_bytes(frame, Origin(format_id))
        return
    stored_frame, notes = stored_frame_and_messages(frame, format_id)
    back = READERS[format_id](frame_to_bytes(frame, Origin(format_id)), folder)
    assert list(back.columns) == ["id", "found"]
    assert len(notes) <= 1
    expected = column
    if notes:
        assert "'found'" in notes[0]
        if isinstance(column.dtype, pd.StringDtype):
            expected = stored_frame["found"]
    assert values(back["found"], column) == values(expected, column)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_release_passes_its_checks_or_is_refused_before(name: str) -> None:
    table = read_table(
        with_others(COLUMNS[name]),
        roles={"id": "quasi-identifier", "found": "confidential"},
        kinds={"id": "continuous"},
    )
    plan = Plan(k=2, method="mdav")
    resolved_plan, outcome = resolve_plan(plan, table), run(plan, table)
    for format_id in FORMATS:
        if refusal(
            lambda fmt=format_id: check_release_format(table, resolved_plan, fmt)
        ):
            with pytest.raises(InputError, match="'found' holds"):
                frame_to_bytes(table.frame, Origin(format_id))
            continue
        written = release_bytes_and_checks(outcome, table, WritingOptions(format_id))
        assert [str(check.detail) for check in written.failed_checks] == []
        assert len(written.notes) <= 1


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_zone_of_protected_dates_is_kept_or_refused_before(format_id: str) -> None:
    moments = pd.date_range("2021-10-31", periods=6, freq="20min", tz="Europe/Berlin")
    table = read_table(
        pd.DataFrame({"when": moments}), roles={"when": "quasi-identifier"}
    )
    plan = Plan(k=2, method="mdav")
    refused = refusal(
        lambda: check_release_format(table, resolve_plan(plan, table), format_id)
    )
    if format_id in ("spss", "stata"):
        assert "Column 'when' holds dates with a time zone" in str(refused)
        assert "write CSV or Parquet" in str(refused)
        return
    assert refused is None
    written = release_bytes_and_checks(
        run(plan, table), table, WritingOptions(format_id)
    )
    assert [str(check.detail) for check in written.failed_checks] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_column_s_name_is_kept_or_refused_before(
    format_id: str, name: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"id": [0.5, 1.5, 2.5, 3.5], name: [1, 2, 3, 4]})
    table = read_table(
        frame, roles={"id": "quasi-identifier"}, kinds={"id": "continuous"}
    )
    plan = Plan(k=2, method="mdav", quasi_identifiers=("id",), identifiers=())
    refused = refusal(
        lambda: check_release_format(table, resolve_plan(plan, table), format_id)
    )
    if refused is not None:
        assert repr(name) in str(refused)
        with pytest.raises(InputError):
            frame_to_bytes(frame, Origin(format_id))
        return
    back = READERS[format_id](frame_to_bytes(frame, Origin(format_id)), tmp_path)
    assert list(back.columns) == ["id", name]
    written = release_bytes_and_checks(
        run(plan, table), table, WritingOptions(format_id)
    )
    assert [str(check.detail) for check in written.failed_checks] == []


def by_openpyxl(content: bytes) -> list[tuple[Any, ...]]:
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet is not None
    return list(sheet.iter_rows(min_row=2, values_only=True))


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ([1.0, 2.0, None, None], r"at the end \(2\) hold no value"),
        (["x", None, "", "  "], r"at the end \(3\) hold no value"),
        (["a\0b", "c"], "control characters"),
        (["_x0041_", "c"], "text such as _x0041_"),
        (["\ud800", "c"], "half of a surrogate pair"),
    ],
)
def test_workbooks_refuse_what_other_readers_do_not_find(
    cells: list[Any], what: str
) -> None:
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    with pytest.raises(InputError, match=what):
        frame_to_bytes(frame, Origin("excel", {}))


def test_two_other_readers_find_every_record_of_a_workbook() -> None:
    frame = pd.DataFrame(
        {"a": ["x\r\ny", None, "a\rb", None], "b": [None, None, -0.0, 0.1 + 0.2]}
    )
    content = frame_to_bytes(frame, Origin("excel", {}))
    rows = [("x\ny", None), (None, None), ("a\nb", 0), (None, 0.1 + 0.2)]
    assert by_openpyxl(content) == rows
    back = pd.read_excel(io.BytesIO(content), engine="openpyxl").astype(object)
    assert [*back.where(back.notna(), None).itertuples(index=False, name=None)] == rows


def test_the_number_that_spss_takes_for_no_value_is_refused() -> None:
    frame = pd.DataFrame({"a": [1.0, -np.finfo(np.float64).max]})
    with pytest.raises(InputError, match="stands for a missing value"):
        frame_to_bytes(frame, Origin("spss", {}))


def test_a_workbook_that_would_lose_records_is_refused_before_a_run() -> None:
    text = b"a,b\n1,2\n2,3\n3,5\n4,1\n,\n,\n"
    table = read_table(text, name="t.csv").assign(
        roles={"a": "quasi-identifier", "b": "quasi-identifier"}
    )
    plan = resolve_plan(Plan(method="mdav", k=2, missing="keep"), table)
    with pytest.raises(InputError, match=r"at the end \(2\) hold no value"):
        check_release_format(table, plan, "excel")
    check_release_format(table, plan, "csv")


@pytest.mark.parametrize(
    ("format_id", "name", "says"),
    [
        *(
            ("excel", name, "has a name that Excel files cannot keep")
            for name in ("_x0041_", "a\rb", "a\0b", "x" * 32_768)
        ),
        ("spss", "a\0b", r"'a\\x00b' has a name that"),
        ("stata", "a\0b", r"'a\\x00b' has a name that"),
    ],
)
def test_names_that_other_readers_find_otherwise_are_refused(
    format_id: str, name: str, says: str
) -> None:
    frame = pd.DataFrame({"a": [1, 2], name: [3, 4]})
    with pytest.raises(InputError, match=says):
        frame_to_bytes(frame, Origin(format_id, {}))


def test_units_that_numbers_of_another_format_lack_are_said() -> None:
    text = "a;b\n" + "".join(f"{i} kg;{i}\n" for i in range(5))
    table = read_table(text.encode(), name="t.csv")
    reread_columns = reread_input_columns(table, ["a", "b"], "excel")
    assert reread_columns["a"].how == "as numbers without 'kg'"
    assert not reread_columns["b"].how


def workbook(cells: list[Any], spoil: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return a workbook of a column of text and its number, its sheet changed so."""
    book, stream, output = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    assert book.active is not None
    for row in ("a", "b"), *zip(cells, range(len(cells)), strict=True):
        book.active.append(row)
    book.save(stream)
    with zipfile.ZipFile(stream) as parts, zipfile.ZipFile(output, "w") as archive:
        for name in parts.namelist():
            part = parts.read(name)
            archive.writestr(name, spoil(part) if "sheet1" in name else part)
    return output.getvalue()


def test_text_beside_an_error_stays_text_in_another_format() -> None:
    cells = ["0 kg", "1 kg", "#DIV/0!", "3 kg", "4 kg"]
    table = read_table(workbook(cells), name="t.xlsx")
    reread_columns = reread_input_columns(table, ["a"], "csv")
    assert reread_columns["a"].column.tolist() == cells


def test_a_workbook_with_a_row_twice_is_refused_in_a_sentence() -> None:
    def twice(sheet: bytes) -> bytes:
        return sheet.replace(b'<row r="4"', b'<row r="3"')

    content = workbook(["x", "y", "z", "w"], twice)
    with pytest.raises(InputError, match="is not a whole Excel workbook"):
        reread_input_columns(read_table(content, name="t.xlsx"), ["a"], "csv")


@pytest.mark.parametrize("way", ["2020-Q{}", "2020-W1{}", "0{}.01.25", "200{}-03"])
def test_dates_that_say_no_day_or_century_stay_text_elsewhere(way: str) -> None:
    cells = [way.format(i) for i in (1, 2, 3, 4)]
    text = "a;b\n" + "".join(f"{cell};{i}\n" for i, cell in enumerate(cells))
    table = read_table(text.encode(), name="t.csv")
    assert str(table.frame["a"].dtype).startswith("datetime64")
    reread_columns = reread_input_columns(table, ["a"], "parquet")
    assert reread_columns["a"].column.tolist() == cells
    assert reread_columns["a"].how == "as text"


def released_in_parquet(cells: list[str]) -> tuple[Table, list[float]]:
    """Return a table of numbers and such cells, and these in its release as Parquet."""
    text = "a;b\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells))
    table = read_table(text.encode(), name="t.csv").assign(kinds={"a": "continuous"})
    plan = Plan(k=2, method="mdav", quasi_identifiers=("a",), identifiers=())
    written = release_bytes_and_checks(
        run(plan, table), table, WritingOptions("parquet")
    )
    assert [str(check.detail) for check in written.failed_checks] == []
    return table, pq.read_table(io.BytesIO(written.content))["b"].to_pylist()


def test_an_infinite_number_that_stays_is_the_same_in_another_format() -> None:
    _, numbers = released_in_parquet(["0", "1", "Infinity", "-inf", "4", "5"])
    assert numbers == [0, 1, np.inf, -np.inf, 4, 5]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1 kg", "20 g", "3 kg", "40 g"], [1000, 20, 3000, 40]),
        (["$1.5M", "$2.5K", "$3.5M", "$4.5K"], [1.5e6, 2500, 3.5e6, 4500]),
        (["2 GB", "7 MB", "3 GB", "9 MB"], [2e9, 7e6, 3e9, 9e6]),
    ],
)
def test_units_that_differ_by_powers_of_ten_are_numbers_elsewhere(
    cells: list[str], numbers: list[float]
) -> None:
    table, released = released_in_parquet(cells)
    assert released == numbers
    how = reread_input_columns(table, ["b"], "parquet")["b"].how
    assert how.endswith("multiplied out")
