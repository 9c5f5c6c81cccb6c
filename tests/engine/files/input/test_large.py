"""A file of 200 MB loads, in a small multiple of its size."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MOST_MEMORY = 6.0
"""Peak of the whole process relative to the file."""

CODE = """
import sys
from engine.files import read_table
from engine.core.platform.memory import peak_resident_bytes
table = read_table(sys.argv[1])
print(table.n_records, *table.frame.dtypes, peak_resident_bytes())
"""


@pytest.mark.slow
def test_two_hundred_megabytes_load(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 40_000
    block = "".join(
        f"{i},{age},0{post:04d},{income!r},{children if children else ''},m\n"
        for i, age, post, income, children in zip(
            range(n),
            rng.integers(0, 100, n).tolist(),
            rng.integers(0, 10_000, n).tolist(),
            rng.lognormal(10, 1, n).tolist(),
            rng.integers(0, 5, n).tolist(),
            strict=True,
        )
    )
    path = tmp_path / "large.csv"
    copies = 200_000_000 // len(block) + 1
    with path.open("w") as stream:
        stream.write("record,age,postcode,income,children,sex\n")
        for _ in range(copies):
            stream.write(block)
    size = path.stat().st_size
    assert size >= 200_000_000
    output = subprocess.run(
        [sys.executable, "-c", CODE, str(path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert int(output[0]) == copies * n
    assert output[1:7] == ["int64", "int64", "str", "float64", "Int64", "str"]
    assert int(output[7]) < MOST_MEMORY * size


BOUND = """
import resource, sys
from engine.files import read_table
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
print(read_table(sys.argv[1]).frame.shape)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of what is reserved")
def test_a_wide_file_reserves_no_more_than_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    lines = [
        ",".join(f"c{j}" for j in range(2_000)),
        *[",".join(["word"] * 2_000)] * 99,
    ]
    path.write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-c", BOUND, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert done.stdout.split() == ["(99,", "2000)"], done.stderr[-500:]
