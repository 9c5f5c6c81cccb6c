"""SPSS, Stata and SAS files: labels and declared missing values come back."""

import datetime
import io
import time
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.data.table import Origin
from engine.files import frame_to_bytes, read_table
from engine.files.input.source import InputBytes
from engine.files.stat_packages.statistical_format import read_by_pyreadstat
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks

SURVEY = pd.DataFrame(
    {
        "age": [31.0, 99.0, 33.0, 58.0, 57.0, 61.0],
        "income": [1.5, 2.25, np.nan, 4.0, 98.0, 6.0],
        "region": [1.0, 2.0, 1.0, 3.0, 3.0, 2.0],
        "word": ["a", "", "c", "d", "é", "f"],
        "day": [datetime.date(2020, 1, day) for day in (1, 2, 3, 4, 5)] + [None],
        "at": [datetime.time(3, 4, 5)] * 6,
    }
)


@pytest.fixture
def sav(tmp_path: Path) -> Path:
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        SURVEY,
        path,
        file_label="A survey",
        note="in two lines",
        column_labels={"age": "Age in years"},
        variable_value_labels={
            "age": {99: "refused"},
            "region": {1: "north", 2: "south", 3: "east"},
        },
        missing_ranges={"age": [99], "income": [{"lo": 97, "hi": 98}]},
        variable_measure={"age": "scale", "region": "nominal"},
        variable_format={"day": "EDATE10", "income": "F8.2"},
    )
    return path


def facts(path: Path, reader: Any) -> dict[str, Any]:
    frame, meta = reader(path, user_missing=True)
    return {
        "frame": frame,
        "labels": meta.column_names_to_labels,
        "value_labels": meta.variable_value_labels,
        "ranges": meta.missing_ranges,
        "letters": getattr(meta, "missing_user_values", None),
        "measures": meta.variable_measure,
        "formats": meta.original_variable_types,
        "file": (meta.file_label, meta.notes),
    }


def test_declared_missing_values_are_missing_and_other_values_are_not(
    sav: Path,
) -> None:
    frame = read_table(sav).frame
    assert frame["age"].isna().tolist() == [False, True, False, False, False, False]
    assert frame["income"].isna().tolist() == [False, False, True, False, True, False]
    assert frame["region"].tolist() == [1, 2, 1, 3, 3, 2]
    assert str(frame["age"].dtype) == "Int64"
    assert frame["region"].dtype == np.int64
    assert frame["day"].dtype == "datetime64[us]"
    assert frame["word"].isna().tolist() == [False, True, False, False, False, False]


def test_an_spss_file_comes_back_with_all_that_was_said_in_it(
    sav: Path, tmp_path: Path
) -> None:
    table = read_table(sav)
    copy_path = tmp_path / "again.sav"
    copy_path.write_bytes(frame_to_bytes(table.frame, table.origin))
    before, after = (facts(path, pyreadstat.read_sav) for path in (sav, copy_path))
    assert_frame_equal(before.pop("frame"), after.pop("frame"))
    assert before == after
    assert_frame_equal(read_table(copy_path).frame, table.frame)


def test_a_compressed_file_stays_compressed(sav: Path, tmp_path: Path) -> None:
    frame, _ = pyreadstat.read_sav(sav)
    path = tmp_path / "survey.zsav"
    pyreadstat.write_sav(frame, path, compress=True)
    table = read_table(path)
    assert (
        frame_to_bytes(table.frame, table.origin)[:4]
        == b"$FL3"
        == path.read_bytes()[:4]
    )


def test_a_stata_file_comes_back_with_labels_and_extended_missing_values(
    tmp_path: Path,
) -> None:
    path, copy_path = tmp_path / "survey.dta", tmp_path / "again.dta"
    frame = SURVEY.drop(columns="at")
    frame["age"] = frame["age"].astype(object).where(frame["age"] != 99, "r")
    pyreadstat.write_dta(
        frame,
        path,
        file_label="A survey",
        column_labels={"age": "Age in years"},
        variable_value_labels={"region": {1: "north", 2: "south", 3: "east"}},
        missing_user_values={"age": ["r"]},
    )
    table = read_table(path)
    assert table.frame["age"].isna().tolist() == [False, True] + [False] * 4
    copy_path.write_bytes(frame_to_bytes(table.frame, table.origin))
    before, after = (
        facts(file_path, pyreadstat.read_dta) for file_path in (path, copy_path)
    )
    left, right = before.pop("frame"), after.pop("frame")
    assert left["age"].tolist() == right["age"].tolist()
    assert_frame_equal(left.drop(columns="age"), right.drop(columns="age"))
    assert before == after


