"""Detection of the encoding of a text's bytes, and conversion to UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from engine.core.errors import InputError
from engine.core.message import Message


class _Text(Protocol):
    """Those methods of bytes that tell what a text is."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: slice, /) -> bytes: ...

    def __contains__(self, byte: Any, /) -> bool: ...

    def count(self, byte: Any, start: Any = ..., end: Any = ..., /) -> int: ...

    def startswith(self, prefix: Any, /) -> bool: ...

    def endswith(self, suffix: Any, /) -> bool: ...

    def rstrip(self: T, signs: Any, /) -> T: ...


T = TypeVar("T", bound=_Text)

_CHUNK_BYTES = 1 << 24

_BINARY_SIGNATURES = (
    (b"PK\x03\x04", Message("a workbook or another zip archive")),
    (b"PAR1", Message("a Parquet file")),
    (b"\xd0\xcf\x11\xe0", Message("an old Excel file or another Office document")),
    (b"\x1f\x8b", Message("a compressed file")),
    (b"%PDF", Message("a PDF document")),
    (b"\x89PNG", Message("a picture")),
    (b"\xff\xd8\xff", Message("a picture")),
    (b"$FL2", Message("an SPSS file")),
    (b"<stata_dta>", Message("a Stata file")),
)


_SAMPLE_BYTES = 1 << 20
"""Bytes that are looked at to tell encodings apart."""

_HIGH_BYTES = re.compile(rb"[\x81-\xfe]+")
_UTF8_LETTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_HIGH_AFTER_WORD = re.compile(rb"[a-z]{2}[\x80-\xff]")
_HIGH_IN_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]|[\x80-\xff](?=[A-Za-z])")
_SIGN_IN_WORD = re.compile(
    rb"(?<=[A-Za-z])[\xa3\xaf\xb3\xb9\xbf](?=[a-z\x80-\xff])"
    rb"|(?<![A-Za-z0-9])[\xa3\xb3](?=[a-z\xf3])"
    rb"|(?<=[a-z])(?<!m)[\xb3\xb9\xbf](?![A-Za-z0-9])"
)
"""Signs of Windows-1252 where Polish has letters; those of cubic metres are none."""

_MAC_LETTER_IN_WORD = re.compile(
    rb"(?<=[A-Za-z])[\x87-\x8b\x8d-\x91\x95\x98\x99\x9b\x9d\x9f\xd5](?=[a-z])"
    rb"|(?<=[a-z])[\x88\x8a\x8d-\x90\x98\x9d\x9f](?![A-Za-z0-9])"
)
"""Letters and apostrophes of Mac Roman where Windows-1252 has signs or capitals."""

_WINDOWS_LETTER_IN_WORD = re.compile(
    rb"(?<=[A-Za-z])[\xdf-\xf6\xf8-\xff]|[\xdf-\xf6\xf8-\xff](?=[a-z])"
)
"""Small letters of Windows-1252 where Mac Roman has a sign or a capital."""

_WIDE_ENCODINGS = ("utf-16", "utf-32")
"""Encodings whose text has bytes that are zero."""

_MARKUP_PATTERNS = (
    (r"<!doctype html|<html", Message("a web page (HTML)")),
    (r"<\?xml", Message("an XML file")),
    (r"\{\s*(\"|\}$)|\[\s*[\[{]", Message("a JSON file")),
)


def utf8_bytes_and_encoding(
    content: bytes, encoding: str | None, file_name: str
) -> tuple[bytes, str]:
    """Return text as UTF-8 without byte order mark, and its given or detected encoding.

    Parameters
    ----------
    content : bytes
    encoding : str or None
        None: by its mark, else UTF-8 if it can be, else GB 18030, Windows-1250 or
        Mac Roman where the bytes speak for it, else Windows-1252.
    file_name : str
        The file's, for messages.

    Raises
    ------
    InputError
        If the bytes are not text, or not in this encoding (or in none that can be
        told apart).
    """
    content, encoding, is_utf8 = find_encoding(content, encoding, file_name)
    if is_utf8:
        return content, encoding
    return transcode_to_utf8(content, encoding, file_name), encoding


