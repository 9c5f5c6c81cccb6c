"""Validated values from custom components.

Whoever sends messages by a program can have a component say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st
from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


def read_component_value(key: str, name: str, shape: type[T]) -> T | None:
    """Return what a component has said; None if nothing, or nothing of this shape.

    Parameters
    ----------
    key : str
        Of the component.
    name : str
        Under which it says it.
    shape : type
        As pydantic reads it.
    """
    return validate_shape(getattr(st.session_state[key], name), shape)


def validate_shape(value: Any, shape: type[T]) -> T | None:
    """Return a value that may be anything, if it has a shape."""
    if value is None:
        return None
    try:
        return TypeAdapter(shape).validate_python(value)
    except ValidationError:
        return None


def selected_row(rows: Sequence[Any], count: int) -> int | None:
    """Return the first of the selected rows of a table that has so many."""
    row = validate_shape(rows[0], int) if rows else None
    return row if row is not None and 0 <= row < count else None
