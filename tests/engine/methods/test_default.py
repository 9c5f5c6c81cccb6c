from __future__ import annotations

from engine.methods import methods
from engine.methods.default import FOR_MANY, MANY, USUAL, proposed_method, reason


def test_more_than_two_hundred_thousand_records_are_proposed_another_method() -> None:
    assert MANY == 200_000
    assert proposed_method(1) == proposed_method(MANY) == USUAL == "mdav"
    assert proposed_method(MANY + 1) == FOR_MANY == "blocked"


def test_a_reason_is_given_only_for_the_unusual() -> None:
    assert reason(MANY) == ""
    assert "blocked" in reason(MANY + 1)
    assert "200,001 records" in reason(MANY + 1)


def test_the_method_for_many_records_is_the_faster_one_there() -> None:
    many, usual = (methods.info(name).traits.cost for name in (FOR_MANY, USUAL))
    for k in (3, 5):
        assert many.seconds(5 * MANY, 10, k) < 0.5 * usual.seconds(5 * MANY, 10, k)
