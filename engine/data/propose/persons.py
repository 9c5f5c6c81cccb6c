"""Propose the column that identifies persons: one whose values repeat.

It errs on the safe side where records of one person are plain to see: beside a column
that tells the visits of a person apart. Otherwise people are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.persons import code_persons, count_persons, has_identifier_repeats
from engine.data.propose.detectors.words import (
    MEASURE_WORDS,
    SORT_WORDS,
    SUBJECT_WORDS,
    has_numbering_word,
)
from engine.data.propose.names import split_into_word_set, split_name
from engine.data.propose.values import ColumnValues
from engine.data.schema import Column
from engine.data.table import Table

MIN_RECORDS_EACH = 1.2
"""Records of a person, on average, from which an identifier is said to repeat."""

MIN_PERSONS = 10
"""Persons below which an identifier is rather that of a site or a class."""

MAX_RECORDS_EACH = 50
"""Records of a person, on average, up to which nobody need be asked whether it is one
where no column tells these records apart."""

MAX_CODE_LENGTH = 40
"""Characters of a code, at most; longer ones are texts."""

MAX_SPACED_SHARE = 0.2
"""Share of codes that may have a blank inside."""

MAX_DOUBLE_SHARE = 0.02
"""Share of the records that may be another visit of the same person and time."""

OCCASIONS = split_into_word_set(
    """
    visit wave round occasion session trial episode period time day date week month
    year quarter hour minute age sequence seq measurement followup follow panel stay
    admission encounter attempt trip order futime weeks months years days dos
    besuch welle runde zeitpunkt datum tag woche monat jahr quartal sitzung aufnahme
    visite vague date jour semaine mois annee periode sejour
    visita onda fecha dia semana mes ano periodo ola giorno settimana mese anno data
    onda rodada bezoek golf datum dag maand jaar kwartaal wizyta fala dzien miesiac rok
    年 月 日期 时间 就诊 访视 波次 年份 年度 次数
    """
)
"""What tells the records of one person apart."""

GROUPS_OF_PERSONS = split_into_word_set(
    """
    household hh hhid hid family dwelling school class firm company establishment
    hospital clinic practice centre center site village cluster plant team branch
    haushalt familie schule klasse firma betrieb unternehmen krankenhaus
    menage foyer famille ecole entreprise hopital hogar familia escuela empresa
    famiglia scuola impresa agregado huishouden gospodarstwo szkola
    户 家庭 学校 企业
    """
)
"""What several persons belong to."""

OTHERS = split_into_word_set(
    """
    given-name family-name full-name other-person some-name remark
    postcode coordinate trade occupation origin sex birth
    """
)
"""What columns are about that do not say which person a record is about."""


@dataclass(frozen=True)
class PersonProposal:
    """A column that seems to identify persons.

    Attributes
    ----------
    columns : tuple of str
    certain : bool
        Whether to count its persons without asking.
    occasion : str
        The column that tells a person's records apart; empty if none does.
    of_group : bool
        Whether its name is of what several persons belong to, such as a household.
    n_persons, n_records : int
    """

    columns: tuple[str, ...]
    certain: bool
    occasion: str
    of_group: bool
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
            column=self.columns[0],
            n_persons=self.n_persons,
            n_records=self.n_records,
        )

    @property
    def each(self) -> Message:
        """Mean number of records per person, in words."""
        mean = self.n_records / self.n_persons
        return Message("{mean:.0f}" if mean % 1 == 0 else "about {mean:.1f}", mean=mean)


def propose_person(table: Table) -> PersonProposal | None:
    """Return the column that seems to identify persons, or None.

    Of several: one beside which a column of occasions tells all records apart, then
    the finest.

    Parameters
    ----------
    table : Table
        With the roles that hold now.
    """
    occasions = _occasions(table)
    proposals = [
        proposal
        for column in table.schema.columns
        if _may_identify(column, table.frame[column.name])
        and (proposal := _proposal(table, column, occasions)) is not None
    ]
    proposals.sort(
        key=lambda one: (one.certain, bool(one.occasion), one.n_persons), reverse=True
    )
    # What a column is about takes longest to tell, so only of the likeliest.
    return next((one for one in proposals if _is_about_people(table, one)), None)


def _is_about_people(table: Table, proposal: PersonProposal) -> bool:
    """Return whether a column may say which person a record is about.

    An amount that somebody leaves out does not, though it has an identifier's role.
    """
    from engine.data.propose import column_labels, suggest_columns

    columns = list(proposal.columns)
    [told] = suggest_columns(table.frame[columns], column_labels(table.origin))
    is_named = proposal.of_group or SUBJECT_WORDS.intersection(split_name(columns[0]))
    is_identifier = told.column.role is Role.IDENTIFIER or told.singles_out
    # Steps of a scale, and what many records share, may have been left out as well.
    is_plausible = (
        told.column.kind is Kind.NOMINAL
        and proposal.n_persons >= MIN_PERSONS
        and proposal.n_records <= MAX_RECORDS_EACH * proposal.n_persons
    )
    return told.about not in OTHERS and bool(is_named or is_identifier or is_plausible)


def _may_identify(column: Column, values: pd.Series) -> bool:
    """Return whether a column's role or name, and its values, are an identifier's."""
    words = split_name(column.name)
    named = (
        bool(SUBJECT_WORDS.intersection(words))
        and (len(words) == 1 or has_numbering_word(words))
        and MEASURE_WORDS.union(SORT_WORDS).isdisjoint(words)
    )
    doubtful = column.role in (Role.UNDECIDED, Role.QUASI_IDENTIFIER)
    likely = doubtful and (column.singles_out or named)
    if column.role is not Role.IDENTIFIER and not likely:
        return False
    return has_identifier_repeats(values) and _holds_codes(ColumnValues(values))


def _holds_codes(values: ColumnValues) -> bool:
    """Return whether values are numbers or short codes, and no sentences or names."""
    if not values.words:
        return values.is_no_fraction
    texts = [text.strip() for text in values.sampled_texts]
    spaced = sum(" " in text for text in texts)
    return max(map(len, texts), default=0) <= MAX_CODE_LENGTH and (
        spaced <= MAX_SPACED_SHARE * len(texts)
    )


def _proposal(
    table: Table, column: Column, occasions: Sequence[str]
) -> PersonProposal | None:
    name = column.name
    codes = code_persons(table.frame, (name,))
    n_persons, n_records = count_persons(codes), table.n_records
    if n_persons < 2 or n_records < MIN_RECORDS_EACH * n_persons:
        return None
    of_group = bool(GROUPS_OF_PERSONS.intersection(split_name(name)))
    occasion = _occasion(table, name, occasions)
    certain = n_persons >= MIN_PERSONS and not of_group
    plain = column.role is Role.IDENTIFIER and n_records <= MAX_RECORDS_EACH * n_persons
    certain = certain and (bool(occasion) or plain)
    return PersonProposal((name,), certain, occasion, of_group, n_persons, n_records)


def _occasion(table: Table, person: str, occasions: Sequence[str]) -> str:
    """Return the column beside which hardly two records of a person are alike."""
    min_pairs = (1.0 - MAX_DOUBLE_SHARE) * table.n_records
    for name in occasions:
        if name != person:
            pairs = table.frame[[person, name]].drop_duplicates()
            if len(pairs) >= min_pairs:
                return name
    return ""


def _occasions(table: Table) -> list[str]:
    """Return columns of dates, years, waves and the like that repeat."""
    return [
        name
        for name in table.schema.names
        if (
            OCCASIONS.intersection(split_name(name))
            or pd.api.types.is_datetime64_any_dtype(table.frame[name].dtype)
        )
        and 1 < table.n_distinct(name) < table.n_records
    ]
