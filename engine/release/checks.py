"""Checks of a written release against the plan's promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.constraints.parsing.condition import condition_mask
from engine.constraints.rules import parse_rules
from engine.core.message import Message, join_messages, join_with_and
from engine.data.kinds import Kind
from engine.data.table import Origin, Table
from engine.files.base import formats
from engine.hierarchy import leaf_text_of
from engine.measures.classes import smallest_class_size
from engine.methods import methods
from engine.pipeline.grouping.households import min_households_per_combination
from engine.pipeline.outcome import Outcome
from engine.release.columns import (
    count_differences,
    numbers_for_rules,
    parse_iso_dates_or_unchanged,
    type_family,
)
from engine.release.formulas import neutralise_column_name, neutralise_formulas
from engine.release.people import k_of_people
from engine.release.source import column_positions, find_differing_columns
from engine.release.writing import ArrangedRelease, WritingOptions, unprotected_columns


@dataclass(frozen=True)
class ReleaseCheck:
    """One check of the written file: promise, result and detail.

    Attributes
    ----------
    id : str
    title : Message
        What is promised.
    passed : bool
    detail : Message
        What was found, in one sentence.
    promised : bool
        False for k where the method promises none, so that a smaller one is only said.
    """

    id: str
    title: Message
    passed: bool
    detail: Message
    promised: bool = True


@dataclass(frozen=True, eq=False)
class ReadBackRelease:
    """A release as written and as read back, for checks."""

    outcome: Outcome
    table: Table
    writing: WritingOptions
    release: ArrangedRelease
    content: bytes
    origin: Origin
    back: pd.DataFrame
    back_options: Mapping[str, Any]

    @property
    def frame(self) -> pd.DataFrame:
        """The written frame, in the form that the format stores."""
        return self.release.frame

    @property
    def rows(self) -> NDArray[np.int64]:
        """Table row of each written record."""
        return self.outcome.release.rows[self.release.order]

    def written_name(self, column: str) -> str:
        """Return the name that a column has in the file."""
        return neutralise_column_name(column) if self.writing.neutralise else column

    @cached_property
    def counted_k(self) -> int:
        """The k counted on the values read back, in persons if k counts persons.

        They are those of the table: the file need not name them.
        """
        plan = self.outcome.plan
        names = tuple(map(self.written_name, plan.quasi_identifiers))
        if not self.outcome.n_persons:
            return smallest_class_size(self.back, names)
        who = self.table.frame.loc[:, list(plan.person_columns)].iloc[self.rows]
        return k_of_people(self.back, names, who, plan.person_knowledge)


def records_and_columns_check_result(
    read_back_release: ReadBackRelease,
) -> ReleaseCheck:
    """Return the check that record count and column names are as written."""
    back, frame = read_back_release.back, read_back_release.frame
    return ReleaseCheck(
        "records",
        Message("All records and columns are there"),
        len(back) == len(frame) and list(back.columns) == list(frame.columns),
        Message(
            "{back:,} records and {columns_back} columns were read back; {records:,} "
            "and {columns} were written.",
            back=len(back),
            columns_back=back.shape[1],
            records=len(frame),
            columns=frame.shape[1],
        ),
    )


def _check_values(case: ReadBackRelease) -> ReleaseCheck:
    wrong = [
        str(name)
        for name in case.frame
        if name not in case.release.carried  # compared with the file that came in
        and count_differences(case.back[name], case.frame[name])
    ]
    detail = Message("No value differs.")
    if wrong:
        detail = Message("Values differ in {columns}.", columns=_quote_names(wrong))
    title = Message("Every value reads back as it was written")
    return ReleaseCheck("values", title, not wrong, detail)


def _check_k(case: ReadBackRelease) -> ReleaseCheck:
    plan, counted_k, drawn = (
        case.outcome.plan,
        case.counted_k,
        case.outcome.probabilistic,
    )
    if drawn is not None:
        title = Message("Groups are {words}", words=drawn.kind_message)
        detail = Message(
            "No group size is promised. {sizes}", sizes=drawn.sizes_message
        )
        return ReleaseCheck("k", title, True, detail)
    counted = Message(
        "k = {found} was counted on the file; {asked} was asked for.",
        found=counted_k,
        asked=plan.k,
    )
    if people := case.outcome.n_persons:
        counted = Message(
            "k = {found} was counted on the file for the {people:,} people of "
            "{columns}; {asked} was asked for.",
            found=counted_k,
            people=people,
            columns=join_with_and(plan.person_columns, quoted=True),
            asked=plan.k,
        )
    messages = [counted]
    if counted_k < plan.k and plan.blocks:
        messages += [
            Message("Blocks of columns were grouped apart, so no k is promised.")
        ]
    elif counted_k < plan.k and not methods.info(plan.method).traits.guarantees_k:
        messages += [Message("This method does not promise k: choose another one.")]
    title = Message(
        "Every record shares its values with at least {count} other",
        "Every record shares its values with at least {count} others",
        count=plan.k - 1,
    )
    if case.outcome.n_persons:
        title = Message(
            "Every record shares its values with those of at least {count} other "
            "person",
            "Every record shares its values with those of at least {count} other "
            "people",
            count=plan.k - 1,
        )
        if plan.intruder_knows == "all":
            title = Message(
                "Every person has the same set of values as at least {count} other",
                "Every person has the same set of values as at least {count} others",
                count=plan.k - 1,
            )
        if plan.counts:
            title = Message(
                "Every person has the same values, each equally often, as at least "
                "{count} other",
                "Every person has the same values, each equally often, as at least "
                "{count} others",
                count=plan.k - 1,
            )
    promised = case.outcome.partition.guarantees_k
    return ReleaseCheck(
        "k", title, counted_k >= plan.k, join_messages(messages), promised
    )


def _check_condition(case: ReadBackRelease) -> ReleaseCheck | None:
    """Check the record condition on the records that were written."""
    only = case.outcome.plan.only
    if only is None:
        return None
    wrong = int((~condition_mask(only, case.table.frame)[case.rows]).sum())
    detail = Message(
        "{kept:,} of {all:,} records, of which {condition!r} is true.",
        kept=len(case.rows),
        all=case.table.n_records,
        condition=only,
    )
    if wrong:
        detail = Message(
            "Of {count:,} records {condition!r} is not true.",
            count=wrong,
            condition=only,
        )
    title = Message("Only the records to release are there")
    return ReleaseCheck("only", title, not wrong, detail)


def _check_identifiers(case: ReadBackRelease) -> ReleaseCheck:
    gone = case.outcome.plan.identifiers
    remaining_columns = [name for name in gone if case.written_name(name) in case.back]
    if remaining_columns:
        detail = Message(
            "Still there: {columns}.", columns=_quote_names(remaining_columns)
        )
    elif gone:
        detail = Message("Left out: {columns}.", columns=_quote_names(gone))
    else:
        detail = Message("The table has none.")
    return ReleaseCheck(
        "identifiers", Message("Identifiers are gone"), not remaining_columns, detail
    )


def _check_unprotected(case: ReadBackRelease) -> ReleaseCheck:
    """Compare unprotected columns with those of the input."""
    others = unprotected_columns(case.table, case.outcome.plan)
    written = {name: case.written_name(name) for name in others}
    present_names = [name for name in others if written[name] in case.back]
    of_file = [name for name in present_names if written[name] in case.release.carried]
    changed = {*others} - {*present_names}
    if of_file and case.table.carried is not None:
        input_positions = column_positions(case.table)
        file_positions = {str(name): j for j, name in enumerate(case.frame.columns)}
        changed |= {
            *find_differing_columns(
                (case.table.carried.read_bytes(), case.table.origin),
                (case.content, case.origin),
                {
                    name: (input_positions[name], file_positions[written[name]])
                    for name in of_file
                },
                case.rows,
            )
        }
    for name in {*present_names} - {*of_file}:
        before = case.table.frame[name].iloc[case.rows]
        if case.writing.neutralise:
            before = neutralise_formulas(before)
        before = formats.get(case.origin.format)().held(before).column
        if count_differences(case.back[written[name]], before):
            changed.add(name)
    if changed:
        named = [name for name in others if name in changed]
        detail = Message("Changed: {columns}.", columns=_quote_names(named))
    else:
        detail = Message(
            "Columns that are as they came in: {number}.", number=len(others)
        )
    title = Message("No other column has changed")
    return ReleaseCheck("unchanged", title, not changed, detail)


def _order(case: ReadBackRelease) -> ReleaseCheck:
    """Say how records are ordered; values were compared in that order already."""
    if case.writing.shuffle:
        title = Message("Records come in a random order")
        detail = Message(
            "Shuffled with seed {seed}, which should stay with you.",
            seed=case.writing.seed,
        )
        return ReleaseCheck("order", title, True, detail)
    rising = bool((np.diff(case.outcome.release.rows) > 0).all())
    detail = Message("They are mixed up.")
    if rising:
        detail = Message("Their order is that of the table.")
    title = Message("Records come in the order of the table")
    return ReleaseCheck("order", title, rising, detail)


def _check_types(case: ReadBackRelease) -> ReleaseCheck:
    """Compare types of values; intervals are released as text."""
    wide = {
        name
        for name, rule in case.outcome.plan.aggregations.items()
        if not aggregations.info(rule).common.numeric
    }
    other = []
    for name in case.table.schema.names:
        written = case.written_name(name)
        if name in wide or written not in case.back or written in case.release.carried:
            continue
        back = case.back[written].dropna()
        if isinstance(case.frame[written].dtype, pd.DatetimeTZDtype):
            back = parse_iso_dates_or_unchanged(
                back
            )  # text files have no type for a time zone
        expected_types = {
            type_family(case.table.frame[name]),
            type_family(case.frame[written]),
        }
        if "text" in expected_types and not (
            formats.info(case.origin.format).typed
            or count_differences(case.back[written], case.frame[written])
        ):
            continue  # text of digits is read as the numbers that it says
        written_type = type_family(back)
        if written_type == "text" and not formats.info(case.origin.format).typed:
            # What most readers take text of digits for.
            numbers = pd.to_numeric(back, errors="coerce").notna().all()
            written_type = "number" if numbers else "text"
        if len(back) and written_type not in expected_types:
            other.append(name)
    detail = join_messages(case.release.said) or Message("Each is as it was.")
    if other:
        detail = Message("Another type: {columns}.", columns=_quote_names(other))
    title = Message("Columns hold the types that they held")
    return ReleaseCheck("types", title, not other, detail)


def _check_value_labels(case: ReadBackRelease) -> ReleaseCheck | None:
    """Compare value labels, where the format has some."""
    expected = case.origin.options.get("value_labels")
    if not expected:
        return None
    file_labels = case.back_options.get("value_labels", {})
    labelled_columns = [
        name
        for name in expected
        if name in case.frame and type_family(case.frame[name]) != "text"
    ]
    mismatched_columns = [
        name
        for name in labelled_columns
        if dict(map(tuple, expected[name]))
        != dict(map(tuple, file_labels.get(name, ())))
    ]
    detail = Message("Columns with labels: {number}.", number=len(labelled_columns))
    if mismatched_columns:
        detail = Message("Lost: {columns}.", columns=_quote_names(mismatched_columns))
    return ReleaseCheck(
        "labels", Message("Value labels are kept"), not mismatched_columns, detail
    )


def _check_rules(case: ReadBackRelease) -> ReleaseCheck | None:
    texts = case.outcome.release.rules
    if not texts:
        return None
    plan, frame = case.outcome.plan, case.table.frame
    names = plan.quasi_identifiers
    values, words = [], dict[str, dict[str, int]]()
    for name in names:
        back = case.back[case.written_name(name)]
        expected = case.frame[case.written_name(name)]
        # Dates with a zone are text in some formats, and dates all the same.
        value_type = type_family(case.outcome.release.frame[name])
        if plan.kinds[name] is Kind.NOMINAL or value_type == "text":
            codes, distinct_words = pd.factorize(back)
            values.append(np.where(codes < 0, np.nan, codes.astype(np.float64)))
            words[name] = {
                leaf_text_of(word): code for code, word in enumerate(distinct_words)
            }
        else:
            values.append(numbers_for_rules(back, expected))
    changed = {*names, *(plan.identifiers or ())}
    unchanged = tuple(name for name in frame.columns if name not in changed)
    rules = parse_rules(texts, names, (), words, unchanged)
    alternatives = rules.open_alternatives(frame, case.rows)
    broken = rules.broken(np.column_stack([*values, alternatives]))
    bad = [text for text, broke in zip(texts, broken.T, strict=True) if broke.any()]
    detail = Message("Kept: {rules}.", rules=join_messages(texts, "; "))
    if bad:
        detail = Message("Broken: {rules}.", rules=join_messages(bad, "; "))
    return ReleaseCheck(
        "rules", Message("Every record keeps the rules"), not bad, detail
    )


def _check_households(case: ReadBackRelease) -> ReleaseCheck | None:
    """Count households on the written file; it need not contain their column."""
    plan = case.outcome.plan
    if plan.household is None:
        return None
    names = tuple(map(case.written_name, plan.quasi_identifiers))
    of = case.table.frame[plan.household].iloc[case.rows]
    household_k = min_households_per_combination(case.back, names, of)
    title = Message(
        "Every household shares its values with at least {count} other",
        "Every household shares its values with at least {count} others",
        count=plan.k - 1,
    )
    detail = Message(
        "k = {found} was counted for households of {column!r}; {asked} was asked for.",
        found=household_k,
        column=plan.household,
        asked=plan.k,
    )
    return ReleaseCheck("households", title, household_k >= plan.k, detail)


RELEASE_CHECKS: tuple[Callable[[ReadBackRelease], ReleaseCheck | None], ...] = (
    _check_values,
    _check_condition,
    _check_k,
    _check_households,
    _check_identifiers,
    _check_unprotected,
    _order,
    _check_types,
    _check_value_labels,
    _check_rules,
)
"""What is looked at once all records and columns are there."""


def _quote_names(names: Iterable[str]) -> Message:
    some, others = [*names][:6], [*names][6:]
    if not others:
        return Message("{some!r}", some=some)
    return Message("{some!r} and {others} more", some=some, others=len(others))
