"""The first pass: what scaling, rounding and splitting have to know of all records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.constraints.decimals import MOST_DECIMALS, written_with
from engine.constraints.rules import parse_rules
from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, from_json, to_json
from engine.core.partition import check_k
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.hierarchy.tree import lacking_value
from engine.methods import methods
from engine.pipeline.resolved import ResolvedPlan
from engine.pipeline.rounding import without_bound
from engine.pipeline.rules import check_bound
from engine.points.encode import constant_columns, unfit_weights
from engine.points.scaling import centre_and_scale
from engine.points.transforms import Transform
from engine.streaming.bends import settle_transforms
from engine.streaming.columns import (
    categories_of,
    is_moment,
    matrix_of,
    moments_of,
    numbers_of,
    plain,
    refuse_unfit,
    word_columns,
)
from engine.streaming.known import Known, Numbers
from engine.streaming.missing import CompleteCases
from engine.streaming.moments import Moments
from engine.streaming.source import Source
from engine.streaming.split import PER_BLOCK, Sample, Tree, grow_tree
from engine.streaming.words import Places, Words

STAGE = Message("First pass: means, spreads and a sample")

TRANSFORMS = 0.3
"""Share of the time for transforms, where there are any."""


@dataclass(frozen=True, eq=False)
class Scan:
    """What the first pass has found out.

    Attributes
    ----------
    n_records : int
        Records that will be released.
    known : Known
        Of each quasi-identifier.
    decimals : tuple of int
        To how many each attribute is rounded; -1 where it is not.
    tree : Tree
        Where blocks begin and end.
    warnings : tuple of Message
    """

    n_records: int
    known: Known
    decimals: tuple[int, ...]
    tree: Tree
    warnings: tuple[Message, ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything but what the plan and the source say, as plain values."""
        return {
            "n_records": self.n_records,
            "columns": self.known.to_json(),
            "decimals": list(self.decimals),
            "tree": self.tree.to_json(),
            "warnings": list(map(to_json, self.warnings)),
        }

    @classmethod
    def from_json(
        cls, content: Mapping[str, Any], plan: ResolvedPlan, source: Source
    ) -> Scan:
        """Return what :meth:`to_json` gave, to the last bit."""
        orders = categories_of(source.first_batch())
        return cls(
            content["n_records"],
            Known.from_json(content["columns"], plan, source.schema, orders),
            tuple(content["decimals"]),
            Tree.from_json(content["tree"]),
            tuple(map(from_json, content["warnings"])),
        )


def scan(
    plan: ResolvedPlan, source: Source, records_per_block: int, ctx: RunContext
) -> Scan:
    """Read the columns that decide on groups, once; more often for transforms.

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
        If a value is missing where that is refused, or cannot be computed with, or
        there are too many categories, or a hierarchy lacks one.
    InfeasibleError
        If there are fewer than k records.
    """
    begin = TRANSFORMS if plan.transforms else 0.0
    bends = settle_transforms(plan, source, ctx.part(0.0, begin))
    seen = _Seen(plan, source, records_per_block, bends)
    names = dict.fromkeys((*plan.quasi_identifiers, *filter(None, [plan.weights])))
    for first, batch in source.batches(tuple(names), ctx.part(begin, 1.0), STAGE):
        seen.add(first, batch)
    return seen.result()


