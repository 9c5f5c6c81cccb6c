"""A project file brings work back, byte for byte the same, and harms nobody."""

import io
import zipfile
from dataclasses import replace
from types import MappingProxyType

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.projects import archive
from dashboard.projects.manifest import ChoicesPart
from dashboard.projects.project import (
    project_file_name,
    project_to_bytes,
    suggest_project_name,
)
from dashboard.projects.reader import read_project
from dashboard.projects.resume import copy_with_awaited_table, copy_with_project
from dashboard.readers.work_kinds import read_matching_table_and_proposals
from dashboard.state.new_tables.new_table import copy_with_sample, copy_with_table
from dashboard.state.results import runs
from dashboard.state.results.job_results import copy_with_restored_results
from dashboard.state.results.requested import requested_outcomes, requested_results
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.snapshots.snapshot import (
    CHOICE_FIELDS,
    Upload,
    have_same_choices,
    matches_source,
)
from dashboard.state.workspace import Workspace
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import EngineError, InputError
from engine.data.table import Table
from engine.files import ReadOptions, read_table
from engine.pipeline.compare import Failure
from engine.pipeline.outcome import Outcome
from tests.dashboard.projects.firms import CSV, UPLOAD, opened
from tests.dashboard.projects.opening import parts, refused, reopened
from tests.dashboard.runs import ran
from tests.properties import share_of_examples

CHOSEN = st.fixed_dictionaries(
    {},
    optional={
        "sizes": st.lists(st.integers(2, 99), unique=True, max_size=20).map(tuple),
        "methods": st.lists(
            st.sampled_from(["mdav", "vmdav", "caat"]), max_size=20
        ).map(tuple),
        "parameters": st.sampled_from(
            [{}, {"vmdav": {"gamma": 0.5}}, {"vmdav": {"gamma": "auto"}}]
        ),
        "polish": st.booleans(),
        "scaling": st.sampled_from(["zscore", "range", "none"]),
        "aggregation": st.sampled_from(["auto", "median", "interval"]),
        "aggregations": st.sampled_from([{}, {"sales": "median"}]),
        "missing": st.sampled_from(["refuse", "drop", "keep"]),
        "missing_columns": st.sampled_from([{}, {"sales": "drop"}]),
        "constraints": st.lists(st.text(max_size=20), max_size=3).map(tuple),
        "rounding": st.sampled_from(["types", "precision", "none"]),
        "strata": st.sampled_from([None, "region"]),
        "blocks": st.sampled_from([(), (("size",),)]),
        "p_sensitive": st.integers(0, 9),
        "t_close": st.floats(0, 1),
        "seed": st.integers(0, 2**40),
        "max_loss": st.floats(0, 100),
        "ceilings": st.sampled_from([{}, {"record-linkage": 0.1}]),
        "release_format": st.sampled_from(["", "csv", "parquet"]),
        "shuffle": st.booleans(),
        "shuffle_seed": st.none() | st.integers(0, 2**31),
        "overrides": st.dictionaries(st.text(max_size=5), st.text(max_size=9)),
        "accepted": st.dictionaries(st.text(max_size=5), st.booleans()),
    },
)


@settings(max_examples=share_of_examples(0.5))
@given(CHOSEN)
def test_all_choices_come_back(chosen: dict[str, object]) -> None:
    ws = opened(**chosen)
    content = project_to_bytes(ws, "x", with_data=True)
    assert project_to_bytes(ws, "x", with_data=True) == content
    workspace = copy_with_project(Workspace(), read_project(content))
    assert have_same_choices(take_snapshot(workspace), take_snapshot(ws))
    assert project_to_bytes(workspace, "x", with_data=True) == content


def test_every_choice_has_its_place_in_the_file() -> None:
    assert set(ChoicesPart.model_fields) == set(CHOICE_FIELDS)


