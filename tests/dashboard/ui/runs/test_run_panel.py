"""Running: times and counts are said as people say them."""

import pytest

from dashboard.ui.runs.durations import duration_text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "under a second"),
        (0.99, "under a second"),
        (1.4, "about 1 second"),
        (59, "about 59 seconds"),
        (150, "about 2 minutes"),
        (7200, "about 2 hours"),
        (1e6, "about 12 days"),
    ],
)
def test_expected_times_are_said_in_words(seconds, words):
    assert duration_text(seconds) == words
