"""Partitions of the variables, each part with centres and draws of its own."""

import numpy as np
import pandas as pd
import pytest

from engine.constraints.rules import parse_rules
from engine.core.errors import ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.methods.base import make_method
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.points.base import Points
from engine.storage.outcomes import load_outcome, save_outcome
from tests.engine.methods.fuzzy.tables import (
    RULE,
    as_table,
    expenditure,
    matrix,
    protect,
)
from tests.reference import fuzzy_clustering as naive

BLOCKS = (("x3", "x1"), ("x0", "x2"))


def twin(X: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """What Algorithm 1 makes of some variables: each record's drawn centre."""
    centres = naive.cluster(X, len(X) // k, "fcm", 1.1, rng)
    released = []
    for x, draw in zip(X, rng.random(len(X)), strict=True):
        u = naive.memberships(x, centres, "fcm", 1.5)
        released.append(centres[np.searchsorted(np.cumsum(u), draw, side="right")])
    return np.array(released)


def test_each_block_equals_the_naive_twin_on_its_columns_alone() -> None:
    X = matrix(60, 4)
    outcome = protect(
        as_table(X), k=4, seed=7, blocks=BLOCKS, scaling="none", rounding="none"
    )
    released = outcome.release.frame.to_numpy()
    for columns, stream in (((3, 1), 7), ((0, 2), [7, 1])):
        expected = twin(X[:, columns], 4, np.random.default_rng(stream))
        np.testing.assert_allclose(released[:, columns], expected, atol=1e-6)


def test_blocks_lose_less_and_say_sizes_of_all_of_them(tmp_path) -> None:
    table = as_table(matrix(150, 4))
    whole, block_outcome = (protect(table, k=5, blocks=each) for each in ((), BLOCKS))
    assert block_outcome.information_loss < whole.information_loss
    drawn = block_outcome.probabilistic
    assert drawn is not None
    assert (drawn.n_blocks, drawn.n_centres, drawn.realised.sum()) == (2, 60, 300)
    assert drawn.expected.size == drawn.realised.size
    assert drawn.mean_expected_size == 5.0
    frame, below = block_outcome.release.frame, 0
    for block in BLOCKS:
        sizes = frame.groupby(list(block)).size()
        below += sizes[sizes < 5].sum()
    assert drawn.share_below == pytest.approx(below / 300)
    assert "2 blocks of columns were drawn apart." in drawn.warning
    assert not block_outcome.k_verified
    assert any(
        "Blocks of columns were grouped apart" in warning
        for warning in block_outcome.warnings
    )
    save_outcome(block_outcome, tmp_path / "one", table)
    loaded = load_outcome(tmp_path / "one", table)
    assert isinstance(loaded, Outcome)
    assert loaded.summary() == block_outcome.summary()


def test_draws_of_one_block_tell_nothing_of_those_of_another() -> None:
    """The same column twice, nearly all centres as likely: no link but by chance."""
    x = np.random.default_rng(0).standard_normal(400)
    frame = pd.DataFrame({"a": x, "b": x})
    table = read_table(frame).assign(roles=dict.fromkeys("ab", "quasi-identifier"))
    outcome = protect(
        table, k=5, blocks=(("a",), ("b",)), parameters={"m2": 1e6}, rounding="none"
    )
    released = outcome.release.frame
    assert abs(released["a"].corr(released["b"])) < 0.2
    assert (released["a"] == released["b"]).mean() < 0.1


@pytest.mark.parametrize("order", [("exp16", "exp7", "total"), ("total", "exp7")])
def test_a_rule_within_a_block_binds_its_centres(
    order: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = tuple(dict.fromkeys((*order, "exp16")))
    frame = expenditure(noise=1.5).frame.assign(age=np.arange(12.0) ** 2)
    table = read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )
    # The same centres as those of the block alone, whatever the order of its columns.
    for rules in ((), (RULE,)):
        outcome = protect(
            table,
            blocks=(("age",), order),
            constraints=rules,
            scaling="none",
            rounding="none",
        )
        released = outcome.release.frame
        points = Points.from_array(frame[list(order)].to_numpy())
        if rules:
            weighted_sum = 1.16 * released["exp16"] + 1.07 * released["exp7"]
            np.testing.assert_allclose(weighted_sum, released["total"], rtol=1e-9)
            points = points.with_rules(parse_rules(rules, order))
            monkeypatch.setattr(Points, "names", order)
        method = make_method("fuzzy", 3)
        method.stream = 1
        method.partition(points)
        assert method.centres_ is not None
        drawn = released[list(order)].to_numpy()
        near = np.abs(drawn[:, None] - method.centres_[None]).max(axis=2).min(axis=1)
        np.testing.assert_allclose(near, 0.0, atol=1e-9)


def test_strata_in_blocks_draw_apart() -> None:
    X = np.tile(matrix(40, 2), (2, 1))
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["half"] = ["one"] * 40 + ["two"] * 40
    table: Table = read_table(frame).assign(
        roles={"a": "quasi-identifier", "b": "quasi-identifier", "half": "other"}
    )
    plan = Plan(method="fuzzy", k=4, strata="half", blocks=(("a",), ("b",)))
    outcome = run(plan, table)
    assert outcome.probabilistic is not None
    assert outcome.probabilistic.n_centres == 4 * 10
    values = outcome.release.frame[["a", "b"]].to_numpy()
    assert (values[:40] != values[40:]).any()


def test_blocks_of_a_method_for_single_attributes_are_refused() -> None:
    with pytest.raises(ParameterError, match="each attribute on its own"):
        Plan(method="individual-ranking", blocks=(("a",),))
