"""What tests of projects share."""

import pytest

from dashboard.state.results import run_log
from dashboard.state.workspace import Workspace
from tests.dashboard.projects.firms import opened
from tests.dashboard.runs import ran


@pytest.fixture(scope="package")
def done() -> Workspace:
    return run_log.copy_with_renamed_run(ran(opened()), 1, "First try")
