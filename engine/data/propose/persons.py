"""Proposal of the columns that identify persons, by values that repeat.

It errs on the safe side where records of one person are plain to see: beside a column
that tells the visits of a person apart. Otherwise people are asked. Where no code
identifies persons, their names do: two people of one name count as one, which is safe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import pandas as pd

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.persons import (
    NOBODY,
    can_be_person_identifiers,
    code_persons,
    columns_constant_per_person,
    count_persons,
)
from engine.data.propose import Suggestion, column_labels, suggest_columns
from engine.data.propose.base import true_share
from engine.data.propose.detectors.words import (
    MEASURE_WORDS,
    SORT_WORDS,
    SUBJECT_WORDS,
    has_numbering_word,
    is_calendar_number_name,
    is_subject_name,
)
from engine.data.propose.names import normalised_words
from engine.data.propose.person_words import (
    EPISODES,
    FIXED_TRAITS,
    GROUPS_OF_PERSONS,
    LIFE_TRAITS,
    NO_PERSONS,
    OCCASIONS,
    OTHERS,
    PERSON_NAME_CONCEPTS,
    PERSON_NUMBER_CONCEPTS,
    PERSONS_OR_GROUPS,
    SUBJECT_NAME_CONCEPTS,
)
from engine.data.propose.values import ColumnValues
from engine.data.schema import Column
from engine.data.table import Table

MIN_RECORDS_EACH = 1.2
"""Records of a person, on average, from which an identifier is said to repeat."""

MIN_PERSONS = 10
"""Persons below which an identifier is rather that of a site or a class."""

MIN_ASKED_PERSONS = 4
"""Values below which a column without occasions, or a number, holds sorts."""

MAX_RECORDS_EACH = 50
"""Records of a person, on average, up to which nobody need be asked whether it is one
where no column tells these records apart."""

MIN_AGREEMENTS = 20
"""Differences that chance would make in a trait that never differs, at least."""

MAX_CODE_LENGTH = 40
"""Characters of a code, at most; longer ones are texts."""

MAX_SPACED_SHARE = 0.2
"""Share of codes that may have a blank inside."""

MAX_DOUBLE_SHARE = 0.02
"""Share of the records that may be another visit of the same person and time."""

MAX_TRAIT_COLUMNS = 1_000
"""Columns of which it is told what they are about, to find traits of people: of more
that would take longer than reading the file."""

_MEASURED = re.compile(r"[<>≤≥~]?\s*[-+]?\d+[.,]\d{1,3}")
"""What was measured, some of it below what can be: no code has its fractions."""


@dataclass(frozen=True)
class PersonProposal:
    """Columns, mostly one, that seem to identify persons, and their counts.

    Attributes
    ----------
    columns : tuple of str
    certain : bool
        Whether to count its persons without asking.
    occasion : str
        The column that tells a person's records apart; empty if none does.
    of_group : bool
        Whether its name is of what several persons belong to, such as a household.
    of_names : bool
        Whether it holds names or addresses of persons and no codes.
    n_persons, n_records : int
        People, and the records that are about one of them.
    """

    columns: tuple[str, ...]
    certain: bool
    occasion: str
    of_group: bool
    of_names: bool
    n_persons: int
    n_records: int

    @property
    def says(self) -> Message:
        """Number of persons and their mean number of records, in one sentence."""
        return Message(
            "{n_persons:,} people, {each} records each: k counts people.",
            n_persons=self.n_persons,
            each=self.each,
        )

    @property
    def question(self) -> Message:
        """Question whether the column identifies persons."""
        return Message(
            "{column!r} has {n_persons:,} values in {n_records:,} records. Does it say "
            "which person a record is about?",
            column=" + ".join(self.columns),
            n_persons=self.n_persons,
            n_records=self.n_records,
        )

    @property
    def each(self) -> Message:
        """Mean number of records per person, in words."""
        mean = self.n_records / self.n_persons
        return Message("{mean:.0f}" if mean % 1 == 0 else "about {mean:.1f}", mean=mean)


_PROPOSED: WeakKeyDictionary[Table, PersonProposal | None] = WeakKeyDictionary()
"""What was found in tables, as long as somebody has them."""


def propose_person(table: Table) -> PersonProposal | None:
    """Return a proposal of columns that identify persons, or None, kept for the table.

    Of several: one that is certain, then one beside which a column of occasions tells
    a person's records apart, then the finest.

    Parameters
    ----------
    table : Table
        With the roles that hold now.
    """
    if table not in _PROPOSED:
        _PROPOSED[table] = _find_person(table)
    return _PROPOSED[table]


def _find_person(table: Table) -> PersonProposal | None:
    occasions = _occasions(table)
    columns = table.schema.columns
    candidates: list[tuple[str, ...]] = [
        (column.name,)
        for column in columns
        if _may_identify(column, table.frame[column.name])
    ]
    by_traits = _columns_deciding_traits(table, candidates)
    candidates += by_traits + _split_names(table)
    proposals = [
        proposal
        for columns in candidates
        if (proposal := _proposal(table, columns, occasions)) is not None
    ]
    proposals.sort(
        key=lambda one: (one.certain, bool(one.occasion), one.n_persons), reverse=True
    )
    # What a column is about takes longest to tell, so only of the likeliest.
    return next(
        (
            one
            for one in proposals
            if one.columns in by_traits or _is_about_people(table, one)
        ),
        None,
    )


def _is_about_people(table: Table, proposal: PersonProposal) -> bool:
    """Return whether a column may say which person a record is about.

    An amount that somebody leaves out does not, though it has an identifier's role.
    """
    columns = proposal.columns
    guess = _suggest_each(table, columns)[0]
    words = normalised_words(columns[0])
    is_named = proposal.of_group or SUBJECT_WORDS.intersection(words)
    if is_named and not proposal.of_names and has_numbering_word(words):
        return True  # the number of a player, whoever else has to do with the record
    if guess.about in SUBJECT_NAME_CONCEPTS and not is_named:
        return False  # who made or sells a thing
    if proposal.of_names:
        concepts = PERSON_NAME_CONCEPTS
        concepts |= SUBJECT_NAME_CONCEPTS if is_named else frozenset()
        if is_named and len(words) == 1:  # a column called just "player"
            concepts |= {"other-person"}
        is_name = len(columns) > 1 or guess.about in concepts
        return is_name and not has_unique_person_numbers(table, columns)
    is_identifier = guess.column.role is Role.IDENTIFIER or guess.singles_out
    # What is known for something else, steps of a scale, and what many records share
    # may have been left out as well.
    is_plausible = (
        guess.column.kind is Kind.NOMINAL
        and guess.column.role is Role.UNDECIDED
        and proposal.n_persons >= MIN_PERSONS
        and proposal.n_records <= MAX_RECORDS_EACH * proposal.n_persons
    )
    return guess.about not in OTHERS and bool(is_named or is_identifier or is_plausible)


def _columns_deciding_traits(
    table: Table, others: Sequence[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Return columns whose codes repeat and have one sex, birth or origin each.

    So a column identifies persons whatever it is called. Words, numbers 1, 2, ... and
    fewer codes than :data:`MIN_PERSONS` may be sorts: they must have one sex or origin
    and one age or birth each.

    Parameters
    ----------
    others : sequence of tuple of str
        Candidates that are known, and not looked at again.
    """
    possible = {
        column.name: is_given
        for column in table.schema.columns
        if (column.name,) not in others
        and (is_given := _may_decide_traits(table, column)) is not None
    }
    if not possible:
        return []
    max_codes = max(map(table.n_distinct, possible))
    few = [
        name for name in table.schema.names if 1 < table.n_distinct(name) <= max_codes
    ]
    if len(few) > MAX_TRAIT_COLUMNS:
        return []
    about = {trait.column.name: trait.about for trait in _suggest_each(table, few)}
    traits = [name for name in few if about[name] in FIXED_TRAITS | LIFE_TRAITS]
    return [
        (name,)
        for name, is_given in possible.items()
        if about[name] not in OTHERS
        and _are_persons_traits(
            {about[trait] for trait in _traits_decided(table, name, traits)},
            is_given and table.n_distinct(name) >= MIN_PERSONS,
        )
    ]


