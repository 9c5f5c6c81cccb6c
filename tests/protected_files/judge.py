"""Judge a release beside its file: by text, headers and counts, with pandas alone."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd


def word_set(words: str) -> frozenset[str]:
    """Return words that are parted by blanks."""
    return frozenset(words.split())


BLANK = frozenset(["", "NA", "NaN", "nan", ".", "NULL", "null", "None"])
"""Cells without a value."""

MAX_CODES = 10
"""Whole numbers of so few different values are taken for codes."""

MAX_RECORDS_EACH = 5.0
"""Records per text, on average, below which texts tell records apart."""

NAMING = word_set(
    """
    name names surname lastname firstname fullname player playerid actor author writer
    director email mail phone telephone url link ssn address id uid guid rownames
    rowname rownumber index player_name candidate
    """
)
"""Words of headers of what names somebody, where its texts tell records apart."""

CODED = word_set(
    """
    code race ethnicity industry occupation occ ind naics sic isic isco soc icd fips
    state county region religion marital sex gender
    """
)
"""Words of headers of codes."""


@dataclass(frozen=True)
class JudgedColumn:
    """A column of a file as text."""

    name: str
    texts: pd.Series

    @cached_property
    def known(self) -> pd.Series:
        """Cells with a value."""
        texts = self.texts.str.strip()
        return texts[~texts.isin(BLANK)]

    @cached_property
    def numbers(self) -> pd.Series | None:
        """Cells as numbers; None where some are words."""
        numbers = pd.to_numeric(self.known, errors="coerce")
        return None if numbers.isna().any() or numbers.empty else numbers

    @property
    def words(self) -> set[str]:
        """Words of the header, in lower case."""
        spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", self.name)
        return set(re.split(r"[^a-z0-9]+", spaced.lower()))

    @cached_property
    def n_distinct(self) -> int:
        """Different values."""
        return int(self.known.nunique())

    @property
    def is_row_key(self) -> bool:
        """Whether it counts the rows."""
        numbers = self.numbers
        return (
            numbers is not None
            and len(numbers) == len(self.texts)
            and bool(numbers.is_unique)
            and numbers.max() - numbers.min() == len(numbers) - 1
            and bool(numbers.is_monotonic_increasing)
        )

    @property
    def tells_records_apart(self) -> bool:
        """Whether hardly `MAX_RECORDS_EACH` records share a value."""
        return self.n_distinct * MAX_RECORDS_EACH > len(self.known)

    @property
    def is_naming(self) -> bool:
        """Whether it names somebody, by its header and its values, or is free text."""
        if not self.tells_records_apart or self.is_date or self.is_row_key:
            return False
        if self.n_distinct < 20:
            return False
        if self.numbers is not None:
            whole = bool((self.numbers == np.floor(self.numbers)).all())
            unique = bool(self.numbers.is_unique)
            return whole and unique and bool(self.words & {"id", "rownames", "uid"})
        spaces = self.known.str.count(r"\s").mean()
        return bool(self.words & NAMING) or spaces >= 3

    @cached_property
    def is_date(self) -> bool:
        """Whether its texts are dates."""
        if self.numbers is not None:
            return False
        some = self.known.iloc[:300]
        return bool(len(some)) and bool(
            (some.str.count(r"\d") >= 4).mean() > 0.9
            and pd.to_datetime(some, errors="coerce", format="mixed").notna().mean()
            > 0.9
        )

    @property
    def is_code(self) -> bool:
        """Whether no other value of it may be made up."""
        if self.is_date:
            return False
        numbers = self.numbers
        if numbers is None:
            return True
        if bool((numbers != np.floor(numbers)).any()):
            return False
        return self.n_distinct <= MAX_CODES or bool(self.words & CODED)


@dataclass(frozen=True)
class Judgement:
    """What left of a file that should not, and what should.

    Attributes
    ----------
    naming, row_keys, invented : tuple of str
        Columns that left.
    n_ordinary, n_leaving : int
        Columns that are neither constant, names, keys nor free text; of them, those
        that left.
    smallest_class : int
        Records that share their protected values, the fewest.
    """

    naming: tuple[str, ...]
    row_keys: tuple[str, ...]
    invented: tuple[str, ...]
    n_ordinary: int
    n_leaving: int
    smallest_class: int

    @property
    def leaving_share(self) -> float:
        """Share of the ordinary columns that left."""
        return self.n_leaving / max(1, self.n_ordinary)


def read_texts(path: Path) -> pd.DataFrame:
    """Return a CSV's cells as text."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except UnicodeDecodeError:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="latin-1")


def judge_release(
    original: pd.DataFrame, release: pd.DataFrame, quasi_identifiers: list[str]
) -> Judgement:
    """Return what a release gives away, and what it keeps.

    Parameters
    ----------
    original, release : pandas.DataFrame
        Cells as text.
    quasi_identifiers : list of str
        That were protected.
    """
    columns = [JudgedColumn(str(name), original[name]) for name in original.columns]
    leaving = [column for column in columns if column.name in release]
    ordinary = [
        column
        for column in columns
        if column.n_distinct > 1
        and not column.is_row_key
        and not column.is_naming
        and not (
            column.numbers is None and column.tells_records_apart and not column.is_date
        )
    ]
    shared = [name for name in quasi_identifiers if name in release]
    sizes = release.groupby(shared, dropna=False).size() if shared else pd.Series([0])
    return Judgement(
        tuple(column.name for column in leaving if column.is_naming),
        tuple(column.name for column in leaving if column.is_row_key),
        tuple(
            column.name
            for column in leaving
            if column.is_code and invented_values(column, release)
        ),
        len(ordinary),
        sum(column.name in release for column in ordinary),
        int(sizes.min()),
    )


def invented_values(column: JudgedColumn, release: pd.DataFrame) -> set[object]:
    """Return released values of a column that its file does not have."""
    released = JudgedColumn(column.name, release[column.name])
    if column.numbers is not None and released.numbers is not None:
        return {*released.numbers} - {*column.numbers}
    return {*released.known} - {*column.known}
