"""Files that are damaged anywhere are read, or refused with a sentence."""

import contextlib
import io
import random
import zipfile
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from engine.core.errors import InputError
from engine.data.table import Origin
from engine.files import ReadOptions, formats, frame_to_bytes, read_frame
from tests.engine.files.workbooks.test_xls import PEOPLE

FORMATS = {info.suffixes[0]: info.id for info in formats.infos() if info.writable}
FORMATS[".xpt"] = FORMATS[".xls"] = ""

CLAIMS = (0, 1, 0xFF, 0x7FFF, 0xFFFF, 10**6, 0x7FFFFFFF, 0xFFFFFFFF, 2**62, 2**64 - 1)
"""Numbers with which a file lies about sizes and counts."""


def whole(suffix: str, folder: Path) -> bytes:
    """Return a file of numbers, texts and dates that nothing has happened to."""
    frame = pd.DataFrame(
        {
            "age": [20 + 7 * i % 50 for i in range(40)],
            "wage": [1000.25 * i for i in range(40)],
            "town": ["Köln", "Oslo"] * 20,
            "day": pd.date_range("2020-01-31", periods=40, unit="us"),
        }
    )
    if suffix == ".xls":
        return PEOPLE
    if suffix != ".xpt":
        return frame_to_bytes(frame, Origin(FORMATS[suffix]))
    path = folder / "whole.xpt"
    pyreadstat.write_xport(frame[["age", "wage", "town"]], path)
    return path.read_bytes()


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return a file cut short, with other bits, a lie about a size, or a part twice."""
    file_bytes = bytearray(content)
    at = chance.randrange(len(file_bytes))
    how = chance.randrange(5)
    if how == 0:
        del file_bytes[at:]
    elif how == 1:
        del file_bytes[at : at + chance.choice((1, 4, 100))]
    elif how == 2:
        for _ in range(chance.randrange(1, 9)):
            file_bytes[chance.randrange(len(file_bytes))] ^= 1 << chance.randrange(8)
    elif how == 3:
        size = chance.choice((2, 4, 8))
        lie = chance.choice(CLAIMS) % 256**size
        file_bytes[at : at + size] = lie.to_bytes(
            size, chance.choice(("little", "big"))
        )
    else:
        file_bytes[at:at] = file_bytes[at : at + 500]
    return bytes(file_bytes)


def damaged_inside(content: bytes, chance: random.Random) -> bytes:
    """Return an archive of which one part is damaged before it is packed."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as good,
        zipfile.ZipFile(stream, "w") as bad,
    ):
        hit = chance.choice(good.namelist())
        for name in good.namelist():
            part = good.read(name)
            bad.writestr(name, damaged(part, chance) if name == hit else part)
    return stream.getvalue()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("times", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_a_damaged_file_is_read_or_refused(
    suffix: str, times: int, tmp_path: Path
) -> None:
    content, chance = whole(suffix, tmp_path), random.Random(times)
    options = ReadOptions(number_names=True if suffix == ".xls" else None)
    refused = 0
    for turn in range(times):
        spoil = damaged_inside if suffix == ".xlsx" and turn % 2 else damaged
        refused += 1
        with contextlib.suppress(InputError):  # a changed digit is a digit
            read_frame(spoil(content, chance), options, f"a{suffix}")
            refused -= 1
    assert refused


def test_a_parquet_footer_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    """Arrow ended the process, asked for a column whose histograms had another size."""
    content, chance = whole(".parquet", tmp_path), random.Random(1)
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for _ in range(500):
        spoilt = bytearray(content)
        for _ in range(chance.randint(1, 3)):
            spoilt[chance.randrange(start, len(content) - 8)] = chance.randrange(256)
        try:
            read_frame(bytes(spoilt), ReadOptions(), "a.parquet")
        except InputError:
            refused += 1
    assert refused > 250
