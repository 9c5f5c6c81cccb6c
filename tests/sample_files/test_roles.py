"""Columns of sample files are proposed as an expert would have them, or asked about."""

from pathlib import Path

import pytest

from engine.data.kinds import Role
from engine.data.propose import Suggestion, suggest_columns
from engine.files import read_table
from tests.sample_files.base import SampleFile, sample_files

FILES = [file for file in sample_files() if file.expects.roles or file.expects.kinds]

STAYING = (Role.IDENTIFIER, Role.UNDECIDED)
"""Roles with which a column does not leave."""

MET = 0.95
"""Share of all expectations that are met."""


@pytest.fixture(scope="module")
def proposals(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, Suggestion]]:
    folder = tmp_path_factory.mktemp("files")
    return {file.name: _proposed(file, folder) for file in FILES}


def _proposed(file: SampleFile, folder: Path) -> dict[str, Suggestion]:
    frame = read_table(file.make(folder)).frame
    return {suggestion.column.name: suggestion for suggestion in suggest_columns(frame)}


def test_there_are_files_in_many_languages_and_fields() -> None:
    assert len(FILES) >= 25


def test_no_direct_identifier_is_proposed_to_leave(
    proposals: dict[str, dict[str, Suggestion]],
) -> None:
    leaving = [
        (file.name, name)
        for file in FILES
        for name, roles in file.expects.roles.items()
        if {*roles} <= {*STAYING}
        and proposals[file.name][name].column.role not in STAYING
    ]
    assert not leaving


def test_nothing_leaves_as_it_is_that_an_expert_would_protect(
    proposals: dict[str, dict[str, Suggestion]],
) -> None:
    unprotected = [
        (file.name, name)
        for file in FILES
        for name, roles in file.expects.roles.items()
        if Role.OTHER not in roles
        and proposals[file.name][name].column.role is Role.OTHER
    ]
    assert not unprotected


def test_nearly_all_expectations_are_met(
    proposals: dict[str, dict[str, Suggestion]],
) -> None:
    all_of, unmet = 0, []
    for file in FILES:
        suggestions = proposals[file.name]
        for name, roles in file.expects.roles.items():
            all_of += 1
            if suggestions[name].column.role not in roles:
                unmet.append((file.name, name, str(suggestions[name].column.role)))
        for name, kinds in file.expects.kinds.items():
            all_of += 1
            if suggestions[name].column.kind not in kinds:
                unmet.append((file.name, name, str(suggestions[name].column.kind)))
    assert len(unmet) <= (1 - MET) * all_of, unmet
