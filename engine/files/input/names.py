"""Make column names unique, name nameless columns, and map names back to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message, join_messages, join_with_and

MAX_SHOWN_NAMES = 5
"""Names that a message shows before it counts the others."""


MAX_LABEL_CHARS = 500
"""Characters of a label below a name that are read: it says what a column is about."""


class RepeatedNamesError(InputError):
    """Error that columns share a name, where nobody asked to number them."""


def make_column_names_unique(column_names: Sequence[str]) -> list[str]:
    """Return names with repeated ones numbered: ``age``, ``age (2)``, ``age (3)``."""
    plain_names = {name.strip() for name in column_names}
    names: list[str] = []
    for name in column_names:
        plain, number = name.strip(), 2
        while name.strip() and name.strip() in names:
            name = f"{plain} ({number})"
            number += 1
            if name in plain_names:
                name = plain
        names.append(name.strip())
    return names


def fill_in_and_list_blank_names(
    file_names: Sequence[str],
) -> tuple[list[str], list[int]]:
    """Return names with blank ones filled, and their positions; refuse repeats.

    A column without a name is called ``column 3`` after its position.

    Returns
    -------
    names : list of str
    nameless : list of int
        Positions, from 1, of the columns that got such a name.

    Raises
    ------
    RepeatedNamesError
        If columns share a name; the message names them all.
    """
    names = [name.strip() for name in file_names]
    positions: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        if name:
            positions.setdefault(name, []).append(position)
    shared = {name: at for name, at in positions.items() if len(at) > 1}
    if shared:
        where = join_messages(
            [
                Message(
                    "{name!r} (columns {positions})",
                    name=name,
                    positions=join_with_and(at),
                )
                for name, at in list(shared.items())[:MAX_SHOWN_NAMES]
            ],
            "; ",
        )
        if len(shared) > MAX_SHOWN_NAMES:
            where = Message(
                "{some} and {others} more",
                some=where,
                others=len(shared) - MAX_SHOWN_NAMES,
            )
        raise RepeatedNamesError(
            "Several columns share a name: {where}; give every column a name of its "
            "own, or let them be told apart by a number (--number-names).",
            where=where,
        )
    nameless = [position for position, name in enumerate(names, start=1) if not name]
    for position in nameless:
        name = f"column {position}"
        while name in positions:
            name += "'"
        names[position - 1] = name
        positions[name] = [position]
    return names, nameless


def label_options(
    names: Sequence[str], label_cells: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return labels of columns as a read option, those that say more than the name.

    Of a longer one, the first :data:`MAX_LABEL_CHARS` characters.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    label_cells : sequence of str
        What stands below the names in the file; may be shorter.
    """
    pairs = zip(names, label_cells, strict=False)
    texts = {name: cell.strip()[:MAX_LABEL_CHARS] for name, cell in pairs}
    labels = {name: text for name, text in texts.items() if text not in ("", name)}
    return {"labels": labels} if labels else {}


def map_changed_names(
    names: Sequence[str], file_names: Sequence[Any]
) -> dict[str, Any]:
    """Return a dict from table to file column names, for the names that differ."""
    pairs = zip(names, file_names, strict=True)
    return {name: file_name for name, file_name in pairs if name != file_name}


def names_to_write(frame: pd.DataFrame, options: Mapping[str, Any]) -> list[Any]:
    """Return the column names to write: those of the input file if known."""
    file_names = options.get("names", {})
    return [file_names.get(name, name) for name in map(str, frame.columns)]


def table_names_of_written_columns(
    file_names: Sequence[Any], written: pd.DataFrame, options: Mapping[str, Any]
) -> list[str]:
    """Return a written file's column names, those that were written as in the table.

    Parameters
    ----------
    file_names : sequence
        Names in the file.
    written : pandas.DataFrame
        What was to be written.
    options : mapping
        With which it was written.
    """
    pairs = dict(enumerate(zip(names_to_write(written, options), written, strict=True)))
    return [
        str(pairs[j][1]) if j in pairs and str(pairs[j][0]) == str(name) else str(name)
        for j, name in enumerate(file_names)
    ]
