"""The verdict is never greener than its worst line, and red where it has to be."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from engine.analysis.verdict import Line, Verdict, judge
from engine.core.message import Message
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

N = 200
RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "name": [f"Maria Lopez {i}" for i in range(N)],
        "age": RNG.integers(18, 90, N),
        "height": RNG.normal(170, 10, N).round(1),
        "region": RNG.choice(list("abc"), N),
        "salary": RNG.lognormal(10, 1, N).round(2),
    }
)


def outcome_of(**choices: object) -> tuple[Outcome, Verdict]:
    table = read_table(FRAME)
    base: dict[str, object] = {
        "k": 5,
        "quasi_identifiers": ("age", "height"),
        "identifiers": ("name", "region", "salary"),
        "confidential": (),
        "person": "none",
    }
    outcome = run(Plan(**{**base, **choices}), table)
    return outcome, judge(outcome, table, shuffled=True)


def test_a_file_whose_columns_are_all_protected_is_green() -> None:
    table = read_table(FRAME[["name", "age", "height"]])
    plan = Plan(k=5, quasi_identifiers=("age", "height"), identifiers=("name",))
    assert judge(run(plan, table), table, shuffled=True).colour == "green"
    # That nobody counts people is never green.
    assert outcome_of()[1].colour == "amber"


@pytest.mark.parametrize("colours", [("green", "amber"), ("amber", "red"), ("red",)])
def test_the_headline_is_that_of_the_worst_line(colours: tuple[str, ...]) -> None:
    said = Message("x")
    lines = tuple(Line("found", said, colour, said) for colour in colours)  # type: ignore[arg-type]
    assert Verdict(lines).colour == colours[-1]


def test_a_name_that_leaves_is_red() -> None:
    verdict = outcome_of(identifiers=("region", "salary"))[1]
    line = verdict.line("exact")
    assert line.colour == verdict.colour == "red"
    assert line.mend is not None
    assert line.mend.columns == ("name",)


def test_exact_values_that_single_people_out_are_amber() -> None:
    found = outcome_of(identifiers=("name", "region"), confidential=("salary",))[1]
    assert found.line("exact").colour == "amber"


def test_confidential_values_that_groups_share_are_red() -> None:
    table = read_table(FRAME.assign(disease=np.where(FRAME["age"] > 50, "x", "y")))
    plan = Plan(
        k=5,
        quasi_identifiers=("height",),
        identifiers=("name", "region", "salary", "age"),
        confidential=("disease",),
        person="none",
    )
    outcome = run(plan, table)
    labels = outcome.partition.labels
    shared = np.array(list("uvw"))[labels % 3]  # each group has one value for all
    same = read_table(table.frame.assign(disease=shared))
    frame = outcome.release.frame.assign(disease=shared)
    release = dataclasses.replace(outcome.release, frame=frame)
    verdict = judge(dataclasses.replace(outcome, release=release), same, shuffled=True)
    without = judge(outcome, table, shuffled=True)
    assert verdict.line("guessed").colour in ("red", "green")
    assert without.line("guessed").colour == "green" or without.line("guessed").mend


def test_more_loss_than_is_allowed_is_red_and_names_columns() -> None:
    table = read_table(FRAME)
    outcome, _ = outcome_of(k=40)
    line = judge(outcome, table, shuffled=True, max_loss=5.0).line("useful")
    assert line.colour == "red"
    assert line.mend is not None
    assert line.mend.columns


def test_the_order_of_the_file_is_amber() -> None:
    outcome, _ = outcome_of()
    table = read_table(FRAME)
    assert judge(outcome, table, shuffled=False).line("left-out").colour == "amber"


def test_what_is_accepted_stays_red() -> None:
    table = read_table(FRAME)
    outcome, _ = outcome_of(k=40)
    found = judge(outcome, table, shuffled=True, max_loss=1.0, accepted="for a test")
    assert found.colour == "red"
    assert found.summary()["accepted"] == "for a test"
