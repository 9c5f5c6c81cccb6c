"""Packed tables are read as if they were unpacked, and other archives are refused."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.files import read_table

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
    zipped_table = read_table(path)
    assert zipped_table.fingerprint == plain.fingerprint
    assert zipped_table.origin.name == "t.csv"
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
