"""Answers to why are true: they add up, and what moving would cost is what it costs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.explain import Explainer
from engine.core.errors import ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def make_table(n: int = 60, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(50, 10, n),
            "b": rng.lognormal(2, 1, n),
            "c": rng.integers(0, 9, n),
            "region": rng.choice(["north", "south"], n),
        }
    )
    roles = dict.fromkeys("abc", "quasi-identifier")
    return read_table(frame).assign(
        roles={**roles, "region": "other"}, kinds=dict.fromkeys("abc", "continuous")
    )


def explainer(outcome: Outcome, table: Table) -> Explainer:
    return Explainer(outcome, PreparationCache(table).get(outcome.plan))


def loss_of(table: Table, labels: np.ndarray) -> float:
    raw = table.frame[["a", "b", "c"]].to_numpy(dtype=float)
    X = (raw - raw.mean(0)) / raw.std(0)
    sse = sum(
        ((X[labels == g] - X[labels == g].mean(0)) ** 2).sum() for g in set(labels)
    )
    return 100 * float(sse) / float((X**2).sum())


@pytest.fixture(scope="module")
def table() -> Table:
    return make_table()


@pytest.fixture(scope="module")
def outcome(table: Table) -> Outcome:
    return run(Plan(method="vmdav", k=3, parameters={"gamma": 1.1}), table)


def test_the_groups_losses_add_up_to_the_information_loss(
    outcome: Outcome, table: Table
) -> None:
    why = explainer(outcome, table)
    stories = [why.explain_group(g) for g in range(outcome.partition.n_groups)]
    loss = sum(story.loss for story in stories)
    assert loss == pytest.approx(outcome.information_loss)
    assert sum(story.share for story in stories) == pytest.approx(100)
    for story in stories:
        assert sum(story.attributes.values()) == pytest.approx(100)
        shares = list(story.attributes.values())
        assert shares == sorted(shares, reverse=True)
    assert sorted(story.wider for story in stories) == list(range(len(stories)))


def test_the_records_losses_add_up_to_their_group_s(
    outcome: Outcome, table: Table
) -> None:
    why = explainer(outcome, table)
    story = why.explain_group(2)
    records = [why.explain_record(int(record)) for record in story.members]
    assert sum(each.loss for each in records) == pytest.approx(story.loss)
    assert max(each.distance for each in records) == pytest.approx(story.radius)


def test_a_record_s_moves_lead_to_its_released_values(table: Table) -> None:
    outcome = run(Plan(k=4, rounding="none"), table)
    why = explainer(outcome, table)
    for record in (0, 17, 59):
        for name, move in why.explain_record(record).moves.items():
            before = float(table.frame[name].iloc[record])
            after = float(outcome.release.frame[name].iloc[record])
            assert before + move == pytest.approx(after)


def test_moving_a_record_costs_what_was_said(outcome: Outcome, table: Table) -> None:
    why, labels = explainer(outcome, table), outcome.partition.labels
    for record in range(0, 60, 7):
        story = why.explain_record(record)
        assert story.alternative is not None
        moved = labels.copy()
        moved[record] = story.alternative.group
        change = loss_of(table, moved) - outcome.information_loss
        assert story.alternative.cost == pytest.approx(change)
        n_left = int((labels == story.group).sum()) - 1
        assert story.alternative.possible == (n_left >= 3)
        for other in set(labels.tolist()) - {story.group}:
            other_labels = labels.copy()
            other_labels[record] = other
            assert loss_of(table, other_labels) >= loss_of(table, moved) - 1e-9


def test_merging_costs_what_was_said(outcome: Outcome, table: Table) -> None:
    why, labels = explainer(outcome, table), outcome.partition.labels
    for group in range(0, outcome.partition.n_groups, 3):
        nearest = why.explain_group(group).nearest
        assert nearest is not None
        merged = np.where(labels == nearest.group, group, labels)
        change = loss_of(table, merged) - outcome.information_loss
        assert nearest.cost == pytest.approx(change)


def test_a_group_of_mdav_names_the_record_that_it_began_with(table: Table) -> None:
    outcome = run(Plan(k=4), table)
    why = explainer(outcome, table)
    raw = table.frame[["a", "b", "c"]].to_numpy(dtype=float)
    X = (raw - raw.mean(0)) / raw.std(0)
    assert why.explain_group(0).seed == int((X**2).sum(axis=1).argmax())
    polished = run(Plan(k=4, polish=True), table)
    assert explainer(polished, table).explain_group(0).seed is None


def test_only_groups_of_the_same_stratum_are_alternatives(table: Table) -> None:
    outcome = run(Plan(k=3, strata="region"), table)
    why = explainer(outcome, table)
    regions = table.frame["region"].to_numpy()
    for record in range(0, 60, 5):
        other = why.explain_record(record).alternative
        assert other is not None
        members = outcome.partition.members(other.group)
        assert set(regions[members]) == {regions[record]}


def test_the_costliest_groups_come_first(outcome: Outcome, table: Table) -> None:
    why = explainer(outcome, table)
    every = why.costliest_groups(max_groups=1000)
    losses = [why.explain_group(g).loss for g in every]
    assert losses == sorted(losses, reverse=True)
    assert why.costliest_groups(max_groups=2) == every[:2]
    in_b = why.costliest_groups("b", max_groups=1000)
    parts = [
        why.explain_group(g).loss * why.explain_group(g).attributes["b"] for g in in_b
    ]
    assert parts == pytest.approx(sorted(parts, reverse=True))


def test_what_cannot_be_explained_is_one_sentence(
    outcome: Outcome, table: Table
) -> None:
    block_outcome = run(Plan(k=3, blocks=(("a", "b"),)), table)
    with pytest.raises(ParameterError, match="grouped apart"):
        explainer(block_outcome, table)
    why = explainer(outcome, table)
    with pytest.raises(ParameterError, match="no group 999"):
        why.explain_group(999)
    with pytest.raises(ParameterError, match="no record 61"):
        why.explain_record(60)
    with pytest.raises(ParameterError, match="no column called 'region'"):
        why.costliest_groups("region")


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=14)
)
def test_ties_and_constants_have_answers(rows: list[tuple[int, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b"])
    table = read_table(frame).assign(
        roles=dict.fromkeys("ab", "quasi-identifier"),
        kinds=dict.fromkeys("ab", "continuous"),
    )
    outcome = run(Plan(k=3), table)
    why = explainer(outcome, table)
    total = sum(why.explain_group(g).loss for g in range(outcome.partition.n_groups))
    assert total == pytest.approx(outcome.information_loss, abs=1e-9)
    assert np.isfinite(why.explain_record(0).loss)