def test_a_sas_file_is_read_and_its_release_goes_into_another_format(
    tmp_path: Path,
) -> None:
    path = tmp_path / "survey.xpt"
    pyreadstat.write_xport(
        SURVEY[["region", "word"]], path, column_labels={"region": "Region"}
    )
    table = read_table(path)
    assert table.frame["region"].tolist() == [1, 2, 1, 3, 3, 2]
    assert table.origin.options["labels"] == {"region": "Region"}
    with pytest.raises(InputError, match="SAS files can be read but not written"):
        frame_to_bytes(table.frame, table.origin)


@pytest.mark.parametrize("version", [5, 8])
def test_a_release_of_a_transport_file_leaves_as_csv(
    version: int, tmp_path: Path
) -> None:
    path = tmp_path / "survey.xpt"
    frame = pd.DataFrame({"age": [1.0, 2, 3, 7, 8, 9], "town": [*"abcabc"]})
    pyreadstat.write_xport(frame, path, file_format_version=version)
    table = read_table(path).assign(
        roles={"age": "quasi-identifier", "town": "other"}, kinds={"age": "continuous"}
    )
    written = release_bytes_and_checks(run(Plan(method="mdav", k=3), table), table)
    assert not written.failed_checks
    rows = written.content.decode().split()
    assert rows == ["age,town", "2,a", "2,b", "2,c", "8,a", "8,b", "8,c"]


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta", ".sas7bdat", ".xpt"])
@pytest.mark.parametrize(
    "content", [b"age,income\n1,2\n", b"$FL2 cut short", b"\0" * 99]
)
def test_a_file_of_another_kind_is_one_sentence(suffix: str, content: bytes) -> None:
    with pytest.raises(InputError, match="is not a whole"):
        read_table(content, name=f"a{suffix}")


def test_a_column_of_dates_without_any_is_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "empty.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"a": [1.0, 2.0], "day": [np.nan, np.nan]}),
        path,
        variable_format={"day": "DATE11"},
    )
    assert read_table(path).frame["day"].isna().all()


@pytest.mark.parametrize("error", [IndexError, TypeError, ValueError])
def test_whatever_the_library_fails_at_is_one_sentence(error: type[Exception]) -> None:
    def reader(*_: object, **__: object) -> NoReturn:
        raise error

    with pytest.raises(InputError, match="is not a whole SPSS file"):
        read_by_pyreadstat(reader, InputBytes("a.sav", content=b"$FL2"), "SPSS")


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_whole_numbers_that_would_lose_digits_are_text(suffix: str) -> None:
    origin = read_table(_any(suffix), name=f"a{suffix}").origin
    content = frame_to_bytes(pd.DataFrame({"id": [2**60 + 1, 5]}), origin)
    frame = read_table(content, name=f"a{suffix}").frame
    assert frame["id"].tolist() == [str(2**60 + 1), "5"]


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_a_name_that_the_format_cannot_hold_is_one_sentence(suffix: str) -> None:
    origin = read_table(_any(suffix), name=f"a{suffix}").origin
    with pytest.raises(InputError, match=r"'two words' has a name"):
        frame_to_bytes(pd.DataFrame({"two words": [1, 2]}), origin)


def test_names_that_differ_in_capitals_alone_are_refused_where_they_are_one() -> None:
    frame = pd.DataFrame({"a": [1, 2], "A": [3, 4]})
    with pytest.raises(InputError, match="'a' and 'A' have one name for SPSS"):
        frame_to_bytes(frame, read_table(_any(".sav"), name="a.sav").origin)
    content = frame_to_bytes(frame, read_table(_any(".dta"), name="a.dta").origin)
    assert [*read_table(content, name="a.dta").frame] == ["a", "A"]


