"""Reading of project files: all of a file is validated before anything is used.

A server has a process of its own take the file apart (:func:`unpack_project`) and
then loads what that has left (:func:`read_unpacked_project`): the same parts, checked
and written anew, and the tables as Arrow values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dashboard.i18n.text_session import PROJECT_DAMAGED, PROJECT_NONE, PROJECT_TOO_LARGE
from dashboard.projects.archive import unpack_archive
from dashboard.projects.manifest import (
    MAX_MANIFEST_BYTES,
    FailurePart,
    Manifest,
    ResultPart,
    RunPart,
    SnapshotPart,
    choices_from_part,
    parse_manifest,
    source_from_part,
)
from dashboard.projects.project import LABEL_DTYPE, LEDGER_PART, MANIFEST_PART, Project
from dashboard.state.caches.memo import Key, memo_key_for_schema
from dashboard.state.results.runs import FinishedRun
from dashboard.state.snapshots.snapshot import Snapshot, TableSource, Upload
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import EngineError, InputError
from engine.data.table import Table
from engine.files import ReadOptions, read_table
from engine.pipeline.compare import Failure
from engine.pipeline.plan import Plan
from engine.storage.bounded_reading import read_bounded_bytes
from engine.storage.figures import OutcomeFigures
from engine.storage.outcomes import create_folder_atomically, load_table, save_table
from engine.storage.snapshot import OutcomeSnapshot

TABLES_FOLDER = "tables"
"""Folder of the tables that :func:`unpack_project` has read."""

MAX_FIGURES_BYTES = MAX_MANIFEST_BYTES
"""Bytes of the figures of all results together."""


def read_project(content: bytes) -> Project:
    """Return the project in an untrusted file; raise if it is invalid.

    Raises
    ------
    EngineError
        One sentence, if it is none, is damaged, or makes choices that do not exist.
    """
    return _project(_open_project(content))


def unpack_project(content: bytes, folder: Path) -> None:
    """Validate an untrusted project file, and write its content into a folder.

    Raises
    ------
    EngineError
        As :func:`read_project`; then nothing is written.
    """
    reader = _open_project(content)
    _project(reader)
    parts = reader.parts
    with create_folder_atomically(folder) as part:
        (part / MANIFEST_PART).write_text(
            reader.manifest.model_dump_json(), encoding="utf-8"
        )
        for name in reader.used:
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(parts[name])
        for number, (table, _upload) in reader.tables.items():
            (part / TABLES_FOLDER).mkdir(exist_ok=True)
            table = replace(table, carried=None)  # it is among the parts
            save_table(table, part / TABLES_FOLDER / str(number))


def read_unpacked_project(folder: Path) -> Project:
    """Return the project in a folder that :func:`unpack_project` has written."""
    parts = _Folder(folder)

    def table_of(number: int, upload: Upload, _options: ReadOptions) -> Table:
        return upload.attach_to(load_table(folder / TABLES_FOLDER / str(number)))

    return _project(_Reader(parse_manifest(parts[MANIFEST_PART]), parts, table_of))


class _Folder(Mapping[str, bytes]):
    """Parts as files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> bytes:
        try:
            return read_bounded_bytes(self._folder / name)
        except FileNotFoundError:
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        return (self._folder / str(name)).is_file()

    def __iter__(self) -> Iterator[str]:
        for path in self._folder.rglob("*"):
            if path.is_file():
                yield path.relative_to(self._folder).as_posix()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _open_project(content: bytes) -> _Reader:
    parts = unpack_archive(content)
    if MANIFEST_PART not in parts:
        raise InputError(PROJECT_NONE)

    def table_of(_number: int, upload: Upload, options: ReadOptions) -> Table:
        return read_table(upload.content, name=upload.name, options=options)

    return _Reader(parse_manifest(parts[MANIFEST_PART]), parts, table_of)


def _project(reader: _Reader) -> Project:
    try:
        return reader.project()
    except (KeyError, IndexError, ValueError, TypeError, RecursionError) as error:
        if isinstance(error, EngineError):
            raise
        raise InputError(PROJECT_DAMAGED) from None


