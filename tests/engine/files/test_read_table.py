"""One reader for all formats: where from, with which options, meaning what."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from engine.core.errors import InputError, ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Origin
from engine.files import ReadOptions, formats, frame_to_bytes, read_table, write_table

CONTENT = (
    b"id,sex,age,ill\n1,1,30,a\n2,2,40,b\n3,1,50,a\n4,2,60,b\n5,1,70,a\n6,2,81,b\n"
)


def test_a_path_and_bytes_give_equal_tables(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENT)
    from_path, from_bytes = read_table(path), read_table(CONTENT, name="people.csv")
    assert read_table(str(path)).fingerprint == from_path.fingerprint
    assert from_bytes.fingerprint == from_path.fingerprint
    assert from_bytes.origin == from_path.origin
    assert from_path.origin.name == "people.csv"
    assert from_path.origin.format == "csv"


def test_folders_in_a_name_are_forgotten() -> None:
    assert read_table(CONTENT, name="/home/somebody/a.csv").origin.name == "a.csv"


def test_the_format_follows_from_the_name_not_its_case() -> None:
    assert read_table(CONTENT, name="A.CSV").n_records == 6


def test_roles_and_kinds_replace_what_is_proposed() -> None:
    table = read_table(
        CONTENT, name="a.csv", roles={"ill": "other"}, kinds={"age": "ordinal"}
    )
    assert table.schema["ill"].role is Role.OTHER
    assert table.schema["age"].kind is Kind.ORDINAL
    assert table.schema["age"].role is Role.QUASI_IDENTIFIER


def test_a_chosen_quasi_identifier_of_numbers_is_not_nominal_by_guess() -> None:
    assert read_table(CONTENT, name="a.csv").schema["sex"].kind is Kind.NOMINAL
    roles = {"sex": "quasi-identifier"}
    chosen = read_table(CONTENT, name="a.csv", roles=roles)
    assert chosen.schema["sex"].kind is Kind.ORDINAL
    nominal_table = read_table(
        CONTENT, name="a.csv", roles=roles, kinds={"sex": "nominal"}
    )
    assert nominal_table.schema["sex"].kind is Kind.NOMINAL


def test_a_given_schema_is_taken_as_it_is() -> None:
    schema = Schema(
        tuple(Column(name, Kind.NOMINAL) for name in ("id", "sex", "age", "ill"))
    )
    assert read_table(CONTENT, name="a.csv", schema=schema).schema == schema
    wrong = Schema((Column("id", Kind.NOMINAL),))
    with pytest.raises(InputError, match="columns are not those of the table"):
        read_table(CONTENT, name="a.csv", schema=wrong)


def test_a_schema_beside_the_file_is_not_taken_unasked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CONTENT)
    (tmp_path / "a.json").write_text("no schema at all")
    assert read_table(tmp_path / "a.csv").n_records == 6


def test_missing_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file called"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_table(folder)
    with pytest.raises(InputError, match="cannot be opened"):
        read_table("a" * 5000 + ".csv")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.json", r"suffix '\.json', .* use one of \.csv"),
        ("a", "no suffix"),
        ("a.xlsm", r"save it as \.xlsx"),
        ("a.xlsb", r"save it as \.xlsx"),
    ],
)
def test_unknown_suffixes_are_refused_in_and_out(
    name: str, message: str, tmp_path: Path, frame: pd.DataFrame
) -> None:
    with pytest.raises(InputError, match=message):
        read_table(CONTENT, name=name)
    with pytest.raises(InputError, match=message):
        write_table(frame, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "info", [i for i in formats.infos() if i.writable], ids=lambda info: info.id
)
def test_an_empty_file_is_refused_in_every_format(info: object) -> None:
    with pytest.raises(InputError, match="is empty"):
        read_table(b"", name=f"a{info.suffixes[0]}")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "info", [i for i in formats.infos() if i.writable], ids=lambda info: info.id
)
def test_a_header_without_records_is_refused_in_every_format(info: object) -> None:
    frame = pd.DataFrame({"x": [1.5], "y": ["a"]}).iloc[:0]
    content = frame_to_bytes(frame, Origin(info.id))  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="header but no records"):
        read_table(content, name=f"a{info.suffixes[0]}")  # type: ignore[attr-defined]


def test_bytes_need_a_name() -> None:
    with pytest.raises(ParameterError, match="need a name"):
        read_table(CONTENT)


def test_an_option_that_means_nothing_is_refused_not_ignored() -> None:
    with pytest.raises(ParameterError, match="'sheet' means nothing for CSV"):
        read_table(CONTENT, name="a.csv", options=ReadOptions(sheet="a"))


def test_options_in_effect_read_the_same_table_again() -> None:
    table = read_table(CONTENT, name="a.csv")
    reread_table = read_table(
        CONTENT,
        name="a.csv",
        options=ReadOptions.from_used_options(table.origin.options),
    )
    assert reread_table.fingerprint == table.fingerprint
    assert reread_table.origin == table.origin


def test_writing_replaces_the_target_whole(tmp_path: Path, frame: pd.DataFrame) -> None:
    target = tmp_path / "a.csv"
    target.write_bytes(b"old" * 1000)
    write_table(frame, target)
    assert target.read_bytes() == frame_to_bytes(frame)


def test_a_write_that_fails_leaves_the_target_alone(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    spoilt = frame.assign(postcode=["Ω"] * 3)
    with pytest.raises(InputError):
        write_table(spoilt, target, Origin("csv", {"encoding": "cp1252"}))
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_targets_that_cannot_be_written_are_refused(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_table(frame, tmp_path / "nowhere" / "a.csv")
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        write_table(frame, tmp_path / "a.csv")


def test_a_table_of_one_format_is_written_in_another(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    origin = read_table(b"x;y\n1,5;2\n", name="a.csv").origin
    write_table(frame, tmp_path / "b.xlsx", origin)
    write_table(frame, tmp_path / "b.tsv", origin)
    assert read_table(tmp_path / "b.xlsx").frame.equals(frame)
    assert (tmp_path / "b.tsv").read_bytes().startswith(b"postcode\tincome\tchildren\n")


def test_importing_the_reader_loads_no_format_library() -> None:
    code = (
        "import sys, engine.files.text.delimited, engine.files.workbooks.excel;"
        "import engine.files.columnar.parquet;"
        "print([m for m in ('pyarrow.csv', 'pyarrow.parquet', 'xlsxwriter',"
        "'python_calamine', 'openpyxl') if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"
