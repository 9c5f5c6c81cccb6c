"""Every change of a choice can be taken back and made again; results stay."""

from dataclasses import fields, replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.state.results.requested import requested_outcomes, requested_results
from dashboard.state.snapshots import history, snapshot
from dashboard.state.snapshots.history import (
    copy_after_redo,
    copy_after_undo,
    copy_with_undo_step,
)
from dashboard.state.snapshots.restore import copy_with_snapshot, take_snapshot
from dashboard.state.snapshots.snapshot import (
    CHOICE_FIELDS,
    VIEW_FIELDS,
    have_same_choices,
)
from dashboard.state.workspace import Workspace, resolve_plans
from engine.data.kinds import Role
from engine.pipeline.plan import Plan
from tests.dashboard.pages import sample, small_table, with_runs, with_table


def changes() -> st.SearchStrategy[dict[str, object]]:
    return st.one_of(
        st.builds(lambda k: {"sizes": tuple(k)}, st.lists(st.integers(2, 9))),
        st.builds(lambda seed: {"seed": seed}, st.integers(0, 3)),
        st.sampled_from(
            [
                {"methods": ("md",)},
                {"methods": ("mdav", "vmdav")},
                {"parameters": MappingProxyType({"vmdav": {"gamma": 0.5}})},
                {"parameters": MappingProxyType({})},
                {"polish": True},
                {"constraints": ("size <= 5000",)},
                {"missing": "drop"},
                {"risk_axis": "identity"},
                {"table": small_table().assign(roles={"debt": "quasi-identifier"})},
                {"table": small_table()},
                {"table": small_table(30)},
            ]
        ),
    )


@given(st.lists(changes(), max_size=12))
def test_undo_goes_back_to_every_state_and_redo_forward(
    made: list[dict[str, object]],
) -> None:
    ws = with_table(small_table())
    snapshots = [take_snapshot(ws)]
    for number, change in enumerate(made):
        after = replace(ws, **change)
        new = not have_same_choices(take_snapshot(ws), take_snapshot(after))
        ws = copy_with_undo_step(ws, after, 100.0 * number)
        if new:
            snapshots.append(take_snapshot(ws))
    for expected in reversed(snapshots[:-1]):
        ws = copy_after_undo(ws)
        assert have_same_choices(take_snapshot(ws), expected)
    assert copy_after_undo(ws) is ws
    for expected in snapshots[1:]:
        ws = copy_after_redo(ws)
        assert have_same_choices(take_snapshot(ws), expected)
    assert copy_after_redo(ws) is ws


def test_every_choice_that_a_plan_carries_can_be_undone() -> None:
    """Fields about how things are looked at are free to come and go."""
    names = {field.name for field in fields(Workspace)}
    assert names & set(Plan.model_fields) <= set(CHOICE_FIELDS)
    assert {*CHOICE_FIELDS, *VIEW_FIELDS} <= names


def test_a_new_change_after_undo_forgets_what_was_undone() -> None:
    ws = with_table(small_table())
    ws = copy_with_undo_step(ws, replace(ws, seed=1), 0.0)
    ws = copy_after_undo(ws)
    ws = copy_with_undo_step(ws, replace(ws, scaling="range"), 50.0)
    assert ws.history.future == ()
    assert (copy_after_undo(ws).scaling, copy_after_undo(ws).seed) == ("zscore", 0)


def test_one_number_within_a_breath_is_one_step() -> None:
    ws = with_table(small_table())
    for number in (1, 2, 3):
        ws = copy_with_undo_step(ws, replace(ws, seed=number), 10.0 + 0.5 * number)
    assert copy_after_undo(ws).seed == 0
    ws = copy_with_undo_step(ws, replace(ws, seed=4), 60.0)
    assert copy_after_undo(ws).seed == 3
    ws = copy_with_undo_step(ws, replace(ws, p_sensitive=2), 60.5)
    assert (copy_after_undo(ws).seed, copy_after_undo(ws).p_sensitive) == (4, 0)


