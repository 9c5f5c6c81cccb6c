"""What runs have found comes into the workspace, and what is above limits leaves it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from dashboard.jobs.assessment import Assessment
from dashboard.jobs.job_view import JobView
from dashboard.state.memo import Key, bounded, fits, key_of
from dashboard.state.workspace import BY_STARTS, Timed, Workspace
from engine.analysis import Analysis
from engine.analysis.experiment import Experiment
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.resolved import resolve


def with_results(
    ws: Workspace,
    table: Table,
    plans_run: Sequence[Plan],
    found: Mapping[int, Result],
) -> Workspace:
    """Return a workspace that also remembers these results.

    `found` has them by position in `plans_run`, which ran on `table`. The oldest ones
    that the current choices do not ask for are forgotten above the limits of
    :mod:`dashboard.state.memo`.
    """
    if {id(one) for one in found.values()} <= {id(one) for one in ws.memo.values()}:
        return ws  # asked again and again while a page is looked at
    fresh = {
        key_of(table, resolve(plans_run[position], table)): result
        for position, result in found.items()
    }
    for key, result in fresh.items():
        fresh[key] = _fuller(ws.memo.get(key), result)
    if all(ws.memo.get(key) is result for key, result in fresh.items()):
        return ws
    memo = {key: result for key, result in ws.memo.items() if key not in fresh} | fresh
    pinned = {key for key in map(partial(key_of, table), ws.pinned) if key in memo}
    return with_memo(ws, memo, pinned | set(fresh))


def with_memo(
    ws: Workspace,
    memo: Mapping[Key, Result],
    wanted: Set[Key] = frozenset(),
    most: int | None = None,
) -> Workspace:
    """Return a workspace with another memo, without what is above its limits.

    What is wanted, by the current choices too, is never forgotten; `most` are bytes.
    """
    if fits(memo, most):
        return replace(ws, memo=MappingProxyType(dict(memo)))
    wanted = set(wanted)
    with contextlib.suppress(EngineError):  # choices that nothing can come of
        wanted |= {key for _plan, key in ws.asked}
    listed = {key for run in ws.runs for key in run.keys}
    return replace(ws, memo=MappingProxyType(bounded(memo, wanted, listed, most)))


def _fuller(known: Result | None, found: Result) -> Result:
    """Return the one of two results of one plan that was measured more."""
    if isinstance(known, Outcome) and isinstance(found, Outcome):
        return found if len(found.scores) > len(known.scores) else known
    return found


def with_analyses(
    ws: Workspace,
    table: Table,
    plans_run: Sequence[Plan],
    found: Mapping[int, Analysis],
) -> Workspace:
    """Return a workspace that also remembers these analyses.

    `found` has them by position in `plans_run`, which ran on `table`.
    """
    fresh = {
        (key_of(table, resolve(plans_run[place], table)), one.target, one.model): one
        for place, one in found.items()
    }
    if all(ws.analyses.get(key) is one for key, one in fresh.items()):
        return ws
    return replace(ws, analyses=MappingProxyType({**ws.analyses, **fresh}))


def with_findings(ws: Workspace, view: JobView) -> Workspace:
    """Return a workspace that also remembers what an assessment has found."""
    if not isinstance(view.asked, Assessment) or not view.findings:
        return ws
    analyses = {
        place: one.analysis
        for place, one in view.findings.items()
        if one.analysis is not None
    }
    ws = with_analyses(ws, view.table, view.plans, analyses)
    attacks, left_out = dict(ws.attacks), dict(ws.left_out)
    regrouped = dict(ws.regrouped)
    for place, one in view.findings.items():
        key = key_of(view.table, resolve(view.plans[place], view.table))
        known = view.asked.knowledge
        if known is not None and attacks.get((key, known)) is not one.attacks:
            attacks.pop((key, known), None)
            attacks[key, known] = one.attacks
        if view.asked.left_out:
            left_out[key] = one.left_out
        if one.regrouped is not None:
            regrouped[key, view.asked.regroup] = one.regrouped
    if (attacks, left_out, regrouped) == (ws.attacks, ws.left_out, ws.regrouped):
        return ws
    return replace(
        ws,
        attacks=MappingProxyType(attacks),
        left_out=MappingProxyType(left_out),
        regrouped=MappingProxyType(regrouped),
    )


def with_timings(ws: Workspace, view: JobView) -> Workspace:
    """Return a workspace that also remembers the times of an experiment."""
    if not isinstance(view.asked, Experiment) or not view.timings:
        return ws
    timed = Timed(view.table.fingerprint, view.timings)
    what = BY_STARTS if view.asked.starts else view.asked.against
    if ws.timings.get(what) == timed:
        return ws
    timings = {**ws.timings, what: timed}
    return replace(ws, timings=MappingProxyType(timings))
