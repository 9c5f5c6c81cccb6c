"""A slow machine says which tests it had no time to begin."""

import time

import pytest

from tests.conftest import pytest_runtest_setup


def test_no_test_begins_when_the_time_is_over(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COTERIE_BEGIN_TESTS_UNTIL", str(int(time.time()) + 60))
    pytest_runtest_setup(request.node)
    monkeypatch.setenv("COTERIE_BEGIN_TESTS_UNTIL", str(int(time.time()) - 1))
    with pytest.raises(pytest.skip.Exception, match="the time for tests is over"):
        pytest_runtest_setup(request.node)