@pytest.mark.parametrize(
    ("cells", "how"),
    [
        (["", None, " "], "with blank text as missing"),
        (
            ["x ", ""],
            "with blank text as missing and without blanks at the end of text",
        ),
        (["", "x"], "with blank text as missing"),
    ],
)
def test_what_becomes_of_blanks_is_said_once(cells: list[str], how: str) -> None:
    from engine.files.format_compatibility import stored_frame_and_messages

    frame = pd.DataFrame({"a": pd.Series(cells, dtype="str")})
    (message,) = stored_frame_and_messages(frame, "spss")[1]
    assert str(message) == f"Column 'a' is in the SPSS file {how}."


def _any(suffix: str) -> bytes:
    from engine.data.table import Origin
    from engine.files import formats

    info = next(info for info in formats.infos() if suffix in info.suffixes)
    return frame_to_bytes(pd.DataFrame({"x": [1, 2]}), Origin(info.id))


def test_a_protected_spss_file_keeps_labels_and_other_columns(
    sav: Path, tmp_path: Path
) -> None:
    table = read_table(
        sav,
        roles={"age": "quasi-identifier", "word": "other"},
        kinds={"age": "continuous"},
    )
    table = table.assign(
        roles=dict.fromkeys(("income", "region", "day", "at"), "other")
    )
    outcome = run(Plan(k=2, missing="drop"), table)
    path = tmp_path / "protected.sav"
    path.write_bytes(release_bytes_and_checks(outcome, table).content)
    before, after = (facts(file_path, pyreadstat.read_sav) for file_path in (sav, path))
    assert not release_bytes_and_checks(outcome, table).failed_checks
    assert before["value_labels"] == after["value_labels"]
    assert before["formats"] == after["formats"]
    remaining_records = before["frame"].drop(index=1).reset_index(drop=True)
    for name in ("income", "region", "word", "day", "at"):
        assert_series_equal(remaining_records[name], after["frame"][name])
    assert after["frame"]["age"].tolist() == [32.0, 32.0, 59.0, 59.0, 59.0]


def test_why_a_protected_value_is_missing_is_not_told(
    sav: Path, tmp_path: Path
) -> None:
    # Refused and unknown are two codes: beside equal values they would tell apart.
    frame, _ = pyreadstat.read_sav(sav, user_missing=True)
    frame = pd.concat([frame] * 3, ignore_index=True)
    frame.loc[1, "age"] = 98.0
    path = tmp_path / "codes.sav"
    pyreadstat.write_sav(frame, path, missing_ranges={"age": [{"lo": 98, "hi": 99}]})
    table = read_table(path).assign(
        roles={"age": "quasi-identifier"}, kinds={"age": "continuous"}
    )
    others = [name for name in table.schema.names if name != "age"]
    table = table.assign(roles=dict.fromkeys(others, "other"))
    outcome = run(Plan(k=3, missing="keep"), table)
    protected = tmp_path / "protected.sav"
    protected.write_bytes(release_bytes_and_checks(outcome, table).content)
    written, _ = pyreadstat.read_sav(protected, user_missing=True)
    assert written["age"].isna().sum() == 3


def test_a_table_from_python_can_be_written_in_these_formats(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "c": ["x", None]})
    for suffix in (".sav", ".dta"):
        path = tmp_path / f"table{suffix}"
        path.write_bytes(_bytes(frame, suffix))
        back = read_table(path).frame
        assert back["a"].tolist() == [1, 2]
        assert back["c"].isna().tolist() == [False, True]


def _bytes(frame: pd.DataFrame, suffix: str) -> bytes:
    origin = read_table(_any(suffix), name=f"a{suffix}").origin
    return frame_to_bytes(read_table(frame).frame, origin)


