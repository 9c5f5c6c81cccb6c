"""Stata files: variable and value labels, extended missing values and formats stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import pandas as pd

from engine.files.base import Format, FormatInfo, ReadOptions, Source, formats
from engine.files.statistical import (
    plain_columns,
    read_with,
    to_file_columns,
    written_by,
)


@formats.register(
    FormatInfo(id="stata", title="Stata", suffixes=(".dta",), options=("encoding",))
)
class Stata(Format):
    """Stata's .dta; the extended missing values .a to .z are missing values here."""

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a Stata file; see :meth:`Format.read`."""
        import pyreadstat

        frame, meta = read_with(
            pyreadstat.read_dta,
            source,
            "Stata",
            user_missing=True,
            encoding=options.encoding,
        )
        letters = {name: set(known) for name, known in meta.missing_user_values.items()}
        frame, memory = plain_columns(
            frame, {name: known.__contains__ for name, known in letters.items()}
        )
        labels = meta.column_names_to_labels.items()
        return frame, {
            "encoding": options.encoding,
            "file_label": meta.file_label or "",
            "labels": {name: label for name, label in labels if label},
            "value_labels": {
                name: list(map(list, known.items()))
                for name, known in meta.variable_value_labels.items()
            },
            "letters": {name: sorted(known) for name, known in letters.items()},
            "formats": dict(meta.original_variable_types),
            "text": [name for name in frame if frame[name].dtype == "str"],
            "nameless": [],
            **memory,
        }

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write a Stata file; see :meth:`Format.write`."""
        import pyreadstat

        columns = to_file_columns(frame, options, "Stata")
        text = set(options.get("text", ()))

        def kept(what: str) -> dict[str, Any]:
            """Return what was said of columns that still hold what they held."""
            return {
                name: said
                for name, said in options.get(what, {}).items()
                if name in columns and (name in text) == (frame[name].dtype == "str")
            }

        written_by(
            pyreadstat.write_dta,
            columns,
            stream,
            ".dta",
            "Stata",
            file_label=options.get("file_label", ""),
            column_labels={n: options.get("labels", {}).get(n) for n in columns},
            variable_value_labels={
                name: dict(map(tuple, pairs))
                for name, pairs in kept("value_labels").items()
            },
            missing_user_values=kept("letters") or None,
            variable_format={
                name: form
                for name, form in kept("formats").items()
                if not form.endswith("s")  # a text's width follows its values
            },
        )
