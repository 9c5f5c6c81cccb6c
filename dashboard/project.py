"""A session's work as a file: choices, runs with names, groups, figures; data if asked.

The file is a zip of ``manifest.json`` (:mod:`dashboard.manifest`), of
``results/<number>/`` with the figures, groups and rows of each result, and of
``data/<number>``, the files that tables were read from, where somebody wanted them
in it. It never holds released values: see :mod:`engine.kept`. Nothing in it is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dashboard.archive import packed, unpacked
from dashboard.manifest import (
    FORMAT,
    VERSION,
    AnalysisPart,
    ChoicesPart,
    FailurePart,
    Manifest,
    OriginPart,
    ResultPart,
    RunPart,
    SnapshotPart,
    SourcePart,
    checked_choices,
    checked_manifest,
    checked_source,
    thawed,
)
from dashboard.memo import Key, key_with
from dashboard.runs import Run
from dashboard.snapshot import Snapshot, Source, taken
from dashboard.text_session import PROJECT_DAMAGED, PROJECT_NONE
from engine.analysis import Analysis
from engine.compare import Failure
from engine.errors import EngineError, InputError
from engine.files import ReadOptions, read_table
from engine.kept import Kept, checked_facts, kept
from engine.outcome import library_versions
from engine.plan import Plan
from engine.table import Table

if TYPE_CHECKING:
    from dashboard.workspace import Upload, Workspace

SUFFIX = "coterie"

_MANIFEST = "manifest.json"
_LABELS = np.dtype("<i4")


@dataclass(frozen=True, eq=False)
class Project:
    """What a project file brings.

    Attributes
    ----------
    name : str
    snapshot : Snapshot
        The choices, and the table if its data are in the file.
    runs : tuple of Run
    kept : mapping of Key to Kept
        Results that come back when their table is there.
    failures : mapping of Key to Failure
    analyses : mapping of (Key, str, str) to Analysis
    """

    name: str
    snapshot: Snapshot
    runs: tuple[Run, ...] = ()
    kept: Mapping[Key, Kept] = field(default_factory=dict)
    failures: Mapping[Key, Failure] = field(default_factory=dict)
    analyses: Mapping[tuple[Key, str, str], Analysis] = field(default_factory=dict)


class _Numbered:
    """Things that are told apart and written once; others name them by their number."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.things: list[Any] = []

    def number(self, key: Any, thing: Any) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.things)
            self.things.append(thing)
        return self.numbers[key]


class _Writer:
    """Collects what a project is made of."""

    def __init__(self, with_data: bool) -> None:
        self.with_data = with_data
        self.plans, self.sources, self.uploads = _Numbered(), _Numbered(), _Numbered()

    def plan(self, plan: Plan) -> int:
        text = plan.to_json()
        return self.plans.number(text, text)

    def source(self, one: Snapshot) -> int | None:
        source, data = one.source, None
        if source is None:
            return None
        if self.with_data and one.upload is not None:
            data = self.uploads.number(id(one.upload), one.upload)
        options = ReadOptions.of(source.origin.options)
        part = SourcePart(
            fingerprint=source.fingerprint,
            n_records=source.n_records,
            table_schema=source.schema.to_json(),
            origin=OriginPart(
                format=source.origin.format,
                name=PurePath(source.origin.name).name,
                options={n: v for n, v in vars(options).items() if v is not None},
            ),
            sample=source.sample,
            data=data,
        )
        return self.sources.number(part.model_dump_json(), part)

    def snapshot(self, one: Snapshot) -> SnapshotPart:
        chosen = one.along.get("chosen")
        return SnapshotPart(
            source=self.source(one),
            choices=ChoicesPart.model_validate(
                {name: thawed(value) for name, value in one.choices.items()}
            ),
            chosen=None if chosen is None else self.plan(chosen),
        )

    def run(self, run: Run) -> RunPart:
        return RunPart(
            number=run.number,
            name=run.name,
            ended=run.ended,
            whole=run.whole,
            plans=tuple(map(self.plan, run.plans)),
            keys=run.keys,
            figures=tuple(run.figures.items()),
            snapshot=self.snapshot(run.snapshot),
        )


