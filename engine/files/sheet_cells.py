"""Cells of a worksheet as they are in the file: type, text and number format.

Readers turn these into values and leave the rest out; a column that nobody protects
keeps all of it.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from xml.etree import ElementTree

from engine.files import workbook

_RELATION = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)


class Cell(NamedTuple):
    """A cell that is not empty.

    Attributes
    ----------
    kind : str
        "n" for numbers and dates, "s" for text, "b" for truth values, "e" for errors,
        "d" for dates in ISO 8601.
    text : str
        What the file says, such as "43831" for a date.
    form : int or str
        Number format: one of Excel's own by its number, others by their code.
    """

    kind: str
    text: str
    form: int | str = 0


def cells_of(
    content: bytes, sheet: str, columns: Collection[int], name: str
) -> Iterator[tuple[int, int, Cell]]:
    """Yield row, column (both from 0) and contents of the cells in some columns.

    Parameters
    ----------
    content : bytes
        Of a workbook that :func:`engine.files.workbook.refuse_unsafe` let pass.
    sheet : str
        Its name.
    columns : collection of int
    name : str
        The file's, for messages.

    Raises
    ------
    InputError
        If the workbook is broken.
    """
    with _opened(content, name) as archive:
        yield from _cells(archive, sheet, frozenset(columns))


def counts_from_1904(content: bytes, name: str) -> bool:
    """Return whether a workbook counts its dates from 1904, as on old Macintoshes.

    Raises
    ------
    InputError
        If the workbook is broken.
    """
    with _opened(content, name) as archive:
        for each in _elements(archive, _book(archive), "workbookPr"):
            return each.get("date1904", "0") in ("1", "true", "on")
    return False


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive
    # Parts that calamine does not need may be locked, or packed in ways unknown here.
    except (*workbook.BROKEN, ElementTree.ParseError, LookupError, RuntimeError):
        raise workbook.broken(name) from None


def _cells(
    archive: zipfile.ZipFile, sheet: str, columns: frozenset[int]
) -> Iterator[tuple[int, int, Cell]]:
    book = _book(archive)
    related = _relations(archive, book)
    inside = {posixpath.basename(kind): path for kind, path in related.values()}
    forms = _forms(archive, inside["styles"]) if "styles" in inside else [0]
    shared: list[str] | None = None
    for row, column, each in _placed(archive, _sheet(archive, book, sheet, related)):
        if column not in columns:
            continue
        kind = each.get("t", "n")
        text = _text(each) if kind == "inlineStr" else _value(each)
        if text is None or (text == "" and kind != "inlineStr"):
            continue
        if kind == "s":
            if shared is None:
                path = inside["sharedStrings"]
                shared = [_text(one) for one in _elements(archive, path, "si")]
            text = shared[int(text)]
        if kind in ("inlineStr", "str"):
            kind = "s"
        yield row, column, Cell(kind, text, forms[int(each.get("s", "0"))])


def _placed(
    archive: zipfile.ZipFile, path: str
) -> Iterator[tuple[int, int, ElementTree.Element]]:
    """Yield row, column and element of every cell; places may be left out."""
    row, column, data = -1, -1, None
    with archive.open(path) as stream:
        for event, each in ElementTree.iterparse(stream, ("start", "end")):
            name = _local(each)
            if event == "start":
                if name == "sheetData":
                    data = each
                elif name == "row":
                    row = int(each.get("r", row + 2)) - 1
                    column = -1
            elif name == "c":
                letters = (each.get("r") or "").rstrip("0123456789").encode()
                column = workbook.column_number(letters) - 1 if letters else column + 1
                yield row, column, each
            elif name == "row" and data is not None:
                data.clear()


def _book(archive: zipfile.ZipFile) -> str:
    """Return the path of the workbook's own part."""
    for kind, path in _relations(archive, "").values():
        if posixpath.basename(kind) == "officeDocument":
            return path
    raise KeyError("officeDocument")


def _sheet(
    archive: zipfile.ZipFile, book: str, name: str, related: dict[str, tuple[str, str]]
) -> str:
    for each in _elements(archive, book, "sheet"):
        if each.get("name") == name:
            return related[next(filter(None, map(each.get, _RELATION)))][1]
    raise KeyError(name)


def _relations(archive: zipfile.ZipFile, path: str) -> dict[str, tuple[str, str]]:
    """Return kind and path of the parts that a part names, by identifier."""
    folder, name = posixpath.split(path)
    own = posixpath.join(folder, "_rels", f"{name}.rels")
    found = {}
    for each in _elements(archive, own, "Relationship"):
        target = posixpath.join("/", folder, each.get("Target", ""))
        place = posixpath.normpath(target).lstrip("/")
        found[each.get("Id", "")] = each.get("Type", ""), place
    return found


def _forms(archive: zipfile.ZipFile, path: str) -> list[int | str]:
    """Return the number format of each style of cells."""
    codes: dict[int, str] = {}
    found: list[int | str] = []
    with archive.open(path) as stream:
        root = ElementTree.parse(stream).getroot()
    for part in root:
        if _local(part) == "numFmts":
            for each in part:
                codes[int(each.get("numFmtId", 0))] = each.get("formatCode", "General")
        elif _local(part) == "cellXfs":
            numbers = [int(each.get("numFmtId", 0)) for each in part]
            found = [codes.get(number, number) for number in numbers]
    return found or [0]


def _elements(
    archive: zipfile.ZipFile, path: str, name: str
) -> Iterator[ElementTree.Element]:
    with archive.open(path) as stream:
        for _, each in ElementTree.iterparse(stream):
            if _local(each) == name:
                yield each
                each.clear()


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _value(cell: ElementTree.Element) -> str | None:
    for each in cell:
        if _local(each) == "v":
            return each.text or ""
    return None


def _text(element: ElementTree.Element) -> str:
    """Return text without its fonts, and without how it is pronounced."""
    found = []
    for each in element:
        name = _local(each)
        if name == "t":
            found.append(each.text or "")
        elif name in ("is", "r"):
            found.append(_text(each))
    return "".join(found)
