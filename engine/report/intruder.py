"""Facts on what an intruder can do with a release, in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.analysis.attacks import AttackResult, Knowledge, attacks
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.core.message import Message, join_with_and
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

EXACTNESS_LABELS = {
    "exact": Message("exactly"),
    "rounded": Message("rounded to two digits"),
    "near": Message("up to 5 % off"),
}
"""How an intruder knows numbers."""

UNTRIED_MESSAGE = Message(
    "No attack was tried on this release: Attack on the page Inspect tries them, or "
    "coterie attack."
)

MEANING_MESSAGE = Message(
    "Each attack was tried beside a control: the same without the release, or by "
    "guessing. What counts is how much better it is with the release. Rates are of the "
    "people that were looked for, with 95 % intervals."
)


MAX_ATTACKED_RECORDS = 20_000
"""Records up to which attacks are tried while a report is made."""

DEFAULT_KNOWLEDGE = Knowledge((), about=500)
"""Knowledge that a report assumes but for its columns: 500 people are looked for."""


def run_report_attacks(
    outcome: Outcome, table: Table
) -> tuple[tuple[AttackResult, ...], Knowledge]:
    """Run a report's attacks unless records are many; return results and knowledge.

    No results above :data:`MAX_ATTACKED_RECORDS` records.

    Parameters
    ----------
    table : Table
        The table that was protected.
    """
    knowledge = replace(DEFAULT_KNOWLEDGE, columns=outcome.plan.quasi_identifiers)
    if outcome.partition.n_records > MAX_ATTACKED_RECORDS:
        return (), knowledge
    return run_attacks_on_outcome(outcome, table, knowledge), knowledge


def intruder_facts(
    outcome: Outcome,
    attack_results: Iterable[AttackResult],
    knowledge: Knowledge | None,
) -> dict[str, Any]:
    """Return a report's dict of attack results, highest gain first, and known columns.

    Parameters
    ----------
    attack_results : iterable of AttackResult
    knowledge : Knowledge or None
        All quasi-identifiers, exactly, unless given.
    """
    results = sorted(attack_results, key=lambda result: -result.gain)
    knows = knowledge or Knowledge(outcome.plan.quasi_identifiers)
    knowledge_message = Message(
        "The intruder knows {columns} {exactly} of {count:,} person, and nothing else.",
        "The intruder knows {columns} {exactly} of {count:,} people, and nothing else.",
        columns=join_with_and(knows.columns),
        exactly=EXACTNESS_LABELS[knows.exactness],
        count=min(knows.about, outcome.partition.n_records),
    )
    return {
        "tried": bool(results),
        "known": knowledge_message if results else "",
        "words": MEANING_MESSAGE if results else UNTRIED_MESSAGE,
        "attacks": [
            {
                "id": result.attack,
                "does": attacks.info(result.attack).does,
                "rate": 100.0 * result.rate if result.attempts else None,
                "interval": [100.0 * end for end in result.interval]
                if result.attempts
                else None,
                "control": 100.0 * result.control if result.attempts else None,
                "against": attacks.info(result.attack).against,
                "grade": result.grade,
                "verdict": result.verdict_text,
            }
            for result in results
        ],
    }
