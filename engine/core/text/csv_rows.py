"""Rows of delimited text by the csv module, with long fields allowed."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MAX_FIELD_CHARS = 1 << 26
"""Characters of one field, at most; the csv module refuses a longer one."""

_readers_lock = threading.Lock()
_limits_before: list[int] = []  # one for each reading under way


@contextmanager
def allow_long_csv_fields() -> Iterator[None]:
    """Raise the csv module's limit of field length within a with block.

    Its limit is the whole process's. With the last reading it is again what it was
    before the first one.
    """
    with _readers_lock:
        _limits_before.append(csv.field_size_limit(MAX_FIELD_CHARS))
    try:
        yield
    finally:
        with _readers_lock:
            if len(_limits_before) == 1:
                csv.field_size_limit(_limits_before[0])
            _limits_before.pop()


def iterate_csv_rows(
    lines: Iterable[str],
    delimiter: str = ",",
    *,
    strict: bool = False,
    skipinitialspace: bool = False,
) -> Iterator[list[str]]:
    """Yield rows of delimited text as lists, with fields up to :data:`MAX_FIELD_CHARS`.

    Raises
    ------
    csv.Error
        If a field is longer, or the text is malformed.
    """
    with allow_long_csv_fields():
        yield from csv.reader(
            lines, delimiter=delimiter, strict=strict, skipinitialspace=skipinitialspace
        )


def column_names_to_csv_line(names: Iterable[str]) -> str:
    """Return names as a line of CSV, without its end."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
