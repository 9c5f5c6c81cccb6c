"""Base class of formats that can be read but not written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, ClassVar

import pandas as pd

from engine.core.errors import InputError
from engine.files.base import Format
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes


class ReadOnlyFormat(Format):
    """Base class of read-only formats; writing raises, naming formats to write instead.

    Attributes
    ----------
    title : str
        Of the program or format, for messages.
    instead : str
        Formats that it reads and that can be written, as in ``".csv or .dta"``.
    """

    title: ClassVar[str]
    instead: ClassVar[str]

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns as they were read; see :meth:`Format.carried`."""
        frame, _ = self.read(source, ReadOptions.from_used_options(options))
        return {name: frame[name] for name in names}

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Raise, as the format is read only; see :meth:`Format.write`."""
        raise InputError(
            "{format} files can be read but not written: write another format, such as "
            "{suffixes}, all of which {format} reads.",
            format=self.title,
            suffixes=self.instead,
        )