def test_with_the_data_everything_is_back(done: Workspace) -> None:
    content = project_to_bytes(done, "Spring", with_data=True)
    workspace = reopened(Workspace(), content)
    assert workspace.project == "Spring"
    assert workspace.table.fingerprint == done.table.fingerprint
    assert workspace.upload == UPLOAD
    assert workspace.table.carried is not None
    assert workspace.table.carried.read_bytes() == UPLOAD.content
    assert list(requested_results(workspace)) == list(requested_results(done))
    for outcome, other in zip(
        requested_outcomes(workspace), requested_outcomes(done), strict=True
    ):
        pd.testing.assert_frame_equal(outcome.release.frame, other.release.frame)
        assert outcome.summary() == other.summary()
    assert [runs.run_title(run) for run in workspace.runs] == ["First try"]
    assert project_to_bytes(workspace, "Spring", with_data=True) == content


def test_without_the_data_figures_are_back_and_the_file_is_awaited(
    done: Workspace,
) -> None:
    content = project_to_bytes(done, "Spring")
    new_ws = reopened(Workspace(), content)
    assert new_ws.table is None
    assert new_ws.awaiting.n_records == 90
    assert new_ws.awaiting.schema == done.table.schema
    assert runs.best_plan_and_summary_of_run(
        new_ws.runs[0]
    ) == runs.best_plan_and_summary_of_run(done.runs[0])
    assert project_to_bytes(new_ws, "Spring") == content  # saved again, nothing is lost
    whole = copy_with_restored_results(
        copy_with_awaited_table(new_ws, read_awaited(new_ws, UPLOAD), UPLOAD)
    )
    assert whole.awaiting is None
    assert not whole.saved_outcomes
    for outcome, other in zip(
        requested_outcomes(whole), requested_outcomes(done), strict=True
    ):
        pd.testing.assert_frame_equal(outcome.release.frame, other.release.frame)


def read_awaited(ws: Workspace, upload: Upload) -> Table | None:
    """Return the table that a workspace awaits, if it is in this file."""
    source = ws.awaiting
    ways = (ReadOptions.from_used_options(source.origin.options), None)
    try:
        table = read_matching_table_and_proposals(
            upload.content, upload.name, ways, source.fingerprint
        )[0]
    except EngineError:
        return None
    return (
        table if matches_source(source, table.fingerprint, table.schema.names) else None
    )


def test_no_value_of_a_record_is_in_the_file(done: Workspace) -> None:
    frame = done.table.frame
    unlikely = [f"firm {number}" for number in range(90)]
    unlikely += [str(value) for value in frame["sales"] if value > 20]
    released = {
        str(value)
        for outcome in requested_outcomes(done)
        for value in outcome.release.frame["sales"]
    }
    unlikely += [value for value in released if len(value) >= 5]
    with zipfile.ZipFile(io.BytesIO(project_to_bytes(done, "x"))) as file:
        text = b"".join(map(file.read, file.namelist())).decode("latin-1")
    assert "region" in text
    for value in unlikely:
        assert value not in text


def test_another_file_is_not_taken_for_the_awaited_one(done: Workspace) -> None:
    workspace = reopened(Workspace(), project_to_bytes(done, "x"))
    other = CSV.replace(b"firm 7;", b"firm x;")
    assert read_awaited(workspace, Upload("firms.csv", other)) is None
    assert read_awaited(workspace, Upload("firms.csv", b"")) is None


def test_the_awaited_file_is_read_as_it_was_before() -> None:
    content = b"a,b\n1,5\n2,7\n3,9\n4,8\n5,5\n"
    upload = Upload("n.csv", content)
    table = read_table(content, name="n.csv", options=ReadOptions(header=False))
    ws = copy_with_table(Workspace(), table, upload)
    workspace = copy_with_project(Workspace(), read_project(project_to_bytes(ws, "x")))
    assert read_awaited(workspace, upload).fingerprint == table.fingerprint


def test_data_at_hand_are_not_asked_for(done: Workspace) -> None:
    content = project_to_bytes(done, "x")
    other_roles = done.table.assign(roles={"debt": "quasi-identifier"})
    workspace = reopened(replace(Workspace(), table=other_roles), content)
    assert workspace.table.schema == done.table.schema
    assert len(requested_outcomes(workspace)) == 4


