"""Verdict on a release in five lines, each green, amber or red.

Who could be found, what could be guessed of somebody, what is left of the data, what
leaves as it is, and what was left out. Each line has a colour, and the headline is
never greener than the worst of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.costly_columns import (
    columns_to_drop_for_loss,
    estimate_excess_columns,
    loss_per_column,
)
from engine.core.context import SILENT, RunContext
from engine.core.message import (
    Message,
    join_messages,
    join_some_with_and,
    others_message,
)
from engine.core.typing import Values
from engine.data.kinds import Kind, Role
from engine.data.propose import Suggestion, column_labels, suggest_columns
from engine.data.propose.persons import propose_person
from engine.data.schema import COSTLY
from engine.data.table import Table
from engine.measures.classes import record_classes
from engine.measures.reidentification.uniqueness import count_unique
from engine.measures.risk.attribute_disclosure import per_cent_of_right_guesses
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.recommend import (
    MAX_LOSS_PER_CENT,
    MIN_SPREAD,
    ranking_loss,
)
from engine.pipeline.remarks import (
    columns_with_merged_numbers,
    uncompared_digits_warnings,
)

Colour = Literal["green", "amber", "red"]
"""Nothing to do; something to know or to decide; not to be handed out as it is."""

WORST_FIRST: tuple[Colour, ...] = ("red", "amber", "green")

MIN_CORRELATION = 0.3
"""Size from which a correlation that changes its sign is said to have turned."""

LINKING = (
    "record-linkage-distance",
    "record-linkage-rank",
    "record-linkage-assignment",
)
"""Attacks that look for somebody's record, whom k hides among k - 1 others."""

LEARNING = ("attribute-inference",)
"""Attacks that learn a confidential value, beside a file without the person."""

MAX_TARGETS = 500
"""People that an intruder looks for, for the verdict."""


