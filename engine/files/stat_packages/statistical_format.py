"""Base classes of statistical packages' formats, and a reader by pyreadstat."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar

import pandas as pd

from engine.core.errors import EngineError, InputError
from engine.core.message import NO_MESSAGE, Message, join_with_and
from engine.core.platform.temporary import (
    DiskFullError,
    disk_full_error,
    open_temporary_folder,
)
from engine.files.base import Format, refuse_empty_table
from engine.files.input.names import fill_in_and_list_blank_names
from engine.files.input.source import InputBytes
from engine.files.stored_columns import StoredColumn

_DISK_FULL_TEXT = "unable to write"
"""What the library says where a disk is full; it has no other sign of it."""


class StatisticalFormat(Format):
    """Base class of formats with labels and declared missing values.

    Attributes
    ----------
    title : str
    """

    title: ClassVar[str]

    def adapt_carried(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> StoredColumn:
        """Return a column and what other formats lose of it; see the base class."""
        losses = []
        if column.name in options.get("user_missing", ()):
            losses.append(Message("with declared missing values as missing"))
        if column.name in options.get("value_labels", ()):
            losses.append(Message("without the labels of its values"))
        return StoredColumn(column, join_with_and(losses) if losses else NO_MESSAGE)


SPARE_BYTES = 1 << 16
"""More than what is left of a disk that a writer has filled."""


class WritableStatisticalFormat(StatisticalFormat):
    """Base class of statistical formats that are both read and written.

    Attributes
    ----------
    kind : str
        What pyreadstat calls it in the names of its reader and its writer.
    """

    kind: ClassVar[str]

    @staticmethod
    @abstractmethod
    def fixed_time_stamp(content: bytearray) -> tuple[int, bytes]:
        """Return position and bytes of a fixed time stamp in the file."""

    def records(
        self, source: InputBytes, encoding: str | None, dates: bool = True
    ) -> tuple[pd.DataFrame, Any]:
        """Return a file's frame and metadata, declared missing values unconverted.

        See :func:`read_by_pyreadstat`.
        """
        import pyreadstat

        return read_by_pyreadstat(
            getattr(pyreadstat, f"read_{self.kind}"),
            source,
            self.title,
            dates,
            user_missing=True,
            encoding=encoding,
        )

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return numbers and text as in the file; see :meth:`Format.carried`."""
        frame, _ = self.records(source, options.get("encoding"), dates=False)
        return {name: frame[name] for name in names}

    def check_names(self, names: Sequence[str]) -> None:
        """Raise for names that the file cannot have; see :meth:`Format.check_names`."""
        super().check_names(names)

        def attempt(some: Sequence[str]) -> None:
            if "\0" in "".join(some):
                raise ValueError("a name would end there")
            frame = pd.DataFrame([[0.0] * len(some)], columns=list(some))
            self.write_by_pyreadstat(frame, io.BytesIO())

        try:
            attempt(names)
        except DiskFullError:
            raise
        except (InputError, ValueError):
            for name in names:
                try:
                    attempt([name])
                except (InputError, ValueError):
                    raise InputError(
                        "Column {column!r} has a name that {format} files cannot keep: "
                        "rename the column, or write CSV, Excel or Parquet.",
                        column=name,
                        format=self.title,
                    ) from None
            raise

    def write_by_pyreadstat(
        self, frame: pd.DataFrame, stream: BinaryIO, suffix: str = "", **options: Any
    ) -> None:
        """Write columns by pyreadstat to a temporary file, and copy it to a stream.

        Parameters
        ----------
        frame : pandas.DataFrame
            As :func:`.statistical.restore_for_pyreadstat` gives it.
        stream : binary file
        suffix : str
            Where it is not the format's kind.
        **options
            Of pyreadstat's writer.

        Raises
        ------
        InputError
            If such a file cannot hold the table, for instance because of a name.
        """
        import pyreadstat

        writer = getattr(pyreadstat, f"write_{self.kind}")
        try:
            with open_temporary_folder() as folder:
                path = folder / f"table{suffix or f'.{self.kind}'}"
                writer(frame.reset_index(drop=True), path, **options)
                content = bytearray(path.read_bytes())
                # The writer for Stata says nothing of a full disk, and stops short.
                with path.open("ab") as end:
                    end.write(bytes(SPARE_BYTES))
            # The same records give the same bytes, whenever they are written.
            place, blank = self.fixed_time_stamp(content)
            content[place : place + len(blank)] = blank
            stream.write(content)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            reason = str(error).strip().rstrip(".").lower()
            if _DISK_FULL_TEXT in reason:
                raise disk_full_error(reason) from None
            raise InputError(
                "The table does not fit into a {format} file ({reason}): rename the "
                "column or write another format, such as .csv.",
                format=self.title,
                reason=reason,
            ) from None


def read_by_pyreadstat(
    reader: Callable[..., Any],
    source: InputBytes,
    title: str,
    dates: bool = True,
    **options: Any,
) -> tuple[pd.DataFrame, Any]:
    """Return the frame and metadata that a pyreadstat reader returns for a file.

    Declared missing values come as they are written, and dates as the numbers that
    they are in the file unless `dates` are asked for.

    Raises
    ------
    InputError
        If the bytes are not such a file, or hold no records.
    """
    content = source.read_bytes()
    try:
        # The reader wants a path: a file of its own name reads alike from an upload.
        with open_temporary_folder() as folder:
            path = folder / f"table{source.suffix}"
            path.write_bytes(content)
            _, meta = reader(path, metadataonly=True, **options)
            width = sum(meta.variable_storage_width.values())
            source.refuse_bomb((meta.number_rows or 0) * width)
            frame, meta = reader(
                path,
                dates_as_pandas_datetime=dates,
                disable_datetime_conversion=not dates,
                **options,
            )
    except (EngineError, MemoryError, OSError):
        raise
    except Exception:  # the library believes what a damaged file says, and fails at it
        raise InputError(
            "File {file!r} is not a whole {format} file, or is in another "
            "encoding than it says: get it again, or save it anew.",
            file=source.name,
            format=title,
        ) from None
    refuse_empty_table(len(frame), source.name)
    names, _ = fill_in_and_list_blank_names([str(name) for name in frame.columns])
    frame.columns = pd.Index(names)
    return frame, meta