def test_a_sample_needs_no_data() -> None:
    ws = replace(copy_with_sample(Workspace()), seed=5)
    workspace = reopened(Workspace(), project_to_bytes(ws, "x"))
    assert workspace.sample == ws.sample
    assert (workspace.table.fingerprint, workspace.seed) == (ws.table.fingerprint, 5)


def test_what_the_session_had_stays(done: Workspace) -> None:
    content = project_to_bytes(done, "x", with_data=True)
    session_workspace = ran(opened(methods=("md",)))
    workspace = reopened(session_workspace, content)
    assert [run.number for run in workspace.runs] == [1, 2]
    assert set(session_workspace.memo) <= set(workspace.memo)
    assert len(reopened(workspace, content).runs) == 2


def test_failures_come_back_too() -> None:
    ws = ran(opened(sizes=(3, 200)))
    workspace = reopened(Workspace(), project_to_bytes(ws, "x", with_data=True))
    assert [
        isinstance(run_result, Failure)
        for run_result in requested_results(workspace).values()
    ] == [
        isinstance(run_result, Failure) for run_result in requested_results(ws).values()
    ]
    assert any(
        isinstance(run_result, Failure)
        for run_result in requested_results(workspace).values()
    )


def test_the_ledger_comes_along_and_two_are_joined_or_refused(done: Workspace) -> None:
    (first, *_) = [
        run_result
        for run_result in done.memo.values()
        if isinstance(run_result, Outcome)
    ]
    ledger = Ledger.new()
    entry = ledger.entry_for(first, done.table, "a.csv", b"a")
    ledger = ledger.with_entry(entry)
    content = project_to_bytes(replace(done, ledger=ledger), "x")
    back = copy_with_project(Workspace(), read_project(content))
    assert back.ledger.to_bytes() == ledger.to_bytes()
    assert copy_with_project(back, read_project(content)).ledger.to_bytes() == (
        ledger.to_bytes()
    )
    more = replace(done, ledger=ledger.with_entry(replace(entry, digest="b")))
    assert len(copy_with_project(more, read_project(content)).ledger.entries) == 2
    other = replace(done, ledger=replace(ledger, key="0123456789abcdef"))
    with pytest.raises(InputError, match="another ledger"):
        copy_with_project(other, read_project(content))
    broken = {**parts(content), "ledger.json": b"{}"}
    assert "is no ledger" in refused(archive.pack_archive(broken))


def test_a_workspace_without_a_table_can_be_saved() -> None:
    workspace = copy_with_project(
        opened(), read_project(project_to_bytes(Workspace(seed=4), ""))
    )
    assert (workspace.table, workspace.awaiting, workspace.seed) == (None, None, 4)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Census", "Census.coterie"),
        ("../../etc/passwd", "_.._etc_passwd.coterie"),
        ("", "project.coterie"),
        ("Ärzte 2026", "Ärzte 2026.coterie"),
    ],
)
def test_the_file_has_a_name_that_every_system_takes(name: str, file: str) -> None:
    assert project_file_name(name) == file


def test_a_project_is_called_after_its_table(done: Workspace) -> None:
    assert suggest_project_name(done) == "firms"
    assert (
        suggest_project_name(copy_with_sample(Workspace()))
        == "Business survey (synthetic)"
    )
    assert MappingProxyType(dict(done.memo)) == done.memo


def test_what_people_said_of_a_file_comes_back() -> None:
    rows = b"".join(b"%d;%d\n" % (n, n % 9) for n in range(30))
    content = b"Survey\nage;pay\n" + rows
    options = ReadOptions(header_row="2", first_row=3, missing={"pay": ["8"]})
    table = read_table(content, name="a.csv", options=options)
    ws = Workspace(table=table)
    project = read_project(project_to_bytes(ws, "Spring"))
    assert (
        copy_with_project(Workspace(), project).awaiting.fingerprint
        == table.fingerprint
    )
