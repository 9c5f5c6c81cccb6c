"""What tests of the Release page share."""

import pytest

from tests.dashboard.pages import small_table, with_runs


@pytest.fixture(scope="package")
def ws():
    return with_runs(small_table())
