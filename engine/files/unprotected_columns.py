"""Unprotected columns, read again from the input file for the released file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.core.errors import EngineError
from engine.data.table import Table
from engine.files.base import formats
from engine.files.input.source import InputBytes
from engine.files.stored_columns import StoredColumn


def reread_input_columns(
    table: Table, names: Sequence[str], output_format_id: str
) -> Mapping[str, StoredColumn]:
    """Return columns of a table's file unchanged, or in a form for other formats.

    In their own format they stay as they are in the file, to the last letter. To
    others they are as :meth:`engine.files.base.Format.adapt_carried` says.

    Parameters
    ----------
    names : sequence of str
    output_format_id : str
        Of the file that leaves.

    Returns
    -------
    mapping of str to StoredColumn
        All records of the table. Empty where it came in no file, or without names.

    Raises
    ------
    InputError
        If the file is gone, or has changed.
    """
    if table.carried is None or not names:
        return {}
    came, options = table.origin.format, table.origin.options
    source = InputBytes(table.carried.name, content=table.carried.read_bytes())
    input_format = formats.get(came)()
    stored_columns = {}
    for name, column in input_format.carried(source, options, names).items():
        if len(column) != table.n_records:
            raise EngineError(
                "Column {column!r} of file {file!r} has other records when it is read "
                "again; please report this.",
                column=name,
                file=source.name,
            )
        column = column.set_axis(table.frame.index).rename(name)
        if came == output_format_id:
            stored_columns[name] = StoredColumn(column, whole=True)
        else:
            stored_columns[name] = input_format.adapt_carried(
                table.frame[name], column, options
            )
    return stored_columns
