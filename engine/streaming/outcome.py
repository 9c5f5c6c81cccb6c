"""Outcome of an out-of-core run: figures of the release and of each block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.message import Message
from engine.core.numerics.statistics import loss_percent
from engine.core.typing import Values
from engine.data.persons import PersonCounts
from engine.data.schema import Schema
from engine.pipeline.column_survival import SURVIVAL_SHARES
from engine.pipeline.outcome import summary_of_choices
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.release.links import PersonLinks
from engine.storage.addresses import Place

UNAVAILABLE_FIGURES = {
    "lower_bound": "It takes all records at once to find the nearest of each.",
    "gap": "There is no lower bound to compare with.",
    "uniqueness": "It takes all records at once to find those that share all values.",
}
"""Figures that a run in memory has, and why a run out of core has none."""


@dataclass(frozen=True, eq=False)
class StreamedOutcome:
    """Result of an out-of-core run: its folder, and figures of each block.

    Attributes
    ----------
    plan : ResolvedPlan
    schema : Schema
        Roles and kinds that the first records propose.
    columns : tuple of str
        Of the release.
    fingerprint : str
        Fingerprint of the bytes that were read.
    folder : Path or Address
        The release: a Parquet file per block. Records come by block, and within a
        block in the order of the input.
    records_per_block : int
        Aimed at.
    sst : ndarray of float64, shape (n_attributes,)
        SST of each attribute on its own scale.
    attribute_weights : ndarray of float64, shape (n_attributes,)
    blocks : tuple of mapping
        Figures of each block, in their order; see
        :func:`engine.streaming.blocks.protect.protect_block`.
    k_released : int
        The smallest k counted on a part as written; that of the release as a whole is
        at least this, see :func:`engine.streaming.check.verify_part_and_count_k`.
    resumed : int
        Blocks that an earlier, interrupted run had finished.
    seconds : mapping of str to float
        ``scan``, ``persons``, ``route``, ``partition`` (all blocks), ``verify`` and
        ``total``.
    processor_seconds : mapping of str to float
        The same steps, as seconds of this process on all cores; what workers of a
        cluster did is not among them.
    memory : mapping of str to int
        ``limit``, and ``peak``: the most bytes that this process ever held.
    versions : mapping of str to str
    warnings : tuple of Message
    persons : PersonCounts or None
        Number of persons, if k counts them.
    """

    plan: ResolvedPlan
    schema: Schema
    columns: tuple[str, ...]
    fingerprint: str
    folder: Place
    records_per_block: int
    sst: Values
    attribute_weights: Values
    blocks: tuple[Mapping[str, Any], ...]
    k_released: int
    resumed: int
    seconds: Mapping[str, float]
    processor_seconds: Mapping[str, float]
    memory: Mapping[str, int]
    versions: Mapping[str, str]
    warnings: tuple[Message, ...]
    persons: PersonCounts | None = None

    @property
    def n_records(self) -> int:
        """Number of records released."""
        return sum(each["n_records"] for each in self.blocks)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return sum(each["n_groups"] for each in self.blocks)

    @property
    def k_verified(self) -> bool:
        """Whether the k counted on the written release is at least the plan's k."""
        return self.k_released >= self.plan.k

    @property
    def information_loss(self) -> float:
        """Information loss in per cent: SSE of all blocks / SST of all records."""
        return self._share(self._sse("sse"))

    @property
    def unprotected_columns(self) -> tuple[str, ...]:
        """Released columns except quasi-identifiers, confidential and weights."""
        plan = self.plan
        known_columns = {*plan.quasi_identifiers, *plan.confidential, plan.weights}
        return tuple(name for name in self.columns if name not in known_columns)

    def _share(self, sse: Values) -> float:
        """Return SSE in per cent of SST, as much as each attribute weighs."""
        weights = self.attribute_weights
        return loss_percent(float(weights @ sse), float(weights @ self.sst))

    def _sse(self, which: str) -> Values:
        """Return the sum over blocks of each attribute's SSE, rounded once."""
        rows = zip(*(each[which] for each in self.blocks), strict=True)
        return np.array([math.fsum(row) for row in rows])

    @property
    def survival(self) -> Mapping[str, Mapping[str, float]]:
        """Shares of records kept, changed or gone, for each released column.

        As :attr:`engine.pipeline.column_survival.ColumnSurvival.shares`.
        """
        shares_by_column = {
            name: {**dict.fromkeys(SURVIVAL_SHARES, 0.0), "kept": 1.0}
            for name in self.columns
        }
        for name, blocks in self._survivals():
            shares_by_column[name] = {
                share: math.fsum(each[share] for each in blocks) / self.n_records
                for share in SURVIVAL_SHARES
            }
        return shares_by_column

    @property
    def average_changes(self) -> Mapping[str, float | None]:
        """Mean distance of released from original values, in the columns' units.

        None for categories, which have no distance.
        """
        return {
            name: None
            if any(each["change"] is None for each in blocks)
            else math.fsum(each["change"] for each in blocks) / self.n_records
            for name, blocks in self._survivals()
        }

    def _survivals(self) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
        """Yield each quasi-identifier, and what became of it in every block."""
        for j, name in enumerate(self.plan.quasi_identifiers):
            yield name, [each["survived"][j] for each in self.blocks]

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        plan = self.plan
        sizes = [each["group_size"] for each in self.blocks]
        sse = self._sse("sse")
        broken = zip(*(each["rules_broken"] for each in self.blocks), strict=True)
        return {
            **summary_of_choices(plan),
            "n_records": self.n_records,
            "n_groups": self.n_groups,
            "group_size": {
                "min": min(size["min"] for size in sizes),
                "mean": self.n_records / self.n_groups,
                "max": max(size["max"] for size in sizes),
            },
            "rules_broken": dict(
                zip(plan.constraints, (sum(each) for each in broken), strict=True)
            ),
            "information_loss": self.information_loss,
            "information_loss_per_column": {
                name: loss_percent(float(column_sse), float(total))
                for name, column_sse, total in zip(
                    plan.quasi_identifiers, sse, self.sst, strict=True
                )
            },
            "information_loss_released": self._share(self._sse("sse_released")),
            "lower_bound": None,
            "gap": None,
            "uniqueness": None,
            "not_measured": dict(UNAVAILABLE_FIGURES),
            "survived": self.survival,
            "column_changes": {
                name: {"average_change": change}
                for name, change in self.average_changes.items()
            },
            "unprotected": list(self.unprotected_columns),
            "k_released": self.k_released,
            "k_verified": self.k_verified,
            **self._person_figures(),
            "records_per_block": self.records_per_block,
            "n_blocks": len(self.blocks),
            "blocks_resumed": self.resumed,
            "blocks": list(map(self._block, self.blocks)),
            "seconds": dict(self.seconds),
            "processor_seconds": dict(self.processor_seconds),
            "memory": dict(self.memory),
            "fingerprint": self.fingerprint,
            "versions": dict(self.versions),
            "warnings": list(self.warnings),
        }

    def _person_figures(self) -> dict[str, Any]:
        """Return the figures of persons, as a run in memory has them."""
        if self.persons is None:
            return {}
        sizes = [each["group_persons"] for each in self.blocks]
        return {
            "n_persons": self.persons.n_persons,
            "k_persons": self.k_released,
            "group_persons": {
                "min": min(size["min"] for size in sizes),
                "mean": sum(size["sum"] for size in sizes) / self.n_groups,
                "max": max(size["max"] for size in sizes),
            },
        }

    @property
    def links(self) -> PersonLinks:
        """Released columns that link records of the same person, as far as known.

        Of columns that leave as they are, only those of persons are looked at.
        """
        if self.persons is None or self.plan.intruder_knows == "all":
            return PersonLinks()
        linking_columns = tuple(
            name for name in self.plan.person_columns if name in self.columns
        )
        in_order = any(each["in_person_order"] for each in self.blocks)
        return PersonLinks(pseudonyms=linking_columns, by_order=in_order)

    def _block(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        size = figures["group_size"]
        mean = figures["n_records"] / figures["n_groups"]
        return {
            "n_records": figures["n_records"],
            "n_groups": figures["n_groups"],
            "group_size": {"min": size["min"], "mean": mean, "max": size["max"]},
            # Shares of the whole: they add up to the information loss.
            "information_loss": self._share(np.array(figures["sse"])),
            "bytes": figures["bytes"],
            "sha256": figures["sha256"],
            "seconds": figures["seconds"],
        }
