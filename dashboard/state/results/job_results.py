"""Results of jobs, and saved ones, merged into the workspace within memory limits."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job_view import JobView
from dashboard.jobs.needs import NeedRequest
from dashboard.state.caches.memo import (
    Key,
    is_memo_within_limits,
    memo_key,
    memo_without_oldest_results,
)
from dashboard.state.results.findings import (
    STARTS_TIMING_KEY,
    MeasuredTimings,
    NeedAnswer,
)
from dashboard.state.workspace import Workspace
from engine.analysis import ModelScores
from engine.analysis.curves.experiment import Experiment
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import PlanRunner, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.storage.snapshot import rebuild_outcome_from_table


def copy_with_results(
    ws: Workspace,
    table: Table,
    plans_run: Sequence[Plan],
    results_by_position: Mapping[int, Result],
) -> Workspace:
    """Return a workspace with new results in its memo; above limits, the oldest go."""
    if {id(entry) for entry in results_by_position.values()} <= {
        id(entry) for entry in ws.memo.values()
    }:
        return ws  # asked again and again while a page is looked at
    fresh = {
        memo_key(table, resolve_plan(plans_run[position], table)): result
        for position, result in results_by_position.items()
    }
    for key, result in fresh.items():
        fresh[key] = _more_complete(ws.memo.get(key), result)
    if all(ws.memo.get(key) is result for key, result in fresh.items()):
        return ws
    memo = {key: result for key, result in ws.memo.items() if key not in fresh} | fresh
    pinned = {key for key in map(partial(memo_key, table), ws.pinned) if key in memo}
    return copy_with_memo(ws, memo, pinned | set(fresh))


def copy_with_memo(
    ws: Workspace,
    memo: Mapping[Key, Result],
    keys_to_keep: Set[Key] = frozenset(),
    max_bytes: int | None = None,
) -> Workspace:
    """Return a workspace with another memo, its oldest results evicted above limits."""
    if is_memo_within_limits(memo, max_bytes):
        return replace(ws, memo=MappingProxyType(dict(memo)))
    keys_to_keep = set(keys_to_keep)
    with contextlib.suppress(EngineError):  # choices that nothing can come of
        keys_to_keep |= {key for _plan, key in ws.requested_plans}
    listed = {key for run in ws.runs for key in run.keys}
    return replace(
        ws,
        memo=MappingProxyType(
            memo_without_oldest_results(memo, keys_to_keep, listed, max_bytes)
        ),
    )


def _more_complete(known_result: Result | None, new_result: Result) -> Result:
    """Return the one of two results of one plan with more measures."""
    if isinstance(known_result, Outcome) and isinstance(new_result, Outcome):
        return (
            new_result
            if len(new_result.scores) > len(known_result.scores)
            else known_result
        )
    return new_result


def copy_with_analyses(
    ws: Workspace,
    table: Table,
    plans_run: Sequence[Plan],
    analyses_by_position: Mapping[int, ModelScores],
) -> Workspace:
    """Return a workspace with more analyses, given by position of their plan."""
    fresh = {
        (
            memo_key(table, resolve_plan(plans_run[place], table)),
            analysis.target,
            analysis.model,
        ): analysis
        for place, analysis in analyses_by_position.items()
    }
    if all(ws.analyses.get(key) is analysis for key, analysis in fresh.items()):
        return ws
    return replace(ws, analyses=MappingProxyType({**ws.analyses, **fresh}))


def copy_with_findings(ws: Workspace, job_view: JobView) -> Workspace:
    """Return a workspace with an assessment's attacks, analyses and other findings."""
    if not isinstance(job_view.asked, AssessmentRequest) or not job_view.findings:
        return ws
    analyses = {
        place: entry.analysis
        for place, entry in job_view.findings.items()
        if entry.analysis is not None
    }
    ws = copy_with_analyses(ws, job_view.table, job_view.plans, analyses)
    attacks, curves = dict(ws.attacks), dict(ws.left_out)
    regrouped = dict(ws.regrouped)
    for place, entry in job_view.findings.items():
        key = memo_key(
            job_view.table, resolve_plan(job_view.plans[place], job_view.table)
        )
        knowledge = job_view.asked.knowledge
        if knowledge is not None and attacks.get((key, knowledge)) is not entry.attacks:
            attacks.pop((key, knowledge), None)
            attacks[key, knowledge] = entry.attacks
        if job_view.asked.left_out:
            curves[key] = entry.left_out
        if entry.regrouped is not None:
            regrouped[key, job_view.asked.regroup] = entry.regrouped
    if (attacks, curves, regrouped) == (ws.attacks, ws.left_out, ws.regrouped):
        return ws
    return replace(
        ws,
        attacks=MappingProxyType(attacks),
        left_out=MappingProxyType(curves),
        regrouped=MappingProxyType(regrouped),
    )


def copy_with_need_answer(ws: Workspace, job_view: JobView) -> Workspace:
    """Return a workspace with the answer to a need, if the job has one."""
    if not isinstance(job_view.asked, NeedRequest) or job_view.answer is None:
        return ws
    if ws.need_answer is not None and ws.need_answer.answer is job_view.answer:
        return ws
    answer = NeedAnswer(
        job_view.table.fingerprint, job_view.plans[0], job_view.asked, job_view.answer
    )
    return replace(ws, need_answer=answer)


def copy_with_timings(ws: Workspace, job_view: JobView) -> Workspace:
    """Return a workspace with the timings of a job's experiment, if it has any."""
    if not isinstance(job_view.asked, Experiment) or not job_view.timings:
        return ws
    timed = MeasuredTimings(job_view.table.fingerprint, job_view.timings)
    what = STARTS_TIMING_KEY if job_view.asked.starts else job_view.asked.against
    if ws.timings.get(what) == timed:
        return ws
    timings = {**ws.timings, what: timed}
    return replace(ws, timings=MappingProxyType(timings))


def copy_with_restored_results(ws: Workspace) -> Workspace:
    """Return a copy with its table's saved results in its memo (cache of results).

    Those that cannot be made again are forgotten: they have to run.
    """
    table = ws.table
    if table is None:
        return ws
    keys = [key for key in ws.saved_outcomes if key[0] == table.fingerprint]
    if not keys:
        return ws
    comparison = PlanRunner(table)
    outcomes = {
        key: rebuild_outcome_from_table(ws.saved_outcomes[key], comparison)
        for key in keys
        if key not in ws.memo
    }
    rest = {key: entry for key, entry in ws.saved_outcomes.items() if key not in keys}
    ws = replace(ws, saved_outcomes=MappingProxyType(rest))
    fresh = {key: outcome for key, outcome in outcomes.items() if outcome is not None}
    return copy_with_memo(ws, {**fresh, **ws.memo})
