"""SPSS files: variable and value labels, missing values and formats stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
        labels = meta.column_names_to_labels.items()
        return frame, {
            "encoding": options.encoding,
            "compressed": source.suffix == ".zsav",
            "file_label": meta.file_label or "",
            "notes": list(meta.notes),
            "labels": {name: label for name, label in labels if label},
            "value_labels": {
                name: list(map(list, known.items()))
                for name, known in meta.variable_value_labels.items()
            },
            "missing_ranges": ranges,
            "measures": dict(meta.variable_measure),
            "widths": dict(meta.variable_display_width),
            "formats": dict(meta.original_variable_types),
            "text": [name for name in frame if frame[name].dtype == "str"],
            "nameless": [],
            **memory,
        }

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write an SPSS file; see :meth:`Format.write`."""
        import pyreadstat

        columns = to_file_columns(frame, options, "SPSS")
        text = set(options.get("text", ()))

        def kept(what: str) -> dict[str, Any]:
            """Return what was said of columns that still hold what they held."""
            return {
                name: said
                for name, said in options.get(what, {}).items()
                if name in columns and (name in text) == (frame[name].dtype == "str")
            }

        compressed = bool(options.get("compressed"))
        written_by(
            pyreadstat.write_sav,
            columns,
            stream,
            ".zsav" if compressed else ".sav",
            "SPSS",
            file_label=options.get("file_label", ""),
            note=options.get("notes") or None,
            column_labels={n: options.get("labels", {}).get(n) for n in columns},
            compress=compressed,
            variable_value_labels={
                name: dict(map(tuple, pairs))
                for name, pairs in kept("value_labels").items()
            },
            missing_ranges=kept("missing_ranges"),
            variable_display_width=kept("widths"),
            variable_measure=kept("measures"),
            variable_format={
                name: form
                for name, form in kept("formats").items()
                if not form.startswith("A")  # a text's width follows its values
            },
        )


def _within(limits: list[dict[str, Any]]) -> Callable[[Any], bool]:
    return lambda cell: any(each["lo"] <= cell <= each["hi"] for each in limits)