class _Seen:
    """What has been seen of the records so far."""

    def __init__(
        self,
        plan: ResolvedPlan,
        source: Source,
        records_per_block: int,
        bends: tuple[Transform, ...],
    ) -> None:
        p, names = len(plan.quasi_identifiers), plan.quasi_identifiers
        self._plan, self._source, self._bends = plan, source, bends
        self._per_block = records_per_block
        self._orders = categories_of(source.first_batch())
        self._places = {
            name: Places(name) for name in word_columns(plan, source.schema)
        }
        self._moments = Moments(p, weighted=plan.weights is not None)
        aimed = -(-source.n_records // records_per_block)
        self._sample = Sample(PER_BLOCK * aimed / source.n_records, plan.seed)
        self._low, self._high = np.full(p, np.inf), np.full(p, -np.inf)
        self._whole, self._seconds = np.ones(p, np.bool_), np.ones(p, np.bool_)
        self._fits = np.ones((p, MOST_DECIMALS + 1), dtype=np.bool_)
        self._rules = None
        if plan.constraints:
            columns = tuple(source.schema.names)
            self._rules = parse_rules(plan.constraints, names, columns)
        self._cases = CompleteCases(plan)
        types = [source.schema.field(name).type for name in names]
        self._moment = [is_moment(kind) for kind in types]
        self._numeric = [name not in self._places for name in names]
        self._single = [str(kind) == "float" for kind in types]
        self._different = {name: Places(name) for name in self._to_be_known()}

    def _to_be_known(self) -> list[str]:
        """Return columns of numbers whose different values somebody asks for.

        The methods that were published for categories rank ordinal ones among them,
        and a hierarchy has to have them all.
        """
        plan = self._plan
        ranks = methods.info(plan.method).family == "mixed"
        return [
            name
            for name, numeric in zip(plan.quasi_identifiers, self._numeric, strict=True)
            if numeric
            and (
                (ranks and plan.kinds[name] is Kind.ORDINAL)
                or aggregations.info(plan.aggregations[name]).hierarchy
            )
        ]

    def add(self, first: int, batch: Any) -> None:
        """Take in a batch whose first record has number `first`."""
        names = self._plan.quasi_identifiers
        batch = plain(batch, self._orders)
        values = matrix_of(batch, names, self._places, first)
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
        self._low = np.minimum(self._low, values.min(axis=0))
        self._high = np.maximum(self._high, values.max(axis=0))
        self._moments.add(self._bent(values), weights)
        self._sample.add(values, numbers)
        self._whole &= (values % 1 == 0).all(axis=0)
        for j, name in enumerate(names):
            if name in self._places:
                self._places[name].count(values[:, j], weights)
            if name in self._different:
                self._different[name].of(batch.column(name), first)
            if self._moment[j] and self._numeric[j] and self._seconds[j]:
                known = moments_of(batch.column(name)).dropna()
                self._seconds[j] = bool((known == known.dt.floor("s")).all())
        self._count_decimals(values)

    def _bent(self, values: Values) -> Values:
        if not self._plan.transforms:
            return values
        columns = zip(self._bends, values.T, strict=True)
        return np.column_stack([bend(column) for bend, column in columns])

    def _count_decimals(self, values: Values) -> None:
        if self._plan.rounding == "none":
            return
        for j in range(values.shape[1]):
            if self._whole[j] or self._moment[j] or not self._numeric[j]:
                continue
            form = np.float32 if self._single[j] else np.float64
            column: NDArray[Any] = values[:, j].astype(form)
            for places in np.flatnonzero(self._fits[j]):
                self._fits[j, places] = written_with(column, int(places))

    def result(self) -> Scan:
        """Return what follows from all records."""
        plan, names = self._plan, self._plan.quasi_identifiers
        moments = self._moments.finish()
        check_k(plan.k, moments.n)
        known = self._known(moments)
        self._check_trees(known)
        said = (bend.said(name) for bend, name in zip(self._bends, names, strict=True))
        warnings = (
            *self._cases.warnings(),
            *constant_columns(names, self._high - self._low),
            *filter(None, said),
        )
        values, numbers = self._sample.taken()
        for name, own in known.leaves.items():
            j = names.index(name)
            values[:, j] = own.leaves[values[:, j].astype(np.int64)]
        leaves = min(-(-moments.n // self._per_block), max(1, numbers.size))
        tree = grow_tree(values, numbers, known.comparable(values), leaves)
        return Scan(moments.n, known, self._decimals(known), tree, warnings)

    def _known(self, moments: Moments) -> Known:
        plan = self._plan
        centre, scale = centre_and_scale(plan.scaling, moments)
        columns: list[Numbers | Words] = []
        for j, name in enumerate(plan.quasi_identifiers):
            if name in self._places:
                columns.append(self._places[name].result())
                continue
            levels: list[float] = []
            if name in self._different and plan.kinds[name] is Kind.ORDINAL:
                values = numbers_of(self._different[name].result().values)
                levels = np.unique(values).tolist()
            columns.append(
                Numbers(
                    float(centre[j]),
                    float(scale[j]),
                    float(moments.weighted_squares[j]),
                    float(self._high[j] - self._low[j]),
                    bool(self._whole[j]),
                    bool(self._seconds[j]),
                    levels,
                    self._bends[j],
                )
            )
        return Known(plan, self._source.schema, self._orders, tuple(columns))

    def _check_trees(self, known: Known) -> None:
        """Refuse hierarchies of numbers that lack one of them."""
        for attribute in known.attributes:
            if attribute.name not in self._different or attribute.tree is None:
                continue
            words = self._different[attribute.name].result()
            texts = attribute.text(numbers_of(words.values))
            lacking = set(texts) - set(attribute.tree.leaves)
            for text, record in zip(texts, words.first, strict=True):
                if text in lacking:
                    raise lacking_value(attribute.name, text, int(record))

    def _decimals(self, known: Known) -> tuple[int, ...]:
        """Return to how many decimals columns are rounded, as in memory."""
        own = tuple(map(self._places_of, range(len(known.attributes))))
        if self._rules is None:
            return own
        check_bound(self._plan, known.attributes, self._rules)
        bound = self._rules.bound_columns
        least = without_bound(self._plan.rounding, known.attributes, bound, own)
        return self._rules.first_roundable(own, least)

    def _places_of(self, j: int) -> int:
        """Return what :func:`engine.pipeline.rounding.decimals_for` does in memory."""
        if self._plan.rounding == "none" or not self._numeric[j]:
            return -1
        if self._whole[j]:
            return 0
        if self._moment[j]:
            return -1
        fits = np.flatnonzero(self._fits[j])
        return int(fits[0]) if fits.size else -1


def weights_of(batch: Any, name: str) -> Values:
    """Return the column of weights, shape (n_records,)."""
    return numbers_of(batch.column(name))


def _refuse_weights(weights: Values, name: str, numbers: NDArray[np.int64]) -> None:
    bad = unfit_weights(weights)
    if bad.size:  # how many there are, no batch knows
        raise InputError(
            "Column {column!r} weighs records, but the weight of record "
            "{record:,} is missing, infinite, zero or negative: correct "
            "it, or give the column another role.",
            column=name,
            record=numbers[bad[0]] + 1,
        )
