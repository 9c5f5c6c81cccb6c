"""What tests of the Release page share."""

import pytest

from tests.dashboard.pages import open_page, small_table, with_runs


@pytest.fixture(scope="package")
def ws():
    return with_runs(small_table())


@pytest.fixture(scope="package")
def seen(ws):
    """Give the page as it opens, to tests that only look at it."""
    return open_page("release", ws)
