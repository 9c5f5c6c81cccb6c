"""R's files: what R has saved comes as it was, and what is broken is one sentence."""

import bz2
import contextlib
import datetime
import gzip
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, read_table
from engine.files.stat_packages import r

pyreadr = pytest.importorskip("pyreadr")


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 40),
            "income": rng.lognormal(8, 1, 40).round(2),
            "region": pd.Categorical(rng.choice(["n", "s"], 40)),
            "member": rng.random(40) < 0.5,
            "day": [datetime.date(2024, 1, 1 + i % 28) for i in range(40)],
            "name": [None if i == 3 else f"p{i}" for i in range(40)],
        }
    )


def saved(path: Path, **names: pd.DataFrame) -> bytes:
    if path.suffix == ".rds":
        pyreadr.write_rds(str(path), frame())
    else:
        pyreadr.write_rdata(str(path), frame(), df_name="people")
    return path.read_bytes()


@pytest.mark.parametrize("suffix", [".rds", ".rda", ".RData"])
@pytest.mark.parametrize(
    "packed",
    [bytes, gzip.compress, bz2.compress, lzma.compress],
    ids=["bytes", "gzip", "bz2", "lzma"],
)
def test_a_data_frame_comes_as_it_was(tmp_path: Path, suffix: str, packed) -> None:
    content = packed(saved(tmp_path / f"a{suffix.lower()}"))
    table = read_table(content, name=f"a{suffix}")
    expected = frame()
    table_frame = table.frame
    assert list(table_frame) == list(expected)
    assert table_frame["age"].tolist() == expected["age"].tolist()
    assert table_frame["age"].dtype == np.int64
    assert table_frame["income"].tolist() == expected["income"].tolist()
    assert table_frame["region"].tolist() == expected["region"].astype(str).tolist()
    assert table_frame["member"].astype(bool).tolist() == expected["member"].tolist()
    assert table_frame["day"].dt.date.tolist() == expected["day"].tolist()
    assert table_frame["name"].isna().sum() == 1
    assert table.origin.options["sheet"] == ("a" if suffix == ".rds" else "people")


def test_a_data_frame_that_is_not_there_is_named(tmp_path: Path) -> None:
    content = saved(tmp_path / "a.rda")
    with pytest.raises(InputError, match="no data frame called 'firms'"):
        read_table(content, name="a.rda", options=ReadOptions(sheet="firms"))


def test_row_names_that_are_names_are_a_column() -> None:
    cars = pd.DataFrame({"mpg": [21.0, 22.8]}, index=["Mazda", "Datsun"])
    cars_with_names = r._with_row_names(cars)
    assert cars_with_names[r.ROW_NAMES_COLUMN].tolist() == ["Mazda", "Datsun"]
    numbered = pd.DataFrame({"mpg": [21.0, 22.8]}, index=["1", "2"])
    assert list(r._with_row_names(numbered)) == ["mpg"]


def test_what_is_broken_is_one_sentence(tmp_path: Path) -> None:
    whole = saved(tmp_path / "a.rds")
    rng = np.random.default_rng(1)
    broken = [whole[:size] for size in (1, 7, 30, 200, len(whole) - 5)]
    broken += [gzip.compress(whole)[:-9], b"\x1f\x8bnothing", b"RDX2\nX\n" + whole[:90]]
    for _ in range(60):
        bytes_ = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            bytes_[place] = rng.integers(0, 256)
        broken.append(bytes(bytes_))
    for content in broken:
        with contextlib.suppress(InputError):  # a changed digit is a digit
            read_table(content, name="a.rds")
    with pytest.raises(InputError, match="not a whole R file"):
        read_table(whole[:200], name="a.rds")
