"""Tables: a frame of records, what its columns mean, and a digest of the values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import pandas as pd

from engine.core.errors import InputError, ParameterError
from engine.hierarchy import Hierarchy


class Role(StrEnum):
    """What a column is to somebody who wants to find a person in the table."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    WEIGHT = "weight"
    OTHER = "other"


class Kind(StrEnum):
    """How a column's values relate to each other."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


@dataclass(frozen=True)
class Column:
    """One column's meaning.

    Attributes
    ----------
    name : str
    kind : Kind
    role : Role
    description : str
        For people; may be empty.
    hierarchy : Hierarchy or None
        What its values become, step by step. Of an ordinal column of words it also
        tells the order: that of its rows.
    """

    name: str
    kind: Kind
    role: Role = Role.OTHER
    description: str = ""
    hierarchy: Hierarchy | None = None


@dataclass(frozen=True)
class Schema:
    """The meaning of all columns, in the order of the table.

    Attributes
    ----------
    columns : tuple of Column
    title, description : str
        What the table is, for people; may be empty.
    constraints : tuple of str
        Linear rules that the columns obey, such as ``"net + tax = gross"``.
    """

    columns: tuple[Column, ...]
    title: str = ""
    description: str = ""
    constraints: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All column names."""
        return tuple(column.name for column in self.columns)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns that have `role`."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the columns by which somebody could be recognised."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise unknown_column(name, self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def assign(
        self,
        roles: Mapping[str, Role | str] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        hierarchies: Mapping[str, Hierarchy | None] | None = None,
    ) -> Schema:
        """Return a schema with some roles, kinds and hierarchies replaced.

        Raises
        ------
        ParameterError
            If a column, role or kind does not exist.
        """
        changes: dict[str, dict[str, Any]] = {}
        for word, values, enum in (("role", roles, Role), ("kind", kinds, Kind)):
            for name, value in (values or {}).items():
                self[name]
                changes.setdefault(name, {})[word] = _member(enum, value, word)
        for name, tree in (hierarchies or {}).items():
            self[name]
            changes.setdefault(name, {})["hierarchy"] = tree
        columns = tuple(
            replace(column, **changes.get(column.name, {})) for column in self.columns
        )
        return replace(self, columns=columns)

    def to_json(self) -> str:
        """Return the schema as indented JSON."""
        content = {
            "title": self.title,
            "description": self.description,
            "columns": [
                {
                    "name": column.name,
                    "kind": str(column.kind),
                    "role": str(column.role),
                    "description": column.description,
                }
                | (
                    {"hierarchy": [list(row) for row in column.hierarchy.rows]}
                    if column.hierarchy is not None
                    else {}
                )
                for column in self.columns
            ],
            "constraints": list(self.constraints),
        }
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If the text is not a schema.
        """
        try:
            content = json.loads(text)
            columns = tuple(
                Column(
                    name=str(entry["name"]),
                    kind=Kind(entry["kind"]),
                    role=Role(entry.get("role", "other")),
                    description=str(entry.get("description", "")),
                    hierarchy=_hierarchy(entry.get("hierarchy")),
                )
                for entry in content["columns"]
            )
            return cls(
                columns=columns,
                title=str(content.get("title", "")),
                description=str(content.get("description", "")),
                constraints=tuple(map(str, content.get("constraints", ()))),
            )
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"The schema file is not readable ({error}); it needs a list "
                '"columns" whose entries have "name", "kind" and "role".'
            ) from None


def _hierarchy(rows: list[list[str]] | None) -> Hierarchy | None:
    return None if rows is None else Hierarchy(tuple(map(tuple, rows)))


def _member(enum: type[StrEnum], value: str, word: str) -> StrEnum:
    try:
        return enum(value)
    except ValueError:
        options = ", ".join(enum)
        raise ParameterError(
            f"There is no {word} called {value!r}; it must be one of {options}."
        ) from None


def unknown_column(name: str, names: tuple[str, ...]) -> ParameterError:
    """Return the error for a column that the table does not have."""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return ParameterError(
        f"There is no column called {name!r} in the table; its columns are {shown}."
    )


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
    """

    frame: pd.DataFrame
    schema: Schema
    fingerprint: str
    origin: Origin = Origin()

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.frame)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        schema: Schema | None = None,
        origin: Origin | None = None,
    ) -> Table:
        """Check a frame and give it a schema (proposed, unless one is given).

        Raises
        ------
        InputError
            If there are no columns or records, or two columns share a name.
        """
        if frame.shape[1] == 0:
            raise InputError("The table has no columns: choose another file.")
        names = [str(name) for name in frame.columns]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise InputError(
                f"Two columns are called {repeated[0]!r}: give every column a name "
                "of its own."
            )
        if len(frame) == 0:
            raise InputError(
                "The table has a header but no records: choose a file with data."
            )
        frame = frame.set_axis(names, axis="columns")
        if schema is None:
            from engine.data.propose import suggest_schema

            schema = suggest_schema(frame)
        elif schema.names != tuple(names):
            raise InputError(
                "The schema's columns are not those of the table: "
                f"{_first_difference(schema.names, tuple(names))}."
            )
        return cls(frame, schema, fingerprint(frame), origin or Origin())

    def assign(
        self,
        roles: Mapping[str, Role | str] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        hierarchies: Mapping[str, Hierarchy | None] | None = None,
    ) -> Table:
        """Return the same records with some roles, kinds and hierarchies replaced."""
        return replace(self, schema=self.schema.assign(roles, kinds, hierarchies))


def _first_difference(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    missing = [name for name in ours if name not in theirs]
    if missing:
        return f"the table has no column {missing[0]!r}"
    extra = [name for name in theirs if name not in ours]
    if extra:
        return f"the schema says nothing about column {extra[0]!r}"
    return "they come in another order"


def fingerprint(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame's column names, types and values.

    The row index does not count: it says nothing about the records.
    """
    digest = hashlib.sha256()
    for name in frame.columns:
        column = frame[name]
        digest.update(f"{name}\0{column.dtype}\0{len(column)}\0".encode())
        hashes = pd.util.hash_pandas_object(column, index=False, categorize=True)
        digest.update(hashes.to_numpy().tobytes())
    return digest.hexdigest()
