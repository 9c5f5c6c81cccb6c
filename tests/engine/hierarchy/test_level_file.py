"""Level files come back as they were written, whoever wrote them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sample_data
from engine.core.errors import InputError, ParameterError
from engine.hierarchy import Hierarchy, read_hierarchy
from sample_data.diagnoses import hierarchy_rows
from tests.engine.hierarchy.strategies import hierarchies

ROWS = (("a", "x", "*"), ("b", "x", "*"))


@given(hierarchies(), st.sampled_from(";,\t"))
def test_what_was_written_is_read(tree: Hierarchy, delimiter: str) -> None:
    content = tree.to_csv(delimiter).encode()
    assert read_hierarchy(content, delimiter) == tree
    assert read_hierarchy(content) == tree


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiter_and_encoding_are_found_out(
    delimiter: str, end: str, encoding: str, tmp_path: Path
) -> None:
    rows = (("Köln", "[45, 52]", "*"), ("Bonn", "[45, 52]", "*"))
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    path = tmp_path / "city.csv"
    path.write_bytes((end.join(lines) + end * 2).encode(encoding))
    assert read_hierarchy(path).rows == rows


def test_the_sample_reads() -> None:
    path = Path(sample_data.__file__).with_name("hospital_diagnosis_hierarchy.csv")
    assert read_hierarchy(path).rows == tuple(hierarchy_rows())


def test_intervals_keep_their_comma_in_a_file_with_semicolons() -> None:
    tree = read_hierarchy(b"47;[45, 49];[40, 49];*\n52;[50, 54];[50, 59];*\n")
    assert tree.rows[0] == ("47", "[45, 49]", "[40, 49]", "*")


def test_a_short_row_is_named_with_the_delimiter_of_the_others() -> None:
    with pytest.raises(InputError, match=r"Row 3 .*'c'.* has 2 cells, .* has 3"):
        read_hierarchy(b"a;x;*\nb;x;*\nc;*\nd;x;*\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"a\nb\n", "one level only"),
        (b"a;;*\n", "'a'.* is empty at level 1"),
        (b"\x89PNG\r\n", "picture"),
        (b'a;"' + b"x" * 200_000, "never closed"),
    ],
)
def test_what_is_no_level_file_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_hierarchy(content)


def test_the_file_is_named_that_is_no_hierarchy(tmp_path: Path) -> None:
    path = tmp_path / "areas.csv"
    path.write_text("a;*\nb;all\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"File 'areas.csv': .* two roots"):
        read_hierarchy(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'.*nowhere.csv' cannot be read"):
        read_hierarchy(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_hierarchy(tmp_path)


def test_an_unknown_delimiter_is_refused() -> None:
    with pytest.raises(ParameterError, match="semicolon, a comma or a tab"):
        read_hierarchy(b"a|*\n", "|")
