"""Households grouped whole: k holds for households and for persons."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cli.parsing.parser import main
from engine.core.errors import EngineError, ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from tests.properties import share_of_examples
from tests.reference.brute_force import partitions

NAMES = ("age", "income", "rent")


def frame_of(sizes: list[int], seed: int = 0) -> pd.DataFrame:
    """Persons in households, in mixed order; rent is one for each household."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame(
        {
            "home": [f"h{number}" for number in home],
            "age": rng.integers(0, 90, home.size),
            "income": rng.lognormal(8, 1, home.size).round(1),
            "rent": rng.integers(300, 2000, len(sizes))[home],
        }
    )
    return frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def table_of(frame: pd.DataFrame) -> Table:
    roles = dict.fromkeys(NAMES, "quasi-identifier")
    return read_table(frame).assign(roles={**roles, "home": "identifier"})


def protect(frame: pd.DataFrame, **choices: object) -> Outcome:
    plan = Plan(**{"k": 3, "household": "home", "rounding": "none", **choices})
    return run(plan, table_of(frame))


def check(frame: pd.DataFrame, outcome: Outcome, k: int) -> None:
    """Count persons and households with pandas and Python alone."""
    released = outcome.release.frame[list(NAMES)].round(9)
    assert released.groupby(list(NAMES)).size().min() >= k
    homes: dict[str, list[tuple[float, ...]]] = {}
    for home, row in zip(
        frame["home"], released.itertuples(index=False, name=None), strict=True
    ):
        homes.setdefault(home, []).append(row)
    alike = Counter(tuple(sorted(set(rows))) for rows in homes.values())
    assert min(alike.values()) >= k
    for home, rows in homes.items():
        assert len({row[2] for row in rows}) == 1, home


@settings(max_examples=share_of_examples(0.75))
@given(
    sizes=st.lists(st.integers(1, 4), min_size=3, max_size=20),
    k=st.integers(2, 3),
    seed=st.integers(0, 5),
)
def test_k_holds_for_households_and_persons(
    sizes: list[int], k: int, seed: int
) -> None:
    frame = frame_of(sizes, seed)
    check(frame, protect(frame, k=k, small_strata="merge"), k)


@pytest.mark.parametrize("method", ["mdav", "vmdav", "mdav-mhm", "rmd", "refined"])
def test_every_kind_of_method_groups_them(method: str) -> None:
    frame = frame_of([1, 2, 3] * 8)
    outcome = protect(frame, method=method)
    check(frame, outcome, 3)
    sizes = frame.groupby("home")["age"].transform("size").to_numpy()
    for g in range(outcome.partition.n_groups):
        assert len(set(sizes[outcome.partition.labels == g])) == 1


def test_the_best_groups_of_households_lose_what_brute_force_finds() -> None:
    frame = frame_of([2] * 7, seed=3)
    outcome = protect(frame, method="optimal", k=2)
    values = frame[list(NAMES)].to_numpy(float)
    X = (values - values.mean(axis=0)) / values.std(axis=0)
    units = [
        X[rows[np.argsort(X[rows, 0], kind="stable")]].reshape(-1)
        for _, rows in sorted(frame.groupby("home").indices.items())
    ]
    least_sse = min(
        sum(
            np.square(some - some.mean(axis=0)).sum()
            for some in (np.array([units[i] for i in group]) for group in groups)
        )
        for groups in partitions(list(range(7)), 2)
    )
    assert outcome.information_loss == pytest.approx(100 * least_sse / X.size)
    assert outcome.bound.per_cent <= outcome.information_loss


def test_members_are_matched_in_the_order_of_the_first_attribute() -> None:
    frame = pd.DataFrame(
        {
            "home": ["a", "a", "b", "b", "c", "c"],
            "age": [40, 8, 10, 44, 42, 12],
            "income": [10.0, 0, 0, 20, 30, 0],
            "rent": [5, 5, 6, 6, 7, 7],
        }
    )
    released = protect(frame).release.frame
    assert released["age"].tolist() == [42, 10, 10, 42, 42, 10]
    assert released["income"].tolist() == [20, 0, 0, 20, 20, 0]
    assert released["rent"].tolist() == [6] * 6


