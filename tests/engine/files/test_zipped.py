"""Packed tables are read as if they were unpacked, and other archives are refused."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.files import read_table
from engine.files.input import zipped

CONTENT = b"a,b\n1,x\n2,y\n"


def packed(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return stream.getvalue()


def test_a_zipped_table_is_that_table(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(packed(t_csv=CONTENT, readme_md=b"no table"))
    (tmp_path / "t.csv").write_bytes(CONTENT)
    plain = read_table(tmp_path / "t.csv")
    found = read_table(path)
    assert found.fingerprint == plain.fingerprint
    assert found.origin.name == "t.csv"
    assert read_table(gzip.compress(CONTENT), name="t.csv.gz").fingerprint == (
        plain.fingerprint
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(a_csv=CONTENT, b_csv=CONTENT), "holds 2 tables"),
        (packed(a_png=b"x"), "holds 0 tables"),
        (b"PK\x03\x04 cut short", "not a whole archive"),
    ],
)
def test_other_archives_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_table(content, name="t.zip")


@pytest.mark.parametrize("suffix", [".zip", ".csv.gz"])
def test_a_small_archive_of_a_huge_table_is_refused_before_it_fills_memory(
    suffix: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zipped, "MAX_UNCHECKED_BYTES", 1 << 21)
    table = b"a,b\n" + b"1,2\n" * (1 << 20)
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(packed(t_csv=table) if suffix == ".zip" else gzip.compress(table))
    line = ["protect", str(path), "--output", str(tmp_path / "out.csv")]
    assert main(line) == 2
    said = capsys.readouterr().err
    assert "more than 2,097,152 bytes, which is not safe to open: unpack it" in said
    assert said.count("\n") == 1
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
