"""Figures of an outcome, without groups and data values, and their JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
)

from engine.bounds import NO_BOUND, LowerBound
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.numerics.trace import TracePoint
from engine.core.partition import Partition
from engine.core.text.json_types import ReadOnlyMapping
from engine.core.typing import Integers
from engine.measures import Score, measures
from engine.pipeline.column_survival import ColumnSurvival
from engine.pipeline.grouping.suppress import NO_SURPLUS, SurplusRecords
from engine.pipeline.outcome import Outcome, Release
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.planning.seeds import SeedFigures
from engine.pipeline.protection.probabilistic import ProbabilisticSizes

Count = Annotated[int, Field(ge=0)]


def _read_plan(text: object) -> object:
    return ResolvedPlan.from_json(text) if isinstance(text, str) else text


StoredPlan = Annotated[
    ResolvedPlan, BeforeValidator(_read_plan), PlainSerializer(ResolvedPlan.to_json)
]


@dataclass(frozen=True, eq=False)
class OutcomeFigures:
    """Figures of an outcome, without its groups and its release.

    Attributes
    ----------
    plan, fingerprint, bound, seconds, versions, warnings, iterations, trace, \
rules_broken, probabilistic, survived, by_seed, turns, suppressed, \
suppressed_cells, suppressed_persons, suppressed_whole_persons, surplus
        As in :class:`engine.pipeline.outcome.Outcome`.
    guarantees_k : bool
        As in :class:`engine.core.partition.Partition`.
    columns, rules : tuple of str
        Of the release.
    scores : tuple of Score
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    plan: StoredPlan
    fingerprint: str
    guarantees_k: bool
    columns: tuple[str, ...]
    rules: tuple[str, ...]
    scores: tuple[Score, ...]
    bound: LowerBound
    seconds: Annotated[Mapping[str, float], ReadOnlyMapping()]
    versions: Annotated[Mapping[str, str], ReadOnlyMapping()]
    warnings: tuple[Message, ...]
    iterations: tuple[Count, ...]
    rules_broken: Annotated[Mapping[str, Count], ReadOnlyMapping()]
    probabilistic: ProbabilisticSizes | None
    trace: tuple[TracePoint, ...]
    survived: Annotated[Mapping[str, ColumnSurvival], ReadOnlyMapping()]
    by_seed: tuple[SeedFigures, ...] = ()
    turns: tuple[Count, ...] = ()
    suppressed: Count = 0
    suppressed_cells: Annotated[Mapping[str, Count], ReadOnlyMapping()] = field(
        default_factory=lambda: MappingProxyType({})
    )
    suppressed_persons: Count = 0
    suppressed_whole_persons: Count = 0
    surplus: SurplusRecords = NO_SURPLUS

    @classmethod
    def from_outcome(cls, outcome: Outcome) -> OutcomeFigures:
        """Return the figures of an outcome."""
        return cls(
            **{name: getattr(outcome, name) for name in SHARED_FIELDS},
            guarantees_k=outcome.partition.guarantees_k,
            columns=outcome.release.columns,
            rules=outcome.release.rules,
            scores=tuple(outcome.scores.values()),
            bound=_without_proof(outcome.bound),
        )

    def to_partition(self, labels: Integers, seeds: Integers | None) -> Partition:
        """Return the partition of released records with the given labels."""
        return Partition(labels, self.plan.k, self.guarantees_k, seeds=seeds)

    def to_outcome(
        self, partition: Partition, release: Release, persons: Integers | None = None
    ) -> Outcome:
        """Return the outcome, completed by its partition and release."""
        return Outcome(
            **{name: getattr(self, name) for name in SHARED_FIELDS},
            partition=partition,
            release=release,
            scores=MappingProxyType({score.measure: score for score in self.scores}),
            bound=self.bound,
            persons=persons,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        content: dict[str, Any] = _FIGURES_ADAPTER.dump_python(self)
        return content

    @classmethod
    def from_json(cls, content: object) -> OutcomeFigures:
        """Return the figures that :meth:`to_json` wrote, from untrusted content.

        Raises
        ------
        InputError
            If these are no figures of an outcome.
        ParameterError
            If the plan makes choices that do not exist here.
        """
        try:
            outcome_figures = _FIGURES_ADAPTER.validate_python(content)
        except ValidationError:
            raise InputError("A stored result is not readable: run it again.") from None
        needed = {info.id for info in measures.infos() if not info.on_demand}
        known_scores = tuple(
            score for score in outcome_figures.scores if score.measure in measures
        )
        if not needed <= {score.measure for score in known_scores} or (
            "partition" not in outcome_figures.seconds
        ):
            raise InputError("A stored result lacks figures: run it again.")
        return replace(outcome_figures, scores=known_scores)


SHARED_FIELDS = tuple(
    one.name
    for one in fields(OutcomeFigures)
    if one.name in {each.name for each in fields(Outcome)} - {"scores", "bound"}
)
"""Names of the figures that are an outcome's own, as they are."""


def _without_proof(bound: LowerBound) -> LowerBound:
    """Return a bound without its proof, where that is quickly recomputed."""
    soon = bound.proof is not None and bound.proof.neighbours > 0
    return replace(bound, proof=None) if soon else bound


_FIGURES_ADAPTER = TypeAdapter(OutcomeFigures)
SCORES_ADAPTER = TypeAdapter(tuple[Score, ...])
"""Validator and serialiser of the scores of measures."""

_BOUNDS_ADAPTER = TypeAdapter(tuple[tuple[StoredPlan, LowerBound], ...])


def bounds_to_json(outcomes: Iterable[Outcome]) -> list[Any]:
    """Return the lower bounds of outcomes with their plans, ready for JSON."""
    bounds = tuple(
        (outcome.plan, _without_proof(outcome.bound))
        for outcome in outcomes
        if outcome.bound != NO_BOUND
    )
    content: list[Any] = list(_BOUNDS_ADAPTER.dump_python(bounds))
    return content


def bounds_from_json(content: object) -> tuple[tuple[ResolvedPlan, LowerBound], ...]:
    """Return plans and their bounds that :func:`bounds_to_json` wrote."""
    return _BOUNDS_ADAPTER.validate_python(content)
