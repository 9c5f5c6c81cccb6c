"""Options for reading a file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from engine.core.arguments import check_arguments
from engine.core.errors import ParameterError

_NO_TEXT = {"idna", "punycode", "unicode-escape", "raw-unicode-escape"}
"""What Python lists among encodings, but writes names of hosts or literals."""


@check_arguments
@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file; an option that is None is detected or not used.

    Attributes
    ----------
    delimiter : str, optional
        One character between the fields of delimited text.
    decimal : {".", ","}, optional
        Decimal sign of a text file.
    encoding : str, optional
        Encoding of text in the file, such as ``"utf-8"`` or ``"cp1252"``.
    header : bool, optional
        Whether the first record holds the column names.
    sheet : str, optional
        Sheet of a workbook, table of a database, or data frame of an R file.
    header_row : str, optional
        Row of the column names, counted from 1, as in ``"3"``. ``"3,4"`` reads two rows
        as one; ``"0"`` means that there is none.
    first_row : int, optional
        Row of the first record.
    footer_rows : int, optional
        Rows at the end that are no records, such as totals and notes.
    forms : mapping of str to str or dict, optional
        How columns of text are written, where that is said: "text", "day-month",
        "month-day", "decimal-comma" or "decimal-point"; or what reading has found.
    layout : str, optional
        Where the columns of fixed-width text stand, see
        :mod:`engine.files.text.fixed_width_layout`.
    sql : str, optional
        Query of a database, whose answer is the table.
    number_names : bool, optional
        Whether columns that share a name get numbers, as ``age`` and ``age (2)``.
        Otherwise they are refused.
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
    number_names: bool | None = None

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
        """Rows of column names, from 1; empty for none, None to detect them."""
        if self.header_row is None:
            return None
        if not re.fullmatch(r"\d{1,7}(,\d{1,7})?", self.header_row):
            return (0,)
        rows = tuple(map(int, self.header_row.split(",")))
        return () if rows == (0,) else rows

    @classmethod
    def from_used_options(cls, options: Mapping[str, Any]) -> ReadOptions:
        """Return the options that a table's ``origin.options`` stand for.

        Parameters
        ----------
        options : mapping
            Effective values; those that only a writer needs are left out.
        """
        names = [field.name for field in fields(cls)]
        values = {name: options[name] for name in names if name in options}
        if "written" in options:  # what people have said stays what they have said
            values["forms"] = {**values.get("forms", {}), **options["written"]}
        return cls(**values)
