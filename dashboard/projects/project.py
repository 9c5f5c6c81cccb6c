"""Content and writing of project files: choices, runs, results, data if wanted.

The file is a zip of ``manifest.json`` (:mod:`dashboard.projects.manifest`), of
``results/<number>/`` with the figures, groups and rows of each result, of
``ledger.json`` where something was released, and of ``data/<number>``, the files that
tables were read from, where somebody wanted them in it. It never holds released values:
see :mod:`engine.storage.snapshot`. Nothing in it is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from dashboard.projects.archive import pack_archive
from dashboard.projects.manifest import (
    PROJECT_FORMAT,
    PROJECT_VERSION,
    AnalysisPart,
    ChoicesPart,
    FailurePart,
    Manifest,
    OriginPart,
    ResultPart,
    RunPart,
    SnapshotPart,
    SourcePart,
)
from dashboard.state.caches.memo import Key
from dashboard.state.results.runs import FinishedRun
from dashboard.state.shared_choices import thaw_mappings
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.snapshots.snapshot import Snapshot
from dashboard.state.workspace import Workspace
from engine.analysis import ModelScores
from engine.analysis.releases.ledger import Ledger
from engine.core.errors import EngineError
from engine.core.text.versions import own_version
from engine.files import ReadOptions
from engine.pipeline.compare import Failure
from engine.pipeline.plan import Plan
from engine.storage.snapshot import OutcomeSnapshot, take_outcome_snapshot

PROJECT_SUFFIX = "coterie"

MANIFEST_PART = "manifest.json"

LEDGER_PART = "ledger.json"

LABEL_DTYPE = np.dtype("<i4")
"""Groups, rows and seeds are whole numbers in a row, and nothing else."""


@dataclass(frozen=True, eq=False)
class Project:
    """Content of a project file: name, choices, runs, results, analyses and ledger.

    Attributes
    ----------
    name : str
    snapshot : Snapshot
        The choices, and the table if its data are in the file.
    runs : tuple of FinishedRun
    outcomes : mapping of Key to OutcomeSnapshot
        Results that come back when their table is there.
    failures : mapping of Key to Failure
    analyses : mapping of (Key, str, str) to ModelScores
    ledger : Ledger or None
        Of all releases, where there were any.
    """

    name: str
    snapshot: Snapshot
    runs: tuple[FinishedRun, ...] = ()
    outcomes: Mapping[Key, OutcomeSnapshot] = field(default_factory=dict)
    failures: Mapping[Key, Failure] = field(default_factory=dict)
    analyses: Mapping[tuple[Key, str, str], ModelScores] = field(default_factory=dict)
    ledger: Ledger | None = None


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

    def source(self, snapshot: Snapshot) -> int | None:
        source, data = snapshot.source, None
        if source is None:
            return None
        if self.with_data and snapshot.upload is not None:
            data = self.uploads.number(id(snapshot.upload), snapshot.upload)
        options = ReadOptions.from_used_options(source.origin.options)
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

    def snapshot(self, choices: Snapshot) -> SnapshotPart:
        chosen = choices.along.get("chosen")
        return SnapshotPart(
            source=self.source(choices),
            choices=ChoicesPart.model_validate(
                {name: thaw_mappings(value) for name, value in choices.choices.items()}
            ),
            chosen=None if chosen is None else self.plan(chosen),
        )

    def run(self, run: FinishedRun) -> RunPart:
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


def project_to_bytes(ws: Workspace, name: str, with_data: bool = False) -> bytes:
    """Return a workspace as a project file's bytes; equal content gives equal bytes.

    Parameters
    ----------
    ws : Workspace
    name : str
    with_data : bool
        Whether the files that tables were read from are part of it.
    """
    writer = _Writer(with_data)
    current, runs = writer.snapshot(take_snapshot(ws)), tuple(map(writer.run, ws.runs))
    keys = dict.fromkeys(
        [*_requested_keys(ws), *(key for run in ws.runs for key in run.keys)]
    )
    results, failures = list[ResultPart](), list[FailurePart]()
    parts: dict[str, bytes] = {}
    for key in keys:
        memo_entry = ws.memo.get(key) or ws.saved_outcomes.get(key)
        if isinstance(memo_entry, Failure):
            plan = writer.plan(memo_entry.plan)
            failures.append(FailurePart(key=key, plan=plan, message=memo_entry.message))
        elif memo_entry is not None:
            part = (
                memo_entry
                if isinstance(memo_entry, OutcomeSnapshot)
                else take_outcome_snapshot(memo_entry)
            )
            writer.plan(part.plan)
            parts |= _label_arrays(part, f"results/{len(results)}/")
            n_seeds = None if part.seeds is None else len(part.seeds)
            n = len(part.labels)
            results.append(
                ResultPart(key=key, digest=part.digest, n_released=n, n_seeds=n_seeds)
            )
    manifest = Manifest(
        format=PROJECT_FORMAT,
        version=PROJECT_VERSION,
        coterie=own_version(),
        name=name,
        plans=tuple(writer.plans.things),
        sources=tuple(writer.sources.things),
        current=current,
        runs=runs,
        results=tuple(results),
        failures=tuple(failures),
        analyses=tuple(
            AnalysisPart(key=key, content=part)
            for (key, *_), part in ws.analyses.items()
            if key in keys
        ),
    )
    parts[MANIFEST_PART] = manifest.model_dump_json().encode()
    if ws.ledger is not None and ws.ledger.entries:
        parts[LEDGER_PART] = ws.ledger.to_bytes()
    for number, upload in enumerate(writer.uploads.things):
        parts[f"data/{number}"] = upload.content
    return pack_archive(parts)


def _requested_keys(ws: Workspace) -> list[Key]:
    try:
        return [key for _, key in ws.requested_plans]
    except EngineError:  # choices that nothing can come of
        return []


def _label_arrays(snapshot: OutcomeSnapshot, folder: str) -> dict[str, bytes]:
    figures = json.dumps(snapshot.figures.to_json(), ensure_ascii=False)
    parts = {
        f"{folder}facts.json": figures.encode(),
        f"{folder}labels": snapshot.labels.astype(LABEL_DTYPE).tobytes(),
        f"{folder}rows": snapshot.rows.astype(LABEL_DTYPE).tobytes(),
    }
    if snapshot.seeds is not None:
        parts[f"{folder}seeds"] = snapshot.seeds.astype(LABEL_DTYPE).tobytes()
    return parts


def project_file_name(project_name: str) -> str:
    """Return a file name ``NAME.coterie`` for a project; replace unusual characters."""
    safe = "".join(
        char if char.isalnum() or char in " ._-()" else "_" for char in project_name
    )
    return f"{safe.strip(' .') or 'project'}.{PROJECT_SUFFIX}"


def suggest_project_name(ws: Workspace) -> str:
    """Return a name for a project: its table's title less suffix, or ``project``."""
    source = take_snapshot(ws).source
    return "project" if source is None else PurePath(source.title).stem or "project"


def select_and_number_new_runs(
    runs: Sequence[FinishedRun], existing: Sequence[FinishedRun]
) -> tuple[FinishedRun, ...]:
    """Return the runs that are not among existing ones, numbered after any of these."""
    existing_keys = {(run.ended, run.keys) for run in existing}
    last = max((run.number for run in existing), default=0)
    new = [run for run in runs if (run.ended, run.keys) not in existing_keys]
    if not last:
        return tuple(new)
    return tuple(replace(run, number=last + at) for at, run in enumerate(new, 1))
