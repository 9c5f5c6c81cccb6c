"""Columns that cost most: answers to a questionnaire go before who was asked."""

import numpy as np
import pandas as pd
import pytest

from engine.analysis.costly_columns import (
    MIN_QUESTIONS,
    columns_to_drop_for_loss,
    loss_per_column,
    questionnaire_columns,
)
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

RNG = np.random.default_rng(4)
SCALES = {
    "numbers": [1, 2, 3, 4, 5],
    "words": ["never", "rarely", "often", "always"],
}


def survey(scale: list[object], n_questions: int, n: int = 120) -> pd.DataFrame:
    numeric_columns = {
        "age": RNG.integers(18, 80, n),
        "size": RNG.normal(170, 9, n).round(1),
    }
    picked = RNG.integers(0, len(scale), (n, n_questions))
    answers = np.array(scale, dtype=object)[picked]
    frame = pd.DataFrame(answers, columns=[f"Q{i}" for i in range(n_questions)])
    return pd.DataFrame(numeric_columns).join(frame.infer_objects())


def outcome_of(frame: pd.DataFrame) -> Outcome:
    return run(Plan(k=4, quasi_identifiers=tuple(frame)), read_table(frame))


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_questions_on_one_scale_are_a_questionnaire_if_they_are_many(
    scale: list[object],
) -> None:
    frame = survey(scale, MIN_QUESTIONS)
    frame.loc[frame["Q3"] == scale[-1], "Q3"] = scale[0]  # an answer nobody gave
    frame.loc[::7, "Q4"] = None
    table = read_table(frame)
    questions = {name for name in frame if name.startswith("Q")}
    assert questionnaire_columns(table, frame.columns) == questions
    assert not questionnaire_columns(table, [*frame.columns][:-1])


def test_answers_are_left_out_before_the_people_who_gave_them() -> None:
    frame = survey([1, 2, 3, 4, 5], 14)
    outcome, table = outcome_of(frame), read_table(frame)
    loss_by_column = loss_per_column(outcome)
    dropped = columns_to_drop_for_loss(outcome, table, 0.0, 9)
    assert len(dropped) == 9
    assert all(name.startswith("Q") for name in dropped)
    kept_losses = [
        loss_by_column[name] for name in frame if name[0] == "Q" and name not in dropped
    ]
    assert max(kept_losses) <= min(loss_by_column[name] for name in dropped)
    every = columns_to_drop_for_loss(outcome, table, 0.0)
    assert len(every) == len(loss_by_column) - 1
    assert {*every[:14]} == {name for name in frame if name.startswith("Q")}


def test_without_a_questionnaire_the_costliest_go_until_the_rest_is_cheap() -> None:
    frame = pd.DataFrame(RNG.normal(50, 9, (60, 6)).round(1), columns=list("abcdef"))
    outcome, table = outcome_of(frame), read_table(frame)
    loss_by_column = loss_per_column(outcome)
    order = sorted(loss_by_column, key=lambda name: -loss_by_column[name])
    for limit in (0.0, 20.0, *loss_by_column.values(), 100.0):
        dropped = columns_to_drop_for_loss(outcome, table, limit)
        assert list(dropped) == order[: len(dropped)]
        rest = [loss_by_column[name] for name in order[len(dropped) :]]
        assert len(rest) == 1 or np.mean(rest) <= limit
        assert (
            len(dropped) == 1 or np.mean([loss_by_column[dropped[-1]], *rest]) > limit
        )
    kept_columns = {order[0], order[3]}
    assert not kept_columns & {
        *columns_to_drop_for_loss(outcome, table, 0.0, kept_columns=kept_columns)
    }
