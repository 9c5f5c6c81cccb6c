"""Cut delimited text into ranges of whole records, and read a file's text as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.core.platform.system_errors import name_file_in_errors
from engine.core.text.encoding import (
    find_encoding,
    first_undecodable,
    undecodable_error,
)
from engine.files.text.endless_lines import MAX_RECORD_BYTES, refuse_endless_lines
from engine.files.text.file_text import FileText
from engine.files.text.record_range import RecordRange

STEP_BYTES = 1 << 24
"""Bytes of text that are in memory at once while the end of a record is looked for."""


def open_utf8_text(path: Path, encoding: str | None, copy: Path) -> FileText:
    """Return a file's text as UTF-8 without byte order mark.

    Parameters
    ----------
    path : Path
    encoding : str or None
        As for :func:`engine.core.text.encoding.utf8_bytes_and_encoding`.
    copy : Path
        Where the text is written if it has another encoding.

    Raises
    ------
    InputError
        If the bytes are not text in this encoding, or a line has no end; names it.
    """
    text = FileText.of_file(path)
    refuse_endless_lines(text, encoding, path.name)
    text, encoding, is_utf8 = find_encoding(text, encoding, path.name)
    if is_utf8:
        return text
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        if (bad := first_undecodable(text, "utf-8")) is not None:
            raise undecodable_error(text, bad, encoding, path.name)
        return text.removeprefix(codecs.BOM_UTF8)
    decoder = codecs.getincrementaldecoder(encoding)()
    begins = True
    with name_file_in_errors(copy), copy.open("wb") as stream:
        try:
            for at, piece in text.iterate_pieces():
                letters = decoder.decode(piece, at + len(piece) >= len(text))
                if begins and letters:
                    letters, begins = letters.removeprefix("\ufeff"), False
                stream.write(letters.encode("utf-8"))
        except UnicodeDecodeError:
            bad = first_undecodable(text, encoding) or 0
            raise undecodable_error(text, bad, encoding, path.name) from None
        except UnicodeError:  # UTF-16 without the mark that it needs
            raise undecodable_error(text, 0, encoding, path.name) from None
    return FileText.of_file(copy)


def iterate_record_ranges(
    text: FileText, records: RecordRange, size: int
) -> Iterator[RecordRange]:
    """Yield ranges of whole records, each of some `size` bytes, in order.

    Only the first one has names of columns.

    Parameters
    ----------
    text : FileText
    records : RecordRange
        All of them.
    size : int
    """
    first = start = records.start
    names = records.names
    while start < records.end:
        start = _end_of_records(text, start, records)
        if start - first >= size or start == records.end:
            yield replace(records, start=first, end=start, names=names)
            first, names = start, None


def _end_of_records(text: FileText, start: int, records: RecordRange) -> int:
    """Return where a record ends, some steps behind the start of another one.

    Marks around a field are those at its beginning and the next one that is single;
    line ends between them do not end a record. Of one that is too long to be read,
    all that follows is part.
    """
    sign = re.escape(records.delimiter.encode())
    opening = rb'(?:\A|(?<=[\r\n%b]))"' % sign
    quoted = re.compile(opening + rb'[^"]*(?:""[^"]*)*"(?!")')
    step = STEP_BYTES
    while start + step < records.end and step <= MAX_RECORD_BYTES:
        some = text[start : start + step]
        if b'"' in some:
            some = quoted.sub(lambda field: b"x" * len(field[0]), some)
            never_closed = re.search(opening, some)
            some = some[: never_closed.start()] if never_closed else some
        end = some.rfind(b"\n") + 1 or some.rfind(b"\r", 0, -1) + 1
        if end:
            return start + end
        step *= 2
    return records.end
