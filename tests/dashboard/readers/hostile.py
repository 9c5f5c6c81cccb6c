"""Files that a hostile person would bring: small, and large when they are read."""

import gzip
import io
import json
import lzma
import struct
import tempfile
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.projects.project import project_to_bytes
from dashboard.state.new_tables.new_table import copy_with_table
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import Workspace
from engine.files import read_table

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


def long_texts(records: int = 30_000) -> bytes:
    """Return a file of SPSS in which all texts are the longest, and blank."""
    import pyreadstat

    frame = pd.DataFrame({"a": ["x" + " " * 32_000 + "x"] * records})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.zsav"
        pyreadstat.write_sav(frame, path, compress=True)
        return path.read_bytes()


def shared_texts(characters: int = 400_000, records: int = 4_000) -> bytes:
    """Return a file of Stata in which all records share one long text."""
    stream = io.BytesIO()
    frame = pd.DataFrame({"a": ["x" * characters] * records})
    frame.to_stata(stream, version=117, convert_strl=["a"], write_index=False)
    return stream.getvalue()


def r_frame(kind: int, length: int, values: bytes) -> tuple[bytes, bytes]:
    """Return an R data frame of one column, up to its values and after them.

    The kind of its values is R's number; their length is what is said of them.
    """

    def text(word: str) -> bytes:
        return struct.pack(">ii", 0x00040009, len(word)) + word.encode()

    def attribute(name: str, value: bytes) -> bytes:
        return struct.pack(">ii", 0x00000402, 1) + text(name) + value

    def texts(word: str) -> bytes:
        return struct.pack(">ii", 0x00000010, 1) + text(word)

    rows = struct.pack(">iiii", 0x0000000D, 2, -(2**31), -length)
    before = b"X\n" + struct.pack(">iii", 2, 0x00040000, 0x00020300)
    before += struct.pack(">ii", 0x00000313, 1)  # a list with attributes
    before += struct.pack(">ii", kind, length) + values
    after = attribute("names", texts("a")) + attribute("class", texts("data.frame"))
    return before, after + attribute("row.names", rows) + struct.pack(">i", 0xFE)


def r_zeros(n: int = 250_000_000) -> bytes:
    """Return an R data frame of nothing but zeros."""
    before, after = r_frame(0x0000000D, n, b"")
    packer = lzma.LZMACompressor(preset=0)
    parts = [packer.compress(before)]
    parts += [packer.compress(bytes(4 * n // 1000)) for _ in range(1000)]
    return b"".join([*parts, packer.compress(after), packer.flush()])


def r_claim(n: int = 2**31 - 1) -> bytes:
    """Return an R data frame that says to have more numbers than it has."""
    return gzip.compress(b"".join(r_frame(0x0000000E, n, bytes(16))))


def repeated_cells(rows: int = 1_048_576, columns: int = 1_024) -> bytes:
    """Return an OpenDocument spreadsheet that says one cell, and counts it."""
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    content = (
        f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" '
        f'xmlns:text="{text}" office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="s"><table:table-row '
        f'table:number-rows-repeated="{rows}"><table:table-cell '
        f'table:number-columns-repeated="{columns}" office:value-type="float" '
        f'office:value="7"><text:p>7</text:p></table:table-cell></table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    listed = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{listed}"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", kind, zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    return stream.getvalue()


def endless_view(records: int = 10**12) -> bytes:
    """Return a database whose only view has more records than memory holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE VIEW t AS FROM range({records})")
        return path.read_bytes()


def reaching_view() -> bytes:
    """Return a database whose only view reads a file of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE VIEW t AS FROM read_text('/etc/hostname')")
        return path.read_bytes()


def wide_text(columns: int = 1_000_000) -> bytes:
    """Return delimited text of very many columns."""
    names = b",".join([b"a%d" % number for number in range(columns)])
    return names + b"\n" + b",".join([b"1"] * columns) + b"\n"


def tall_hierarchy(levels: int = 1_000_000) -> bytes:
    """Return a hierarchy of one category with very many levels."""
    return b";".join([b"%d" % level for level in range(levels)]) + b"\n"


def swollen_ledger(releases: int = 100_000) -> bytes:
    """Return a ledger of very many releases of nothing."""
    release = b'{"name":"a","sha256":"b","columns":[],"k":3,"records":[],"groups":[]}'
    return (
        b'{"format":"coterie-ledger","version":1,"key":"0123456789abcdef","releases":['
        + b",".join([release] * releases)
        + b"]}"
    )


def project_with(file: bytes = b"") -> bytes:
    """Return a project whose data are a workbook that grows."""
    file = file or shared_string()
    content = b"a,b\n1,2\n2,3\n3,4\n"
    table = read_table(content, name="t.csv")
    ws = copy_with_table(Workspace(), table, Upload("t.csv", content))
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(project_to_bytes(ws, "a", with_data=True))) as good,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bad,
    ):
        manifest = json.loads(good.read("manifest.json"))
        for source in manifest["sources"]:
            source["origin"] = {"format": "excel", "name": "t.xlsx", "options": {}}
        bad.writestr("manifest.json", json.dumps(manifest))
        bad.writestr("data/0", file)
    return stream.getvalue()