def find_encoding(
    content: T, encoding: str | None, file_name: str
) -> tuple[T, str, bool]:
    """Return text without a mark at its end, its encoding, and whether it is UTF-8.

    Parameters
    ----------
    content : bytes, or what has the same methods
    encoding : str or None
        As for :func:`utf8_bytes_and_encoding`.
    file_name : str

    Returns
    -------
    content : bytes, or what was given
    encoding : str
    is_utf8 : bool
        True where all bytes were looked at, are UTF-8 and have no byte order mark.

    Raises
    ------
    InputError
    """
    if encoding is None:
        if content.startswith(codecs.BOM_UTF8):
            encoding = "utf-8-sig"
        # The mark of UTF-32 begins with that of UTF-16.
        elif content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            encoding = "utf-32"
        elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
    if encoding is None or not codecs.lookup(encoding).name.startswith(_WIDE_ENCODINGS):
        content = _without_end_mark(content)
        _refuse_binary(content, file_name)
    _refuse_markup(content, encoding, file_name)
    if encoding is not None:
        return content, encoding, False
    if first_undecodable(content, "utf-8") is None:
        return content, "utf-8", True
    _refuse_damaged_utf8(content, file_name)
    for other in _legacy_encodings(content):
        bad = first_undecodable(content, other)
        if bad is None:
            return content, other, False
    assert bad is not None  # the last one is Windows-1252
    raise InputError(
        "File {file!r} is written neither in UTF-8 nor in Windows-1252 (line "
        "{line:,}): name its encoding, for instance mac-roman.",
        file=file_name,
        line=_line_number(content, bad),
    )


def _refuse_damaged_utf8(content: _Text, name: str) -> None:
    """Refuse text of which nine tenths beyond ASCII, but not all, are UTF-8."""
    head = content[:_SAMPLE_BYTES]
    n_bytes, n_letters = sum(map(len, _HIGH_BYTES.findall(head))), 0
    for letter in _UTF8_LETTER.findall(head):
        n_letters += len(letter)
    if n_letters > 0.9 * n_bytes:
        bad = first_undecodable(content, "utf-8")
        assert bad is not None
        raise InputError(
            "File {file!r} is written in UTF-8, but line {line:,} has bytes that are "
            "not: mend that line, or name the file's encoding.",
            file=name,
            line=_line_number(content, bad),
        )


def _without_end_mark(content: T) -> T:
    """Return text without the bytes 0x1A with which programs of DOS end it."""
    text = content.rstrip(b"\r\n")
    return text.rstrip(b"\x1a") if text.endswith(b"\x1a") else content


def _legacy_encodings(content: _Text) -> Iterator[str]:
    """Yield encodings older than Unicode that text may have, the likeliest first.

    Common Chinese signs are two bytes of which the first is one of the first level of
    GB 2312, and they do not end words of ASCII as other letters do. What Windows-1252
    would take for a sign such as \u00b3 or \u00bf in the middle of a word is a letter
    of Windows-1250, as \u0142 and \u017c are. Signs and capitals of Windows-1252 within
    words are letters of Mac Roman: Excel on a Mac saves CSV in it.
    """
    head = content[:_SAMPLE_BYTES]
    runs = _HIGH_BYTES.findall(head)
    high = sum(map(len, runs))
    pairs = [run[at] for run in runs for at in range(0, len(run) - 1, 2)]
    chinese = sum(0xB0 <= first <= 0xD7 or 0xA1 <= first <= 0xA3 for first in pairs)
    n_after_words = len(_HIGH_AFTER_WORD.findall(head))
    if (
        2 * len(pairs) > 0.8 * high
        and chinese > 0.8 * len(pairs)
        and n_after_words <= 0.2 * len(runs)
    ):
        yield "gb18030"
    if 10 * len(_SIGN_IN_WORD.findall(head)) > len(_HIGH_IN_WORD.findall(head)):
        yield "cp1250"
    n_mac_letters = len(_MAC_LETTER_IN_WORD.findall(head))
    if n_mac_letters > len(_WINDOWS_LETTER_IN_WORD.findall(head)):
        yield "mac-roman"
    yield "cp1252"


