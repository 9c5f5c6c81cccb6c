"""Outcome of a run: release, figures as plain values, versions of libraries."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.bounds import LowerBound
from engine.core.message import Message
from engine.core.numerics.trace import TracePoint
from engine.core.partition import Partition
from engine.core.typing import Integers
from engine.data.persons import count_persons, persons_per_class
from engine.measures import Score
from engine.measures.classes import ClassCache
from engine.measures.reidentification.uniqueness import Uniqueness, count_unique
from engine.pipeline.column_survival import ColumnSurvival
from engine.pipeline.fields.records import EACH_RECORD, person_to_json
from engine.pipeline.grouping.suppress import NO_SURPLUS, SurplusRecords
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.planning.seeds import (
    SEED_FIGURES,
    SeedFigures,
    SeedSpread,
    summarise_spread,
)
from engine.pipeline.protection.probabilistic import ProbabilisticSizes

VERSIONED_LIBRARIES = (
    "coterie",
    "numpy",
    "pandas",
    "scipy",
    "scikit-learn",
    "numba",
    "highspy",
)
"""Libraries that results depend on, and whose versions they name."""


@dataclass(frozen=True, eq=False)
class Release:
    """The protected records, and the rows of the table that they come from.

    Attributes
    ----------
    frame : pandas.DataFrame
        Records in the order of the input, with the index of its frame. Identifiers are
        removed, and quasi-identifiers have the common value of their group.
    rows : ndarray of int64, shape (n_records,)
        Row of the input that each record came from.
    rules : tuple of str
        Rules that every record satisfies: the plan's `constraints`.
    """

    frame: pd.DataFrame
    rows: NDArray[np.int64]
    rules: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the released columns, in their order."""
        return tuple(map(str, self.frame.columns))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Result of one run: groups, release, scores, bound and warnings.

    Attributes
    ----------
    plan : ResolvedPlan
        The plan of the run, with a value for each choice that it had left open.
    fingerprint : str
        Fingerprint of the table that was protected.
    partition : Partition
        Groups of the records. If each column was grouped separately, a group here is a
        set of records that share their groups in all columns.
    release : Release
    scores : mapping of str to Score
        By measure.
    bound : LowerBound
    seconds : mapping of str to float
        ``partition`` for the method alone, ``total`` for everything.
    versions : mapping of str to str
    warnings : tuple of Message
        Notes and warnings, as sentences.
    iterations : tuple of int
        Steps that a search took in each stratum. Empty for other methods, and if the
        number of steps is not enough to repeat the run. If there is one number, the
        parameter ``iterations`` with this number repeats the run exactly.
    turns : tuple of int
        Turns of the method `optimal` after its steps. To repeat the run, also give the
        parameter ``turns``.
    trace : tuple of TracePoint
        Loss and bound during a search; empty for other methods and with strata.
    rules_broken : mapping of str to int
        Records of the input that break each rule; the release breaks none.
    probabilistic : ProbabilisticSizes or None
        Group sizes, if groups were drawn at random and have no promised size.
    survived : mapping of str to ColumnSurvival
        How the values of each released column changed, in the order of the table.
    by_seed : tuple of SeedFigures
        Figures of each seed, first those of the released one; empty for one seed.
    suppressed : int
        Records that ``suppress`` left out.
    suppressed_cells : mapping of str to int
        Cells that ``suppress_cells`` left out, by column.
    suppressed_persons, suppressed_whole_persons : int
        People of whom some records were left out, and people of whom all were.
    surplus : SurplusRecords
        Records that ``counts`` left out, of how many people.
    persons : ndarray of int64, shape (n_records,), or None
        Number of the person of each released record, if k counts persons.
    """

    plan: ResolvedPlan
    fingerprint: str
    partition: Partition
    release: Release
    scores: Mapping[str, Score]
    bound: LowerBound
    seconds: Mapping[str, float]
    versions: Mapping[str, str]
    warnings: tuple[Message, ...]
    iterations: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    trace: tuple[TracePoint, ...] = ()
    rules_broken: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType({})
    )
    probabilistic: ProbabilisticSizes | None = None
    survived: Mapping[str, ColumnSurvival] = field(
        default_factory=lambda: MappingProxyType({})
    )
    by_seed: tuple[SeedFigures, ...] = ()
    suppressed: int = 0
    suppressed_cells: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType({})
    )
    suppressed_persons: int = 0
    suppressed_whole_persons: int = 0
    surplus: SurplusRecords = NO_SURPLUS
    persons: Integers | None = None

    @property
    def n_persons(self) -> int:
        """Number of persons in the release if k counts persons; otherwise 0."""
        return 0 if self.persons is None else count_persons(self.persons)

    @property
    def has_classes(self) -> bool:
        """Whether persons form classes, as intruders know all their records."""
        return self.persons is not None and self.plan.intruder_knows == "all"

    @property
    def group_sizes(self) -> Integers:
        """Number of records, or of persons, in each group, shape (n_groups,)."""
        if self.persons is None:
            return self.partition.sizes
        return persons_per_class(self.partition.labels, self.persons)

    @property
    def information_loss(self) -> float:
        """Information loss (IL) in per cent, of numbers and categories together."""
        return self.scores["information-loss"].value

    @property
    def repeatable_plan(self) -> ResolvedPlan:
        """The plan that reproduces this release, with time limits as iteration counts.

        This is the plan itself where a search by the clock cannot be repeated exactly:
        with strata or blocks, or if steps tell not all, as where it was cut short.
        """
        steps = sum(self.iterations)
        is_whole = len(self.iterations) == 1 and not self.plan.blocks
        if not (is_whole and steps and "iterations" in self.plan.parameters):
            return self.plan
        parameters = {**self.plan.parameters, "iterations": steps}
        if self.turns:
            parameters["turns"] = self.turns[0]
        return ResolvedPlan(**{**self.plan.model_dump(), "parameters": parameters})

    @property
    def gap(self) -> float:
        """Largest avoidable share of the loss, in per cent; 0 where nothing is lost."""
        loss = self.information_loss
        return 100.0 * (loss - self.bound.per_cent) / loss if loss > 0.0 else 0.0

    @property
    def spreads(self) -> dict[str, SeedSpread]:
        """Variation of figures over the seeds, by name; empty for one seed."""
        if len(self.by_seed) < 2:
            return {}
        return {
            name: summarise_spread(
                [getattr(seed_figures, name) for seed_figures in self.by_seed]
            )
            for name in SEED_FIGURES
        }

    @property
    def k_released(self) -> int:
        """The k counted on the released values, in persons if k counts persons."""
        return int(self.scores["k-anonymity"].value)

    @property
    def k_verified(self) -> bool:
        """Whether the released values have at least the k asked for.

        Never where groups were drawn at random: k holds by chance at most.
        """
        return self.probabilistic is None and self.k_released >= self.plan.k

    @cached_property
    def uniqueness(self) -> Uniqueness:
        """Count of records that are unique in all released non-confidential columns.

        Protected columns are not to blame: what singles somebody out is beside them.
        """
        return released_uniqueness(self.plan, self.release, self.persons)

    def with_scores(self, scores: Mapping[str, Score]) -> Outcome:
        """Return the outcome with further scores."""
        outcome = replace(self, scores=MappingProxyType({**self.scores, **scores}))
        return outcome.with_uniqueness(vars(self).get("uniqueness"))

    def with_uniqueness(self, uniqueness: Uniqueness | None) -> Outcome:
        """Store the given uniqueness, if any, in this outcome; return this outcome."""
        if uniqueness is not None:  # what the cached property would find out again
            vars(self)["uniqueness"] = uniqueness
        return self

    @property
    def unprotected_columns(self) -> tuple[str, ...]:
        """Columns released unchanged that have no role."""
        plan = self.plan
        known_columns = {*plan.quasi_identifiers, *plan.confidential, plan.weights}
        released = self.release.columns
        if plan.interval_columns:
            known_columns |= {
                max(
                    (column for column in released if column.rstrip("_") == end),
                    default="",
                )
                for name, rule in plan.aggregations.items()
                if aggregations.info(rule).common.interval
                for end in (f"{name}_from", f"{name}_to")
            }
        return tuple(name for name in released if name not in known_columns)

    def groups(self, n_rows: int) -> list[int | None]:
        """Return the group of each input row; None for dropped rows."""
        group_by_row: list[int | None] = [None] * n_rows
        for row, label in zip(
            self.release.rows.tolist(), self.partition.labels.tolist(), strict=True
        ):
            group_by_row[row] = label
        return group_by_row

    def groups_csv(self, n_rows: int) -> bytes:
        """Return the group of each input row as CSV with one column ``group``."""
        # An empty text is quoted, as readers pass over lines that are empty.
        lines = ["group"]
        lines += [
            '""' if group is None else str(group) for group in self.groups(n_rows)
        ]
        return ("\n".join(lines) + "\n").encode()

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        sizes = self.partition.sizes
        drawn = self.probabilistic
        return {
            **summary_of_choices(self.plan),
            "n_records": self.partition.n_records,
            "n_groups": self.partition.n_groups,
            "group_size": _described(sizes),
            "unprotected": list(self.unprotected_columns),
            "rules_broken": dict(self.rules_broken),
            "information_loss": _number(self.information_loss),
            "information_loss_per_column": dict(
                self.scores["information-loss"].per_column
            ),
            "information_loss_released": _number(self.scores["released-loss"].value),
            "certainty_penalty": self.scores["certainty-penalty"].value,
            "certainty_penalty_per_column": dict(
                self.scores["certainty-penalty"].per_column
            ),
            "discernibility": self.scores["discernibility"].value,
            "average_class_size": self.scores["average-class-size"].value,
            "lower_bound": self.bound.per_cent,
            "lower_bound_kind": self.bound.kind,
            "gap": self.gap,
            "k_released": self.k_released,
            "k_verified": self.k_verified,
            "suppressed": self._suppressed(),
            **(
                {
                    "n_persons": self.n_persons,
                    "k_persons": self.k_released,
                    "group_persons": _described(self.group_sizes),
                    "surplus": asdict(self.surplus),
                }
                if self.n_persons
                else {}
            ),
            "uniqueness": self.uniqueness.summary(),
            "survived": {
                n: dict(figures.shares) for n, figures in self.survived.items()
            },
            "column_changes": {
                n: figures.summary() for n, figures in self.survived.items()
            },
            "probabilistic": None if drawn is None else drawn.summary(),
            "seconds": dict(self.seconds),
            "by_seed": [_plain_figures(figures) for figures in self.by_seed],
            "spread": {
                name: _plain_figures(figures) for name, figures in self.spreads.items()
            },
            "iterations": list(self.iterations),
            "turns": list(self.turns),
            "trace": [
                {
                    "seconds": point.seconds,
                    "information_loss": point.loss,
                    "lower_bound": point.bound,
                }
                for point in self.trace
            ],
            "fingerprint": self.fingerprint,
            "versions": dict(self.versions),
            "warnings": list(self.warnings),
        }

    def _suppressed(self) -> dict[str, Any]:
        """Return what was left out within the budget for outliers."""
        content: dict[str, Any] = {
            "records": self.suppressed,
            "cells": dict(self.suppressed_cells),
        }
        if self.n_persons:
            content["persons"] = self.suppressed_persons
            content["whole_persons"] = self.suppressed_whole_persons
        return content


def _described(sizes: Integers) -> dict[str, float]:
    return {
        "min": int(sizes.min()),
        "mean": float(sizes.mean()),
        "max": int(sizes.max()),
    }


def released_uniqueness(
    plan: ResolvedPlan,
    release: Release,
    persons: Integers | None,
    class_cache: ClassCache | None = None,
) -> Uniqueness:
    """Return uniqueness of records or persons in released non-confidential columns."""
    looked_at = [name for name in release.columns if name not in plan.confidential]
    quasi = plan.quasi_identifiers
    return count_unique(release.frame, looked_at, plan.k, quasi, persons, class_cache)


_NOT_IN_SUMMARIES = {"identifiers", "confidential", "hierarchies", "interval_columns"}
"""Choices on which no figure depends, or that the table says itself."""


def summary_of_choices(plan: ResolvedPlan) -> dict[str, Any]:
    """Return the choices of a plan that summaries list, ready for JSON.

    ``aggregation`` is that of all columns, or ``"by column"`` where they differ;
    ``person`` the columns of persons, or ``"none"``; null for a person per record.
    """
    rules = set(plan.aggregations.values())
    return {
        **plan.model_dump(mode="json", exclude=_NOT_IN_SUMMARIES),
        "aggregation": rules.pop() if len(rules) == 1 else "by column",
        "person": None if plan.person == EACH_RECORD else person_to_json(plan.person),
    }


def _number(value: float) -> float | None:
    """Return None where there is no figure, because JSON has no NaN."""
    return None if math.isnan(value) else value


def _plain_figures(figures: SeedFigures | SeedSpread) -> dict[str, float | None]:
    return {name: _number(value) for name, value in asdict(figures).items()}


@cache
def library_versions() -> Mapping[str, str]:
    """Return the versions of Python and of libraries that results depend on."""
    versions = {name: version(name) for name in VERSIONED_LIBRARIES}
    return MappingProxyType({"python": platform.python_version()} | versions)
