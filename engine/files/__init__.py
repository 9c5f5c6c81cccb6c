"""Read and write tables in files: one module per format, one reader, one writer."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from typing import Any

import pandas as pd

from engine.core.arguments import check_arguments
from engine.core.errors import InputError, ParameterError
from engine.core.platform.files import move_and_replace, remove_file
from engine.data.kinds import Kind, Role
from engine.data.missing_values.missing_codes import replace_codes_by_missing
from engine.data.propose import (
    Suggestion,
    column_labels,
    is_code_column,
    suggest_columns,
    suggest_schema,
)
from engine.data.schema import Column, Schema, unknown_column_error
from engine.data.source_file import SourceFile
from engine.data.table import Origin, Table, refuse_unsupported_cells
from engine.files.base import Format, format_info_for_suffix, formats
from engine.files.format_compatibility import stored_frame_and_messages
from engine.files.input.options import ReadOptions
from engine.files.input.preview import FilePreview, preview_file
from engine.files.input.source import InputBytes
from engine.files.input.zipped import unzip_if_archive
from engine.files.layout import Layout
from engine.files.text.detect import refuse_too_many_or_long_names
from engine.hierarchy import Hierarchy

__all__ = [
    "FilePreview",
    "Format",
    "Layout",
    "ReadOptions",
    "formats",
    "frame_to_bytes",
    "preview_file",
    "read_frame",
    "read_table",
    "read_table_and_proposals",
    "write_table",
]


@check_arguments
def read_table(
    source: str | os.PathLike[str] | bytes | pd.DataFrame,
    *,
    roles: Mapping[str, Role | str] | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    hierarchies: Mapping[str, Hierarchy | None] | None = None,
    schema: Schema | None = None,
    options: ReadOptions | None = None,
    name: str | None = None,
) -> Table:
    """Return a table from a file, an upload or a frame, with proposed or given roles.

    Parameters
    ----------
    source : path, bytes or pandas.DataFrame
    roles, kinds, hierarchies : mapping of column name to role and so on, optional
        Roles, kinds and hierarchies of these columns, in place of the proposed ones.
    schema : Schema, optional
        Taken instead of a proposed one.
    options : ReadOptions, optional
        How the file is read. Options that are None are detected;
        ``table.origin.options`` has the values used.
    name : str, optional
        File name, whose suffix tells the format; needed with bytes.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        If there is no such file, or it is not a table.
    ParameterError
        If a column, role, kind or option does not exist.
    """
    if isinstance(source, pd.DataFrame):
        frame, origin, carried = source, Origin(), None
    else:
        frame, origin, carried = read_frame(source, options or ReadOptions(), name)
    # Checked before anything is proposed, which takes cells that can be compared.
    plain = Schema(tuple(Column(str(label), Kind.NOMINAL) for label in frame.columns))
    table = Table.from_frame(frame, schema or plain, origin, carried)
    if schema is None:
        proposed = suggest_schema(table.frame, column_labels(origin))
        table = replace(table, schema=proposed)
    if schema is None and roles:
        # Whoever names a column of numbers as a quasi-identifier means it as numbers.
        number_kinds = {
            name: table.schema[name].as_numbers or Kind.ORDINAL
            for name, role in roles.items()
            if role == Role.QUASI_IDENTIFIER
            and name in table.schema
            and (table.schema[name].as_numbers or is_code_column(table, name))
        }
        table = table.assign(kinds=number_kinds)
    return table.assign(roles, kinds, hierarchies)


def read_table_and_proposals(
    source: str | os.PathLike[str] | bytes,
    options: ReadOptions | None = None,
    name: str | None = None,
) -> tuple[Table, tuple[Suggestion, ...]]:
    """Return a table as :func:`read_table` does, and the proposal for each column.

    Looking at a hundred thousand columns takes a minute, so it is done once.
    """
    frame, origin, carried = read_frame(source, options or ReadOptions(), name)
    proposed = suggest_columns(frame, column_labels(origin))
    schema = Schema(tuple(proposal.column for proposal in proposed))
    return Table.from_frame(frame, schema, origin, carried), proposed


def read_frame(
    source: str | os.PathLike[str] | bytes, options: ReadOptions, name: str | None
) -> tuple[pd.DataFrame, Origin, SourceFile]:
    """Return the records of a file or upload, how they were read, and the source file.

    As :func:`read_table`, which also says what columns mean.
    """
    if isinstance(source, bytes):
        if name is None:
            raise ParameterError(
                "Bytes need a name whose suffix tells the format, such as data.csv."
            )
        file = InputBytes(PurePath(name).name, content=source)
    else:
        path = Path(source)
        file = InputBytes(PurePath(name).name if name else path.name, path=path)
        if os.path.isfile(path):  # no error of what cannot be a name
            file.check_readable()
        else:  # a pipe, which gives its bytes once
            file = InputBytes(file.name, content=file.read_bytes())
    file = unzip_if_archive(file)
    info = format_info_for_suffix(file.suffix, file.name)
    for option, value in asdict(options).items():
        option_names = (*info.options, "missing")
        if value is not None and option not in option_names:
            raise ParameterError(
                "The option {option!r} means nothing for {format} files: leave it out.",
                option=option,
                format=info.title,
            )
    reader = formats.get(info.id)()
    reader.check_before_reading(file, options)
    # Read once: what is looked at, parsed and named by its digest are the same bytes.
    content = file.content if file.path is None else file.read_bytes()
    assert content is not None
    carried = SourceFile.from_bytes(file.name, content)
    if file.path is not None:
        carried = replace(carried, path=file.path.absolute(), content=None)
    file = replace(file, content=content)
    frame, effective = reader.read(file, options)
    refuse_too_many_or_long_names(list(frame.columns), file.name)
    if options.missing and "missing" not in effective:
        for column in options.missing:
            if column not in frame:
                raise unknown_column_error(column, tuple(map(str, frame.columns)))
        frame = replace_codes_by_missing(frame, options.missing)
        effective["missing"] = {k: list(codes) for k, codes in options.missing.items()}
    return frame, Origin(info.id, effective, file.name), carried


@check_arguments
def write_table(
    frame: pd.DataFrame, target: str | os.PathLike[str], origin: Origin | None = None
) -> None:
    """Write records to a file in the format of its suffix, completely or not at all.

    Parameters
    ----------
    frame : pandas.DataFrame
        The index is not written.
    target : path
        Replaced if it exists.
    origin : Origin, optional
        Delimiter, decimal sign, encoding, header, sheet and column types are taken
        from it where the format has such things.

    Raises
    ------
    InputError
        If the suffix is unknown, the folder cannot be written to, or the format
        cannot hold the records.
    """
    path = Path(target)
    info = format_info_for_suffix(path.suffix.lower(), path.name)
    if path.is_dir():
        raise InputError("{path!r} is a folder: name a file in it.", path=str(path))
    if frame.shape[1] == 0:
        raise InputError("The table has no columns: choose another file.")
    refuse_unsupported_cells(frame)
    options = dict(origin.options) if origin else {}
    if path.suffix.lower() == ".tsv":
        options["delimiter"] = "\t"
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as stream:
            formats.get(info.id)().write(
                stored_frame_and_messages(frame, info.id)[0], stream, options
            )
            stream.flush()
            os.fsync(stream.fileno())
        move_and_replace(part, path)
    except OSError as error:
        raise InputError(
            "File {path!r} cannot be written ({reason}): choose a "
            "folder that exists and that you may write to.",
            path=str(path),
            reason=error.strerror,
        ) from None
    finally:
        with contextlib.suppress(OSError):  # written, or why not is said
            remove_file(part)


def frame_to_bytes(
    frame: pd.DataFrame, origin: Origin | None = None, is_held: bool = False
) -> bytes:
    """Return records as the bytes of a file in their own format, else as CSV.

    Parameters
    ----------
    origin : Origin, optional
    is_held : bool
        Whether the columns are as the format holds them already.

    Raises
    ------
    InputError
        If the format cannot hold the records.
    """
    options: Mapping[str, Any] = origin.options if origin else {}
    stream = io.BytesIO()
    format_id = (origin.format if origin else "") or "csv"
    if not is_held:
        frame = stored_frame_and_messages(frame, format_id)[0]
    formats.get(format_id)().write(frame, stream, options)
    return stream.getvalue()