@pytest.mark.parametrize(
    "suffix",
    [
        ".sav",
        *(pytest.param(each, marks=pytest.mark.slow) for each in (".zsav", ".dta")),
    ],
)
def test_the_same_records_are_the_same_bytes_whenever_they_are_written(
    suffix: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    label = "</label><timestamp>\x11"
    options = {"file_label": label, "compressed": suffix == ".zsav"}
    kind = "stata" if suffix == ".dta" else "spss"
    first = frame_to_bytes(frame, Origin(kind, options))
    time.sleep(1.1)  # SPSS tells seconds
    assert frame_to_bytes(frame, Origin(kind, options)) == first
    path = tmp_path / f"a{suffix}"
    path.write_bytes(first)
    reader = pyreadstat.read_dta if kind == "stata" else pyreadstat.read_sav
    loaded_frame, meta = reader(path)
    assert loaded_frame.equals(frame)
    assert meta.file_label == label
    assert meta.creation_time.year in (1970, 2070)


@pytest.mark.parametrize("rounding", ["types", "none"])
@pytest.mark.parametrize("aggregation", ["mean", "median"])
@pytest.mark.parametrize(
    ("suffix", "form"),
    [(".dta", "%tc"), (".dta", "%td"), (".sav", "DATETIME20"), (".sav", "DATE11")],
)
def test_protected_dates_are_those_of_their_format(
    suffix: str, form: str, aggregation: str, rounding: str, tmp_path: Path
) -> None:
    path = tmp_path / f"in{suffix}"
    timed = form in ("%tc", "DATETIME20")
    days = [datetime.date(2020, 1, 1 + i * i % 28) for i in range(9)]
    moments = pd.to_datetime(pd.Series(days)).astype("datetime64[us]")
    writer = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
    column = moments if timed else pd.Series(days, dtype=object)
    writer(pd.DataFrame({"day": column}), path, variable_format={"day": form})
    table = read_table(path, roles={"day": "quasi-identifier"})
    plan = Plan(k=3, method="mdav", aggregation=aggregation, rounding=rounding)
    outcome = run(plan, table)
    written = release_bytes_and_checks(outcome, table)
    assert [str(check.detail) for check in written.failed_checks] == []
    path.write_bytes(written.content)
    reader = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
    dates = pd.to_datetime(reader(path)[0]["day"])
    released = outcome.release.frame["day"]
    assert (dates - released).abs().max() < pd.Timedelta("1ms")


@pytest.mark.parametrize(("version", "release"), [(14, b"118"), (15, b"119")])
def test_a_release_is_for_the_stata_that_is_named(
    tmp_path: Path, version: int, release: bytes
) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.dta"
    rows = "\n".join(f"{n},{n * 7 % 30},ü" for n in range(20))
    source.write_text(f"age,income,town\n{rows}\n", encoding="utf-8")
    line = ["run", str(source), "--quasi-identifiers", "age,income", "--k", "3"]
    line += ["--stata-version", str(version), "--output"]
    assert main([*line, str(target)]) == 0
    assert b"<release>" + release in target.read_bytes()[:60]
    back = pd.read_stata(target)
    assert back["town"].tolist() == ["ü"] * 20
    assert main([*line, str(tmp_path / "b.csv")]) == 2
    line[line.index(str(version))] = "12"
    assert main([*line, str(tmp_path / "c.dta")]) == 2
    assert not (tmp_path / "c.dta").exists()


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "float64"])
def test_a_release_for_stata_keeps_numbers_whole_where_they_were(
    kind: str, tmp_path: Path
) -> None:
    """Written by pandas: pyreadstat itself writes whole numbers as double."""
    rng, path = np.random.default_rng(0), tmp_path / "survey.dta"
    columns = {name: rng.integers(0, 90, 40).astype(kind) for name in ("age", "union")}
    pd.DataFrame(columns).to_stata(path, write_index=False)
    roles = {"age": "quasi-identifier", "union": "confidential"}
    table = read_table(path, roles=roles)
    outcome = run(Plan(method="mdav", k=5), table)
    delivery = release_bytes_and_checks(outcome, table)
    assert not delivery.failed_checks
    released = pd.read_stata(io.BytesIO(delivery.content))
    assert released["union"].tolist() == columns["union"].tolist()
    assert released["union"].dtype.kind == np.dtype(kind).kind
    assert released["age"].value_counts().min() >= 5
