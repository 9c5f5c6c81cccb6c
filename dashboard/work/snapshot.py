"""Snapshots: all choices of one moment, to go back to; results are not among them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

import sample_data
from engine.core.errors import EngineError
from engine.data.schema import Schema
from engine.data.table import Origin, Table

if TYPE_CHECKING:
    from dashboard.work.workspace import Upload, Workspace

CHOICES = (
    "sizes",
    "methods",
    "parameters",
    "polish",
    "scaling",
    "aggregation",
    "aggregations",
    "interval_columns",
    "missing",
    "missing_columns",
    "constraints",
    "rounding",
    "strata",
    "small_strata",
    "blocks",
    "p_sensitive",
    "t_close",
    "seed",
    "ceilings",
    "release_format",
    "shuffle",
    "shuffle_seed",
    "neutralise",
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
    choices, along : mapping of str to object
        The fields of :data:`CHOICES` and of :data:`ALONG`.
    """

    source: Source | None
    frame: pd.DataFrame | None = field(default=None, repr=False)
    upload: Upload | None = field(default=None, repr=False)
    choices: Mapping[str, Any] = field(default_factory=dict)
    along: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table | None:
        """The table, if its records are here."""
        if self.source is None or self.frame is None:
            return None
        return table_of(self.source, self.frame)

    def lightened(self) -> Snapshot:
        """Return the snapshot without records."""
        return replace(self, frame=None, upload=None)


def table_of(source: Source, frame: pd.DataFrame) -> Table:
    """Return records with what is known of them."""
    return Table(frame, source.schema, source.fingerprint, source.origin)


def source_of(table: Table, sample: str = "") -> Source:
    """Return what is known of a table beside its records."""
    return Source(
        table.fingerprint, table.n_records, table.schema, table.origin, sample
    )


def taken(ws: Workspace) -> Snapshot:
    """Return the choices of a workspace."""
    table = ws.table
    return Snapshot(
        source=ws.awaiting if table is None else source_of(table, ws.sample),
        frame=None if table is None else table.frame,
        upload=ws.upload,
        choices=MappingProxyType({name: getattr(ws, name) for name in CHOICES}),
        along=MappingProxyType({name: getattr(ws, name) for name in ALONG}),
    )


def same(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots hold the same choices, with or without records."""
    if one.choices != other.choices:
        return False
    a, b = one.source, other.source
    if a is None or b is None:
        return a is b
    return (a.fingerprint, a.schema) == (b.fingerprint, b.schema)


def returned(ws: Workspace, snapshot: Snapshot) -> Workspace:
    """Return a workspace with the choices of a snapshot; results stay.

    Where the records are not in the snapshot any more, those at hand with the same
    fingerprint are taken, or the sample's; otherwise the workspace awaits them.
    """
    source, frame, upload = snapshot.source, snapshot.frame, snapshot.upload
    if source is not None and frame is None:
        frame, upload = _at_hand(ws, source)
    here = source is not None and frame is not None
    return replace(
        ws,
        table=table_of(source, frame) if source and frame is not None else None,
        sample=source.sample if source and here else "",
        upload=upload if here else None,
        awaiting=None if here else source,
        **snapshot.choices,
        **snapshot.along,
    )


def _at_hand(
    ws: Workspace, source: Source
) -> tuple[pd.DataFrame | None, Upload | None]:
    """Return the records with this fingerprint, and their file, if they are there."""
    for one in (taken(ws), *known(ws)):
        if one.frame is None or one.source is None:
            continue
        if fits(source, one.source.fingerprint, one.source.schema.names):
            return one.frame, one.upload
    if source.sample:
        with contextlib.suppress(EngineError):
            table = sample_data.load(source.sample)
            if fits(source, table.fingerprint, table.schema.names):
                return table.frame, None
    return None, None


def fits(source: Source, fingerprint: str, names: tuple[str, ...]) -> bool:
    """Return whether records are those that are known by `source`."""
    return (source.fingerprint, source.schema.names) == (fingerprint, names)


def known(ws: Workspace) -> Iterable[Snapshot]:
    """Return the snapshots that a workspace keeps, the latest ones first."""
    yield from reversed(ws.history.past)
    yield from reversed(ws.history.future)
    yield from (run.snapshot for run in reversed(ws.runs))


def weight(snapshots: Iterable[Snapshot], beside: pd.DataFrame | None = None) -> int:
    """Return the bytes of all records, each once, but for those of `beside`."""
    frames: dict[int, int] = {}
    uploads: dict[int, int] = {}
    for one in snapshots:
        if one.frame is not None and one.frame is not beside:
            if id(one.frame) not in frames:
                frames[id(one.frame)] = frame_bytes(one.frame)
            if one.upload is not None:
                uploads[id(one.upload)] = len(one.upload.content)
    return sum(frames.values()) + sum(uploads.values())


def frame_bytes(frame: pd.DataFrame) -> int:
    """Return roughly how much memory records take."""
    return int(frame.memory_usage(index=False).sum())
