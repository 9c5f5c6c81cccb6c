"""Schema of a project file's manifest: parsing, and conversion of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

import sample_data
from dashboard.i18n import text_session
from dashboard.state.results.runs import ResultSummary
from dashboard.state.shared_choices import SHARED_CHOICES, freeze_mappings
from dashboard.state.snapshots.snapshot import CHOICE_FIELDS, TableSource
from engine.analysis import ModelScores
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.text.versions import newer_version_message
from engine.data.schema import Schema
from engine.data.table import Origin
from engine.files import ReadOptions, formats
from engine.measures import measures
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning import limits
from engine.pipeline.planning.recommend import MAX_LOSS_PER_CENT

PROJECT_FORMAT = "coterie project"
PROJECT_VERSION = 1

MAX_TABLE_RECORDS = 10**10
"""Records that a table known to a project may have."""

Count = Annotated[int, Field(ge=0, le=MAX_TABLE_RECORDS)]
Seed = Annotated[int, Field(ge=0, le=limits.MAX_SEED)]
Key = tuple[str, str]
Scalar = bool | int | float | str | None


class _Part(BaseModel):
    """Immutable base class of a manifest's parts, which refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")


class OriginPart(_Part):
    """Format, name and options of the file that a table came from."""

    format: str
    name: str
    options: dict[str, bool | int | str | dict[str, Any]]


class SourcePart(_Part):
    """A table's fingerprint, size, schema and origin, and number of any data file."""

    fingerprint: str
    n_records: Annotated[int, Field(ge=1, le=MAX_TABLE_RECORDS)]
    table_schema: str
    origin: OriginPart
    sample: str
    data: Count | None


class _OwnChoices(_Part):
    """The fields of `CHOICE_FIELDS` of snapshots that plans do not have."""

    sizes: Annotated[
        tuple[Annotated[int, Field(ge=2, le=limits.MAX_K)], ...],
        Field(max_length=limits.MAX_SIZES),
    ]
    methods: Annotated[tuple[str, ...], Field(max_length=limits.MAX_RUNS)]
    parameters: dict[str, dict[str, Scalar]]
    ceilings: dict[str, float]
    max_loss: Annotated[float, Field(ge=0, le=100)] = MAX_LOSS_PER_CENT
    release_format: str
    shuffle: bool
    shuffle_seed: Seed | None
    neutralise: bool
    stata_version: Literal[14, 15]
    overrides: dict[str, str]
    accepted: dict[str, bool]


if TYPE_CHECKING:
    ChoicesPart = _OwnChoices
else:
    # A file that is older than a choice has its default.
    ChoicesPart = create_model(
        "ChoicesPart",
        __base__=_OwnChoices,
        **{
            name: (field.rebuild_annotation(), field)
            for name, field in Plan.model_fields.items()
            if name in SHARED_CHOICES
        },
    )


class SnapshotPart(_Part):
    """Choices of a snapshot, and the numbers of any table and chosen plan."""

    source: Count | None
    choices: ChoicesPart
    chosen: Count | None


class RunPart(_Part):
    """A finished run: number, name, plans, figures and choices."""

    number: Annotated[int, Field(ge=1)]
    name: str
    ended: datetime
    whole: bool
    plans: tuple[Count, ...]
    keys: tuple[Key, ...]
    figures: tuple[tuple[Key, ResultSummary], ...]
    snapshot: SnapshotPart


class ResultPart(_Part):
    """A result's key, digest and sizes; its groups and figures are in other files."""

    key: Key
    digest: str
    n_released: Count
    n_seeds: Count | None


class FailurePart(_Part):
    """A plan whose run failed, and the message why."""

    key: Key
    plan: Count
    message: Message


class AnalysisPart(_Part):
    """An analysis of a result, which is named by its key."""

    key: Key
    content: ModelScores


_LIMITED_LIST = Field(max_length=10_000)