def transcode_to_utf8(content: bytes, encoding: str, file_name: str) -> bytes:
    """Return text of a known encoding as UTF-8, without byte order mark.

    Parameters
    ----------
    content : bytes
    encoding : str
    file_name : str
        The file's, for messages.

    Raises
    ------
    InputError
        If the bytes are not text in this encoding; names the line.
    """
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        bad = first_undecodable(content, "utf-8")
        if bad is None:
            return content.removeprefix(codecs.BOM_UTF8)
    else:
        try:
            return content.decode(encoding).removeprefix("\ufeff").encode("utf-8")
        except UnicodeDecodeError as error:
            bad = error.start
        except UnicodeError:  # UTF-16 without the mark that it needs
            bad = 0
    raise undecodable_error(content, bad, encoding, file_name)


def undecodable_error(
    content: _Text, position: int, encoding: str, file_name: str
) -> InputError:
    """Return the error for text that cannot be read in an encoding at a position."""
    return InputError(
        "Line {line:,} of file {file!r} cannot be read as {encoding}: "
        "choose another encoding.",
        line=_line_number(content, position),
        file=file_name,
        encoding=encoding,
    )


def _line_number(content: _Text, position: int) -> int:
    return content.count(b"\n", 0, position) + 1


def _refuse_binary(content: _Text, name: str) -> None:
    """Raise if the bytes are no text, with what they seem to be instead."""
    for signature, what in _BINARY_SIGNATURES:
        if content.startswith(signature):
            raise InputError(
                "File {file!r} is {what}, not delimited text: give it the suffix of "
                "its format, or save it as CSV.",
                file=name,
                what=what,
            )
    head = content[:65_536]
    for wide in ("utf-32-le", "utf-32-be"):
        # Hardly any other bytes can be read so.
        if (
            b"\0" in head
            and head.strip(b"\0")
            and first_undecodable(head[: len(head) // 4 * 4], wide) is None
        ):
            raise InputError(
                "File {file!r} is text in {encoding}: name this encoding, or save it "
                "in utf-8.",
                file=name,
                encoding=wide,
            )
    control = sum(head.count(byte) for byte in range(32) if byte not in b"\t\n\r\f\x1a")
    if control > len(head) // 100 or b"\0" in content:
        raise InputError(
            "File {file!r} is not text but binary: save it as CSV, or name its "
            "encoding (such as utf-16-le) if it is text.",
            file=name,
        )


def _refuse_markup(content: _Text, encoding: str | None, name: str) -> None:
    """Raise if the text is that of another format."""
    head = (
        content[:1024]
        .decode(encoding or "utf-8", errors="ignore")
        .strip("\ufeff \t\r\n")
    )
    for begins, what in _MARKUP_PATTERNS:
        if re.match(begins, head, re.IGNORECASE):
            raise InputError(
                "File {file!r} is {what}, not delimited text: give it the suffix of "
                "its format, or save it as CSV.",
                file=name,
                what=what,
            )


def first_undecodable(content: _Text, encoding: str) -> int | None:
    """Return the position of the first byte that `encoding` cannot decode, if any.

    Piece by piece: the text of a large file would fill the memory.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(content), _CHUNK_BYTES):
        pending = len(decoder.getstate()[0])
        end = start + _CHUNK_BYTES
        try:
            decoder.decode(content[start:end], end >= len(content))
        except UnicodeDecodeError as error:
            return max(0, start - pending + error.start)
    return None
