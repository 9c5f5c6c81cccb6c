"""What every file format shares: options, the source of bytes, column names."""

from __future__ import annotations

import codecs
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import pandas as pd

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message, all_of, joined
from engine.core.registry import Registry, modules_below
from engine.files.held import Held

_NO_TEXT = {"idna", "punycode", "unicode-escape", "raw-unicode-escape"}
"""What Python lists among encodings, but writes names of hosts or literals."""


STATA = (14, 15)
"""Versions of Stata that files can be written for; the last unless one is named."""


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read; None means: find out.

    Attributes
    ----------
    delimiter : str, optional
        One character between the fields of delimited text.
    decimal : {".", ","}, optional
        Decimal sign of delimited text.
    encoding : str, optional
        Encoding of delimited text, such as ``"utf-8"`` or ``"cp1252"``.
    header : bool, optional
        Whether the first record holds the column names.
    sheet : str, optional
        Sheet of a workbook.
    header_row : str, optional
        Row that holds the column names, from 1, as in ``"3"``; two rows that are read
        as one, as in ``"3,4"``; ``"0"`` for none.
    first_row : int, optional
        Row of the first record.
    footer_rows : int, optional
        Rows at the end that are no records, such as totals and notes.
    forms : mapping of str to str or dict, optional
        How columns of text are written, where that is said: "text", "day-month",
        "month-day", "decimal-comma" or "decimal-point"; or what reading has found.
    layout : str, optional
        Where the columns of fixed-width text stand, see :mod:`engine.files.places`.
    sql : str, optional
        Query of a database, whose answer is the table.
    missing : mapping of str to sequence of str, optional
        Codes of columns that stand for a missing value, as they are in the file.

    Raises
    ------
    ParameterError
        If an option cannot be meant.
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | None = None
    header_row: str | None = None
    first_row: int | None = None
    footer_rows: int | None = None
    forms: Mapping[str, Any] | None = None
    missing: Mapping[str, Sequence[str]] | None = None
    layout: str | None = None
    sql: str | None = None

    def __post_init__(self) -> None:
        delimiter = self.delimiter
        if delimiter is not None and (
            len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'
        ):
            raise ParameterError(
                "The delimiter must be one plain character such as a comma, a "
                "semicolon, a tab or a bar."
            )
        if self.decimal not in (None, ".", ","):
            raise ParameterError("The decimal sign must be a point or a comma.")
        self._check_rows()
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
                no_text = codecs.lookup(self.encoding).name in _NO_TEXT
            except (LookupError, ValueError):
                raise ParameterError(
                    "There is no encoding called {encoding!r}: use for "
                    "instance utf-8, cp1252 or utf-16.",
                    encoding=self.encoding,
                ) from None
            if no_text:
                raise ParameterError(
                    "{encoding!r} is no encoding of text: use for instance utf-8, "
                    "cp1252 or utf-16.",
                    encoding=self.encoding,
                )

    def _check_rows(self) -> None:
        rows = self.header_rows or (1,)
        if len(rows) > 2 or rows[0] < 1 or rows[-1] not in (rows[0], rows[0] + 1):
            raise ParameterError(
                "The row of the names must be a number such as 3, two rows such as "
                "3,4, or 0 for none."
            )
        below = rows[-1] if self.header_rows else 0
        if self.first_row is not None and self.first_row <= below:
            raise ParameterError("The first record must be in a row below the names.")
        if self.footer_rows is not None and self.footer_rows < 0:
            raise ParameterError("The rows left out at the end must be 0 or more.")

    @property
    def header_rows(self) -> tuple[int, ...] | None:
        """Rows of the names, from 1; empty for none, None where nothing is said."""
        if self.header_row is None:
            return None
        if not re.fullmatch(r"\d{1,7}(,\d{1,7})?", self.header_row):
            return (0,)
        found = tuple(map(int, self.header_row.split(",")))
        return () if found == (0,) else found

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ReadOptions:
        """Return the options with which a table's ``origin.options`` were read.

        Parameters
        ----------
        options : mapping
            Effective values; those that only a writer needs are left out.
        """
        names = [field.name for field in fields(cls)]
        found = {name: options[name] for name in names if name in options}
        if "written" in options:  # what people have said stays what they have said
            found["forms"] = {**found.get("forms", {}), **options["written"]}
        return cls(**found)


