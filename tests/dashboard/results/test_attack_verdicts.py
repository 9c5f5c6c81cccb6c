"""Attacks are said in the words and colours of the verdict on the release."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.inspect.attack_lines import (
    COLOURS,
    SHAPES,
    attack_lines_html,
)
from dashboard.i18n import text_attacks
from dashboard.results.answers import SIGN_OF_COLOUR
from dashboard.results.attack_verdicts import attack_sentence, attack_verdict_and_sign
from engine import Plan, read_table, run
from engine.analysis.attacks import AttackResult, attacks
from engine.analysis.verdict.disclosure import LEARNING, LINKING
from engine.analysis.verdict.judge_release import judge_release
from engine.core.message import Message

N, K = 400, 5
RATES = (0.0, 0.01, 0.1, 1.0 / K, 0.25, 0.6, 1.0)
RESULTS = [
    AttackResult(name, rate, N, control, control_attempts=N)
    for name in attacks
    for rate, control in product(RATES, (0.0, 0.3))
]


@pytest.mark.parametrize("name", [*LINKING, *LEARNING])
def test_an_attack_has_the_colour_of_the_line_that_it_decides(name: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["s"] = list("xyz") * 20
    roles = dict.fromkeys("ab", "quasi-identifier") | {"s": "confidential"}
    table = read_table(frame, roles=roles)
    outcome = run(Plan(k=K, method="mdav", person="each"), table)
    line = "guessed" if name in LEARNING else "found"
    seen = set()
    for result in (each for each in RESULTS if each.attack == name):
        judged = judge_release(outcome, table, attack_results=[result], shuffled=True)
        sign = attack_verdict_and_sign(result, K)[1]
        assert sign == SIGN_OF_COLOUR[judged.line(line).colour]
        seen.add(sign)
    assert seen == {"good", "bad"}


@pytest.mark.parametrize("result", RESULTS, ids=str)
def test_words_and_sign_of_an_attack_agree(result: AttackResult) -> None:
    words, sign = attack_verdict_and_sign(result, K)
    is_judged = result.attack in LINKING + LEARNING
    assert sign != "bad" or is_judged
    assert (words == text_attacks.MORE_THAN_K_ALLOWS) == (sign == "bad")
    if not is_judged:
        assert words == text_attacks.VERDICTS[result.grade]
        assert (sign == "watch") == result.has_succeeded
    elif sign == "good":
        none = text_attacks.VERDICTS["none"]
        allowed = text_attacks.NO_MORE_THAN_K_ALLOWS
        assert words == (allowed if result.has_succeeded else none)
    body = attack_lines_html([result], K)
    assert f'aria-label="{words}"' in body
    assert f'color:{COLOURS[sign]};font-weight:700">{SHAPES[sign]}<' in body
    assert attack_sentence(result, K).lower().startswith(f"{words}: ")


def test_what_could_not_be_tried_has_no_colour() -> None:
    result = AttackResult.impossible("membership", Message("Nobody is outside."))
    assert attack_verdict_and_sign(result, K) == ("nothing to try", "open")
    assert attack_sentence(result, K) == "Nobody is outside."
    assert "background:#0" not in attack_lines_html([result], K)