def _may_decide_traits(table: Table, column: Column) -> bool | None:
    """Return whether a column's codes look as given to people; None if it has none."""
    values, n_codes = table.frame[column.name], table.n_distinct(column.name)
    if (
        column.role not in (Role.UNDECIDED, Role.QUASI_IDENTIFIER)
        or not MIN_ASKED_PERSONS <= n_codes < table.record_rows.size / MIN_RECORDS_EACH
        or n_codes * MAX_RECORDS_EACH < table.record_rows.size
        or not can_be_person_identifiers(values)
        or not NO_PERSONS.isdisjoint(normalised_words(column.name))
        or not _holds_codes(cells := ColumnValues(values))
        or cells.is_dated
    ):
        return None
    is_given = column.kind is Kind.NOMINAL and cells.has_digits
    return is_given if is_given or cells.words or _counts_from_one(cells) else None


def _traits_decided(table: Table, name: str, traits: Sequence[str]) -> list[str]:
    """Return the traits of which each code of a column has one, as if by no chance."""
    frame, n_codes = table.frame, table.n_distinct(name)
    few = [one for one in traits if one != name and table.n_distinct(one) <= n_codes]
    repeats = table.record_rows.size - n_codes
    return [
        one
        for one in columns_constant_per_person(frame, name, few)
        # So many times would two records at random have differed.
        if repeats * (1.0 - (frame[one].value_counts(normalize=True) ** 2).sum())
        >= MIN_AGREEMENTS
    ]


