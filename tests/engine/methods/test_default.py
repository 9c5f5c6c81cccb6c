from engine.methods import methods
from engine.methods.default import (
    DEFAULT_LARGE_METHOD,
    DEFAULT_METHOD,
    MAX_DEFAULT_RECORDS,
    default_method,
    proposal_reason,
)


def test_more_than_two_hundred_thousand_records_are_proposed_another_method() -> None:
    assert MAX_DEFAULT_RECORDS == 200_000
    assert (
        default_method(1)
        == default_method(MAX_DEFAULT_RECORDS)
        == DEFAULT_METHOD
        == "mdav"
    )
    assert default_method(MAX_DEFAULT_RECORDS + 1) == DEFAULT_LARGE_METHOD == "blocked"


def test_a_reason_is_given_only_for_the_unusual() -> None:
    assert proposal_reason(MAX_DEFAULT_RECORDS) == ""
    assert "blocked" in proposal_reason(MAX_DEFAULT_RECORDS + 1)
    assert "200,001 records" in proposal_reason(MAX_DEFAULT_RECORDS + 1)


def test_the_method_for_many_records_is_the_faster_one_there() -> None:
    many, usual = (
        methods.info(name).traits.cost
        for name in (DEFAULT_LARGE_METHOD, DEFAULT_METHOD)
    )
    for k in (3, 5):
        assert many.expected_seconds(
            5 * MAX_DEFAULT_RECORDS, 10, k
        ) < 0.5 * usual.expected_seconds(5 * MAX_DEFAULT_RECORDS, 10, k)
