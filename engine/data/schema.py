"""Schemas: kind, role and hierarchy of each column of a table, and their JSON form."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from engine.core.arguments import check_arguments
from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.hierarchy import Hierarchy

COSTLY = Message(
    "It would lose most of what it says, and make the other columns lose more."
)
"""Why a column is left out for the others' sake."""


@check_arguments
@dataclass(frozen=True)
class Column:
    """One column's kind, role, description and hierarchy.

    Attributes
    ----------
    name : str
    kind : Kind
    role : Role
    description : str
        For people; may be empty.
    hierarchy : Hierarchy or None
        Coarser values of each value. The rows of the hierarchy also give the order of
        an ordinal column of words.
    proposed : bool
        Whether the kind is a proposal, and nobody has chosen it. Not stored in files.
    has_stated_role : bool
        Whether somebody has chosen the role. Not stored in files.
    singles_out : bool
        Whether the column, if released unchanged, would probably single out records.
    is_costly : bool
        Whether `protect` removes the column only because its protection would cost the
        other columns too much.
    follows : tuple of str
        Columns that probably have the same content. The column follows the first of
        these that is protected.
    parts : tuple of str
        Columns from which this one can probably be calculated, such as the parts of a
        total, or a date and a duration.
    as_numbers : Kind or None
        Kind in a run whose plan names the column, if its whole numbers were proposed
        as codes or ranks.
    """

    name: str
    kind: Kind
    role: Role = Role.UNDECIDED
    description: str = ""
    hierarchy: Hierarchy | None = None
    proposed: bool = field(default=False, compare=False)
    has_stated_role: bool = field(default=False, compare=False)
    singles_out: bool = field(default=False, compare=False)
    is_costly: bool = field(default=False, compare=False)
    follows: tuple[str, ...] = field(default=(), compare=False)
    parts: tuple[str, ...] = field(default=(), compare=False)
    as_numbers: Kind | None = field(default=None, compare=False)