def _are_persons_traits(about: Set[str], are_given: bool) -> bool:
    """Return whether what codes have one of each is what people have one of."""
    if FIXED_TRAITS.isdisjoint(about):
        return False
    return are_given or not (
        LIFE_TRAITS.isdisjoint(about) or about.isdisjoint(FIXED_TRAITS - LIFE_TRAITS)
    )


def _counts_from_one(values: ColumnValues) -> bool:
    """Return whether numbers are 1, 2, ... without a gap."""
    if not values.numeric or not values.is_integer:
        return False
    low, high = values.numbers.min(), values.numbers.max()
    return bool(low == 1 and high == values.n_distinct)


def _split_names(table: Table) -> list[tuple[str, ...]]:
    """Return the columns of family and given names, if there are two such columns."""
    identifiers = [
        column.name
        for column in table.schema.columns
        if column.role is Role.IDENTIFIER and not table.frame[column.name].is_unique
    ]
    parts = tuple(
        guess.column.name
        for guess in _suggest_each(table, identifiers)
        if guess.about in ("family-name", "given-name")
        or (
            guess.about == "full-name"
            and _holds_codes(ColumnValues(table.frame[guess.column.name]))
        )
    )
    return [parts] if len(parts) == 2 else []


def has_unique_person_numbers(table: Table, name_columns: Sequence[str]) -> bool:
    """Return whether each record seems to be of another person, by unique numbers.

    Then names that come again are those of people who share one. Numbers of cases,
    visits and rows mark nobody, nor does any number where people of one name are born
    on one day again and again.

    Parameters
    ----------
    name_columns : sequence of str
        Columns of names.
    """
    frame = table.frame
    n_names = len(frame[[*name_columns]].drop_duplicates())
    single = [
        column.name
        for column in table.schema.columns
        if column.role is Role.IDENTIFIER
        and frame[column.name].is_unique
        and not frame[column.name].isna().any()
    ]
    if not any(
        each.about in PERSON_NUMBER_CONCEPTS
        and EPISODES.isdisjoint(normalised_words(each.column.name))
        # A number without gaps may count the rows, unless it is called a person's.
        and (
            each.about == "national-number" or _has_number_gaps(frame[each.column.name])
        )
        for each in _suggest_each(table, single)
    ):
        return False
    births = [
        each.column.name
        for each in _suggest_each(table, table.schema.names)
        if each.about == "birth"
    ]
    return not any(
        MIN_RECORDS_EACH * len(frame[[*name_columns, birth]].drop_duplicates())
        <= len(frame)
        for birth in births
        if frame[birth].nunique() >= n_names / 2
    )


def _suggest_each(table: Table, columns: Sequence[str]) -> tuple[Suggestion, ...]:
    """Return what the columns seem to be, without a look at any others."""
    labels = column_labels(table.origin)
    return tuple(suggest_columns(table.frame[[name]], labels)[0] for name in columns)