def test_a_number_that_comes_back_within_a_breath_is_no_step() -> None:
    ws = with_table(small_table())
    ws = copy_with_undo_step(ws, replace(ws, seed=1), 0.0)
    ws = copy_with_undo_step(ws, replace(ws, seed=0), 0.5)
    assert ws.history.past == ()


def test_a_number_that_a_page_draws_goes_back_with_the_choice_that_needs_it() -> None:
    ws = replace(with_table(small_table()), shuffle=False)
    ws = copy_with_undo_step(ws, replace(ws, shuffle=True), 0.0)
    ws = copy_with_undo_step(ws, replace(ws, shuffle_seed=77), 0.1)
    assert len(ws.history.past) == 1
    back = copy_after_undo(ws)
    assert (back.shuffle, back.shuffle_seed) == (False, None)
    workspace_after_redo = copy_after_redo(back)
    assert (workspace_after_redo.shuffle, workspace_after_redo.shuffle_seed) == (
        True,
        77,
    )
    changed = copy_with_undo_step(
        workspace_after_redo, replace(workspace_after_redo, shuffle_seed=5), 9.0
    )
    assert copy_after_undo(changed).shuffle_seed == 77


def test_looking_elsewhere_is_no_step() -> None:
    ws = with_runs(small_table())
    looked = replace(
        ws, chosen=resolve_plans(ws)[1], risk_axis="identity", language="zh"
    )
    assert copy_with_undo_step(ws, looked, 0.0).history.past == ()


def test_results_appear_again_without_a_run() -> None:
    ws = with_runs(small_table())
    before = requested_outcomes(ws)
    ws = copy_with_undo_step(
        ws, replace(ws, table=ws.table.assign(roles={"size": Role.OTHER})), 0.0
    )
    assert not requested_results(ws)
    workspace_after_undo = copy_after_undo(ws)
    assert requested_outcomes(workspace_after_undo) == before
    assert workspace_after_undo.memo is ws.memo


def test_a_role_goes_back_with_the_methods_that_followed_it() -> None:
    ws = sample()
    mixed = ws.table.assign(roles={"region": Role.QUASI_IDENTIFIER})
    after = copy_with_undo_step(ws, replace(ws, table=mixed, methods=("caat",)), 0.0)
    back = copy_after_undo(after)
    assert back.methods == ws.methods
    assert back.table.schema == ws.table.schema
    assert (back.sample, back.upload) == (ws.sample, None)
    assert copy_after_redo(back).methods == ("caat",)


def test_only_so_many_steps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_UNDO_STEPS", 3)
    ws = with_table(small_table())
    for number in range(1, 6):
        ws = copy_with_undo_step(ws, replace(ws, seed=number), 100.0 * number)
    assert [step.choices["seed"] for step in ws.history.past] == [2, 3, 4]


def test_earlier_tables_take_only_so_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ws = with_table(small_table())
    size = snapshot.frame_nbytes(ws.table.frame)
    monkeypatch.setattr(history, "MAX_UNDO_BYTES", int(2.5 * size))
    for number in range(1, 6):
        ws = copy_with_undo_step(ws, replace(ws, table=small_table()), 100.0 * number)
        roles = {"debt": "other" if number % 2 else "confidential"}
        ws = copy_with_undo_step(
            ws, replace(ws, table=ws.table.assign(roles=roles)), 100.0 * number
        )
    frames = {id(step.frame) for step in ws.history.past} - {id(ws.table.frame)}
    assert len(frames) == 2


def test_records_that_are_gone_are_awaited_or_found_by_their_fingerprint() -> None:
    ws = with_table(small_table())
    light = take_snapshot(ws).without_records()
    assert copy_with_snapshot(ws, light).table.frame is ws.table.frame
    other_workspace = copy_with_snapshot(with_table(small_table(30)), light)
    assert other_workspace.table is None
    assert other_workspace.awaiting == light.source
    assert (
        copy_with_snapshot(Workspace(), take_snapshot(sample()).without_records()).table
        is not None
    )
