"""Judge by k and by attacks who could be found, and what could be guessed of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.verdict import Colour, Improvement, VerdictLine, worst_colour
from engine.core.context import SILENT, RunContext
from engine.core.message import (
    Message,
    join_messages,
    join_some_with_and,
    others_message,
)
from engine.data.propose.persons import propose_person
from engine.data.table import Table
from engine.measures.classes import record_classes
from engine.measures.risk.attribute_disclosure import per_cent_of_right_guesses
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.outcome import Outcome

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
    of theirs: an attack has to beat that, too. One on which the verdict does not depend
    is amber where it beats chance: somebody has to say whether that is too much.
    """
    if not attack_result.attempts:
        return "green"
    if attack_result.attack not in LINKING + LEARNING:
        return "amber" if attack_result.has_succeeded else "green"
    guessed = attack_result.interval[0] > 1.0 / k + 1e-9
    if attack_result.attack in LINKING:
        return "red" if guessed else "green"
    return "red" if guessed and attack_result.has_succeeded else "green"


def judge_identity_disclosure(
    outcome: Outcome, table: Table, attack_results: Sequence[AttackResult]
) -> VerdictLine:
    """Return the verdict's line on who could be found."""
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
    tried = [one for one in attack_results if one.attack in LINKING and one.attempts]
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
    has_value = table.frame[quasi].iloc[rows].notna().any(axis=1).to_numpy()
    if has_value.all() or outcome.n_persons:
        return 0, outcome.plan.k
    sizes = np.bincount(outcome.partition.labels[has_value])
    return int((~has_value).sum()), int(sizes[sizes > 0].min())


def judge_attribute_disclosure(
    outcome: Outcome, table: Table, attack_results: Sequence[AttackResult]
) -> VerdictLine:
    """Return the verdict's line on what could be guessed of somebody."""
    asks = Message("What could be guessed of somebody?")
    secrets = [n for n in outcome.plan.confidential if n in outcome.release.columns]
    if not secrets:
        says = Message("No confidential column leaves with its own values.")
        return VerdictLine("guessed", asks, "green", says)
    tried = [one for one in attack_results if one.attack in LEARNING and one.attempts]
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
