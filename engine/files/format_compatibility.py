"""Convert frames to what a file format stores; else say which formats fit."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message, join_with_and, join_with_or
from engine.files.base import formats
from engine.files.stored_columns import (
    KEEPS_DIGITS_MESSAGE,
    StoredColumn,
    UnstorableError,
)


def stored_frame_and_messages(
    frame: pd.DataFrame,
    format_id: str,
    carried: Mapping[str, StoredColumn] | None = None,
) -> tuple[pd.DataFrame, tuple[Message, ...]]:
    """Return a frame as a format stores it, and messages on converted columns.

    Parameters
    ----------
    format_id : str
    carried : mapping of str to StoredColumn, optional
        Columns for this format by
        :func:`engine.files.unprotected_columns.reread_input_columns`, which take the
        place of those of the frame.

    Raises
    ------
    InputError
        If a column, or a name, does not fit; says which, and what to write instead.
    """
    info, writer = formats.info(format_id), formats.get(format_id)()
    writer.check_names([str(name) for name in frame.columns])
    columns, messages = [], []
    for j, name in enumerate(frame.columns):
        column, before = frame.iloc[:, j], (carried or {}).get(str(name))
        if before is not None:
            column = before.column
        try:
            stored_column = before if before and before.whole else writer.held(column)
        except UnstorableError as unfit:
            others = _fitting_formats(column)
            if not others:
                raise InputError(
                    "Column {column!r} holds {what}, which no file can keep: mend it "
                    "where the table comes from.",
                    column=str(name),
                    what=unfit.what,
                ) from None
            raise InputError(
                "Column {column!r} holds {what}, which {format} files cannot keep: "
                "write {others}.",
                column=str(name),
                what=unfit.what,
                format=info.title,
                others=join_with_or(others),
            ) from None
        columns.append(stored_column.column.rename(name))
        hows = [before.how, stored_column.how] if before else [stored_column.how]
        if not info.typed:
            hows = [how for how in hows if how != KEEPS_DIGITS_MESSAGE]
        hows = list(dict.fromkeys(filter(None, hows)))
        if hows:
            messages.append(
                Message(
                    "Column {column!r} is in the {format} file {how}.",
                    column=str(name),
                    format=info.title,
                    how=join_with_and(hows),
                )
            )
    if not columns:
        return frame, ()
    return pd.concat(columns, axis="columns"), tuple(messages)


def _fitting_formats(column: pd.Series) -> list[str]:
    """Return the titles of the formats that hold a column as it is."""
    titles = []
    for info in formats.infos():
        if info.writable:
            try:
                stored_column = formats.get(info.id)().held(column)
            except UnstorableError:
                continue
            if not stored_column.how:
                titles.append(info.title)
    return titles