@dataclass(frozen=True)
class FormatInfo:
    """A file format's name and habits.

    Attributes
    ----------
    id : str
    title : str
    suffixes : tuple of str
        Lower case, with the dot; the first one is given to new files.
    options : tuple of str
        Fields of :class:`ReadOptions` that mean something for this format.
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


@dataclass(frozen=True)
class Source:
    """Bytes to read: a file, or an upload.

    Attributes
    ----------
    name : str
        File name without folders, for messages.
    path : Path, optional
    content : bytes, optional
        One of `path` and `content` is given.
    """

    name: str
    path: Path | None = None
    content: bytes | None = None

    @property
    def suffix(self) -> str:
        """The name's suffix in lower case, with the dot."""
        return PurePath(self.name).suffix.lower()

    def check(self) -> None:
        """Raise unless there is a file that can be opened.

        Raises
        ------
        InputError
        """
        path = self.path
        if path is None:
            return
        try:
            if path.is_dir():
                raise InputError(
                    "{path!r} is a folder: name a file in it.", path=str(path)
                )
            path.open("rb").close()
        except FileNotFoundError:
            raise InputError(
                "There is no file called {path!r}: check its name and folder.",
                path=str(path),
            ) from None
        except OSError as error:
            raise InputError(
                "File {file!r} cannot be opened ({reason}): check that "
                "it is a file that you may read.",
                file=self.name,
                reason=error.strerror,
            ) from None

    def read(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        InputError
            If the file does not exist, cannot be opened or is empty.
        """
        self.check()
        content = self.content
        if content is None:
            assert self.path is not None
            content = self.path.read_bytes()
        if not content:
            raise InputError(
                "File {file!r} is empty: choose a file with data.", file=self.name
            )
        return content


class Format(ABC):
    """One way to keep a table in a file."""

    @abstractmethod
    def read(
        self, source: Source, options: ReadOptions
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
        self, source: Source, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read what :meth:`write` wrote, as it was told to write it.

        Nothing is found out that :meth:`write` knew: where names and records are, how
        they are parted, and whether cells are text. A cell that is not what was to be
        written is read as what it is.

        Parameters
        ----------
        source : Source
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
        back, effective = self.read(source, ReadOptions.of(options))
        # Reading trims names, and names the nameless.
        if [*back.columns] == column_names([*map(str, written.columns)])[0]:
            back = back.set_axis(written.columns, axis="columns")
        return back, effective

    def held(self, column: pd.Series) -> Held:
        """Return a column as files of this format hold it: as it is, unless said.

        This is the format's only statement of what fits: columns are written as it
        gives them, and read back to be the same.

        Raises
        ------
        Unfit
            If the format cannot hold the column.
        """
        return Held(column)

    def check_names(self, names: Sequence[str]) -> None:
        """Raise unless columns can have these names.

        Raises
        ------
        InputError
            If one of them cannot.
        """
        column_names(names)

    @abstractmethod
    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns of a file as they are in it, for :meth:`write` to repeat.

        Parameters
        ----------
        source : Source
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

    def told(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> Held:
        """Return what files of other formats are told of a carried column.

        The column as it was read, unless that has lost something which text keeps.

        Parameters
        ----------
        column, carried : pandas.Series
            As :meth:`read` and :meth:`carried` gave it.
        options : mapping
            What :meth:`read` found out.
        """
        return Held(column)

    @abstractmethod
    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write columns as :meth:`held` gave them, the way that `options` say.

        Raises
        ------
        InputError
            If the format cannot hold the table.
        """


SHOWN = 5
"""Names that a message shows before it counts the others."""

formats: Registry[FormatInfo, type[Format]] = Registry(
    Message("file format"), modules=partial(modules_below, "engine.files")
)
"""All file formats, by identifier."""


def format_of(suffix: str, name: str) -> FormatInfo:
    """Return the format that files with this suffix have.

    Raises
    ------
    InputError
        If no format has it; the message lists those that exist.
    """
    for info in formats.infos():
        if suffix in info.suffixes:
            return info
    if suffix in (".xls", ".xlsb", ".xlsm"):
        raise InputError(
            "File {file!r} is a spreadsheet in another format than .xlsx: save it "
            "as .xlsx and choose that file.",
            file=name,
        )
    known = [one for info in formats.infos() for one in info.suffixes]
    if not suffix:
        raise InputError(
            "File {file!r} has no suffix, so its format is unknown: use one of "
            "{known}.",
            file=name,
            known=known,
        )
    raise InputError(
        "File {file!r} has the suffix {suffix!r}, so its format is unknown: use one of "
        "{known}.",
        file=name,
        suffix=suffix,
        known=known,
    )


def column_names(found: Sequence[str]) -> tuple[list[str], list[int]]:
    """Check a file's column names and name the nameless.

    A column without a name is called ``column 3`` after its position.

    Returns
    -------
    names : list of str
    nameless : list of int
        Positions, from 1, of the columns that got such a name.

    Raises
    ------
    InputError
        If columns share a name; the message names them all.
    """
    names = [name.strip() for name in found]
    positions: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        if name:
            positions.setdefault(name, []).append(position)
    shared = {name: at for name, at in positions.items() if len(at) > 1}
    if shared:
        where = joined(
            [
                Message(
                    "{name!r} (columns {positions})", name=name, positions=all_of(at)
                )
                for name, at in list(shared.items())[:SHOWN]
            ],
            "; ",
        )
        if len(shared) > SHOWN:
            where = Message(
                "{some} and {others} more", some=where, others=len(shared) - SHOWN
            )
        raise InputError(
            "Several columns share a name: {where}; give every column a name of its "
            "own.",
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


def other_names(names: Sequence[str], found: Sequence[Any]) -> dict[str, Any]:
    """Return what columns are called in a file, where it is not what we call them."""
    pairs = zip(names, found, strict=True)
    return {name: there for name, there in pairs if name != there}


def names_to_write(frame: pd.DataFrame, options: Mapping[str, Any]) -> list[Any]:
    """Return what columns are called in the file that is written."""
    known = options.get("names", {})
    return [known.get(name, name) for name in map(str, frame.columns)]


def names_read_back(
    found: Sequence[Any], written: pd.DataFrame, options: Mapping[str, Any]
) -> list[str]:
    """Return what columns that were written are called, by their names in the file.

    Parameters
    ----------
    found : sequence
        Names in the file.
    written : pandas.DataFrame
        What was to be written.
    options : mapping
        With which it was written.
    """
    ours = dict(enumerate(zip(names_to_write(written, options), written, strict=True)))
    return [
        str(ours[j][1]) if j in ours and str(ours[j][0]) == str(name) else str(name)
        for j, name in enumerate(found)
    ]


def refuse_no_records(n_records: int, name: str) -> None:
    """Raise if a file has column names and nothing else.

    Raises
    ------
    InputError
    """
    if n_records == 0:
        raise InputError(
            "File {file!r} has a header but no records: choose a file with data.",
            file=name,
        )
