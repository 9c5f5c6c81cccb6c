"""Own tables in class files: two numeric columns of a public table or a release."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import InputError, ParameterError
from engine.core.platform.files import read_unchanging_file

if TYPE_CHECKING:
    from engine.data.table import Table

MAX_RECORDS = 60
"""Records that a picture can show; of more a sample is drawn."""

MIN_RECORDS = 12

MAX_MAGNITUDE = 1e12
"""Size of numbers that axes have room for, and whose squares can be added up."""

MIN_RELATIVE_SPAN = 1e-9
"""Span of a column relative to its numbers, or pictures show rounding only."""

MAX_NAME_CHARACTERS = 40
"""Characters of a column's name beside its axis; longer names are cut."""

_N_COLUMNS = 2


@dataclass(frozen=True)
class OwnTable:
    """Values of two numeric columns of a table, a sample if many, and their source.

    Attributes
    ----------
    columns : tuple of str
    values : tuple of (float, float)
    source : str
        Whose table it is, or which certificate says that it is a release.
    n_records : int
        Of the file; more than `values` has where a sample was drawn.
    n_left_out : int
        Records that were left out for a gap.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    source: str
    n_records: int
    n_left_out: int

    @property
    def is_sampled(self) -> bool:
        """Whether only some of the complete records are shown."""
        return len(self.values) < self.n_records - self.n_left_out

    def as_json(self) -> dict[str, object]:
        """Return the columns and their source as JSON types, for the page."""
        return {
            "columns": [_cut_name(name) for name in self.columns],
            "values": [list(row) for row in self.values],
            "source": self.source,
            "records": self.n_records,
            "sampled": self.is_sampled,
            "gaps": self.n_left_out,
        }


def read_own_table(
    path: Path, public_source: str | None, certificate_path: Path | None, seed: int
) -> OwnTable:
    """Return two numeric columns of a file that a class may see; raise otherwise.

    Parameters
    ----------
    path : Path
    public_source : str or None
        Whose public table it is.
    certificate_path : Path or None
        Certificate of a run whose release the file is.
    seed : int
        Of the sample.

    Raises
    ------
    ParameterError
        If nothing says that the table may be shown, or two things why.
    InputError
        If it cannot be read, has names or free text, or too few numbers.
    """
    if public_source is not None and not public_source.strip():
        raise ParameterError(
            "--public needs the source of the table, as in 'INE 2011'."
        )
    if public_source is None and certificate_path is None:
        raise ParameterError(
            "A class file must not carry real people's data: say whose public table "
            "it is (--public SOURCE), or give the certificate of the run whose release "
            "it is (--certificate c.json)."
        )
    if public_source is not None and certificate_path is not None:
        raise ParameterError(
            "A table is public (--public) or a release (--certificate), not both: name "
            "what it is."
        )
    from engine.files import read_table

    table = read_table(path)
    if certificate_path is None:
        return sample_public_table(table, public_source or "", seed)
    try:
        content = read_unchanging_file(certificate_path)
    except OSError as error:
        raise InputError(
            "Certificate {file} cannot be read ({reason}): check its name and rights.",
            file=certificate_path.name,
            reason=error.strerror or str(error),
        ) from None
    name = certificate_path.name
    return sample_certified_release(
        table, lambda: find_certified_columns(table, content, name), name, seed
    )


def sample_public_table(table: Table, source: str, seed: int) -> OwnTable:
    """Return two numeric columns of a public table; raise for names or free text."""
    _refuse_people(table)
    return sample_two_columns(table, None, seed, source.strip())


def sample_certified_release(
    table: Table,
    find_columns: Callable[[], Sequence[str]],
    certificate_file_name: str,
    seed: int,
) -> OwnTable:
    """Return two of a release's certified numeric columns; raise for names or text.

    Parameters
    ----------
    find_columns : callable
        What :func:`find_certified_columns` returns, called where nobody is named.
    certificate_file_name : str
        Of the certificate.
    seed : int
        Of the sample.
    """
    _refuse_people(table)
    return sample_two_columns(table, find_columns(), seed, certificate_file_name)


def sample_two_columns(
    table: Table, candidates: Sequence[str] | None, seed: int, source: str = ""
) -> OwnTable:
    """Return two numeric columns of the complete records, or of a sample if over 60.

    Parameters
    ----------
    candidates : sequence of str or None
        Columns of which the first two are taken; None for all amounts.
    seed : int
        Of the sample.
    source : str

    Raises
    ------
    InputError
        If there are too few columns or records.
    """
    import numpy as np  # made-up people need none of it

    if table.n_records < MIN_RECORDS:
        raise InputError(
            "{file} has too few records, {count}: a class needs at least {least}.",
            file=table.origin.name,
            count=table.n_records,
            least=MIN_RECORDS,
        )
    columns = _number_columns(table, candidates)
    values = table.frame[list(columns)].to_numpy(dtype=float, na_value=math.nan)
    whole = np.isfinite(values).all(axis=1).nonzero()[0].tolist()
    if len(whole) < MIN_RECORDS:
        raise InputError(
            "Both {columns} are known of {count} of {file}'s records: a class needs at "
            "least {least}.",
            file=table.origin.name,
            count=len(whole),
            columns=" and ".join(columns),
            least=MIN_RECORDS,
        )
    drawn = values[_draw_sample(whole, seed)]
    for name, numbers in zip(columns, drawn.T, strict=True):
        low, high = float(numbers.min()), float(numbers.max())
        largest = max(-low, high)
        is_flat = 0 < high - low <= MIN_RELATIVE_SPAN * max(1, largest)
        if largest > MAX_MAGNITUDE or is_flat:
            raise InputError(
                "No picture can show the numbers of {column}, from {low} to {high}: "
                "express them in another unit.",
                column=name,
                low=f"{low:g}",
                high=f"{high:g}",
            )
    rows = tuple(map(tuple, drawn.tolist()))
    return OwnTable(
        columns, rows, source, table.n_records, table.n_records - len(whole)
    )


def _refuse_people(table: Table) -> None:
    """Raise where columns name people or hold free text."""
    from engine.data.kinds import Role

    named = table.schema.with_role(Role.IDENTIFIER)
    if named:
        raise InputError(
            "Column {columns} seems to name people or to hold free text, which no "
            "class file may carry: leave it out of {file}.",
            "Columns {columns} seem to name people or to hold free text, which no "
            "class file may carry: leave them out of {file}.",
            count=len(named),
            file=table.origin.name,
            columns=named,
        )


def _number_columns(table: Table, among: Sequence[str] | None) -> tuple[str, ...]:
    """Return the first two columns that vary, of all amounts or of some."""
    # Whole numbers that groups share look like codes: here a certificate knows better.
    if among is None:
        every = table.schema.columns
        amounts = [column.name for column in every if column.kind == "continuous"]
    else:
        frame = table.frame
        table_columns = [name for name in dict.fromkeys(among) if name in frame]
        amounts = [name for name in table_columns if frame[name].dtype.kind in "iuf"]
    columns = [name for name in amounts if table.n_distinct(name) > 2]
    if len(columns) < _N_COLUMNS:
        raise InputError(
            "A class needs two columns of numbers that vary, and this table has "
            "{count} that may be shown: text and codes cannot be drawn in a plane.",
            count=len(columns),
        )
    return tuple(columns[:_N_COLUMNS])


def find_certified_columns(
    table: Table, certificate: bytes, certificate_file_name: str
) -> list[str]:
    """Return the names of number columns that hold the certified groups' means.

    Parameters
    ----------
    certificate_file_name : str
        Of the certificate's file.

    Raises
    ------
    InputError
        If the certificate is none, or the table is not the release of its run.
    """
    from engine.certificate import certify as checker

    try:
        content = checker.parse_certificate(certificate)
        groups = [label for label in content["labels"] if label >= 0]
        labels, k = content["labels"], checker.to_int(content["k"])
        columns = [entry for entry in content["columns"] if entry["categories"] is None]
        released = [
            entry["name"]
            for entry in columns
            if entry["name"] in table.frame and _is_release(table, entry, labels)
        ]
    except (checker.Refused, *checker.DAMAGE):
        raise InputError(
            "{file} is no certificate of this version: give the one that coterie run "
            "--certificate wrote.",
            file=certificate_file_name,
        ) from None
    is_match = table.n_records == len(groups) and len(released) >= _N_COLUMNS
    drawn_columns = _number_columns(table, released) if is_match else ()
    if not is_match or int(table.frame[list(drawn_columns)].value_counts().min()) < k:
        raise InputError(
            "The table is not the release that {file} certifies: its numbers are not "
            "the means of the certified groups.",
            file=certificate_file_name,
        )
    return released


def _is_release(table: Table, column: Mapping[str, Any], labels: Sequence[int]) -> bool:
    """Whether a column holds the means of groups, in any order, to its last digit."""
    denominator = float(column["denominator"])
    members: dict[int, list[float]] = {}
    for label, value in zip(labels, column["values"], strict=True):
        if label >= 0:
            members.setdefault(label, []).append(float(value) / denominator)
    means = sorted(
        sum(values) / len(values) for values in members.values() for _one in values
    )
    released = sorted(map(float, table.frame[column["name"]]))
    slack = 0.5 / denominator * (1 + 1e-9)
    # Of many digits the last ones are lost in sums.
    return len(means) == len(released) and all(
        abs(mean - value) <= slack + 1e-12 * abs(mean)
        for mean, value in zip(means, released, strict=True)
    )


def _cut_name(name: str) -> str:
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    return name[: MAX_NAME_CHARACTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _draw_sample(places: Sequence[int], seed: int) -> list[int]:
    """Return all places, or as many as a picture can show, in their order."""
    rng = random.Random(seed)
    return sorted(sorted(places, key=lambda _place: rng.random())[:MAX_RECORDS])
