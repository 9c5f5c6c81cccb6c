"""A table: its records, their meaning, where it is from, and a digest."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.core.errors import InputError
from engine.core.message import Message
from engine.data.carried import SourceFile
from engine.data.kinds import Kind, Role
from engine.data.schema import Schema
from engine.hierarchy import Hierarchy


@dataclass(frozen=True)
class Origin:
    """Where a table came from, so that its release can go back the same way.

    Attributes
    ----------
    format : str
        Identifier in :data:`engine.files.formats`; empty for a frame from Python.
    options : mapping
        How it was read: delimiter, decimal, encoding, header, sheet and so on.
    name : str
        File name without folders, for suggestions only.
    """

    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Records, their meaning and a digest of their values.

    Make one with :func:`engine.read_table` or :meth:`from_frame`. The frame is
    never changed by the engine, and must not be changed by others.

    Attributes
    ----------
    frame : pandas.DataFrame, n_records rows
    schema : Schema
    fingerprint : str
        SHA-256 of column names, types and values; equal tables have equal ones.
    origin : Origin
    carried : SourceFile or None
        The file that the records came in. Its columns leave as they are there, to the
        last letter, where they are not protected; those of a frame as in the frame.
    """

    frame: pd.DataFrame
    schema: Schema
    fingerprint: str
    origin: Origin = Origin()
    carried: SourceFile | None = None

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.frame)

    def n_distinct(self, name: str) -> int:
        """Return how many different values a column has; counted once."""
        if name not in self._distinct:
            self._distinct[name] = int(self.frame[name].nunique())
        return self._distinct[name]

    @cached_property
    def _distinct(self) -> dict[str, int]:
        return {}

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        schema: Schema,
        origin: Origin | None = None,
        carried: SourceFile | None = None,
    ) -> Table:
        """Check a frame against its schema.

        Raises
        ------
        InputError
            If there are no columns or records, two columns share a name, or the schema
            is that of other columns.
        """
        if frame.shape[1] == 0:
            raise InputError("The table has no columns: choose another file.")
        names = [str(name) for name in frame.columns]
        repeated = sorted(name for name, n in Counter(names).items() if n > 1)
        if repeated:
            raise InputError(
                "Two columns are called {column!r}: give every column a name "
                "of its own.",
                column=repeated[0],
            )
        if len(frame) == 0:
            raise InputError(
                "The table has a header but no records: choose a file with data."
            )
        frame = frame.set_axis(names, axis="columns")
        if schema.names != tuple(names):
            raise InputError(
                "The schema's columns are not those of the table: {difference}.",
                difference=_first_difference(schema.names, tuple(names)),
            )
        return cls(frame, schema, frame_fingerprint(frame), origin or Origin(), carried)

    def assign(
        self,
        roles: Mapping[str, Role | str] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        hierarchies: Mapping[str, Hierarchy | None] | None = None,
    ) -> Table:
        """Return the same records with some roles, kinds and hierarchies replaced."""
        return replace(self, schema=self.schema.assign(roles, kinds, hierarchies))


def _first_difference(ours: tuple[str, ...], theirs: tuple[str, ...]) -> Message:
    missing = [name for name in ours if name not in theirs]
    if missing:
        return Message("the table has no column {column!r}", column=missing[0])
    extra = [name for name in theirs if name not in ours]
    if extra:
        return Message(
            "the schema says nothing about column {column!r}", column=extra[0]
        )
    return Message("they come in another order")


CELLS_PER_HASH_CALL = 1 << 20
"""Cells that are hashed together: many columns of few records, or one of many."""


def frame_fingerprint(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame's column names, types and values.

    The row index does not count: it says nothing about the records.
    """
    digest = hashlib.sha256()
    columns = frame.items()
    width = max(1, CELLS_PER_HASH_CALL // max(1, len(frame)))
    while some := list(islice(columns, width)):
        hashes = _column_hashes([column for _, column in some])
        for (name, column), each in zip(some, hashes, strict=True):
            digest.update(f"{name}\0{column.dtype}\0{len(column)}\0".encode())
            digest.update(each.tobytes())
    return digest.hexdigest()


def _column_hashes(columns: Sequence[pd.Series]) -> list[NDArray[np.uint64]]:
    """Return the hash of each value; columns of numbers or of text at once.

    A value has the same hash among any others of its type.
    """
    alike: dict[object, list[int]] = {}
    for j, column in enumerate(columns):
        dtype = column.dtype
        if isinstance(dtype, pd.StringDtype):
            alike.setdefault("text", []).append(j)
        elif isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            alike.setdefault(dtype, []).append(j)
        else:
            alike[j] = [j]
    found = [np.empty(0, np.uint64)] * len(columns)
    for kind, places in alike.items():
        if len(places) == 1:  # without copies: it may be a long one
            told = pd.util.hash_pandas_object(columns[places[0]], index=False)
            parts = np.asarray(told, dtype=np.uint64)[None]
        else:
            cells = object if kind == "text" else None
            whole = np.concatenate([columns[j].to_numpy(dtype=cells) for j in places])
            parts = pd.util.hash_array(whole).reshape(len(places), -1)
        for j, part in zip(places, parts, strict=True):
            found[j] = part.astype(np.uint64, copy=False)
    return found
