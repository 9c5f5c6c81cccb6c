"""Snapshots: all choices and the table of a moment, without results."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from dashboard.state.shared_choices import SHARED_CHOICES
from engine.data.schema import Schema
from engine.data.source_file import SourceFile
from engine.data.table import Origin, Table

CHOICE_FIELDS = (
    "sizes",
    "methods",
    "parameters",
    *SHARED_CHOICES,
    "ceilings",
    "max_loss",
    "release_format",
    "shuffle",
    "shuffle_seed",
    "neutralise",
    "stata_version",
    "overrides",
    "accepted",
)
"""Workspace fields that are choices; roles, kinds, hierarchies and table are too."""

VIEW_FIELDS = ("chosen", "notes")
"""Fields restored with the choices without being choices themselves."""


@dataclass(frozen=True)
class TableSource:
    """Fingerprint, size, schema and origin of a table, without its records.

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
        """Title of the table, or the name of its file."""
        return self.schema.title or self.origin.name


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Table and choices of a workspace at one moment, without results.

    Attributes
    ----------
    source : TableSource or None
        None where there was no table.
    frame : pandas.DataFrame or None
        The records; None where they are gone or were never there.
    upload : Upload or None
        The file that they came from.
    carried : SourceFile or None
        The file again, for what leaves as it came.
    choices, along : mapping of str to object
        The fields of :data:`CHOICE_FIELDS` and of :data:`VIEW_FIELDS`.
    """

    source: TableSource | None
    frame: pd.DataFrame | None = field(default=None, repr=False)
    upload: Upload | None = field(default=None, repr=False)
    carried: SourceFile | None = field(default=None, repr=False)
    choices: Mapping[str, Any] = field(default_factory=dict)
    along: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table | None:
        """The table, if the snapshot still has its records; else None."""
        if self.source is None or self.frame is None:
            return None
        return table_from_source(self.source, self.frame, self.carried)

    def without_records(self) -> Snapshot:
        """Return the snapshot without records."""
        return replace(self, frame=None, upload=None, carried=None)


def table_from_source(
    source: TableSource, frame: pd.DataFrame, carried: SourceFile | None
) -> Table:
    """Return the table of a frame of records with a source's schema and origin."""
    return Table(frame, source.schema, source.fingerprint, source.origin, carried)


def source_of_table(table: Table, sample_id: str = "") -> TableSource:
    """Return a table's fingerprint, schema and origin, without records and file."""
    return TableSource(
        table.fingerprint, table.n_records, table.schema, table.origin, sample_id
    )


def have_same_choices(first: Snapshot, second: Snapshot) -> bool:
    """Return whether two snapshots hold the same choices on the same table."""
    if first.choices != second.choices:
        return False
    a, b = first.source, second.source
    if a is None or b is None:
        return a is b
    return (a.fingerprint, a.schema) == (b.fingerprint, b.schema)


def matches_source(
    source: TableSource, fingerprint: str, column_names: tuple[str, ...]
) -> bool:
    """Return whether a source has this fingerprint and these columns."""
    return (source.fingerprint, source.schema.names) == (fingerprint, column_names)


def total_snapshot_nbytes(
    snapshots: Iterable[Snapshot], excluded_frame: pd.DataFrame | None = None
) -> int:
    """Return the bytes of snapshots' distinct frames and files, without one frame's."""
    frames: dict[int, int] = {}
    uploads: dict[int, int] = {}
    for snapshot in snapshots:
        if snapshot.frame is not None and snapshot.frame is not excluded_frame:
            if id(snapshot.frame) not in frames:
                frames[id(snapshot.frame)] = frame_nbytes(snapshot.frame)
            if snapshot.upload is not None:
                uploads[id(snapshot.upload)] = len(snapshot.upload.content)
    return sum(frames.values()) + sum(uploads.values())


def frame_nbytes(frame: pd.DataFrame) -> int:
    """Return the approximate bytes of a frame, computed once for each frame."""
    entry = _sizes.get(id(frame))
    if entry is None or entry[0]() is not frame:
        size = int(frame.memory_usage(index=False).sum())
        number = id(frame)
        gone = weakref.ref(frame, lambda _gone: _sizes.pop(number, None))
        entry = _sizes[number] = gone, size
    return entry[1]


_sizes: dict[int, tuple[weakref.ref[pd.DataFrame], int]] = {}
"""By identity: asked with every click, and frames do not change."""


@dataclass(frozen=True)
class Upload:
    """Name and content of an uploaded file, stored so that it can be read again."""

    name: str
    content: bytes = field(repr=False)

    def attach_to(self, table: Table) -> Table:
        """Return a table read from this file, with the file attached."""
        return replace(table, carried=SourceFile.from_bytes(self.name, self.content))


@dataclass(frozen=True, eq=False)
class UndoSnapshots:
    """Past and future snapshots of a workspace; :mod:`.history` undoes and redoes.

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
