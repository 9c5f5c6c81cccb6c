"""Snapshots: all choices of one moment, to go back to; results are not among them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from dashboard.state.shared_choices import DECLARED
from engine.data.carried import Carried
from engine.data.schema import Schema
from engine.data.table import Origin, Table

CHOICES = (
    "sizes",
    "methods",
    "parameters",
    *DECLARED,
    "ceilings",
    "release_format",
    "shuffle",
    "shuffle_seed",
    "neutralise",
    "stata_version",
    "overrides",
    "accepted",
)
"""Fields of a workspace that are choices; so are roles, kinds, hierarchies, table."""

ALONG = ("chosen", "notes")
"""Fields that go back with the choices, and are none: a look at another result."""


@dataclass(frozen=True)
class Source:
    """What is known of a table beside its records.

    Attributes
    ----------
    fingerprint : str
    n_records : int
    schema : Schema
    origin : Origin
    sample : str
        Identifier of a table that comes with Coterie; empty for others.
    """

    fingerprint: str
    n_records: int
    schema: Schema
    origin: Origin
    sample: str = ""

    @property
    def title(self) -> str:
        """What people call the table."""
        return self.schema.title or self.origin.name


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All choices of one moment.

    Attributes
    ----------
    source : Source or None
        None where there was no table.
    frame : pandas.DataFrame or None
        The records; None where they are gone or were never there.
    upload : Upload or None
        The file that they came from.
    carried : Carried or None
        The same, for what leaves as it came.
    choices, along : mapping of str to object
        The fields of :data:`CHOICES` and of :data:`ALONG`.
    """

    source: Source | None
    frame: pd.DataFrame | None = field(default=None, repr=False)
    upload: Upload | None = field(default=None, repr=False)
    carried: Carried | None = field(default=None, repr=False)
    choices: Mapping[str, Any] = field(default_factory=dict)
    along: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table | None:
        """The table, if its records are here."""
        if self.source is None or self.frame is None:
            return None
        return table_of(self.source, self.frame, self.carried)

    def lightened(self) -> Snapshot:
        """Return the snapshot without records."""
        return replace(self, frame=None, upload=None, carried=None)


def table_of(source: Source, frame: pd.DataFrame, carried: Carried | None) -> Table:
    """Return records with what is known of them, and the file that they came in."""
    return Table(frame, source.schema, source.fingerprint, source.origin, carried)


def source_of(table: Table, sample: str = "") -> Source:
    """Return what is known of a table beside its records."""
    return Source(
        table.fingerprint, table.n_records, table.schema, table.origin, sample
    )


def same(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots hold the same choices, with or without records."""
    if one.choices != other.choices:
        return False
    a, b = one.source, other.source
    if a is None or b is None:
        return a is b
    return (a.fingerprint, a.schema) == (b.fingerprint, b.schema)


def fits(source: Source, fingerprint: str, names: tuple[str, ...]) -> bool:
    """Return whether records are those that are known by `source`."""
    return (source.fingerprint, source.schema.names) == (fingerprint, names)


def weight(snapshots: Iterable[Snapshot], but: pd.DataFrame | None = None) -> int:
    """Return the bytes of all records, each once, but for those of `but`."""
    frames: dict[int, int] = {}
    uploads: dict[int, int] = {}
    for one in snapshots:
        if one.frame is not None and one.frame is not but:
            if id(one.frame) not in frames:
                frames[id(one.frame)] = frame_bytes(one.frame)
            if one.upload is not None:
                uploads[id(one.upload)] = len(one.upload.content)
    return sum(frames.values()) + sum(uploads.values())


def frame_bytes(frame: pd.DataFrame) -> int:
    """Return roughly how much memory records take; worked out once for each frame."""
    known = _sizes.get(id(frame))
    if known is None or known[0]() is not frame:
        size = int(frame.memory_usage(index=False).sum())
        number = id(frame)
        gone = weakref.ref(frame, lambda _gone: _sizes.pop(number, None))
        known = _sizes[number] = gone, size
    return known[1]


_sizes: dict[int, tuple[weakref.ref[pd.DataFrame], int]] = {}
"""By identity: asked with every click, and frames do not change."""


@dataclass(frozen=True)
class Upload:
    """A file as it came in, to read again with other options.

    Attributes
    ----------
    name : str
    content : bytes
    """

    name: str
    content: bytes = field(repr=False)

    def carry(self, table: Table) -> Table:
        """Return a table that was read from this file, with the file."""
        return replace(table, carried=Carried.of_bytes(self.name, self.content))


@dataclass(frozen=True, eq=False)
class History:
    """Where the choices of a workspace can go back to, and forward again.

    Attributes
    ----------
    past, future : tuple of Snapshot
        The nearest ones last.
    number : tuple of str
        The number that the last step changed; empty if it changed something else.
    when : float
        Seconds on the clock of the last step.
    """

    past: tuple[Snapshot, ...] = ()
    future: tuple[Snapshot, ...] = ()
    number: tuple[str, ...] = ()
    when: float = 0.0
