"""The first pass: what scaling, rounding and splitting have to know of all records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.constraints.decimals import MOST_DECIMALS, written_with
from engine.constraints.rules import parse_rules
from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, from_json, to_json
from engine.core.partition import check_k
from engine.core.typing import Values
from engine.data.attributes import Attribute
from engine.data.kinds import Kind
from engine.pipeline.prepare import without_bound
from engine.pipeline.resolved import ResolvedPlan
from engine.points.encode import constant_columns
from engine.points.scaling import centre_and_scale
from engine.streaming.columns import (
    is_moment,
    moments_of,
    numbers_of,
    refuse_unfit,
)
from engine.streaming.missing import CompleteCases
from engine.streaming.moments import Moments
from engine.streaming.source import Source
from engine.streaming.split import PER_BLOCK, Sample, Tree, grow_tree

STAGE = Message("First pass: means, spreads and a sample")


@dataclass(frozen=True, eq=False)
class Scan:
    """What the first pass has found out.

    Attributes
    ----------
    n_records : int
        Records that will be released.
    centre, scale : ndarray of float64, shape (n_attributes,)
    sst : ndarray of float64, shape (n_attributes,)
        Of the scaled values, weighted where records have weights.
    attributes : tuple of Attribute
    decimals : tuple of int
        To how many each attribute is rounded; -1 where it is not.
    tree : Tree
        Where blocks begin and end.
    warnings : tuple of Message
    """

    n_records: int
    centre: Values
    scale: Values
    sst: Values
    attributes: tuple[Attribute, ...]
    decimals: tuple[int, ...]
    tree: Tree
    warnings: tuple[Message, ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything but what the plan and the source say, as plain values."""
        return {
            "n_records": self.n_records,
            "centre": self.centre.tolist(),
            "scale": self.scale.tolist(),
            "sst": self.sst.tolist(),
            "attributes": [
                {"range": each.range, "whole": each.whole, "seconds": each.seconds}
                for each in self.attributes
            ],
            "decimals": list(self.decimals),
            "tree": self.tree.to_json(),
            "warnings": list(map(to_json, self.warnings)),
        }

    @classmethod
    def from_json(
        cls, content: Mapping[str, Any], plan: ResolvedPlan, source: Source
    ) -> Scan:
        """Return what :meth:`to_json` gave, to the last bit."""
        return cls(
            content["n_records"],
            np.array(content["centre"]),
            np.array(content["scale"]),
            np.array(content["sst"]),
            tuple(
                _attribute(plan, source, name, **known)
                for name, known in zip(
                    plan.quasi_identifiers, content["attributes"], strict=True
                )
            ),
            tuple(content["decimals"]),
            Tree.from_json(content["tree"]),
            tuple(map(from_json, content["warnings"])),
        )


def scan(
    plan: ResolvedPlan, source: Source, records_per_block: int, ctx: RunContext
) -> Scan:
    """Read the columns that decide on groups, once.

    Parameters
    ----------
    plan : ResolvedPlan
    source : Source
    records_per_block : int
        Aimed at; a block has at most so many on average.
    ctx : RunContext

    Raises
    ------
    InputError
        If a value is missing where that is refused, or cannot be computed with.
    InfeasibleError
        If there are fewer than k records.
    """
    seen = _Seen(plan, source, records_per_block)
    names = dict.fromkeys((*plan.quasi_identifiers, *filter(None, [plan.weights])))
    for first, batch in source.batches(tuple(names), ctx, STAGE):
        seen.add(first, batch)
    return seen.result()


