"""Judge a release: what leaves as it is and what was left out, beside the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from engine.analysis.attacks import AttackResult
from engine.analysis.verdict import Improvement, Verdict, VerdictLine
from engine.analysis.verdict.disclosure import (
    judge_attribute_disclosure,
    judge_identity_disclosure,
    run_verdict_attacks,
)
from engine.analysis.verdict.usefulness import judge_usefulness
from engine.core.context import SILENT, RunContext
from engine.core.message import (
    Message,
    join_messages,
    join_some_with_and,
    others_message,
)
from engine.data.kinds import Role
from engine.data.propose import Suggestion, column_labels, suggest_columns
from engine.data.schema import COSTLY
from engine.data.table import Table
from engine.measures.reidentification.uniqueness import count_unique
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.recommend import MAX_LOSS_PER_CENT
from engine.pipeline.remarks import (
    columns_with_merged_numbers,
    uncompared_digits_warnings,
)


def judge_release(
    outcome: Outcome,
    table: Table,
    *,
    attack_results: Sequence[AttackResult] | None = None,
    column_suggestions: Mapping[str, Suggestion] | None = None,
    left_out: Mapping[str, Message] = MappingProxyType({}),
    n_unasked: int = 0,
    shuffled: bool = False,
    max_loss: float = MAX_LOSS_PER_CENT,
    acceptance_reason: str = "",
    ctx: RunContext = SILENT,
) -> Verdict:
    """Return the verdict on a release: five lines with colours and improvements.

    Parameters
    ----------
    table : Table
        What was protected.
    attack_results : sequence of AttackResult, optional
        Results of attacks; those of :func:`run_verdict_attacks` unless given.
    column_suggestions : mapping of str to Suggestion, optional
        What each column seems to be; suggested here unless given.
    left_out : mapping of str to Message
        Columns that do not leave, and why.
    n_unasked : int
        Questions that nobody was asked, so that a safe answer was taken.
    shuffled : bool
        Whether records are written in an order drawn at random.
    max_loss : float
        Per cent of loss that the person allows.
    acceptance_reason : str
        Why it leaves though it is red.
    """
    if attack_results is None:
        attack_results = run_verdict_attacks(outcome, table, ctx)
    if column_suggestions is None:
        proposals = suggest_columns(table.frame, column_labels(table.origin))
        column_suggestions = {proposal.column.name: proposal for proposal in proposals}
    lines = (
        judge_identity_disclosure(outcome, table, attack_results),
        judge_attribute_disclosure(outcome, table, attack_results),
        judge_usefulness(outcome, table, max_loss),
        _judge_unprotected_columns(outcome, table, column_suggestions),
        _judge_left_out_columns(outcome, left_out, n_unasked, shuffled),
    )
    verdict = Verdict(lines)
    return replace(
        verdict, accepted=acceptance_reason if verdict.colour == "red" else ""
    )


def judge_by_attacks(
    verdict: Verdict,
    outcome: Outcome,
    table: Table,
    attack_results: Sequence[AttackResult],
) -> Verdict:
    """Return a verdict that was given without attacks, with its lines by attacks.

    The same as :func:`judge_release` gives with these results.
    """
    again = {"found": judge_identity_disclosure, "guessed": judge_attribute_disclosure}
    lines = tuple(
        again[line.id](outcome, table, attack_results) if line.id in again else line
        for line in verdict.lines
    )
    return replace(verdict, lines=lines)


def lines_awaiting_attacks(verdict: Verdict) -> frozenset[str]:
    """Return which lines of a verdict that was given without attacks these can change.

    The others are judged by what the release is, whatever an intruder finds.
    """
    waiting = {("found", "green"), ("guessed", "amber")}
    return frozenset(
        line.id for line in verdict.lines if (line.id, line.colour) in waiting
    )


def _judge_unprotected_columns(
    outcome: Outcome, table: Table, proposed: Mapping[str, Suggestion]
) -> VerdictLine:
    asks = Message("Does anything exact tell people apart?")
    plan, frame = outcome.plan, outcome.release.frame
    unchanged = {*outcome.unprotected_columns, *plan.confidential, plan.weights}
    exact = [name for name in map(str, frame.columns) if name in unchanged]
    naming = [
        name
        for name in exact
        if name in proposed and proposed[name].column.role is Role.IDENTIFIER
    ]
    if naming:
        says = Message(
            "{columns} names people, numbers records or holds free text, and leaves as "
            "it is.",
            "{columns} name people, number records or hold free text, and leave as "
            "they are.",
            columns=join_some_with_and(naming),
            count=len(naming),
        )
        mend = Message("Leave out {columns}.", columns=join_some_with_and(naming))
        return VerdictLine(
            "exact", asks, "red", says, Improvement("leave-out", mend, tuple(naming))
        )
    if not exact:
        says = Message("No: every column that leaves was protected.")
        return VerdictLine("exact", asks, "green", says)
    names = [str(name) for name in frame.columns]
    protected, persons = plan.quasi_identifiers, outcome.persons
    told = count_unique(frame, names, plan.k, protected, persons)
    uncompared = uncompared_digits_warnings(table, told, plan.quasi_identifiers)
    if not told.fewer and not uncompared:
        says = Message(
            "No: {columns} leaves as it is, and tells nobody apart.",
            "No: {columns} leave as they are, and tell nobody apart.",
            columns=join_some_with_and(exact),
            count=len(exact),
        )
        return VerdictLine("exact", asks, "green", says)
    columns = told.singling_out or tuple(exact)
    facts = {
        "columns": join_some_with_and(columns),
        "count": len(columns),
        "all": told.n_counted,
        "people": Message("people") if told.n_persons else Message("records"),
    }
    if told.unique:
        says = Message(
            "{columns} leaves as it is: with it {unique:,} of {all:,} {people} are the "
            "only ones with their values.",
            "{columns} leave as they are: with them {unique:,} of {all:,} {people} are "
            "the only ones with their values.",
            unique=told.unique,
            **facts,
        )
    else:
        says = Message(
            "{columns} leaves as it is: with it {fewer:,} of {all:,} {people} share "
            "their values with fewer than {others}.",
            "{columns} leave as they are: with them {fewer:,} of {all:,} {people} "
            "share their values with fewer than {others}.",
            fewer=told.fewer,
            others=others_message(told.k - 1),
            **facts,
        )
    if not told.fewer:
        (says,) = uncompared
        merged = columns_with_merged_numbers(table)
        columns = tuple(name for name in exact if name in merged)
    singling = Improvement(
        "protect-or-leave-out",
        Message("Leave out or protect {columns}.", columns=join_some_with_and(columns)),
        tuple(columns),
    )
    return VerdictLine("exact", asks, "amber", says, singling)


def _judge_left_out_columns(
    outcome: Outcome, left_out: Mapping[str, Message], guesses: int, shuffled: bool
) -> VerdictLine:
    asks = Message("What was left out, and who decided?")
    if left_out:
        says = Message(
            "{count} column does not leave: {columns}.",
            "{count} columns do not leave: {columns}.",
            count=len(left_out),
            columns=join_some_with_and(list(left_out)),
        )
    else:
        says = Message("Every column leaves.")
    if outcome.surplus.records:
        says = join_messages([says, outcome.surplus.to_message])
    if not shuffled:
        order = Message("Records stay in the order of the file, which may link them.")
        mend = Improvement("shuffle", Message("Write records in a random order."))
        return VerdictLine(
            "left-out", asks, "amber", join_messages([says, order]), mend
        )
    if guesses:
        more = Message(
            "Of {count} thing nobody was asked, and the safe answer was taken.",
            "Of {count} things nobody was asked, and the safe answer was taken.",
            count=guesses,
        )
        mend = Improvement("answer", Message("Answer the questions."))
        return VerdictLine("left-out", asks, "amber", join_messages([says, more]), mend)
    n_costly = sum(why == COSTLY for why in left_out.values())
    if n_costly > len(outcome.release.columns):
        more = Message(
            "Protected, they would lose too much: little of the file is left."
        )
        choose = Message("Choose the columns that are needed.")
        mend = Improvement("choose-columns", choose)
        return VerdictLine("left-out", asks, "amber", join_messages([says, more]), mend)
    return VerdictLine("left-out", asks, "green", says)