class Manifest(_Part):
    """A project file without its ledger, data, and groups and figures of results."""

    format: Literal["coterie project"]
    version: Annotated[int, Field(ge=1)]
    coterie: str
    name: str
    plans: Annotated[tuple[str, ...], _LIMITED_LIST]
    sources: Annotated[tuple[SourcePart, ...], _LIMITED_LIST]
    current: SnapshotPart
    runs: Annotated[tuple[RunPart, ...], _LIMITED_LIST]
    results: Annotated[tuple[ResultPart, ...], _LIMITED_LIST]
    failures: Annotated[tuple[FailurePart, ...], _LIMITED_LIST]
    analyses: Annotated[tuple[AnalysisPart, ...], _LIMITED_LIST]


MAX_MANIFEST_BYTES = 4 * limits.MAX_PLAN_BYTES
"""Bytes of a manifest."""

_MAX_KEYS = 100_000
"""Tables times plans: each plan may have been carried out on each."""


def parse_manifest(content: bytes) -> Manifest:
    """Return the manifest in untrusted JSON; raise if it is invalid.

    Raises
    ------
    InputError
        If it is none, or one of a later version.
    """
    if len(content) > MAX_MANIFEST_BYTES:
        raise InputError(text_session.PROJECT_TOO_LARGE)
    try:
        head = _Head.model_validate_json(content)
    except ValidationError:
        raise InputError(text_session.PROJECT_DAMAGED) from None
    newer = newer_version_message(head.coterie)
    try:
        if head.version > PROJECT_VERSION:
            raise InputError(newer or text_session.PROJECT_DAMAGED)
        manifest = Manifest.model_validate_json(content)
        if len(manifest.sources) * len(manifest.plans) > _MAX_KEYS:
            raise InputError(text_session.PROJECT_TOO_LARGE)
        return manifest
    except ValidationError:
        raise InputError(newer or text_session.PROJECT_DAMAGED) from None


class _Head(BaseModel):
    """Format and version of a manifest, and its writer; read before the rest."""

    format: Literal["coterie project"]
    version: Annotated[int, Field(ge=1)]
    coterie: str = ""


def source_from_part(part: SourcePart) -> TableSource:
    """Return the table source that a manifest's part describes; raise if invalid.

    Raises
    ------
    EngineError
        If its schema or its way of reading does not exist.
    """
    samples = {sample.id for sample in sample_data.SAMPLES}
    name = part.origin.name
    # It is put into scripts, which read and write where they are run.
    if name != PurePath(name).name or name == ".." or "\0" in name:
        raise InputError(text_session.PROJECT_DAMAGED)
    # Whatever is wrong with them is said by an error of its own.
    try:
        ReadOptions.from_used_options(part.origin.options)
    except (TypeError, ValueError, AttributeError):
        raise InputError(text_session.PROJECT_DAMAGED) from None
    return TableSource(
        part.fingerprint,
        part.n_records,
        Schema.from_json(part.table_schema),
        Origin(part.origin.format, part.origin.options, part.origin.name),
        part.sample if part.sample in samples else "",
    )


def choices_from_part(part: ChoicesPart) -> Mapping[str, Any]:
    """Return the choices in a manifest's part as a read-only mapping; raise if invalid.

    Raises
    ------
    EngineError
        If a method, parameter, scaling or other choice does not exist.
    """
    values = {name: getattr(part, name) for name in CHOICE_FIELDS}
    # Each on its own: together they may contradict each other, as on the pages.
    for name in SHARED_CHOICES:
        Plan(**{name: values[name]})
    limits.check_run_count(len(values["methods"]), len(values["sizes"]))
    for name in values["methods"]:
        methods.resolve(name)
    for name, parameters in values["parameters"].items():
        Plan(method=name, parameters=parameters)
    for name in values["ceilings"]:
        measures.info(name)
    if values["release_format"] and values["release_format"] not in formats:
        raise InputError(text_session.PROJECT_DAMAGED)
    return MappingProxyType(
        {name: freeze_mappings(what) for name, what in values.items()}
    )
