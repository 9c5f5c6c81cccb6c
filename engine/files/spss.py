"""SPSS files: variable and value labels, missing values and formats stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import pandas as pd

from engine.core.message import Message
from engine.files.base import Format, FormatInfo, ReadOptions, Source, formats
from engine.files.held import Held, is_text, without_blank
from engine.files.statistical import (
    Kept,
    check_names,
    described,
    held,
    plain_columns,
    read_with,
    to_file_columns,
    told,
    written_by,
)


@formats.register(
    FormatInfo(
        id="spss", title="SPSS", suffixes=(".sav", ".zsav"), options=("encoding",)
    )
)
class Spss(Format):
    """SPSS's .sav and .zsav; values declared as missing are missing values here."""

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read an SPSS file; see :meth:`Format.read`."""
        import pyreadstat

        frame, meta = read_with(
            pyreadstat.read_sav,
            source,
            "SPSS",
            user_missing=True,
            encoding=options.encoding,
        )
        ranges = dict(meta.missing_ranges)
        frame, memory = plain_columns(
            frame, {name: _within(limits) for name, limits in ranges.items()}
        )
        return frame, {
            **described(frame, meta),
            "encoding": options.encoding,
            "compressed": source.suffix == ".zsav",
            "notes": list(meta.notes),
            "missing_ranges": ranges,
            "measures": dict(meta.variable_measure),
            "widths": dict(meta.variable_display_width),
            **memory,
        }

    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return numbers and text as in the file; see :meth:`Format.carried`."""
        import pyreadstat

        frame, _ = read_with(
            pyreadstat.read_sav,
            source,
            "SPSS",
            dates=False,
            user_missing=True,
            encoding=options.get("encoding"),
        )
        return {name: frame[name] for name in names}

    def told(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> Held:
        """Say what others do not keep; see :meth:`Format.told`."""
        return told(column, carried, options)

    def held(self, column: pd.Series) -> Held:
        """Return a column as SPSS holds it, which pads text with blanks."""
        found = held(column)
        if not is_text(found.column):
            return found
        text = found.column.str.rstrip(" ")
        without = without_blank(text, text == "")
        if without.how or found.how:
            return Held(without.column, without.how or found.how)
        if (text == found.column)[text.notna()].all():
            return found
        return Held(text, Message("without blanks at the end of text"))

    def check_names(self, names: Sequence[str]) -> None:
        """Ask for the names that SPSS takes; see :meth:`Format.check_names`."""
        import pyreadstat

        check_names(pyreadstat.write_sav, names, ".sav", "SPSS")

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write an SPSS file; see :meth:`Format.write`."""
        import pyreadstat

        kept = Kept(frame, options)
        compressed = bool(options.get("compressed"))
        written_by(
            pyreadstat.write_sav,
            to_file_columns(frame, options),
            stream,
            ".zsav" if compressed else ".sav",
            "SPSS",
            note=options.get("notes") or None,
            compress=compressed,
            missing_ranges=kept("missing_ranges"),
            variable_display_width=kept("widths"),
            variable_measure=kept("measures"),
            **kept.writing(),
        )


def _within(limits: list[dict[str, Any]]) -> Callable[[Any], bool]:
    return lambda cell: any(each["lo"] <= cell <= each["hi"] for each in limits)