def _has_number_gaps(column: pd.Series) -> bool:
    """Return whether distinct values are no run of whole numbers."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return True
    return int(column.max()) - int(column.min()) != len(column) - 1


def _may_identify(column: Column, values: pd.Series) -> bool:
    """Return whether a column's role or name, and its values, are an identifier's."""
    words = normalised_words(column.name)
    if column.is_costly or column.parts:  # it is an identifier by its role alone
        return False
    if is_calendar_number_name(column.name):
        return False
    if words == ["row"]:  # which repeats: a line of a field, a hall or a screen
        return False
    if OCCASIONS.intersection(words) and not (
        SUBJECT_WORDS.intersection(words) or has_numbering_word(words)
    ):
        return False  # a time of day that somebody ran for, or was seen at
    stems = {*words, *(word.removesuffix("id") for word in words)}
    if NO_PERSONS & stems and PERSONS_OR_GROUPS.isdisjoint(words):
        return False
    named = is_subject_name(column.name) and MEASURE_WORDS.union(SORT_WORDS).isdisjoint(
        words
    )
    doubtful = column.role in (Role.UNDECIDED, Role.QUASI_IDENTIFIER)
    is_likely = doubtful and (column.singles_out or named)
    if column.role is not Role.IDENTIFIER and not is_likely:
        return False
    return can_be_person_identifiers(values) and (
        column.role is Role.IDENTIFIER or _holds_codes(ColumnValues(values))
    )


def _holds_codes(values: ColumnValues) -> bool:
    """Return whether values are numbers or short codes, and no sentences or names."""
    if not values.words:
        return values.is_no_fraction
    texts = [text.strip() for text in values.sampled_texts]
    if true_share([_MEASURED.fullmatch(text) is not None for text in texts]) > 0.5:
        return False
    spaced = sum(" " in text for text in texts)
    return max(map(len, texts), default=0) <= MAX_CODE_LENGTH and (
        spaced <= MAX_SPACED_SHARE * len(texts)
    )


def _proposal(
    table: Table, columns: tuple[str, ...], occasions: Sequence[str]
) -> PersonProposal | None:
    codes = code_persons(table.frame, columns)
    n_persons, n_records = count_persons(codes), table.record_rows.size
    if n_persons < 2 or n_records < MIN_RECORDS_EACH * n_persons:
        return None
    of_group = bool(GROUPS_OF_PERSONS.intersection(normalised_words(columns[0])))
    of_names = len(columns) > 1 or not _holds_codes(
        ColumnValues(table.frame[columns[0]])
    )
    occasion = _occasion(table, columns, occasions)
    is_numbered = bool(occasion) or has_numbering_word(normalised_words(columns[0]))
    if n_persons < MIN_ASKED_PERSONS and not is_numbered:
        return None  # who volunteers, or which party somebody is of
    is_identifier = table.schema[columns[0]].role is Role.IDENTIFIER
    plain = is_identifier and n_records <= MAX_RECORDS_EACH * n_persons
    certain = n_persons >= MIN_PERSONS and not of_group
    certain = certain and (bool(occasion) or plain)
    few = n_persons < MIN_PERSONS and not of_group
    if of_names and not certain and not few and not (of_group and occasion):
        return None  # of physicians, of those who asked; but firms have their years
    n_known = int((codes != NOBODY).sum())
    return PersonProposal(
        columns, certain, occasion, of_group, of_names, n_persons, n_known
    )


def _occasion(table: Table, person: Sequence[str], occasions: Sequence[str]) -> str:
    """Return the column beside which hardly two records of a person are alike."""
    min_pairs = (1.0 - MAX_DOUBLE_SHARE) * table.record_rows.size
    for name in occasions:
        if name not in person:
            pairs = table.frame[[*person, name]].drop_duplicates()
            if len(pairs) >= min_pairs:
                return name
    return ""


def _occasions(table: Table) -> list[str]:
    """Return columns of dates, years, waves and the like that repeat."""
    return [
        name
        for name in table.schema.names
        if (
            OCCASIONS.intersection(normalised_words(name))
            or pd.api.types.is_datetime64_any_dtype(table.frame[name].dtype)
        )
        and 1 < table.n_distinct(name) < table.record_rows.size
    ]
