"""Small tables to try things on, each with its schema; no real firm or person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

# pandas is imported where it is needed: listing the samples must not wait for it.
if TYPE_CHECKING:
    from engine.data.schema import Schema
    from engine.data.table import Table

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Sample:
    """A table that comes with Coterie.

    Attributes
    ----------
    id : str
        Name of the file without its ending.
    """

    id: str

    @property
    def path(self) -> Path:
        """The table, as comma-separated text."""
        return _FOLDER / f"{self.id}.csv"

    @property
    def schema_path(self) -> Path:
        """The columns' meaning, as :meth:`engine.data.schema.Schema.to_json` has it."""
        return _FOLDER / f"{self.id}.json"

    @cached_property
    def schema(self) -> Schema:
        """The meaning of the columns."""
        from engine.data.schema import Schema

        return Schema.from_json(self.schema_path.read_text(encoding="utf-8"))

    @property
    def title(self) -> str:
        """What the table is, in a few words."""
        return self.schema.title

    @property
    def description(self) -> str:
        """What the table is, where it came from, and where values are missing."""
        return self.schema.description


SAMPLES = (
    Sample("business_survey"),
    Sample("hospital_discharges"),
    Sample("expenditure"),
    Sample("ten_records"),
    Sample("twelve_values"),
)
"""All samples, the default first."""

DEFAULT_SAMPLE = SAMPLES[0].id
"""Identifier of the sample to open with."""


def load(sample_id: str = DEFAULT_SAMPLE) -> Table:
    """Read a sample with its schema.

    Parameters
    ----------
    sample_id : str
        The `id` of one of :data:`SAMPLES`.

    Returns
    -------
    Table

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    for sample in SAMPLES:
        if sample.id == sample_id:
            from engine.files import read_table

            return read_table(sample.path, schema=sample.schema)
    from engine.core.errors import ParameterError

    known = ", ".join(sample.id for sample in SAMPLES)
    raise ParameterError(
        f"There is no sample called {sample_id!r}; the samples are {known}."
    )
