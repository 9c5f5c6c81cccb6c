"""The ledger on screen: what would open records stays, and what can leave instead."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.release import ledger_panel
from dashboard.i18n import text_attacks
from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from engine.analysis.composition.compose import find_jointly_revealed_records
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.analysis.releases.ledger import NO_EARLIER_GROUPS, Ledger
from engine.data.table import Table
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from tests.dashboard.pages import (
    button,
    offers_release,
    open_page,
    small_table,
    texts,
    with_runs,
    workspace,
    written,
)


@pytest.fixture(scope="module")
def ws():
    """Return results at k = 3 and 4, of which the first was handed out."""
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3, 4))
    first = session.requested_outcomes(ws)[0]
    content = written(first, ws.table).content
    ledger = Ledger.new()
    entry = ledger.entry_for(first, ws.table, "firms.csv", content)
    return replace(ws, ledger=ledger.with_entry(entry))


def second(ws):
    return replace(ws, chosen=session.requested_outcomes(ws)[1].plan)


def test_a_second_release_is_refused_and_says_how_many_it_would_open(ws):
    page = open_page("release", second(ws))
    outcomes = session.requested_outcomes(ws)
    both = [
        ReleaseWithOrigins.from_outcome(entry, str(entry.plan.k)) for entry in outcomes
    ]
    count = int(
        find_jointly_revealed_records(ws.table, both, ("size", "sales")).recovered.sum()
    )
    assert count > 0
    assert f"give back {count} of 60 records exactly" in page.error[0].value
    assert not offers_release(page)
    assert "Ledger: 1 release" in [entry.label for entry in page.expander]


def test_who_withdraws_keeps_a_release_back_and_no_groups_are_offered(ws):
    table = small_table()
    frame = table.frame.iloc[1:].reset_index(drop=True)
    fewer = Table.from_frame(frame, table.schema, table.origin)
    page = open_page(
        "release",
        replace(with_runs(fewer, methods=("mdav",), sizes=(3,)), ledger=ws.ledger),
    )
    assert "that not all of them have" in page.error[0].value
    assert not offers_release(page)
    assert text_attacks.SAME_GROUPS not in [widget.label for widget in page.button]


def test_where_people_are_new_no_groups_are_offered_and_it_is_said_what_to_do(ws):
    table = small_table()
    new = table.frame[:6].assign(size=table.frame["size"][:6] + 1)
    frame = pd.concat([table.frame, new], ignore_index=True)
    more = Table.from_frame(frame, table.schema, table.origin)
    runs = with_runs(more, methods=("mdav",), sizes=(4,))
    page = open_page("release", replace(runs, ledger=ws.ledger))
    assert "would give back" in page.error[0].value
    assert str(NO_EARLIER_GROUPS) in texts(page.caption)
    assert text_attacks.SAME_GROUPS not in [widget.label for widget in page.button]


def test_the_same_release_again_opens_nothing(ws):
    page = open_page(
        "release", replace(ws, chosen=session.requested_outcomes(ws)[0].plan)
    )
    assert not page.error
    assert offers_release(page)


@pytest.mark.parametrize("way", ["same", "coarsen"])
def test_groups_of_the_earlier_release_can_leave_instead(ws, way):
    table = ws.table
    plan = resolve_plan(session.requested_outcomes(ws)[1].plan.replace(k=3), table)
    page = open_page("release", second(ws))
    button(page, text_attacks.COARSER_GROUPS).click().run()
    job = jobs.view_job(workspace(page).job)
    assert (job.asked.regroup, workspace(page).regroup) == ("coarsen", "coarsen")
    jobs.cancel_job(workspace(page).job)
    # What the worker gives is what the engine gives.
    chosen = plan if way == "same" else session.requested_outcomes(ws)[1].plan
    new_outcome = run(
        chosen, table, regroup=ws.ledger.regroup_like_earlier(table, chosen, way)
    )
    key = memo_key(table, session.requested_outcomes(ws)[1].plan), way
    new_ws = replace(
        second(ws), regroup=way, regrouped=MappingProxyType({key: new_outcome})
    )
    page = open_page("release", new_ws)
    assert not page.error
    assert text_attacks.REGROUPED[way] in texts(page.markdown)
    assert offers_release(page)
    assert any(f"--regroup {way}" in element.value for element in page.code)
    button(page, "Take the method's groups").click().run()
    assert "would give back" in page.error[0].value


def test_a_download_is_entered_once(ws, monkeypatch):
    state = {"ws": replace(ws, ledger=None)}
    monkeypatch.setattr(ledger_panel.session, "workspace", lambda: state["ws"])
    monkeypatch.setattr(
        ledger_panel.session,
        "update_workspace",
        lambda **changes: state.update(ws=replace(state["ws"], **changes)),
    )
    outcome = session.requested_outcomes(ws)[0]
    for _again in range(2):
        ledger_panel.add_to_workspace_ledger(outcome, ws.table, b"the file")
    (entry,) = state["ws"].ledger.entries
    assert len(entry.records) == 60
    assert np.array_equal(entry.groups[0][1], outcome.partition.labels)
