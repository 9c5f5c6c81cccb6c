"""Verdict on a result, judged once for all pages that show it."""

from __future__ import annotations

from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from dashboard.state.workspace import latest_attacks_and_knowledge
from engine.analysis.attacks import AttackResult
from engine.analysis.verdict import (
    Verdict,
    VerdictLine,
    verdict_with_acceptance_reasons,
)
from engine.analysis.verdict.judge_release import judge_release
from engine.core.message import Message
from engine.data.schema import COSTLY
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_ATTACKED_RECORDS = 20_000
"""Records up to which attacks are tried while somebody waits."""


def cached_verdict(outcome: Outcome, table: Table, is_shuffled: bool) -> Verdict:
    """Return the verdict on a result, from cache if there, with acceptance reasons.

    Parameters
    ----------
    is_shuffled : bool
        Whether records are written in a random order.
    """
    latest_attacks = latest_attacks_and_knowledge(session.workspace(), outcome, table)
    tried = None if latest_attacks is None else latest_attacks[0]
    if tried is None and outcome.partition.n_records > MAX_ATTACKED_RECORDS:
        tried = ()
    about = "" if tried is None else ",".join(f"{r.attack}{r.rate}" for r in tried)
    digest, max_loss = outcome.plan.digest(), session.workspace().max_loss
    judged = _judged(outcome, tried, digest, table, is_shuffled, about, max_loss)
    texts = session.workspace().overrides
    reasons = {
        line.id: texts.get(about_line(outcome, line), "") for line in judged.lines
    }
    return verdict_with_acceptance_reasons(judged, reasons)


def about_line(outcome: Outcome, line: VerdictLine) -> str:
    """Return what a reason is about: what this line says of this result."""
    return f"{outcome.plan.digest()}:{line.id}:{line.says}"


@cache_in_session(8, HASH_BY_COLUMNS)
def _judged(
    _outcome: Outcome,
    _tried: tuple[AttackResult, ...] | None,
    digest: str,
    table: Table,
    shuffled: bool,
    about: str,
    max_loss: float,
) -> Verdict:
    reasons = {
        name: COSTLY if table.schema[name].is_costly else Message("")
        for name in _outcome.plan.identifiers
    }
    return judge_release(
        _outcome,
        table,
        attack_results=_tried,
        left_out=reasons,
        shuffled=shuffled,
        max_loss=max_loss,
    )