class _Seen:
    """What has been seen of the records so far."""

    def __init__(
        self, plan: ResolvedPlan, source: Source, records_per_block: int
    ) -> None:
        p = len(plan.quasi_identifiers)
        self._plan, self._source = plan, source
        self._per_block = records_per_block
        self._moments = Moments(p, weighted=plan.weights is not None)
        aimed = -(-source.n_records // records_per_block)
        self._sample = Sample(PER_BLOCK * aimed / source.n_records, plan.seed)
        self._whole, self._seconds = np.ones(p, np.bool_), np.ones(p, np.bool_)
        self._places = np.ones((p, MOST_DECIMALS + 1), dtype=np.bool_)
        self._rules = None
        if plan.constraints:
            columns = tuple(source.schema.names)
            quasi = plan.quasi_identifiers
            self._rules = parse_rules(plan.constraints, quasi, columns)
        self._cases = CompleteCases(plan)
        self._moment = [
            is_moment(source.schema.field(name).type) for name in plan.quasi_identifiers
        ]

    def add(self, first: int, batch: Any) -> None:
        """Take in a batch whose first record has number `first`."""
        names = self._plan.quasi_identifiers
        values = matrix_of(batch, names)
        refuse_unfit(values, names, first)
        complete = self._cases.mask(values, first)
        values = values[complete]
        if not len(values):
            return
        numbers = first + np.flatnonzero(complete).astype(np.int64)
        weights = None
        if self._plan.weights is not None:
            weights = weights_of(batch, self._plan.weights)[complete]
            _refuse_weights(weights, self._plan.weights, numbers)
        self._moments.add(values, weights)
        self._sample.add(values, numbers)
        self._whole &= (values % 1 == 0).all(axis=0)
        for j, name in enumerate(names):
            if self._moment[j] and self._seconds[j]:
                known = moments_of(batch.column(name)).dropna()
                self._seconds[j] = bool((known == known.dt.floor("s")).all())
        self._count_decimals(values)

    def _count_decimals(self, values: Values) -> None:
        if self._plan.rounding == "none":
            return
        for j, name in enumerate(self._plan.quasi_identifiers):
            if self._whole[j] or self._moment[j]:
                continue
            single = str(self._source.schema.field(name).type) == "float"
            form = np.float32 if single else np.float64
            column: NDArray[Any] = values[:, j].astype(form)
            for places in np.flatnonzero(self._places[j]):
                self._places[j, places] = written_with(column, int(places))

    def result(self) -> Scan:
        """Return what follows from all records."""
        plan, names = self._plan, self._plan.quasi_identifiers
        moments = self._moments.finish()
        check_k(plan.k, moments.n)
        centre, scale = centre_and_scale(plan.scaling, moments)
        width = moments.high - moments.low
        warnings = self._cases.warnings() + constant_columns(names, width)
        values, numbers = self._sample.taken()
        leaves = min(-(-moments.n // self._per_block), max(1, numbers.size))
        attributes = tuple(
            _attribute(
                plan,
                self._source,
                name,
                float(width[j]),
                bool(self._whole[j]),
                bool(self._seconds[j]) and self._moment[j],
            )
            for j, name in enumerate(names)
        )
        return Scan(
            moments.n,
            centre,
            scale,
            moments.weighted_squares / scale**2,
            attributes,
            self._decimals(attributes),
            grow_tree(values, numbers, scale, leaves),
            warnings,
        )

    def _decimals(self, attributes: tuple[Attribute, ...]) -> tuple[int, ...]:
        """Return to how many decimals columns are rounded, as in memory."""
        own = tuple(map(self._places_of, range(len(attributes))))
        if self._rules is None:
            return own
        bound = self._rules.bound_columns
        least = without_bound(self._plan.rounding, attributes, bound, own)
        return self._rules.first_roundable(own, least)

    def _places_of(self, j: int) -> int:
        """Return what :func:`engine.pipeline.prepare.decimals_for` does in memory."""
        if self._plan.rounding == "none":
            return -1
        if self._whole[j]:
            return 0
        if self._moment[j]:
            return -1
        fits = np.flatnonzero(self._places[j])
        return int(fits[0]) if fits.size else -1


def matrix_of(batch: Any, names: tuple[str, ...]) -> Values:
    """Return columns of a batch as numbers, shape (n_records, n_columns)."""
    return np.column_stack([numbers_of(batch.column(name)) for name in names])


def weights_of(batch: Any, name: str) -> Values:
    """Return the column of weights, shape (n_records,)."""
    return numbers_of(batch.column(name))


def _attribute(
    plan: ResolvedPlan,
    source: Source,
    name: str,
    range: float,
    whole: bool,
    seconds: bool,
) -> Attribute:
    kind = source.schema.field(name).type
    dates = is_moment(kind)
    zone = getattr(kind, "tz", None) if dates else None
    return Attribute(
        name,
        plan.kinds.get(name, Kind.CONTINUOUS),
        dates=dates,
        zone=zone,
        seconds=seconds,
        whole=whole,
        range=range,
    )


def _refuse_weights(weights: Values, name: str, numbers: NDArray[np.int64]) -> None:
    bad = np.flatnonzero(~((weights > 0) & np.isfinite(weights)))
    if bad.size:
        raise InputError(
            "Column {column!r} weighs records, but the weight of record "
            "{record:,} is missing, infinite, zero or negative: correct "
            "it, or give the column another role.",
            column=name,
            record=numbers[bad[0]] + 1,
        )
