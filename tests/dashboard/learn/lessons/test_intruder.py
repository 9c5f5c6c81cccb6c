"""What an intruder finds in a lesson is what the measure counts."""

import pytest

import sample_data
from dashboard.learn.lessons import intruder
from engine import Plan, evaluate, run


@pytest.mark.parametrize("k", intruder.ATTACKED_SIZES)
def test_knowing_everything_is_the_measure_of_the_release(k):
    table = sample_data.load("business_survey")
    outcome = run(Plan(method="mdav", k=k), table)
    score = evaluate(outcome, table, [intruder.ATTACK_MEASURE])[intruder.ATTACK_MEASURE]
    found = intruder.attack_firms(len(intruder.attributes_known_in_order()), k)
    assert found.share == score.value
    assert found.promised == pytest.approx(score.baseline)
    assert found.promised <= 100.0 / k


def test_knowing_one_attribute_finds_who_is_alone_with_it():
    values = sample_data.load("business_survey").frame[
        intruder.attributes_known_in_order()[0]
    ]
    alike = values.map(values.value_counts())
    assert intruder.attack_firms(1, 1).share == pytest.approx(
        100.0 * (1.0 / alike).mean()
    )


def test_the_table_as_it_is_gives_everybody_away():
    found = intruder.attack_all_sizes(len(intruder.attributes_known_in_order()))
    assert [one.k for one in found] == [1, *intruder.ATTACKED_SIZES]
    assert found[0].share == 100.0
    assert found[0].promised == 100.0
    for one in found[1:]:
        assert one.share < one.promised
