"""Reading a project file: taken apart with distrust, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dashboard.i18n.text_session import PROJECT_DAMAGED, PROJECT_NONE
from dashboard.projects.archive import unpack
from dashboard.projects.manifest import (
    FailurePart,
    Manifest,
    ResultPart,
    RunPart,
    SnapshotPart,
    checked_choices,
    checked_manifest,
    checked_source,
)
from dashboard.projects.project import LABELS, MANIFEST, Project
from dashboard.state.memo import Key, key_with
from dashboard.state.runs import Run
from dashboard.state.snapshot import Snapshot, Source, Upload
from engine.core.errors import EngineError, InputError
from engine.data.table import Table
from engine.files import ReadOptions, read_table
from engine.pipeline.compare import Failure
from engine.pipeline.plan import Plan
from engine.storage.figures import Figures
from engine.storage.snapshot import OutcomeSnapshot


def from_bytes(content: bytes) -> Project:
    """Return the project in a file of unknown origin.

    Raises
    ------
    EngineError
        One sentence, if it is none, is damaged, or makes choices that do not exist.
    """
    parts = unpack(content)
    if MANIFEST not in parts:
        raise InputError(PROJECT_NONE)
    reader = _Reader(checked_manifest(parts[MANIFEST]), parts)
    try:
        return reader.project()
    except (KeyError, IndexError, ValueError, TypeError, RecursionError) as error:
        if isinstance(error, EngineError):
            raise
        raise InputError(PROJECT_DAMAGED) from None


class _Reader:
    """Takes a project apart."""

    def __init__(self, manifest: Manifest, parts: Mapping[str, bytes]) -> None:
        self._manifest, self._parts = manifest, parts
        self._plans = [Plan.from_json(text) for text in manifest.plans]
        self._sources = [checked_source(part) for part in manifest.sources]
        self._tables: dict[int, tuple[Table, Upload]] = {}

    def project(self) -> Project:
        manifest = self._manifest
        known = self._keys()
        results = {
            part.key: self._outcome(part, f"results/{number}/", known)
            for number, part in enumerate(manifest.results)
        }
        return Project(
            name=manifest.name,
            snapshot=self._snapshot(manifest.current),
            runs=tuple(map(self._run, manifest.runs)),
            outcomes=MappingProxyType(results),
            failures=MappingProxyType(
                {one.key: self._failure(one, known) for one in manifest.failures}
            ),
            analyses=MappingProxyType(
                {
                    (one.key, one.content.target, one.content.model): one.content
                    for one in manifest.analyses
                }
            ),
        )

    def _keys(self) -> Mapping[Key, Plan]:
        """Return which plan each key can stand for: nobody else's result."""
        return {
            key_with(source.fingerprint, source.schema, plan): plan
            for source in self._sources
            for plan in self._plans
        }

    def _snapshot(self, part: SnapshotPart) -> Snapshot:
        source, frame, upload = None, None, None
        if part.source is not None:
            source = self._sources[part.source]
            data = self._manifest.sources[part.source].data
            if data is not None:
                table, upload = self._data(data, source)
                source, frame = replace(source, origin=table.origin), table.frame
        chosen = None if part.chosen is None else self._plans[part.chosen]
        return Snapshot(
            source=source,
            frame=frame,
            upload=upload,
            choices=checked_choices(part.choices),
            along=MappingProxyType({"chosen": chosen, "notes": ()}),
        )

    def _data(self, data: int, source: Source) -> tuple[Table, Upload]:
        """Read the file of a table, once."""
        if data not in self._tables:
            upload = Upload(source.origin.name, self._parts[f"data/{data}"])
            options = ReadOptions.of(source.origin.options)
            table = read_table(upload.content, name=upload.name, options=options)
            self._tables[data] = table, upload
        found, upload = self._tables[data]
        same_names = found.schema.names == source.schema.names
        if found.fingerprint != source.fingerprint or not same_names:
            raise InputError(PROJECT_DAMAGED)
        return found, upload

    def _run(self, part: RunPart) -> Run:
        plans = tuple(self._plans[number] for number in part.plans)
        if len(plans) != len(part.keys) or part.ended.tzinfo is None:
            raise InputError(PROJECT_DAMAGED)
        return Run(
            number=part.number,
            snapshot=self._snapshot(part.snapshot),
            plans=plans,
            keys=part.keys,
            figures=MappingProxyType(dict(part.figures)),
            ended=part.ended,
            whole=part.whole,
            name=part.name,
        )

    def _failure(self, part: FailurePart, known: Mapping[Key, Plan]) -> Failure:
        if known[part.key] != self._plans[part.plan]:
            raise InputError(PROJECT_DAMAGED)
        return Failure(self._plans[part.plan], part.message)

    def _outcome(
        self, part: ResultPart, folder: str, known: Mapping[Key, Plan]
    ) -> OutcomeSnapshot:
        content = json.loads(self._parts[f"{folder}facts.json"])
        figures = Figures.from_json(content)
        if known[part.key] != figures.plan or part.key[0] != figures.fingerprint:
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
        values = np.frombuffer(self._parts[name], dtype=LABELS).astype(np.int64)
        if len(values) != count:
            raise InputError(PROJECT_DAMAGED)
        return values
