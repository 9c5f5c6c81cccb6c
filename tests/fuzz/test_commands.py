"""Whole commands on random tables keep what they say."""

import pytest

from tests.fuzz.test_releases import FIRST_SEED, LONG
from tests.fuzz.trials import KINDS, TURNS, count_releases, count_trials, print_trials


@pytest.mark.slow
def test_commands_keep_what_they_say() -> None:
    counts = count_trials(30, lambda counts: counts.total() >= len(TURNS))
    assert {kind for kind, _ in counts} == {*KINDS}
    assert count_releases(counts) >= len(TURNS) // 2


@pytest.mark.slow
def test_many_commands_keep_what_they_say() -> None:
    counts = count_trials(FIRST_SEED, lambda n: count_releases(n) >= LONG // 15)
    print_trials(counts)