@dataclass(frozen=True)
class Improvement:
    """A change proposed to improve the colour of a verdict's line.

    Attributes
    ----------
    id : str
        "larger-k", "protect", "leave-out", "protect-or-leave-out", "fewer-columns",
        "answer", "shuffle" or "choose-columns".
    says : Message
    columns : tuple of str
        Columns that it changes.
    """

    id: str
    says: Message
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerdictLine:
    """One of the five questions on a release: its answer and colour.

    Attributes
    ----------
    id : {"found", "guessed", "useful", "exact", "left-out"}
    asks, says : Message
    colour : Colour
    mend : Improvement or None
        Change that would mend an amber or red line.
    reason : str
        Why somebody leaves it so; empty where nobody has said.
    """

    id: str
    asks: Message
    colour: Colour
    says: Message
    mend: Improvement | None = None
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the line still needs a change, or a reason for none."""
        return self.mend is not None and not self.reason

    def summary(self) -> dict[str, Any]:
        """Return the line as plain values, ready for JSON."""
        return {
            "id": self.id,
            "asks": self.asks,
            "colour": self.colour,
            "says": self.says,
            "mend": None if self.mend is None else self.mend.says,
            "reason": self.reason or None,
        }


@dataclass(frozen=True)
class Verdict:
    """Five answers on a release, each green, amber or red.

    Attributes
    ----------
    lines : tuple of VerdictLine
    accepted : str
        Why somebody hands it out though it is red; empty where nobody does.
    """

    lines: tuple[VerdictLine, ...]
    accepted: str = ""

    @property
    def colour(self) -> Colour:
        """Colour of the worst line."""
        return worst_colour(line.colour for line in self.lines)

    @property
    def headline(self) -> Message:
        """The verdict in a sentence."""
        counts = {c: sum(one.colour == c for one in self.lines) for c in WORST_FIRST}
        if counts["red"]:
            return Message(
                "Not yet: {count} thing should be mended first.",
                "Not yet: {count} things should be mended first.",
                count=counts["red"],
            )
        n_open = sum(line.is_open for line in self.lines)
        if counts["amber"] and not n_open:
            return Message(
                "It can leave: somebody has looked at {count} thing and left it so.",
                "It can leave: somebody has looked at {count} things and left them so.",
                count=counts["amber"],
            )
        if counts["amber"]:
            return Message(
                "It can leave once somebody has looked at {count} thing.",
                "It can leave once somebody has looked at {count} things.",
                count=n_open,
            )
        return Message("It can leave.")

    def line(self, id: str) -> VerdictLine:
        """Return a line by its identifier."""
        return next(line for line in self.lines if line.id == id)

    @property
    def counts_records(self) -> bool:
        """Whether records were counted of which somebody may have several."""
        mend = self.line("found").mend
        return mend is not None and mend.id == "answer"

    def summary(self) -> dict[str, Any]:
        """Return the verdict as plain values, ready for JSON."""
        return {
            "colour": self.colour,
            "headline": self.headline,
            "lines": [line.summary() for line in self.lines],
            "accepted": self.accepted or None,
        }


def worst_colour(colours: Iterable[Colour]) -> Colour:
    """Return the worst of the given colours; green if there are none."""
    found = set(colours)
    return next((colour for colour in WORST_FIRST if colour in found), "green")


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
        found = suggest_columns(table.frame, column_labels(table.origin))
        column_suggestions = {one.column.name: one for one in found}
    lines = (
        _found(outcome, table, attack_results),
        _guessed(outcome, table, attack_results),
        judge_usefulness(outcome, table, max_loss),
        _exact(outcome, table, column_suggestions),
        _left_out(outcome, left_out, n_unasked, shuffled),
    )
    verdict = Verdict(lines)
    return replace(
        verdict, accepted=acceptance_reason if verdict.colour == "red" else ""
    )


def run_verdict_attacks(
    outcome: Outcome, table: Table, ctx: RunContext = SILENT
) -> tuple[AttackResult, ...]:
    """Return the results of the attacks on which the verdict depends."""
    plan = outcome.plan
    names = LINKING[:2] + (LEARNING if plan.confidential else ())
    knowledge = Knowledge(plan.quasi_identifiers, about=MAX_TARGETS)
    return run_attacks_on_outcome(outcome, table, knowledge, ctx, names)


def colour_of_attack(attack_result: AttackResult, k: int) -> Colour:
    """Return red if linking beats 1 / k or learning 1 / k and chance, else green.

    Whoever is hidden among k records is found by one guess in k, and so is any value
    of theirs: an attack has to beat that, too.
    """
    if not attack_result.attempts or attack_result.attack not in LINKING + LEARNING:
        return "green"
    guessed = attack_result.interval[0] > 1.0 / k + 1e-9
    if attack_result.attack in LINKING:
        return "red" if guessed else "green"
    return "red" if guessed and attack_result.has_succeeded else "green"


def _found(
    outcome: Outcome, table: Table, attacked: Sequence[AttackResult]
) -> VerdictLine:
    asks = Message("Who could be found?")
    plan = outcome.plan
    if not outcome.k_verified:
        says = Message(
            "Somebody shares the protected values with fewer than {count} other: the "
            "smallest group has {k}.",
            "Somebody shares the protected values with fewer than {count} others: the "
            "smallest group has {k}.",
            count=plan.k - 1,
            k=outcome.k_released,
        )
        mend = Improvement("larger-k", Message("Choose a method that keeps k."))
        return VerdictLine("found", asks, "red", says, mend)
    says = Message(
        "Every record shares its protected value with at least {others}.",
        "Every record shares all {count} protected values with at least {others}.",
        count=len(plan.quasi_identifiers),
        others=others_message(outcome.k_released - 1),
    )
    if outcome.n_persons:
        says = Message(
            "Of {people:,} people, every record shares its protected value with those "
            "of at least {others}.",
            "Of {people:,} people, every record shares all {count} protected values "
            "with those of at least {others}.",
            people=outcome.n_persons,
            count=len(plan.quasi_identifiers),
            others=Message(
                "{count} other person",
                "{count} other people",
                count=outcome.k_released - 1,
            ),
        )
        if plan.intruder_knows == "all":
            says = Message(
                "Of {people:,} people, everybody has the same set of protected values "
                "as at least {count} other.",
                "Of {people:,} people, everybody has the same set of protected values "
                "as at least {count} others.",
                people=outcome.n_persons,
                count=outcome.k_released - 1,
            )
        if plan.counts:
            says = Message(
                "Of {people:,} people, everybody has the same protected values, each "
                "equally often, as at least {count} other.",
                "Of {people:,} people, everybody has the same protected values, each "
                "equally often, as at least {count} others.",
                people=outcome.n_persons,
                count=outcome.k_released - 1,
            )
    proposal = propose_person(table) if plan.person == EACH_RECORD else None
    if proposal and proposal.n_persons < plan.k and not proposal.of_names:
        proposal = None  # places or sorts rather than people
    if plan.person == NO_PERSON or proposal is not None:
        says = fewer_people_than_k_message(plan.k)
        if proposal is not None:
            says = join_messages([proposal.question, says])
        mend = Improvement(
            "answer", Message("Say which column says who a record is about.")
        )
        return VerdictLine("found", asks, "amber", says, mend)
    larger = Improvement("larger-k", Message("Protect with a larger k."))
    count, least = _records_without_values(outcome, table)
    if least < plan.k:
        says = Message(
            "{count:,} record has no protected value in the file: without it a group "
            "has only {least}.",
            "{count:,} records have no protected value in the file: without them a "
            "group has only {least}.",
            count=count,
            least=least,
        )
        return VerdictLine("found", asks, "amber", says, larger)
    tried = [one for one in attacked if one.attack in LINKING and one.attempts]
    if not tried:
        return VerdictLine("found", asks, "green", says)
    best = max(tried, key=lambda one: one.rate)
    links = Message(
        "An intruder who knows all of them exactly finds {rate:.0f} in 100, by "
        "guessing {control:.0f}.",
        rate=100.0 * best.rate,
        control=100.0 / plan.k,
    )
    colour = worst_colour(colour_of_attack(one, plan.k) for one in tried)
    says = join_messages([says, links])
    return VerdictLine(
        "found", asks, colour, says, None if colour == "green" else larger
    )


def fewer_people_than_k_message(k: int) -> Message:
    """Return the warning that a group may be of fewer than k people."""
    return Message(
        "k counts records, and somebody may have several: a group may be of fewer "
        "than {k} people.",
        k=k,
    )


def _records_without_values(outcome: Outcome, table: Table) -> tuple[int, int]:
    """Return the number of records without values, and the smallest group without them.

    Such a row may have a number and nothing else: nobody is hidden behind it.
    """
    quasi, rows = list(outcome.plan.quasi_identifiers), outcome.release.rows
    known = table.frame[quasi].iloc[rows].notna().any(axis=1).to_numpy()
    if known.all() or outcome.n_persons:
        return 0, outcome.plan.k
    sizes = np.bincount(outcome.partition.labels[known])
    return int((~known).sum()), int(sizes[sizes > 0].min())


def _guessed(
    outcome: Outcome, table: Table, attacked: Sequence[AttackResult]
) -> VerdictLine:
    asks = Message("What could be guessed of somebody?")
    secrets = [n for n in outcome.plan.confidential if n in outcome.release.columns]
    if not secrets:
        says = Message("No confidential column leaves with its own values.")
        return VerdictLine("guessed", asks, "green", says)
    tried = [one for one in attacked if one.attack in LEARNING and one.attempts]
    if not tried:
        says = Message(
            "{columns} leaves as it is, and no attack was tried.",
            "{columns} leave as they are, and no attack was tried.",
            columns=join_some_with_and(secrets),
            count=len(secrets),
        )
        return VerdictLine("guessed", asks, "amber", says, _protect(secrets))
    worst = max(tried, key=lambda one: one.gain)
    control = max(worst.control, 1.0 / outcome.plan.k)
    # Results that were stored before do not name the column.
    guessed = [worst.column] if worst.column else secrets
    says = Message(
        "From the nearest records, {columns} is guessed right for {rate:.0f} in 100 "
        "people; by chance, for {control:.0f}.",
        columns=join_some_with_and(guessed),
        rate=100.0 * worst.rate,
        control=100.0 * control,
    )
    frame = outcome.release.frame
    classes = record_classes(frame, outcome.plan.quasi_identifiers)
    rates = {
        name: per_cent_of_right_guesses(classes, frame[name], table.schema[name])
        for name in secrets
    }
    column = max(rates, key=rates.__getitem__)
    by_group = Message(
        "Whoever knows somebody's group guesses {column!r} right {rate:.0f} in 100 "
        "times.",
        column=column,
        rate=rates[column],
    )
    says = join_messages([says, by_group])
    if colour_of_attack(worst, outcome.plan.k) == "green":
        return VerdictLine("guessed", asks, "green", says)
    says = join_messages([says, Message("Groups have too few different values.")])
    return VerdictLine("guessed", asks, "red", says, _protect(secrets))


def _protect(columns: Sequence[str]) -> Improvement:
    says = Message("Protect {columns} as well.", columns=join_some_with_and(columns))
    return Improvement("protect", says, tuple(columns))


def standard_deviation_ratios(outcome: Outcome, table: Table) -> Mapping[str, float]:
    """Return each varying protected amount's standard deviation, after / before."""
    found = {}
    for name, before, after in _amounts(outcome, table):
        width = float(np.nanstd(before))
        if width > 0.0:
            found[name] = float(np.nanstd(after)) / width
    return found


