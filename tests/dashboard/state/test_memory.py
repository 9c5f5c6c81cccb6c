"""All tabs of one person together hold no more than their share."""

import gc
from dataclasses import replace

import pytest

import sample_data
from dashboard.jobs.scheduling import memory_accounts as module
from dashboard.jobs.scheduling.memory_accounts import (
    MemoryAccounts,
    estimate_result_bytes,
)
from dashboard.state.caches import memory
from dashboard.state.new_tables.new_table import copy_with_table
from dashboard.state.results.requested import requested_outcomes
from dashboard.state.snapshots.history import copy_with_undo_step
from dashboard.state.snapshots.snapshot import Upload, frame_nbytes
from dashboard.state.workspace import Workspace
from engine.core.errors import InputError
from engine.pipeline.plan import Plan
from engine.pipeline.protection.grouped_release import group_release
from tests.dashboard.pages import with_runs


class Thing:
    """Something that a tab holds."""


def test_tabs_count_together_as_long_as_they_are_there() -> None:
    accounts = MemoryAccounts(100)
    first_owner, two = Thing(), Thing()
    accounts.record_bytes("a", first_owner, 40)
    accounts.record_bytes("b", two, 30)
    assert accounts.available_bytes() == 100 - 70
    assert accounts.available_bytes("a") == 100 - 30
    assert not accounts.denial_reason(30)
    assert "30" not in accounts.denial_reason(31 * 2**20).values
    assert str(accounts.denial_reason(31)).startswith("This would take")
    del two
    gc.collect()
    assert accounts.available_bytes() == 60
    accounts.record_bytes("a", first_owner, 0)
    assert accounts.available_bytes() == 100


def test_alone_one_may_hold_anything() -> None:
    accounts, thing = MemoryAccounts(), Thing()
    accounts.record_bytes("a", thing, 2**60)
    assert accounts.available_bytes() is None
    assert not accounts.denial_reason(2**60)


@pytest.fixture
def ann() -> Workspace:
    return with_runs(sample_data.load("business_survey"))


def limit(monkeypatch: pytest.MonkeyPatch, size: int) -> MemoryAccounts:
    accounts = MemoryAccounts(size)
    for place in (memory, module):
        monkeypatch.setattr(place, "memory_accounts", lambda: accounts)
    return accounts


def brought(ws: Workspace, copies: int) -> Workspace:
    """Return a workspace to which a new table was brought several times."""
    for number in range(copies):
        assert ws.table is not None
        table = replace(ws.table, frame=ws.table.frame.copy(), fingerprint=str(number))
        upload = Upload("people.csv", b"x" * 1000)
        ws = copy_with_undo_step(
            ws, copy_with_table(ws, table, upload), float(10 * number)
        )
    return ws


def test_a_workspace_weighs_its_table_its_results_and_what_it_goes_back_to(
    ann: Workspace,
) -> None:
    assert ann.table is not None
    results = sum(
        outcome.partition.labels.nbytes * (1 + len(outcome.plan.quasi_identifiers))
        for outcome in requested_outcomes(ann)
    )
    assert memory.workspace_bytes(ann) >= results
    more = brought(ann, 3)
    frame = frame_nbytes(ann.table.frame)
    assert (
        memory.workspace_bytes(more) - memory.workspace_bytes(ann)
        >= 3 * (frame + 1000) - 1000
    )


def test_above_the_share_it_lets_go_of_what_is_past_and_keeps_what_is_asked(
    ann: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = brought(ann, 3)
    back = replace(full, table=ann.table)
    accounts = limit(monkeypatch, memory.workspace_bytes(ann) + 2000)
    assert memory.workspace_bytes(back) > memory.workspace_bytes(ann) + 2000
    trimmed_workspace = memory.copy_within_quota_and_record_bytes(back)
    assert trimmed_workspace.history.past == ()
    assert trimmed_workspace.table is ann.table
    assert requested_outcomes(trimmed_workspace) == requested_outcomes(ann)
    assert accounts.available_bytes() == memory.workspace_bytes(
        ann
    ) + 2000 - memory.workspace_bytes(trimmed_workspace)
    small = memory.copy_within_quota_and_record_bytes(ann)
    assert small is ann


def test_a_table_too_many_is_refused(
    ann: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 100)
    other = brought(ann, 1)
    with pytest.raises(InputError, match="close other tabs"):
        memory.refuse_workspace_above_quota(ann, other)
    memory.refuse_workspace_above_quota(ann, replace(ann, sizes=(7,)))  # the same table


def test_results_are_weighed_before_they_are_made(ann: Workspace) -> None:
    assert ann.table is not None
    plans = [outcome.plan for outcome in requested_outcomes(ann)]
    estimated_bytes = estimate_result_bytes(ann.table, plans)
    result_bytes = 0
    for outcome in requested_outcomes(ann):
        release = group_release(
            outcome.release, outcome.partition.labels, ann.table.frame
        )
        result_bytes += memory.result_memory_bytes(replace(outcome, release=release))
    assert 0.8 * estimated_bytes <= result_bytes <= 1.2 * estimated_bytes
    assert result_bytes < 0.7 * sum(map(memory.result_memory_bytes, ann.memo.values()))
    assert estimate_result_bytes(ann.table, [Plan()]) > 0