@check_arguments
@dataclass(frozen=True)
class Schema:
    """The columns of a table in order, with title, description and constraints.

    Attributes
    ----------
    columns : tuple of Column
    title, description : str
        Text about the table, for people; may be empty.
    constraints : tuple of str
        Rules that the columns obey. A run enforces only the rules of its plan.
    """

    columns: tuple[Column, ...]
    title: str = ""
    description: str = ""
    constraints: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All column names."""
        return tuple(column.name for column in self.columns)

    @check_arguments
    def with_role(self, role: Role | str) -> tuple[str, ...]:
        """Return the names of the columns with a role.

        Raises
        ------
        ParameterError
            If there is no such role.
        """
        role = _enum_member(Role, role)
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the columns by which somebody could be recognised."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @cached_property
    def followers(self) -> Mapping[str, str]:
        """Quasi-identifiers that say what another one says, each with that one."""
        quasi = {*self.quasi_identifiers}
        leading = {
            name: next(filter(quasi.__contains__, self[name].follows), "")
            for name in self.quasi_identifiers
        }
        return {n: to for n, to in leading.items() if to and not leading[to]}

    @property
    def exposing_columns(self) -> Mapping[str, tuple[str, ...]]:
        """Columns that leave as they are but tell protected ones, each with these.

        A column and what it follows; a total and its parts, if none is left out.
        """
        related = [
            (column.name, *others)
            for column in self.columns
            for others in (*((leader,) for leader in column.follows), column.parts)
        ]
        exact = (Role.CONFIDENTIAL, Role.OTHER, Role.WEIGHT)
        quasi = {*self.quasi_identifiers}
        roles = {column.name: column.role for column in self.columns}
        links: dict[str, list[str]] = {}
        for names in related:
            targets = [name for name in names if name in quasi]
            sources = [name for name in names if name not in quasi]
            if targets and all(roles.get(name) in exact for name in sources):
                for name in sources:
                    links.setdefault(name, []).extend(targets)
        return {name: tuple(dict.fromkeys(targets)) for name, targets in links.items()}

    @cached_property
    def _by_name(self) -> Mapping[str, Column]:
        # Of two columns of one name the first is meant.
        return {column.name: column for column in reversed(self.columns)}

    def __getitem__(self, name: str) -> Column:
        column = self._by_name.get(name)
        if column is None:
            raise unknown_column_error(name, self.names)
        return column

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @check_arguments
    def assign(
        self,
        roles: Mapping[str, Role | str] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        hierarchies: Mapping[str, Hierarchy | None] | None = None,
    ) -> Schema:
        """Return a schema with some roles, kinds and hierarchies replaced.

        A weight that gets another role follows nothing: it tells other columns, but
        does not say the same.

        Raises
        ------
        ParameterError
            If a column, role or kind does not exist.
        """
        changes: dict[str, dict[str, Any]] = {}
        for word, values, enum in (("role", roles, Role), ("kind", kinds, Kind)):
            for name, value in (values or {}).items():
                self[name]
                changes.setdefault(name, {})[word] = _enum_member(enum, value)
        for name in roles or {}:
            changes[name]["is_costly"] = False
            changes[name]["has_stated_role"] = True
            if self[name].role is Role.WEIGHT is not changes[name]["role"]:
                changes[name]["follows"] = ()
        for name in kinds or {}:
            changes[name]["proposed"] = False
        for name, tree in (hierarchies or {}).items():
            self[name]
            changes.setdefault(name, {})["hierarchy"] = tree
        columns = tuple(
            replace(column, **changes.get(column.name, {})) for column in self.columns
        )
        return replace(self, columns=columns)

    @check_arguments
    def join_singling_out(self, proposed: Schema) -> Schema:
        """Return a schema in which what is proposed to single somebody out does so.

        Earlier files lack it; `proposed` is a schema of the same columns.
        """
        columns = tuple(
            replace(column, singles_out=column.singles_out or other.singles_out)
            for column, other in zip(self.columns, proposed.columns, strict=True)
        )
        return replace(self, columns=columns)

    @check_arguments
    def leave_out_costly(self, names: Collection[str]) -> Schema:
        """Return a schema in which costly columns are identifiers, and marked so."""
        columns = tuple(
            replace(column, role=Role.IDENTIFIER, is_costly=True)
            if column.name in names
            else column
            for column in self.columns
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
                | ({"singles_out": True} if column.singles_out else {})
                | ({"is_costly": True} if column.is_costly else {})
                | ({"follows": [*column.follows]} if column.follows else {})
                | ({"parts": [*column.parts]} if column.parts else {})
                for column in self.columns
            ],
            "constraints": list(self.constraints),
        }
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    @check_arguments
    def from_json(cls, text: str) -> Schema:
        """Return the schema in JSON that :meth:`to_json` wrote.

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
                    role=Role(entry.get("role", "undecided")),
                    description=str(entry.get("description", "")),
                    hierarchy=_hierarchy_from_rows(entry.get("hierarchy")),
                    singles_out=entry.get("singles_out") is True,
                    is_costly=entry.get("is_costly") is True,
                    follows=_names_of_leaders(entry.get("follows", ())),
                    parts=tuple(map(str, entry.get("parts", ()))),
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
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            raise InputError(
                "The schema file is not readable ({error}); it needs a list "
                '"columns" whose entries have "name", "kind" and "role".',
                error=error,
            ) from None


def _names_of_leaders(names: str | list[str]) -> tuple[str, ...]:
    """Return the columns that one follows; earlier files name a single one."""
    return (names,) if isinstance(names, str) else tuple(map(str, names))


def _hierarchy_from_rows(rows: list[list[str]] | None) -> Hierarchy | None:
    return None if rows is None else Hierarchy(tuple(map(tuple, rows)))


def _enum_member(enum: type[StrEnum], value: str) -> StrEnum:
    try:
        return enum(value)
    except ValueError:
        raise ParameterError(
            "There is no {word} called {value!r}; it must be one of {options}.",
            word=Message("role") if enum is Role else Message("kind"),
            value=value,
            options=list(enum),
        ) from None


def unknown_column_error(name: str, names: tuple[str, ...]) -> ParameterError:
    """Return the error for a column that the table does not have."""
    if len(names) > 12:
        return ParameterError(
            "There is no column called {name!r} in the table; its columns are {some}, "
            "...",
            name=name,
            some=names[:12],
        )
    return ParameterError(
        "There is no column called {name!r} in the table; its columns are {known}.",
        name=name,
        known=names,
    )
