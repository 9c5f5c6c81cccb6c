"""Warnings on a plan and its release: limits of protection, and loss of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.aggregate import aggregations
from engine.core.message import (
    Message,
    Topic,
    join_some_with_and,
    join_with_and,
    others_message,
)
from engine.core.typing import Integers
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.numeric import has_inexact_integers
from engine.data.kinds import Kind, Role
from engine.data.table import Table
from engine.measures.classes import smallest_class_size
from engine.measures.reidentification.uniqueness import Uniqueness
from engine.methods.base import methods
from engine.pipeline.column_survival import MAX_SILENT_LOSS_SHARE, ColumnSurvival
from engine.pipeline.outcome import Release
from engine.pipeline.planning.resolve_plan import ResolvedPlan


def inexact_digits_warnings(
    table: Table, attributes: Sequence[AttributeInfo]
) -> tuple[Message, ...]:
    """Return any warning on quasi-identifiers with more digits than float64 holds."""
    inexact = table.origin.options.get("inexact", ())
    return lost_digits_warnings(
        [
            attribute.name
            for attribute in attributes
            if attribute.words is None
            and (
                attribute.name in inexact
                or has_inexact_integers(table.frame[attribute.name])
            )
        ]
    )


def lost_digits_warnings(names: Sequence[str]) -> tuple[Message, ...]:
    """Return the warning on columns of numbers that lose digits in float64, if any."""
    if not names:
        return ()
    message = Message(
        "Column {columns} has numbers with more digits than can be computed with: its "
        "common values are right to 15 digits of its largest number.",
        "Columns {columns} have numbers with more digits than can be computed with: "
        "their common values are right to 15 digits of their largest numbers.",
        count=len(names),
        columns=join_some_with_and(names),
    )
    return (message.with_topic(Topic.DIGITS),)


def columns_with_merged_numbers(table: Table) -> set[str]:
    """Return columns in which distinct values of the file become one float64.

    Where other values are other numbers, records are counted exactly, whatever digits
    are lost.
    """
    options = table.origin.options
    return {*options.get("inexact", ())} - {*options.get("told_apart", ())}


def broken_rules_warnings(counts_by_rule: Mapping[str, int]) -> list[Message]:
    """Return a warning on each rule that input records break, given counts by rule.

    Parameters
    ----------
    counts_by_rule : mapping of str to int
        How many records break each.
    """
    return [
        Message(
            "{count:,} record breaks the rule {rule!r}; the release does not.",
            "{count:,} records break the rule {rule!r}; the release does not.",
            count=number,
            rule=text,
        )
        for text, number in counts_by_rule.items()
        if number
    ]


def uncompared_digits_warnings(
    table: Table, uniqueness: Uniqueness, protected: Sequence[str]
) -> tuple[Message, ...]:
    """Return any warning on released columns whose last digits uniqueness ignores.

    These digits may make records unique that are not counted as such.

    Parameters
    ----------
    uniqueness : Uniqueness
        Counted on numbers as float64; columns that it blames are not named again.
    protected : sequence of str
        Columns whose values do not leave.
    """
    uncompared = columns_with_merged_numbers(table) & {*uniqueness.columns}
    uncompared -= {*protected, *uniqueness.singling_out}
    if not uncompared:
        return ()
    message = Message(
        "{columns} leaves as it is, with more digits than are compared: whether these "
        "tell records apart is not counted.",
        "{columns} leave as they are, with more digits than are compared: whether "
        "these tell records apart is not counted.",
        count=len(uncompared),
        columns=join_some_with_and(sorted(uncompared)),
    )
    return (message.with_topic(Topic.DIGITS),)


def uniqueness_warnings(uniqueness: Uniqueness) -> tuple[Message, ...]:
    """Return a warning if unprotected columns make records or people unique or rare."""
    if not uniqueness.singling_out:
        return ()
    columns = join_some_with_and(uniqueness.singling_out)
    people = Message("people") if uniqueness.n_persons else Message("records")
    if uniqueness.unique:
        message = Message(
            "{count:,} of {all:,} {people} is unique if the unchanged columns are "
            "compared, too: protect or leave out {columns}.",
            "{count:,} of {all:,} {people} are unique if the unchanged columns are "
            "compared, too: protect or leave out {columns}.",
            count=uniqueness.unique,
            all=uniqueness.n_counted,
            people=people,
            columns=columns,
        )
    else:
        message = Message(
            "{count:,} of {all:,} {people} shares its values with fewer than {others} "
            "if the unchanged columns are compared, too: protect or leave out "
            "{columns}.",
            "{count:,} of {all:,} {people} share their values with fewer than {others} "
            "if the unchanged columns are compared, too: protect or leave out "
            "{columns}.",
            count=uniqueness.fewer,
            all=uniqueness.n_counted,
            people=people,
            others=others_message(uniqueness.k - 1),
            columns=columns,
        )
    return (message.with_topic(Topic.UNIQUENESS),)


def lost_columns_warnings(
    survival_by_column: Mapping[str, ColumnSurvival],
    aggregation_by_column: Mapping[str, str],
) -> tuple[Message, ...]:
    """Return a warning on each column lost to gaps, ``*`` or one value in most records.

    Parameters
    ----------
    survival_by_column : mapping of str to ColumnSurvival
    aggregation_by_column : mapping of str to str
        Aggregation of each column that was protected.
    """
    messages = []
    for name, survival in survival_by_column.items():
        if not survival.is_lost:
            continue
        if survival.gone > MAX_SILENT_LOSS_SHARE:
            what = Message(
                "is gone (*) in {share:.0f} % of the records",
                share=100.0 * survival.gone,
            )
        else:
            what = Message(
                "has one and the same value in {share:.0f} % of the records",
                share=100.0 * survival.frequent,
            )
        messages.append(
            Message(
                "Column {column!r} {what}: {remedy}, protect fewer columns, or choose "
                "a smaller k.",
                column=name,
                what=what,
                remedy=_remedy(name, aggregation_by_column),
            ).with_topic(Topic.LOST)
        )
    return tuple(messages)


def _remedy(name: str, rules: Mapping[str, str]) -> Message:
    """Return the measure that would keep most of a column."""
    info = aggregations.info(rules[name])
    if info.hierarchy:
        return Message(
            "give its hierarchy levels between its values and the root, release the "
            "most frequent value of each group instead (aggregation = mode)"
        )
    if info.id == "mode":
        return Message(
            "join rare values beforehand, or give it a hierarchy and release what a "
            "group's values have in common (aggregation = generalise)"
        )
    return Message("leave the column out if it is not needed")


def early_stop_warnings(
    plan: ResolvedPlan, iterations: tuple[int, ...], seconds: float
) -> tuple[Message, ...]:
    """Return the warning on a search stopped early; none if the method is no search."""
    if not methods.info(plan.method).traits.time_budget:
        return ()
    return (early_stop_message(plan, iterations, seconds),)


def early_stop_message(
    plan: ResolvedPlan, iterations: tuple[int, ...], seconds: float
) -> Message:
    """Return the warning that a search was stopped early."""
    info = methods.info(plan.method)
    if not sum(iterations):
        early = Message(
            "{method} was stopped early, after {seconds:.1f} s: the release has the "
            "best groups found by then.",
            method=info.title,
            seconds=seconds,
        )
        return early.with_topic(Topic.STOPPED)
    early = Message(
        "{method} was stopped early, after {seconds:.1f} s and {count:,} step: the "
        "release has the best groups found by then.",
        "{method} was stopped early, after {seconds:.1f} s and {count:,} steps: the "
        "release has the best groups found by then.",
        method=info.title,
        seconds=seconds,
        count=sum(iterations),
    )
    return early.with_topic(Topic.STOPPED)


def block_k_warnings(
    plan: ResolvedPlan,
    release: Release,
    k_released: int,
    persons: Integers | None = None,
) -> tuple[Message, ...]:
    """Return any warning on k of columns grouped apart, or on blocks tied by rules."""

    def k_of(columns: tuple[str, ...]) -> int:
        knows = plan.person_knowledge
        return smallest_class_size(release.frame, columns, persons, knows)

    info = methods.info(plan.method)
    promise = Message("is not promised")
    if k_released < plan.k:
        promise = Message("does not hold")
    if len(plan.blocks) == 1:
        tied = Message(
            "Rules tie all blocks of columns together, so that they are grouped as one."
        )
        return (tied.with_topic(Topic.BLOCKS),)
    if plan.blocks:
        each = [
            Message(
                "{k} for {columns}",
                k=k_of(block),
                columns=join_with_and(block, quoted=True),
            )
            for block in plan.blocks
        ]
        blocks_message = Message(
            "Blocks of columns were grouped apart: k-anonymity {promise} for the "
            "records as a whole, because who is alike in one block need not be in "
            "another. The k that holds in this release is {k} for records, and {each}.",
            promise=promise,
            k=k_released,
            each=each,
        )
        return (blocks_message.with_topic(Topic.BLOCKS),)
    if not info.traits.per_attribute:
        return ()
    attribute_k = min(k_of((name,)) for name in plan.quasi_identifiers)
    each_alone = Message(
        "{method} groups each attribute on its own: k-anonymity {promise} for the "
        "records as a whole. The k that holds in this release is {k} for records, and "
        "{alone} for each attribute taken alone.",
        method=info.title,
        promise=promise,
        k=k_released,
        alone=attribute_k,
    )
    return (each_alone,)


def choices_warnings(plan: ResolvedPlan, table: Table) -> tuple[Message, ...]:
    """Return warnings on risky, ineffective and undecided choices, whatever the groups.

    Parameters
    ----------
    table : Table
        Its schema proposes roles.
    """
    warnings = [
        Message(
            "Column {column!r} looks like an identifier but stays in the release as it "
            "is.",
            column=name,
        )
        for name in table.schema.with_role(Role.IDENTIFIER)
        if name not in plan.quasi_identifiers + plan.identifiers
    ]
    undecided = [
        name
        for name in table.schema.with_role(Role.UNDECIDED)
        if name in plan.identifiers
    ]
    if undecided:
        warnings.append(
            Message(
                "Nobody has said what column {columns} is, so it is left out of the "
                "release: give it a role.",
                "Nobody has said what columns {columns} are, so they are left out of "
                "the release: give them a role.",
                count=len(undecided),
                columns=join_some_with_and(undecided),
            ).with_topic(Topic.UNDECIDED)
        )
    nominal = any(kind is Kind.NOMINAL for kind in plan.kinds.values())
    if plan.suppress_cells and not (nominal and plan.suppress > 0.0):
        warnings.append(
            Message(
                "No cell is left out: that takes a budget (--suppress) and a "
                "quasi-identifier of categories."
            )
        )
    warnings += _no_effect_warnings(plan)
    if plan.recursive_l > 2 and plan.recursive_c == 0.0:
        warnings.append(
            Message(
                "The l = {l} of recursive (c, l)-diversity asks for nothing without a "
                "c (--recursive-c).",
                l=plan.recursive_l,
            )
        )
    if plan.k < 3:
        warnings.append(
            Message(
                "k = {k} is below 3: a member of a group of two can work out the other "
                "one's values.",
                k=plan.k,
            ).with_topic(Topic.SMALL_K)
        )
    return tuple(warnings)


def _no_effect_warnings(plan: ResolvedPlan) -> Iterator[Message]:
    """Yield a warning on each choice that changes nothing without another one."""
    rules = plan.aggregations.values()
    if plan.polish_for == "release" and not plan.polish:
        yield no_effect_message("--polish-for release", "--polish")
    if plan.suppress_by == "person" and plan.suppress == 0.0:
        yield no_effect_message("--suppress-by person", "--suppress")
    if plan.intruder_knows == "all" and not plan.person_columns:
        yield no_effect_message("--intruder-knows all", "--person")
    if plan.small_strata == "merge" and not (plan.strata or plan.household):
        yield no_effect_message("--small-strata merge", "--strata")
    if plan.interval_columns and not any(
        aggregations.info(rule).common.interval for rule in rules
    ):
        yield no_effect_message("--interval-columns", "--aggregation interval")


def no_effect_message(option: str, needed: str) -> Message:
    """Return a warning that an option changes nothing without another."""
    return Message(
        "{option} changes nothing here: it needs {needed}.",
        option=option,
        needed=needed,
    )