def test_sizes_that_are_rare_are_refused_or_grouped_together() -> None:
    frame = frame_of([1] * 6 + [2] * 6 + [7])
    with pytest.raises(EngineError, match=r"Only 1 household .* has 7 records"):
        protect(frame)
    outcome = protect(frame, small_strata="merge")
    check(frame, outcome, 3)
    assert any("sizes that are rare" in str(warning) for warning in outcome.warnings)


def test_households_are_counted_on_the_file_as_written() -> None:
    frame = frame_of([2] * 9)
    table = table_of(frame)
    outcome = protect(frame)
    assert "home" not in outcome.release.frame
    written = release_bytes_and_checks(outcome, table)
    (household_check,) = (
        file_check for file_check in written.checks if file_check.id == "households"
    )
    assert household_check.passed
    # With one household's values changed, nobody else has them.
    broken = outcome.release.frame.copy()
    rows = frame.index[frame["home"] == "h0"]
    broken.loc[rows, "age"] = broken.loc[rows, "age"].to_numpy()[::-1] + 1
    bad = Outcome(
        **{
            **{name: getattr(outcome, name) for name in outcome.__dataclass_fields__},
            "release": type(outcome.release)(broken, outcome.release.rows),
        }
    )
    (household_check,) = (
        file_check
        for file_check in release_bytes_and_checks(bad, table).checks
        if file_check.id == "households"
    )
    assert not household_check.passed


@pytest.mark.parametrize(
    "choices",
    [
        {"method": "individual-ranking"},
        {"method": "fuzzy"},
        {"method": "caat"},
        {"method": "hansen-mukherjee"},
        {"suppress": 0.1},
        {"p_sensitive": 2, "confidential": ("rent",)},
        {"blocks": (("age",), ("income",))},
    ],
    ids=str,
)
def test_what_does_not_group_them_whole_is_refused(choices: dict) -> None:
    with pytest.raises(ParameterError, match="because households are grouped whole"):
        Plan(household="home", **choices)


def test_a_household_lies_in_one_stratum_and_has_one_weight() -> None:
    frame = frame_of([2] * 6)
    frame["region"] = np.where(frame["home"] < "h3", "n", "s")
    table = table_of(frame)
    plan = Plan(k=3, household="home", strata="region", quasi_identifiers=NAMES)
    for _, part in run(plan, table).release.frame.groupby(frame["region"]):
        assert part.groupby(list(NAMES)).size().min() >= 3
    split = frame.assign(region=["n", "s"] * 6)
    with pytest.raises(EngineError, match="several values in one household"):
        run(plan, table_of(split))


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_record_without_a_household_is_named(blank: str | None) -> None:
    frame = frame_of([2] * 6)
    frame.loc[3, "home"] = blank
    with pytest.raises(EngineError, match="does not say of 1 record"):
        protect(frame)


def test_a_written_file_is_counted_for_households_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 1), ("d", 2)]
    frame = pd.DataFrame(records, columns=["home", "age"])
    path, json_ = tmp_path / "a.csv", tmp_path / "c.json"
    frame.to_csv(path, index=False)
    line = ["check", str(path), "--quasi-identifiers", "age", "--k", "2"]
    assert main(line) == 0  # four records have 1, three have 2
    assert main([*line, "--household", "home", "--json", str(json_)]) == 1
    assert "k = 1 for the 4 households of home" in capsys.readouterr().out
    assert json.loads(json_.read_text())["k_households"] == 1
    frame[frame["home"].isin(["a", "b"])].to_csv(path, index=False)
    assert main([*line, "--household", "home"]) == 0
    assert main([*line, "--household", "age"]) == 2
    assert main([*line, "--household", "none"]) == 2


def test_the_command_line_takes_a_column(tmp_path: Path) -> None:
    frame = frame_of([2] * 9)
    frame["home"] = frame["home"].str[1:].astype(int)
    frame.to_csv(tmp_path / "in.csv", index=False)
    line = ["run", str(tmp_path / "in.csv"), "--all-numeric", "--household", "home"]
    line += ["--k", "3", "--output", str(tmp_path / "out.csv")]
    assert main(line) == 0
    back = pd.read_csv(tmp_path / "out.csv")
    names = list(back.columns.drop("home", errors="ignore"))
    assert back.groupby(names).size().min() >= 3