def _amounts(outcome: Outcome, table: Table) -> list[tuple[str, Values, Values]]:
    """Return the columns of amounts that were protected, before and after."""
    plan, frame = outcome.plan, outcome.release.frame
    found = []
    for name in plan.quasi_identifiers:
        after, dtype = frame[name], table.frame[name].dtype
        numeric = pd.api.types.is_numeric_dtype(dtype)
        if plan.kinds[name] is not Kind.CONTINUOUS or not numeric:
            continue
        if not pd.api.types.is_numeric_dtype(after.dtype):
            continue
        before = table.frame[name].iloc[outcome.release.rows]
        found.append((name, _floats(before), _floats(after)))
    return found


def _floats(column: pd.Series) -> Values:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def reversed_correlations(
    outcome: Outcome, table: Table
) -> tuple[tuple[str, str], ...]:
    """Return pairs of protected amounts whose correlation of some size changed sign."""
    amounts = _amounts(outcome, table)
    if len(amounts) < 2:
        return ()
    names = [name for name, _, _ in amounts]
    sides = [
        pd.DataFrame({one[0]: one[side] for one in amounts}).corr().to_numpy()
        for side in (1, 2)
    ]
    before, after = sides
    turned = (np.sign(before) != np.sign(after)) & (
        np.minimum(np.abs(before), np.abs(after)) >= MIN_CORRELATION
    )
    return tuple((names[i], names[j]) for i, j in np.argwhere(np.triu(turned, 1)))