class _Reader:
    """Takes a project apart."""

    def __init__(
        self,
        manifest: Manifest,
        parts: Mapping[str, bytes],
        table_of: Callable[[int, Upload, ReadOptions], Table],
    ) -> None:
        self.manifest, self.parts = manifest, parts
        self.tables: dict[int, tuple[Table, Upload]] = {}
        self.used: set[str] = set()
        self._facts = 0
        self._table_of = table_of
        self._plans = [Plan.from_json(text) for text in manifest.plans]
        self._sources = [source_from_part(part) for part in manifest.sources]

    def _part(self, name: str) -> bytes:
        self.used.add(name)
        return self.parts[name]

    def project(self) -> Project:
        manifest = self.manifest
        keys = self._keys()
        results = {
            part.key: self._outcome(part, f"results/{number}/", keys)
            for number, part in enumerate(manifest.results)
        }
        return Project(
            name=manifest.name,
            snapshot=self._snapshot(manifest.current),
            runs=tuple(map(self._run, manifest.runs)),
            outcomes=MappingProxyType(results),
            failures=MappingProxyType(
                {row.key: self._failure(row, keys) for row in manifest.failures}
            ),
            analyses=MappingProxyType(
                {
                    (row.key, row.content.target, row.content.model): row.content
                    for row in manifest.analyses
                }
            ),
            ledger=self._ledger(),
        )

    def _ledger(self) -> Ledger | None:
        if LEDGER_PART not in self.parts:
            return None
        content = self._part(LEDGER_PART)
        if len(content) > MAX_MANIFEST_BYTES:
            raise InputError(PROJECT_TOO_LARGE)
        return Ledger.from_bytes(content, LEDGER_PART)

    def _keys(self) -> Mapping[Key, Plan]:
        """Return which plan each key can stand for: nobody else's result."""
        return {
            memo_key_for_schema(source.fingerprint, source.schema, plan): plan
            for source in self._sources
            for plan in self._plans
        }

    def _snapshot(self, part: SnapshotPart) -> Snapshot:
        source, frame, upload, carried = None, None, None, None
        if part.source is not None:
            source = self._sources[part.source]
            data = self.manifest.sources[part.source].data
            if data is not None:
                table, upload = self._data(data, source)
                schema = source.schema.join_singling_out(table.schema)
                source = replace(source, origin=table.origin, schema=schema)
                frame, carried = table.frame, table.carried
        chosen = None if part.chosen is None else self._plans[part.chosen]
        return Snapshot(
            source=source,
            frame=frame,
            upload=upload,
            carried=carried,
            choices=choices_from_part(part.choices),
            along=MappingProxyType({"chosen": chosen, "notes": ()}),
        )

    def _data(self, data: int, source: TableSource) -> tuple[Table, Upload]:
        """Read the file of a table, once."""
        if data not in self.tables:
            upload = Upload(source.origin.name, self._part(f"data/{data}"))
            options = ReadOptions.from_used_options(source.origin.options)
            self.tables[data] = self._table_of(data, upload, options), upload
        table, upload = self.tables[data]
        same_names = table.schema.names == source.schema.names
        if table.fingerprint != source.fingerprint or not same_names:
            raise InputError(PROJECT_DAMAGED)
        return table, upload

    def _run(self, part: RunPart) -> FinishedRun:
        plans = tuple(self._plans[number] for number in part.plans)
        if len(plans) != len(part.keys) or part.ended.tzinfo is None:
            raise InputError(PROJECT_DAMAGED)
        return FinishedRun(
            number=part.number,
            snapshot=self._snapshot(part.snapshot),
            plans=plans,
            keys=part.keys,
            figures=MappingProxyType(dict(part.figures)),
            ended=part.ended,
            whole=part.whole,
            name=part.name,
        )

    def _failure(self, part: FailurePart, plans: Mapping[Key, Plan]) -> Failure:
        if plans[part.key] != self._plans[part.plan]:
            raise InputError(PROJECT_DAMAGED)
        return Failure(self._plans[part.plan], part.message)

    def _outcome(
        self, part: ResultPart, folder: str, plans: Mapping[Key, Plan]
    ) -> OutcomeSnapshot:
        text = self._part(f"{folder}facts.json")
        self._facts += len(text)
        if self._facts > MAX_FIGURES_BYTES:
            raise InputError(PROJECT_TOO_LARGE)
        figures = OutcomeFigures.from_json(json.loads(text))
        if plans[part.key] != figures.plan or part.key[0] != figures.fingerprint:
            raise InputError(PROJECT_DAMAGED)
        seeds = None
        if part.n_seeds is not None:
            seeds = self._array(f"{folder}seeds", part.n_seeds)
        return OutcomeSnapshot(
            figures=figures,
            labels=self._array(f"{folder}labels", part.n_released),
            rows=self._array(f"{folder}rows", part.n_released),
            seeds=seeds,
            digest=part.digest,
        )

    def _array(self, name: str, count: int) -> NDArray[np.int64]:
        values = np.frombuffer(self._part(name), dtype=LABEL_DTYPE).astype(np.int64)
        if len(values) != count:
            raise InputError(PROJECT_DAMAGED)
        return values
