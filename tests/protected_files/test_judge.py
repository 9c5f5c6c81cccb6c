"""The judge finds what it looks for, and what `protect` lets out passes it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.protected_files.__main__ import main
from tests.protected_files.judge import judge_release

N = 200
RNG = np.random.default_rng(35)

ORIGINAL = pd.DataFrame(
    {
        "rownames": np.arange(1, N + 1),
        "name": [f"Anna Schmidt the {i}th" for i in range(N)],
        "note": [f"came late and said {i} times so" for i in range(N)],
        "industry": RNG.choice([170, 3895, 6470, 7860, 8680], N),
        "wage": RNG.lognormal(3, 0.4, N).round(2),
        "sex": RNG.choice(["m", "w"], N),
    }
).astype(str)


def test_names_keys_and_codes_that_nobody_has_are_found() -> None:
    release = ORIGINAL.assign(industry="4000")
    judgement = judge_release(ORIGINAL, release, ["industry"])
    assert judgement.naming == ("name", "note")
    assert judgement.row_keys == ("rownames",)
    assert judgement.invented == ("industry",)


def test_what_is_left_out_is_counted() -> None:
    release = ORIGINAL[["industry", "sex"]]
    judgement = judge_release(ORIGINAL, release, ["sex"])
    assert (judgement.n_ordinary, judgement.n_leaving) == (3, 2)
    sizes = release.groupby("sex").size()
    assert judgement.smallest_class == sizes.min()
    assert not judgement.naming + judgement.row_keys + judgement.invented


def test_protect_lets_nothing_of_it_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ORIGINAL.to_csv(tmp_path / "people.csv", index=False)
    assert main([str(tmp_path)]) == 0
    assert "3 of 3 (100 %)" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_files_of_every_sort_of_column_pass(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    for number in range(5):
        n = int(rng.integers(150, 900))
        columns = {
            "id": 10_000 + rng.permutation(n),
            "player": [f"Player {i:04d} Jones" for i in range(n)],
            "region": rng.choice(["north", "south", "east"], n),
            "occupation": rng.choice([110, 4720, 4700, 5240, 9620], n),
            "age": np.where(rng.random(n) < 0.03, 999, rng.integers(18, 90, n)),
            "children": rng.integers(0, 5, n),
            "wage": rng.lognormal(3, 0.5, n).round(2),
            "hours": rng.normal(38, 6, n).round(1),
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 15_000, n), "D"),
            "answer": rng.choice(["yes", "no", "none"], n),
        }
        some = rng.choice([*columns][2:], int(rng.integers(4, 9)), replace=False)
        names = [name for name in columns if name in {*some, "id", "player"}]
        frame = pd.DataFrame({name: columns[name] for name in names})
        frame.to_csv(tmp_path / f"{number}.csv", index=False)
    assert main([str(tmp_path)]) == 0