def judge_usefulness(outcome: Outcome, table: Table, max_loss: float) -> VerdictLine:
    """Return the verdict's line on what is left of the data.

    Parameters
    ----------
    table : Table
        What was protected.
    max_loss : float
        Per cent of loss that the person allows.
    """
    asks = Message("Is it still useful?")
    loss, kept = ranking_loss(outcome), standard_deviation_ratios(outcome, table)
    narrow = [name for name, share in kept.items() if share < MIN_SPREAD]
    says = Message("{loss:.1f} % of the differences are lost.", loss=loss)
    if loss > max_loss:
        says = Message(
            "{loss:.1f} % of the differences are lost, more than the {limit:g} % "
            "allowed.",
            loss=loss,
            limit=max_loss,
        )
    if kept:
        weakest = min(kept, key=lambda name: kept[name])
        spread = Message(
            "Of their spread, columns of amounts keep {share:.0f} % at least "
            "({column!r}).",
            share=100.0 * kept[weakest],
            column=weakest,
        )
        says = join_messages([says, spread])
    if loss > max_loss or narrow:
        some = estimate_excess_columns(outcome, loss, max_loss)
        dear = columns_to_drop_for_loss(outcome, table, max_loss, some) if some else ()
        columns = dear or tuple(narrow)  # narrow beside others, not so beside few
        mend = _protect_fewer(outcome, columns)
        return VerdictLine("useful", asks, "red", says, mend)
    turned = reversed_correlations(outcome, table)
    if turned:
        one, other = turned[0]
        more = Message(
            "The correlation of {one!r} and {other!r} has turned.", one=one, other=other
        )
        lost = loss_per_column(outcome)
        costlier = max(turned[0], key=lambda name: lost.get(name, np.inf))
        mend = _protect_fewer(outcome, (costlier,))
        return VerdictLine("useful", asks, "amber", join_messages([says, more]), mend)
    return VerdictLine("useful", asks, "green", says)


def _protect_fewer(outcome: Outcome, columns: Sequence[str]) -> Improvement:
    """Return the advice to leave out columns, if one is left that leads the others."""
    plan = outcome.plan
    if columns and {*plan.quasi_identifiers} - {*columns} - plan.follows.keys():
        advice = Message(
            "Leave out {columns}, take a smaller k, or give codes a hierarchy.",
            columns=join_some_with_and(columns),
        )
        return Improvement("fewer-columns", advice, tuple(columns))
    advice = Message("Take a smaller k, or give codes a hierarchy.")
    return Improvement("fewer-columns", advice)


def _exact(
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


def _left_out(
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


def verdict_with_acceptance_reasons(
    verdict: Verdict, reason_per_line_id: Mapping[str, str]
) -> Verdict:
    """Return the verdict with reasons for accepting amber lines; colours unchanged.

    Parameters
    ----------
    verdict : Verdict
    reason_per_line_id : mapping of str to str
        Of lines, by identifier; those of red lines count for nothing.
    """
    lines = tuple(
        replace(line, reason=reason_per_line_id.get(line.id, "").strip())
        if line.colour == "amber"
        else line
        for line in verdict.lines
    )
    return replace(verdict, lines=lines)