def to_bytes(ws: Workspace, name: str, with_data: bool = False) -> bytes:
    """Return the project file of a workspace; the same work gives the same bytes.

    Parameters
    ----------
    ws : Workspace
    name : str
    with_data : bool
        Whether the files that tables were read from are part of it.
    """
    writer = _Writer(with_data)
    current, runs = writer.snapshot(taken(ws)), tuple(map(writer.run, ws.runs))
    keys = dict.fromkeys([*_asked(ws), *(key for run in ws.runs for key in run.keys)])
    results, failures = list[ResultPart](), list[FailurePart]()
    parts: dict[str, bytes] = {}
    for key in keys:
        found = ws.memo.get(key) or ws.sleeping.get(key)
        if isinstance(found, Failure):
            plan = writer.plan(found.plan)
            failures.append(FailurePart(key=key, plan=plan, message=found.message))
        elif found is not None:
            one = found if isinstance(found, Kept) else kept(found)
            writer.plan(one.plan)
            parts |= _arrays(one, f"results/{len(results)}/")
            n_seeds = None if one.seeds is None else len(one.seeds)
            n = len(one.labels)
            results.append(
                ResultPart(key=key, digest=one.digest, n_released=n, n_seeds=n_seeds)
            )
    manifest = Manifest(
        format=FORMAT,
        version=VERSION,
        coterie=library_versions()["coterie"],
        name=name,
        plans=tuple(writer.plans.things),
        sources=tuple(writer.sources.things),
        current=current,
        runs=runs,
        results=tuple(results),
        failures=tuple(failures),
        analyses=tuple(
            AnalysisPart(key=key, content=one)
            for (key, *_), one in ws.analyses.items()
            if key in keys
        ),
    )
    parts[_MANIFEST] = manifest.model_dump_json().encode()
    for number, upload in enumerate(writer.uploads.things):
        parts[f"data/{number}"] = upload.content
    return packed(parts)


def _asked(ws: Workspace) -> list[Key]:
    try:
        return [key for _, key in ws.asked]
    except EngineError:  # choices that nothing can come of
        return []


def _arrays(one: Kept, folder: str) -> dict[str, bytes]:
    parts = {
        f"{folder}facts.json": json.dumps(one.facts, ensure_ascii=False).encode(),
        f"{folder}labels": one.labels.astype(_LABELS).tobytes(),
        f"{folder}rows": one.rows.astype(_LABELS).tobytes(),
    }
    if one.seeds is not None:
        parts[f"{folder}seeds"] = one.seeds.astype(_LABELS).tobytes()
    return parts


def from_bytes(content: bytes) -> Project:
    """Return the project in a file of unknown origin.

    Raises
    ------
    EngineError
        One sentence, if it is none, is damaged, or makes choices that do not exist.
    """
    parts = unpacked(content)
    if _MANIFEST not in parts:
        raise InputError(PROJECT_NONE)
    reader = _Reader(checked_manifest(parts[_MANIFEST]), parts)
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
            part.key: self._kept(part, f"results/{number}/", known)
            for number, part in enumerate(manifest.results)
        }
        return Project(
            name=manifest.name,
            snapshot=self._snapshot(manifest.current),
            runs=tuple(map(self._run, manifest.runs)),
            kept=MappingProxyType(results),
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
        from dashboard.workspace import Upload

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

    def _kept(self, part: ResultPart, folder: str, known: Mapping[Key, Plan]) -> Kept:
        plan, facts = checked_facts(json.loads(self._parts[f"{folder}facts.json"]))
        if known[part.key] != plan or part.key[0] != facts["fingerprint"]:
            raise InputError(PROJECT_DAMAGED)
        seeds = None
        if part.n_seeds is not None:
            seeds = self._array(f"{folder}seeds", part.n_seeds)
        return Kept(
            plan=plan,
            facts=facts,
            labels=self._array(f"{folder}labels", part.n_released),
            rows=self._array(f"{folder}rows", part.n_released),
            seeds=seeds,
            digest=part.digest,
        )

    def _array(self, name: str, count: int) -> NDArray[np.int64]:
        values = np.frombuffer(self._parts[name], dtype=_LABELS).astype(np.int64)
        if len(values) != count:
            raise InputError(PROJECT_DAMAGED)
        return values


def file_name(name: str) -> str:
    """Return the name of the file of a project."""
    safe = "".join(one if one.isalnum() or one in " ._-()" else "_" for one in name)
    return f"{safe.strip(' .') or 'project'}.{SUFFIX}"


def usual_name(ws: Workspace) -> str:
    """Return what a project is called before somebody gives it a name."""
    source = taken(ws).source
    return "project" if source is None else PurePath(source.title).stem or "project"


def renumbered(runs: Sequence[Run], beside: Sequence[Run]) -> tuple[Run, ...]:
    """Return runs with numbers that no other run has, without those already there."""
    there = {(run.ended, run.keys) for run in beside}
    last = max((run.number for run in beside), default=0)
    new = [run for run in runs if (run.ended, run.keys) not in there]
    if not last:
        return tuple(new)
    return tuple(replace(run, number=last + at) for at, run in enumerate(new, 1))
