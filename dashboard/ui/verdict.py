"""Verdict on a result, judged once for all pages that show it."""

from __future__ import annotations

from collections.abc import Hashable

from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from dashboard.state.results.requested import latest_attacks_and_knowledge
from engine.analysis.attacks import AttackResult
from engine.analysis.verdict import (
    Verdict,
    VerdictLine,
    verdict_with_acceptance_reasons,
)
from engine.analysis.verdict.disclosure import run_verdict_attacks
from engine.analysis.verdict.judge_release import (
    judge_by_attacks,
    judge_release,
    lines_awaiting_attacks,
)
from engine.core.message import Message
from engine.data.schema import COSTLY
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_ATTACKED_RECORDS = 20_000
"""Records up to which attacks are tried while somebody waits."""


def cached_verdict(outcome: Outcome, table: Table, is_shuffled: bool) -> Verdict:
    """Return the verdict on a result, from cache if there, with acceptance reasons.

    Attacks are tried for it unless their results are there.

    Parameters
    ----------
    is_shuffled : bool
        Whether records are written in a random order.
    """
    tried, key = _attacks_and_cache_key(outcome, table, is_shuffled)
    early = _judged_early(outcome, key, table)
    judged = _judged(early, outcome, tried, key, table)
    _known_verdicts().add((key, HASH_BY_COLUMNS[Table](table)))
    return _with_reasons(judged, outcome)


def verdict_and_lines_awaiting_attacks(
    outcome: Outcome, table: Table, is_shuffled: bool
) -> tuple[Verdict, frozenset[str]]:
    """Return the verdict as far as it is known soon, and the lines that attacks change.

    Once :func:`cached_verdict` has been asked, no line waits.
    """
    tried, key = _attacks_and_cache_key(outcome, table, is_shuffled)
    if tried is None and (key, HASH_BY_COLUMNS[Table](table)) not in _known_verdicts():
        early = _judged_early(outcome, key, table)
        return _with_reasons(early, outcome), lines_awaiting_attacks(early)
    return cached_verdict(outcome, table, is_shuffled), frozenset()


_CacheKey = tuple[str, str, bool, float]
"""Digest of the plan, attacks, whether records are shuffled, and the loss allowed."""


def _attacks_and_cache_key(
    outcome: Outcome, table: Table, is_shuffled: bool
) -> tuple[tuple[AttackResult, ...] | None, _CacheKey]:
    """Return results of attacks, None if they are to be tried, and what tells apart."""
    latest_attacks = latest_attacks_and_knowledge(session.workspace(), outcome, table)
    tried = None if latest_attacks is None else latest_attacks[0]
    if tried is None and outcome.partition.n_records > MAX_ATTACKED_RECORDS:
        tried = ()
    about = "" if tried is None else ",".join(f"{r.attack}{r.rate}" for r in tried)
    max_loss = session.workspace().max_loss
    return tried, (outcome.plan.digest(), about, is_shuffled, max_loss)


def _with_reasons(verdict: Verdict, outcome: Outcome) -> Verdict:
    texts = session.workspace().overrides
    reasons = {
        line.id: texts.get(about_line(outcome, line), "") for line in verdict.lines
    }
    return verdict_with_acceptance_reasons(verdict, reasons)


def about_line(outcome: Outcome, line: VerdictLine) -> str:
    """Return what a reason is about: what this line says of this result."""
    return f"{outcome.plan.digest()}:{line.id}:{line.says}"


@cache_in_session(1)
def _known_verdicts() -> set[Hashable]:
    """Return what tells verdicts apart that were given in this session."""
    return set()


@cache_in_session(8, HASH_BY_COLUMNS)
def _judged_early(_outcome: Outcome, key: _CacheKey, table: Table) -> Verdict:
    _digest, _about, is_shuffled, max_loss = key
    reasons = {
        name: COSTLY if table.schema[name].is_costly else Message("")
        for name in _outcome.plan.identifiers
    }
    return judge_release(
        _outcome,
        table,
        attack_results=(),
        left_out=reasons,
        shuffled=is_shuffled,
        max_loss=max_loss,
    )


@cache_in_session(8, HASH_BY_COLUMNS)
def _judged(
    _early: Verdict,
    _outcome: Outcome,
    _tried: tuple[AttackResult, ...] | None,
    key: _CacheKey,
    table: Table,
) -> Verdict:
    if _tried is None:
        _tried = run_verdict_attacks(_outcome, table)
    return judge_by_attacks(_early, _outcome, table, _tried)
