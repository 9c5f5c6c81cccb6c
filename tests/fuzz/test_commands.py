"""Whole commands on random tables keep what they say."""

from __future__ import annotations

import pytest

from tests.fuzz.commands import count_trials
from tests.fuzz.test_releases import FIRST_SEED, LONG, print_outcomes


def test_commands_keep_what_they_say() -> None:
    counts = count_trials(14, lambda counts: counts.total() >= 5)
    assert counts[""] >= 3


@pytest.mark.slow
def test_many_commands_keep_what_they_say() -> None:
    counts = count_trials(FIRST_SEED, lambda counts: counts[""] >= LONG // 60)
    print_outcomes(counts)
