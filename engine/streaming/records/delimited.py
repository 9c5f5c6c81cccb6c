"""Read delimited text once, into a private copy in Parquet that the passes read.

A pass over text takes many times as long as one over Parquet, and there are several.
The copy has what the reader of delimited text makes of the same file in memory.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.platform.files import (
    file_size_and_mtime,
    remove_file,
    remove_folder_with_retries,
)
from engine.core.platform.system_errors import name_file_in_errors
from engine.files.base import refuse_empty_table
from engine.files.input.column_types import (
    ColumnType,
    TextSample,
    decide_column_types,
    find_misfits,
)
from engine.files.input.names import label_options
from engine.files.input.options import ReadOptions
from engine.files.input.reading import TextColumnConverter
from engine.files.input.source import InputBytes
from engine.files.text.delimited import without_repeated_names
from engine.files.text.delimited_records import (
    iterate_record_batches,
    merge_batches,
    refuse_no_records_or_open_quote,
    without_trailing_blank_lines,
)
from engine.files.text.detect import refuse_too_many_or_long_names
from engine.files.text.file_text import FileText
from engine.files.text.record_range import RecordRange, locate_records, name_columns
from engine.files.text.record_ranges import iterate_record_ranges, open_utf8_text
from engine.storage.addresses import Address, Place
from engine.storage.transfers import download_file
from engine.streaming.records.input_files import (
    list_folder,
    list_input_files,
    other_columns_error,
)
from engine.streaming.records.source import (
    PARQUET_SUFFIXES,
    InputOrigin,
    ParquetSource,
    open_parquet_source,
)
from engine.streaming.versions import byte_relevant_versions
from engine.streaming.workers.tasks import Workers, map_in_order
from engine.streaming.workspace import COPY_STATE, RunWorkspace, check_disk_space

DELIMITED_SUFFIXES = (".csv", ".tsv", ".txt")

RANGE_BYTES = 1 << 26
"""Bytes of text that a task converts, about."""

CONVERSION_BYTES = 1 << 28
"""Memory that converting a range takes, at most."""

FIRST_RECORDS, LAST_RECORDS = 20_000, 100
"""Records at the beginning and end of the input that tell types."""

TEXT_FILES = "text-{}"
"""Files of the text in UTF-8, where it has another encoding."""

DOWNLOADS = "text-from-store-{}"
"""Folders of files that were copied from a store, each by its own name."""

CONVERSION_STAGE = Message("Reading the text")


def is_delimited_input(path: Place) -> bool:
    """Return whether a path names delimited text, or a folder with nothing else."""
    if path.is_dir():
        suffixes = {each.suffix.lower() for each in list_folder(path)}
        is_text = not suffixes.isdisjoint(DELIMITED_SUFFIXES)
        return is_text and suffixes.isdisjoint(PARQUET_SUFFIXES)
    return path.suffix.lower() in DELIMITED_SUFFIXES


def open_delimited_source(
    path: Place,
    options: ReadOptions,
    workspace: RunWorkspace,
    workers: Workers,
    ctx: RunContext,
) -> ParquetSource:
    """Return the source of the records in a file or folder of delimited text.

    Parameters
    ----------
    path : Path or Address
    options : ReadOptions
    workspace : RunWorkspace
        Keeps the copy; one that an earlier run has made of the same files is taken.
    workers : Workers
        Who converts ranges of the text.
    ctx : RunContext

    Raises
    ------
    InputError
        If a file is no table, or files differ in their columns; with the line.
    """
    paths = tuple(list_input_files(path, DELIMITED_SUFFIXES))
    for each in paths:
        if isinstance(each, Path):
            InputBytes(each.name, path=each).check_readable()
        if not each.stat().st_size:
            raise InputError(
                "File {file!r} is empty: choose a file with data.", file=each.name
            )
    versions = tuple(file_size_and_mtime(each.stat()) for each in paths)
    state = {
        "files": [
            [str(each.absolute()), *version]
            for each, version in zip(paths, versions, strict=True)
        ],
        "options": asdict(options),
        "versions": byte_relevant_versions(),
    }
    state = json.loads(json.dumps(state))
    stored = workspace.read_json(COPY_STATE)
    if stored is None or stored["of"] != state:
        workspace.clear_input()
        check_disk_space(workspace, sum(size for size, _ in versions))
        local = _copy_from_stores(paths, workspace.input, ctx.subcontext(0.0, 0.5))
        rest = ctx if local == paths else ctx.subcontext(0.5, 1.0)
        written = _Conversion(local, options, workspace.input, workers).run(rest)
        stored = {"of": state, "written": written}
        InputOrigin(paths, versions, written).refuse_changed_files()
        workspace.write_json(COPY_STATE, stored)
    origin = InputOrigin(paths, versions, stored["written"])
    return replace(open_parquet_source(workspace.input), path=path, origin=origin)


def _copy_from_stores(
    paths: Sequence[Place], folder: Path, ctx: RunContext
) -> tuple[Path, ...]:
    """Return the paths of files; those in stores are first copied to a folder."""
    local: list[Path] = []
    for number, place in enumerate(paths):
        if isinstance(place, Address):
            path = folder / DOWNLOADS.format(f"{number:05}") / place.name
            path.parent.mkdir()
            look = partial(ctx.tick, number, len(paths), CONVERSION_STAGE)
            download_file(place, path, look)
            place = path
        local.append(place)
    return tuple(local)


@dataclass(frozen=True)
class TextRange:
    """Whole records of one file, which one task converts.

    Attributes
    ----------
    text : FileText
        In UTF-8.
    records : RecordRange
    file_name : str
        For messages.
    number : int
        From 0, over all files.
    """

    text: FileText
    records: RecordRange
    file_name: str
    number: int = 0

    def batches(self, header: Sequence[str] | None) -> Iterator[list[Any]]:
        """Yield the columns of some records after the other, as text.

        Parameters
        ----------
        header : sequence of str or None
            Names as they are in the file: records that repeat them are left out.
        """
        batches = iterate_record_batches(self.text, self.records, self.file_name)
        for batch in merge_batches(batches):
            columns = [pa.chunked_array([column]) for column in batch.columns]
            columns = without_repeated_names(columns, [*header] if header else None)
            if len(columns[0]):
                yield columns


class RangeFindings:
    """What the cells of a range say of the types of columns.

    Attributes
    ----------
    n_records : int
    cells : dict of str to list of str
        Cells that the sample of a column lacks.
    misfits : set of str
        Columns with cells that are not of their type.
    words : dict of str to Counter
        Words for missing values.
    inexact : set of str
        Columns with numbers that have fewer digits than their text.
    last : list of list of str
        Cells of the last records of each column.
    """

    def __init__(self) -> None:
        self.n_records = 0
        self.cells = defaultdict[str, list[str]](list)
        self.misfits = set[str]()
        self.words = defaultdict[str, Counter[str]](Counter)
        self.inexact = set[str]()
        self.last: list[list[str]] = []

    def add_last(self, columns: Sequence[Any]) -> None:
        """Keep the cells of the last records, of these and of those before."""
        some = [
            column.slice(max(len(column) - LAST_RECORDS, 0)).to_pylist()
            for column in columns
        ]
        self.last = join_last(self.last, some)


def join_last(before: list[list[str]], after: list[list[str]]) -> list[list[str]]:
    """Return the cells of the last of all records, for each column."""
    pairs = zip(before, after, strict=True)
    return [[*a, *b][-LAST_RECORDS:] for a, b in pairs] if before else after


@dataclass(frozen=True)
class ColumnTask:
    """How the columns of every range are converted.

    Attributes
    ----------
    names : tuple of str
    header : tuple of str or None
        Names as they are in the file.
    types : dict of str to ColumnType
    dropped : frozenset of str
        Columns that have neither a name nor a value.
    options : ReadOptions
    folder : Path
        Of the copy.
    """

    names: tuple[str, ...]
    header: tuple[str, ...] | None
    types: dict[str, ColumnType]
    dropped: frozenset[str]
    options: ReadOptions
    folder: Path

    def convert_range(self, text_range: TextRange, ctx: RunContext) -> RangeFindings:
        """Write a range to its file of the copy; return what its cells say of types.

        Raises
        ------
        InputError
            If records differ in width, or marks around fields are out of place.
        """
        findings = RangeFindings()
        converter = TextColumnConverter(self.names, self.options)
        kept = [name for name in self.names if name not in self.dropped]
        schema = pa.schema([(name, self.types[name].stored_type) for name in kept])
        path = self.folder / f"part-{text_range.number:05}.parquet"
        # Neither packed nor coded: it is read some times, and then removed.
        with (
            name_file_in_errors(path),
            pq.ParquetWriter(
                path, schema, compression="none", use_dictionary=False
            ) as writer,
        ):
            for columns in text_range.batches(self.header):
                ctx.tick(0, 1, "")
                values = self._convert_columns(columns, converter, findings)
                if not findings.misfits:
                    table = pa.table({name: values[name] for name in kept}, schema)
                    writer.write_table(table)
                findings.n_records += len(columns[0])
                findings.add_last(columns)
        return findings

    def _convert_columns(
        self,
        columns: Sequence[Any],
        converter: TextColumnConverter,
        findings: RangeFindings,
    ) -> dict[str, Any]:
        """Return the columns that fit as values; add to the findings what does not."""
        values = {}
        for name, text in zip(self.names, columns, strict=True):
            if name in findings.misfits:
                continue
            column_type = self.types[name]
            text = converter.without_codes(name, text, column_type.decimal)
            converted = column_type.try_convert(text)
            if converted is None:
                findings.misfits.add(name)
                fits = partial(_fits_type, column_type)
                findings.cells[name] += find_misfits(text, fits)
                continue
            values[name] = converted[0]
            if name not in findings.inexact and not column_type.keeps_digits(
                text, converted[0]
            ):
                findings.inexact.add(name)
            findings.words[name].update(converted[1])
            if cells := column_type.find_new_cells(text):
                findings.cells[name] += cells
        return values


def _fits_type(column_type: ColumnType, some: Any) -> bool:
    return column_type.try_convert(some) is not None


class _Conversion:
    """Conversion of files to the copy, until every cell is of its column's type."""

    def __init__(
        self,
        paths: Sequence[Path],
        options: ReadOptions,
        folder: Path,
        workers: Workers,
    ) -> None:
        self._options, self._folder, self._workers = options, folder, workers
        ranges: list[TextRange] = []
        for number, path in enumerate(paths):
            copy = folder / TEXT_FILES.format(f"{number:05}")
            text = open_utf8_text(path, options.encoding, copy)
            records = locate_records(text, options, path.name)
            refuse_no_records_or_open_quote(text, records, path.name)
            records = without_trailing_blank_lines(text, records)
            if not ranges:
                self._first = records
                names, self._nameless, _ = name_columns(records, options)
            elif name_columns(records, options)[0] != names:
                raise other_columns_error(path.name)
            for some in iterate_record_ranges(text, records, RANGE_BYTES):
                ranges.append(TextRange(text, some, path.name, len(ranges)))
        refuse_too_many_or_long_names(names, paths[0].name)
        self._names, self._file_name = tuple(names), paths[0].name
        self._ranges = ranges

    def run(self, ctx: RunContext) -> dict[str, Any]:
        """Convert all ranges, and return how the text is written."""
        first = next(self._ranges[0].batches(self._first.names), None)
        if first is None:
            refuse_empty_table(0, self._file_name)
        assert first is not None
        first = [column.slice(0, FIRST_RECORDS) for column in first]
        sample, n_first = TextSample([*self._names], first), len(first[0])
        types, written = self._decide(sample)
        while True:
            findings = self._convert(types, ctx)
            if sum(each.n_records for each in findings) > n_first:
                last: list[list[str]] = []
                for each in findings:
                    last = join_last(last, each.last)
                sample.last[:] = last
            for name in self._names:
                cells = [cell for each in findings for cell in each.cells[name]]
                sample.add_cells(name, cells)
            before = types
            types, written = self._decide(sample)
            misfits = set[str]().union(*(each.misfits for each in findings))
            if same := {name for name in misfits if types[name] == before[name]}:
                forms = dict.fromkeys(same, "text")
                forms = {**(self._options.forms or {}), **forms}
                self._options = replace(self._options, forms=forms)
                types, written = self._decide(sample)
            if types == before:
                break
        for path in self._folder.glob(TEXT_FILES.format("*")):
            if path.is_dir():
                remove_folder_with_retries(path)
            else:
                remove_file(path)
        words = defaultdict[str, Counter[str]](Counter)
        for each in findings:
            for name, counts in each.words.items():
                words[name].update(counts)
        return {
            **written,
            "inexact": sorted(set[str]().union(*(each.inexact for each in findings))),
            "words": {name: dict(counts) for name, counts in words.items() if counts},
            **label_options(self._names, self._first.labels),
            **self._first.layout.to_options(),
        }

    def _decide(
        self, sample: TextSample
    ) -> tuple[dict[str, ColumnType], dict[str, Any]]:
        return decide_column_types(sample, self._first.delimiter, self._options)

    def _convert(
        self, types: dict[str, ColumnType], ctx: RunContext
    ) -> list[RangeFindings]:
        nameless = {self._names[place - 1] for place in self._nameless}
        header = self._first.names
        task = ColumnTask(
            self._names,
            None if header is None else tuple(header),
            types,
            frozenset(
                name for name in nameless if pa.types.is_null(types[name].arrow_type)
            ),
            self._options,
            self._folder,
        )
        work, stage = task.convert_range, CONVERSION_STAGE
        return list(map_in_order(self._workers, work, self._ranges, ctx, stage))
