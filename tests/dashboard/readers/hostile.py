"""Files that a hostile person would bring: small, and large when they are read."""

from __future__ import annotations

import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def workbook(shared: str, sheet: str) -> bytes:
    """Return a workbook of these parts, of which the zip file compresses the most."""
    relations = f'<Relationships xmlns="{_PACKAGE}">'
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations
        + f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations
        + f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" '
        'Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{_OFFICE}/sharedStrings" '
        'Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{shared}</sst>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{sheet}'
        "</sheetData></worksheet>",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


def shared_string(characters: int = 10**6, cells: int = 2_000) -> bytes:
    """Return a workbook in which many cells share one long text."""
    rows = (
        f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>'
        for row in range(1, cells + 1)
    )
    return workbook(f"<si><t>{'x' * characters}</t></si>", "".join(rows))


def wide_sheet(rows: int = 300) -> bytes:
    """Return a workbook with a cell at the far right of many lines."""
    lines = (
        f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>'
        for row in range(1, 3_000 * rows, 3_000)
    )
    return workbook("", "".join(lines))


def constant_parquet(records: int = 360_000_000) -> bytes:
    """Return a Parquet file with one number, said once and counted."""
    stream = io.BytesIO()
    part = 30_000_000
    values = pa.table({"a": pa.array([7] * 1000 * 30)})
    values = pa.concat_tables([values] * (part // values.num_rows))
    writer = pq.ParquetWriter(stream, values.schema, compression="zstd")
    for _ in range(records // part):
        writer.write_table(values, row_group_size=part)
    writer.close()
    return stream.getvalue()


def text_parquet(characters: int = 400_000, records: int = 10_000) -> bytes:
    """Return a Parquet file in which all records share one long text."""
    text = pa.array([0] * records, pa.int32())
    column = pa.DictionaryArray.from_arrays(text, pa.array(["x" * characters]))
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": column}), stream, compression="none")
    return stream.getvalue()


def swollen_project(megabytes: int = 300) -> bytes:
    """Return a project file with a part that unpacks to nothing but blanks."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("manifest.json", b" " * (megabytes * 2**20))
    return stream.getvalue()


def nested_json(depth: int = 1_000_000) -> bytes:
    """Return JSON that is deeply nested."""
    return b'{"parameters": ' + b"[" * depth + b"]" * depth + b"}"


def many_columns(columns: int = 100_000) -> bytes:
    """Return a plan that names very many columns."""
    names = [f"column {number}" for number in range(columns)]
    return json.dumps({"quasi_identifiers": names}).encode()
