"""Checks across a plan's fields: roles of columns, and columns that follow others."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.errors import ParameterError


def check_roles(
    quasi_identifiers: tuple[str, ...],
    identifiers: tuple[str, ...] | None,
    confidential: tuple[str, ...] | None,
) -> None:
    """Raise if a column has two roles.

    Raises
    ------
    ParameterError
    """
    for name in quasi_identifiers:
        if name in (identifiers or ()):
            raise ParameterError(
                "Column {column!r} is both an identifier and a quasi-identifier.",
                column=name,
            )
    for name in confidential or ():
        if name in quasi_identifiers or name in (identifiers or ()):
            raise ParameterError(
                "Column {column!r} is named as confidential and as a "
                "quasi-identifier or identifier, but confidential columns are "
                "released as they are: name it once.",
                column=name,
            )


def check_follower_pairs(
    follows: Mapping[str, str], quasi_identifiers: tuple[str, ...]
) -> None:
    """Raise unless followers and followed are quasi-identifiers and do not chain.

    Raises
    ------
    ParameterError
    """
    for name, leading in follows.items():
        for column in (name, leading):
            if column not in quasi_identifiers:
                raise ParameterError(
                    "Column {name!r} is to follow {leading!r}, but {one!r} is not a "
                    "quasi-identifier: name both among them.",
                    name=name,
                    leading=leading,
                    one=column,
                )
        if leading in follows:
            raise ParameterError(
                "Column {name!r} is to follow {leading!r}, which follows another "
                "column itself: let both follow that one.",
                name=name,
                leading=leading,
            )
