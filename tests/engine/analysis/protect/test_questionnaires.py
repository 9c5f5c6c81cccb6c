"""Of a long questionnaire a useful part leaves."""

import numpy as np
import pandas as pd

from engine.analysis.protect import protect
from engine.data.schema import COSTLY
from engine.files import read_table


def test_of_a_long_questionnaire_a_useful_part_leaves_and_it_is_said() -> None:
    rng = np.random.default_rng(3)
    mood = rng.normal(size=(400, 6))
    items = {
        f"q{j}": np.clip(
            np.round(3 + 0.7 * mood[:, j % 6] + rng.normal(size=400)), 1, 5
        )
        for j in range(60)
    }
    protection = protect(pd.DataFrame(items).astype(int))
    assert protection.verdict.colour == "amber"
    leave, gone = (
        {*protection.release},
        {omission.column for omission in protection.left_out},
    )
    assert leave
    assert leave | gone == {*items}
    first, last = protection.questions
    assert {*first.columns} == leave  # of the others it is not said what is not so
    assert {*last.columns} == gone


def test_of_a_long_questionnaire_those_who_were_asked_leave_with_what_can() -> None:
    rng = np.random.default_rng(3)
    n, n_questions = 300, 45
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "income": rng.lognormal(10, 0.5, n).round(-2),
        }
    )
    answers = rng.integers(1, 6, (n, n_questions))
    frame[[f"q{i}" for i in range(n_questions)]] = answers
    protection = protect(frame, shuffle_seed=1)
    assert {"age", "sex", "income"} <= {*protection.release}
    assert protection.verdict.line("useful").colour == "green"
    assert protection.verdict.line("found").colour == "green"
    protected_names = protection.outcome.plan.quasi_identifiers
    out = [
        omission.column for omission in protection.left_out if omission.why == COSTLY
    ]
    assert {*protected_names} | {*out} == {*frame}
    # As many leave as can: with one more of them too much would be lost.
    roles = {
        **dict.fromkeys(frame, "identifier"),
        **dict.fromkeys([*protected_names, out[-1]], "quasi-identifier"),
    }
    fuller = protect(read_table(frame, roles=roles), shuffle_seed=1)
    assert fuller.outcome.plan.quasi_identifiers
    assert len(fuller.left_out) == len(out) - 1
