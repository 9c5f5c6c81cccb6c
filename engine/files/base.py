"""File formats: base class of readers and writers, and the registry of formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.registry import Registry, list_module_names
from engine.files.input.names import fill_in_and_list_blank_names
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.stored_columns import StoredColumn

STATA_VERSIONS = (14, 15)
"""Versions of Stata that files can be written for; the last unless one is named."""


@dataclass(frozen=True)
class FormatInfo:
    """Identifier, title and abilities of a file format.

    Attributes
    ----------
    id : str
    title : str
    suffixes : tuple of str
        Lower case, with the dot; the first one is given to new files.
    options : tuple of str
        Fields of :class:`ReadOptions` that mean something for this format.
    aliases : tuple of str
        Other identifiers under which the registry finds it.
    writable : bool
        Whether releases can be written in it.
    typed : bool
        Whether files say which columns are of text, numbers or dates.
    media_type : str
        As browsers and catalogues call it.
    """

    id: str
    title: str
    suffixes: tuple[str, ...]
    options: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    writable: bool = True
    typed: bool = True
    media_type: str = "application/octet-stream"


class Format(ABC):
    """Base class of the reader and writer of a file format."""

    @staticmethod
    def check_before_reading(source: InputBytes, options: ReadOptions) -> None:
        """Raise for a file that is no table, before all of it is in memory.

        Raises
        ------
        InputError
        """
        return

    @abstractmethod
    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a table.

        Returns
        -------
        frame : pandas.DataFrame
            With a name of its own for every column and at least one record.
        effective : dict
            Every option as it was used, given or found; only JSON's types.

        Raises
        ------
        InputError
            If the bytes are not a table in this format.
        """

    def read_back(
        self, source: InputBytes, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read what :meth:`write` wrote, with the options it was written with.

        Nothing is found out that :meth:`write` knew: where names and records are, how
        they are parted, and whether cells are text. A cell that is not what was to be
        written is read as what it is.

        Parameters
        ----------
        source : InputBytes
        options : mapping
            With which it was written.
        written : pandas.DataFrame
            What was to be written, as :meth:`held` gave it.

        Returns
        -------
        frame : pandas.DataFrame
            Columns are called as in `written`, where their names in the file are
            those that were to be written.
        effective : dict
            As :meth:`read` gives it.

        Raises
        ------
        InputError
            If the bytes are not a table in this format.
        """
        back, effective = self.read(source, ReadOptions.from_used_options(options))
        # Reading trims names, and names the nameless.
        if [*back.columns] == fill_in_and_list_blank_names(
            [*map(str, written.columns)]
        )[0]:
            back = back.set_axis(written.columns, axis="columns")
        return back, effective

    def held(self, column: pd.Series) -> StoredColumn:
        """Return a column as this format stores it; unchanged by default.

        This is the format's only statement of what fits: columns are written as it
        gives them, and read back to be the same.

        Raises
        ------
        UnstorableError
            If the format cannot hold the column.
        """
        return StoredColumn(column)

    def check_names(self, names: Sequence[str]) -> None:
        """Raise if the format cannot store these column names.

        Raises
        ------
        InputError
            If one cannot be stored, or two are the same.
        """
        fill_in_and_list_blank_names(names)

    def check_records(self, frame: pd.DataFrame) -> None:  # noqa: B027
        """Raise if a reader would find other records in the written file.

        Parameters
        ----------
        frame : pandas.DataFrame
            Every column that is written.

        Raises
        ------
        InputError
        """

    @abstractmethod
    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns of a file in stored form, for :meth:`write` to repeat.

        Parameters
        ----------
        source : InputBytes
            What was read.
        options : mapping
            What :meth:`read` found out about it.
        names : sequence of str
            As :meth:`read` calls the columns.

        Returns
        -------
        mapping of str to pandas.Series
            One value for each record that :meth:`read` gives. What the values are is
            the format's own business.
        """

    def adapt_carried(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> StoredColumn:
        """Return a carried column in a form that other formats can write.

        The column as it was read, unless that has lost something which text keeps.

        Parameters
        ----------
        column, carried : pandas.Series
            As :meth:`read` and :meth:`carried` gave it.
        options : mapping
            What :meth:`read` found out.
        """
        return StoredColumn(column)

    @abstractmethod
    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write columns in the form of :meth:`held`, by the given options.

        Raises
        ------
        InputError
            If the format cannot hold the table.
        """


def _list_format_modules() -> list[str]:
    """Return the modules of this package, sorted by their names without folders."""
    return sorted(
        list_module_names("engine.files"), key=lambda name: name.rpartition(".")[2]
    )


formats: Registry[FormatInfo, type[Format]] = Registry(
    Message("file format"), modules=_list_format_modules
)
"""All file formats, by identifier."""


def format_info_for_suffix(suffix: str, file_name: str) -> FormatInfo:
    """Return the description of the format whose files have this suffix.

    Raises
    ------
    InputError
        If no format has it; the message says what to use instead.
    """
    for info in formats.infos():
        if suffix in info.suffixes:
            return info
    if suffix in (".xlsb", ".xlsm"):
        raise InputError(
            "File {file!r} is a spreadsheet in another format than .xlsx and .xls: "
            "save it as .xlsx and choose that file.",
            file=file_name,
        )
    suffixes = [ending for info in formats.infos() for ending in info.suffixes]
    if not suffix:
        raise InputError(
            "File {file!r} has no suffix, so its format is unknown: use one of "
            "{known}.",
            file=file_name,
            known=suffixes,
        )
    raise InputError(
        "File {file!r} has the suffix {suffix!r}, so its format is unknown: use one of "
        "{known}.",
        file=file_name,
        suffix=suffix,
        known=suffixes,
    )


def refuse_empty_table(n_records: int, file_name: str) -> None:
    """Raise InputError if the number of records read from a file is 0.

    Raises
    ------
    InputError
    """
    if n_records == 0:
        raise InputError(
            "File {file!r} has a header but no records: choose a file with data.",
            file=file_name,
        )
