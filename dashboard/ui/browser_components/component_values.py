"""Values sent by custom components in the browser, checked by type.

Whoever sends messages by a program can have a component say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st
from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


def read_component_value(
    component_key: str, value_name: str, expected_type: type[T]
) -> T | None:
    """Return a named value of a component, checked by type; None if it does not fit.

    Parameters
    ----------
    component_key : str
        Key of the component.
    value_name : str
        Name under which the component says the value.
    expected_type : type
        As pydantic reads it.
    """
    return cast_or_none(
        getattr(st.session_state[component_key], value_name), expected_type
    )


def cast_or_none(value: Any, expected_type: type[T]) -> T | None:
    """Return a value converted to a type; None if it does not fit."""
    if value is None:
        return None
    try:
        return TypeAdapter(expected_type).validate_python(value)
    except ValidationError:
        return None


def selected_row(selected_rows: Sequence[Any], n_rows: int) -> int | None:
    """Return the first selected row; None if there is none or it is out of range."""
    row = cast_or_none(selected_rows[0], int) if selected_rows else None
    return row if row is not None and 0 <= row < n_rows else None
