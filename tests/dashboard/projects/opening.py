"""Project files as tests open and take them apart."""

import pytest

from dashboard.projects import archive
from dashboard.projects.reader import read_project
from dashboard.projects.resume import copy_with_project
from dashboard.state.results.job_results import copy_with_restored_results
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError


def parts(content: bytes) -> dict[str, bytes]:
    return dict(archive.unpack_archive(content))


def refused(content: bytes) -> str:
    with pytest.raises(EngineError) as error:
        read_project(content)
    message = str(error.value)
    assert message.endswith((".", "?"))
    assert "\n" not in message
    return message


def reopened(ws: Workspace, content: bytes) -> Workspace:
    return copy_with_restored_results(copy_with_project(ws, read_project(content)))
