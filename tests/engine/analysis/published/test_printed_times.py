"""What was printed of run times, beside times that were made up."""

from engine.analysis.curves.timing import MethodTiming
from engine.analysis.published.printed_times import compare_time_claims


def times(method: str, k: int, *seconds: float) -> list[MethodTiming]:
    """Times with one attribute, two, and so on, each of two starts around a mean."""
    return [
        MethodTiming(method, False, p, k, 500, p, (0.9 * mean, 1.1 * mean), starts=True)
        for p, mean in enumerate(seconds, start=1)
    ]


def test_times_as_they_were_drawn_come_out() -> None:
    claims = compare_time_claims(
        times("caat", 3, 1.0, 2.0, 3.0)
        + times("kaca", 3, 2.0, 3.0, 6.0)
        + times("caat", 6, 2.0, 3.0, 4.0)
        + times("kaca", 6, 3.0, 5.0, 9.0)
    )
    assert all(claim.holds for claim in claims)
    assert {claim.verdict_text for claim in claims} == {"as printed"}
    assert "1.5 to 2.0 times less" in claims[0].found
    assert "3.0, 2.0 times as long (k = 3, 6)" in claims[2].found


def test_every_claim_that_fails_says_where() -> None:
    claims = compare_time_claims(
        times("caat", 3, 3.0, 3.0, 3.1)
        + times("kaca", 3, 1.0, 2.0, 4.0)
        + times("caat", 6, 3.0, 3.0, 3.0)
        + times("kaca", 6, 1.0, 2.0, 2.9)
    )
    claim_by_text = {claim.printed: claim for claim in claims}
    assert "faster with 1, 2 attributes" in claim_by_text[claims[0].printed].found
    assert "faster throughout" in claims[1].found
    assert [claim.holds for claim in claims] == [
        False,
        False,
        False,
        True,
        False,
        False,
    ]
    assert "0.99 times as long" in claims[4].found


def test_nothing_is_said_of_one_method_alone_nor_of_other_methods() -> None:
    assert (
        compare_time_claims(times("caat", 3, 1.0, 2.0) + times("mdav", 3, 1.0, 2.0))
        == ()
    )
