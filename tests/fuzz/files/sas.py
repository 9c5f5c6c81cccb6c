"""Write .sas7bdat, which no library for Python does: 32 bits, no compression.

After Shotwell 2014, SAS7BDAT Database Binary Format (vignette of the R package
sas7bdat): a header, a page of what is said of columns, and pages of records. Each file
is read with pandas too, which shares nothing with the engine's reader.
"""

import io
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

PAGE_BYTES = 16_384
HEADER_BYTES = 1_024
MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
META, DATA = 0, 256
MISSING = bytes.fromhex("0000000000feffff")
ROW_SIZE, COLUMN_SIZE = b"\xf7\xf7\xf7\xf7", b"\xf6\xf6\xf6\xf6"
TEXT, NAMES, ATTRIBUTES = b"\xfd\xff\xff\xff", b"\xff\xff\xff\xff", b"\xfc\xff\xff\xff"
FORMAT = b"\xfe\xfb\xff\xff"


def sas7bdat(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Return a file of columns of numbers or text; None is a missing value."""
    widths = {name: _width(cells) for name, cells in columns.items()}
    rows = [
        b"".join(
            _cell(cell, width) for cell, width in zip(row, widths.values(), strict=True)
        )
        for row in zip(*columns.values(), strict=True)
    ]
    length = sum(map(abs, widths.values()))
    per_page = (PAGE_BYTES - 24) // length
    pages = [_meta_page(widths, length, len(rows))]
    for first in range(0, len(rows), per_page):
        some = rows[first : first + per_page]
        head = bytes(16) + struct.pack("<HHHH", DATA, len(some), 0, 0)
        pages.append((head + b"".join(some)).ljust(PAGE_BYTES, b"\0"))
    content = _header(len(pages)) + b"".join(pages)
    back = pd.read_sas(io.BytesIO(content), format="sas7bdat", encoding="utf-8")
    assert list(back) == list(columns)
    assert len(back) == len(rows)
    return content


def _width(cells: Sequence[Any]) -> int:
    """Return the bytes of a cell: 8 of a number, fewer than 0 of text."""
    texts = [cell.encode() for cell in cells if isinstance(cell, str)]
    return -max(1, *map(len, texts)) if texts else 8


def _cell(cell: Any, width: int) -> bytes:
    if width < 0:
        return (cell or "").encode().ljust(-width)
    return MISSING if cell is None else struct.pack("<d", cell)


def _header(n_pages: int) -> bytes:
    head = bytearray(HEADER_BYTES)
    head[:32] = MAGIC
    head[32:40] = b'""\x22"\x02\x01"1'  # 32 bits, little-endian, Unix
    head[70] = 20  # UTF-8
    head[84:92] = b"SAS FILE"
    head[92:156] = b"TABLE".ljust(64)
    head[156:164] = b"DATA    "
    head[196:208] = struct.pack("<III", HEADER_BYTES, PAGE_BYTES, n_pages)
    head[216:224], head[224:240] = b"9.0401M2", b"Linux".ljust(16)
    return bytes(head)


def _meta_page(widths: Mapping[str, int], length: int, n_rows: int) -> bytes:
    """Return the page that says what the columns are."""
    size = bytearray(480)
    size[:4] = ROW_SIZE
    for at, number in ((5, length), (6, n_rows), (9, len(widths)), (13, PAGE_BYTES)):
        size[4 * at : 4 * at + 4] = struct.pack("<I", number)
    text, places = bytearray(28), []
    for name in widths:
        places.append((len(text), len(name.encode())))
        text += name.encode()
        text += bytes(-len(text) % 4)
    text += bytes(8)  # which its length leaves out
    names, attributes, offset = b"", b"", 0
    for (at, chars), width in zip(places, widths.values(), strict=True):
        names += struct.pack("<HHHH", 0, at, chars, 0)
        kind = 1 if width > 0 else 2
        attributes += struct.pack("<IIHBB", offset, abs(width), 4, kind, 0)
        offset += abs(width)
    parts = [
        bytes(size),
        COLUMN_SIZE + struct.pack("<II", len(widths), 0),
        TEXT + struct.pack("<H", len(text) - 8) + bytes(text[2:]),
        _vectors(NAMES, names),
        _vectors(ATTRIBUTES, attributes),
        *[(FORMAT + bytes(48))[:52]] * len(widths),
    ]
    pointers, body, end = b"", b"", PAGE_BYTES
    for part in parts:
        end -= len(part)
        body = part + body
        pointers += struct.pack("<IIBBH", end, len(part), 0, 0, 0)
    head = bytes(16) + struct.pack("<HHHH", META, len(parts), len(parts), 0)
    return (head + pointers).ljust(PAGE_BYTES - len(body), b"\0") + body


def _vectors(signature: bytes, items: bytes) -> bytes:
    """Return what is said of each column one after the other, between its margins."""
    return signature + struct.pack("<HHHH", len(items) + 8, 0, 0, 0) + items + bytes(8)
