"""Cells of an .xlsx worksheet as stored: type, text and number format; 1904 dates.

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

from engine.files.workbooks import workbook

_RELATION_TAGS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)


class StoredCell(NamedTuple):
    """Type, text and number format of a cell of an Excel worksheet.

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


def iterate_stored_cells(
    content: bytes, sheet: str, columns: Collection[int], name: str
) -> Iterator[tuple[int, int, StoredCell]]:
    """Yield row, column (both from 0) and StoredCell of filled cells in given columns.

    Parameters
    ----------
    content : bytes
        Of a workbook that :func:`.workbook.refuse_unsafe_workbook` let pass.
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
    with _open_archive(content, name) as archive:
        yield from _iterate_cells(archive, sheet, frozenset(columns))


def uses_1904_dates(content: bytes, name: str) -> bool:
    """Return whether a workbook's dates are counted from 1904.

    Raises
    ------
    InputError
        If the workbook is broken.
    """
    with _open_archive(content, name) as archive:
        for each in _iterate_elements(archive, _workbook_part(archive), "workbookPr"):
            return each.get("date1904", "0") in ("1", "true", "on")
    return False


@contextmanager
def _open_archive(content: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive
    # Parts that calamine does not need may be locked, or packed in ways unknown here.
    except (
        *workbook.ARCHIVE_ERRORS,
        ElementTree.ParseError,
        LookupError,
        RuntimeError,
    ):
        raise workbook.damaged_workbook_error(name) from None


def _iterate_cells(
    archive: zipfile.ZipFile, sheet: str, columns: frozenset[int]
) -> Iterator[tuple[int, int, StoredCell]]:
    book = _workbook_part(archive)
    related = _part_relations(archive, book)
    inside = {posixpath.basename(kind): path for kind, path in related.values()}
    forms = _number_formats(archive, inside["styles"]) if "styles" in inside else [0]
    shared: list[str] | None = None
    for row, column, each in _positioned_cells(
        archive, _sheet_part(archive, book, sheet, related)
    ):
        if column not in columns:
            continue
        kind = each.get("t", "n")
        text = _element_text(each) if kind == "inlineStr" else _cell_value(each)
        if text is None or (text == "" and kind != "inlineStr"):
            continue
        if kind == "s":
            if shared is None:
                path = inside["sharedStrings"]
                shared = [
                    _element_text(element)
                    for element in _iterate_elements(archive, path, "si")
                ]
            text = shared[int(text)]
        if kind in ("inlineStr", "str"):
            kind = "s"
        yield row, column, StoredCell(kind, text, forms[int(each.get("s", "0"))])


def _positioned_cells(
    archive: zipfile.ZipFile, path: str
) -> Iterator[tuple[int, int, ElementTree.Element]]:
    """Yield row, column and element of every cell; places may be left out."""
    row, column, data = -1, -1, None
    with archive.open(path) as stream:
        for event, each in ElementTree.iterparse(stream, ("start", "end")):
            name = _local_name(each)
            if event == "start":
                if name == "sheetData":
                    data = each
                elif name == "row":
                    before, row = row, int(each.get("r", row + 2)) - 1
                    if row <= before:
                        raise ValueError("a row stands twice, or above an earlier one")
                    column = -1
            elif name == "c":
                letters = (each.get("r") or "").rstrip("0123456789").encode()
                column = (
                    workbook.column_number_from_letters(letters) - 1
                    if letters
                    else column + 1
                )
                yield row, column, each
            elif name == "row" and data is not None:
                data.clear()


def _workbook_part(archive: zipfile.ZipFile) -> str:
    """Return the path of the workbook's own part."""
    for kind, path in _part_relations(archive, "").values():
        if posixpath.basename(kind) == "officeDocument":
            return path
    raise KeyError("officeDocument")


def _sheet_part(
    archive: zipfile.ZipFile, book: str, name: str, related: dict[str, tuple[str, str]]
) -> str:
    for each in _iterate_elements(archive, book, "sheet"):
        if each.get("name") == name:
            return related[next(filter(None, map(each.get, _RELATION_TAGS)))][1]
    raise KeyError(name)


def _part_relations(archive: zipfile.ZipFile, path: str) -> dict[str, tuple[str, str]]:
    """Return kind and path of the parts that a part names, by identifier."""
    folder, name = posixpath.split(path)
    relations_path = posixpath.join(folder, "_rels", f"{name}.rels")
    relations = {}
    for each in _iterate_elements(archive, relations_path, "Relationship"):
        target = posixpath.join("/", folder, each.get("Target", ""))
        place = posixpath.normpath(target).lstrip("/")
        relations[each.get("Id", "")] = each.get("Type", ""), place
    return relations


def _number_formats(archive: zipfile.ZipFile, path: str) -> list[int | str]:
    """Return the number format of each style of cells."""
    codes: dict[int, str] = {}
    style_formats: list[int | str] = []
    with archive.open(path) as stream:
        root = ElementTree.parse(stream).getroot()
    for part in root:
        if _local_name(part) == "numFmts":
            for each in part:
                codes[int(each.get("numFmtId", 0))] = each.get("formatCode", "General")
        elif _local_name(part) == "cellXfs":
            numbers = [int(each.get("numFmtId", 0)) for each in part]
            style_formats = [codes.get(number, number) for number in numbers]
    return style_formats or [0]


def _iterate_elements(
    archive: zipfile.ZipFile, path: str, name: str
) -> Iterator[ElementTree.Element]:
    with archive.open(path) as stream:
        for _, each in ElementTree.iterparse(stream):
            if _local_name(each) == name:
                yield each
                each.clear()


def _local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _cell_value(cell: ElementTree.Element) -> str | None:
    for each in cell:
        if _local_name(each) == "v":
            return each.text or ""
    return None


def _element_text(element: ElementTree.Element) -> str:
    """Return text without its fonts, and without how it is pronounced."""
    texts = []
    for each in element:
        name = _local_name(each)
        if name == "t":
            texts.append(each.text or "")
        elif name in ("is", "r"):
            texts.append(_element_text(each))
    return "".join(texts)
