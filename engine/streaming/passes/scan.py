"""First pass: statistics of all records for scaling, rounding and splitting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.constraints.exact_rounding.decimals import (
    MAX_DECIMALS,
    is_rounded_to_decimals,
)
from engine.constraints.rules import parse_rules
from engine.core.context import RunContext
from engine.core.errors import InputError
from engine.core.message import Message, message_from_json, message_to_json
from engine.core.partition import check_k
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.hierarchy.tree import uncovered_value_error
from engine.methods import methods
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.rounding import rule_safe_decimals
from engine.pipeline.protection.rules import check_rule_columns
from engine.points.encode import constant_column_warnings, invalid_weight_positions
from engine.points.scaling import centre_and_scale
from engine.points.transforms import FittedTransform
from engine.streaming.blocks.split import (
    SAMPLED_RECORDS_PER_BLOCK,
    BernoulliHashSample,
    SplitTree,
    grow_split_tree,
)
from engine.streaming.passes.missing import MissingRecordFilter
from engine.streaming.passes.moments import StreamingColumnMoments
from engine.streaming.passes.table_statistics import (
    NumericColumnScaling,
    QuasiIdentifierStatistics,
)
from engine.streaming.passes.transforms import fit_transforms
from engine.streaming.passes.words import CountedValues, ValueCounter
from engine.streaming.records.columns import (
    batch_to_float_matrix,
    column_dictionaries,
    column_to_floats,
    dates_to_series,
    decode_dictionaries,
    encoded_columns,
    is_date_type,
    raise_if_unusable_numbers,
)
from engine.streaming.records.source import ParquetSource

FIRST_PASS_STAGE = Message("First pass: means, spreads and a sample")

TRANSFORMS_TIME_SHARE = 0.3
"""Share of the time for transforms, where there are any."""


@dataclass(frozen=True, eq=False)
class FirstPassResult:
    """Result of the first pass: statistics, decimals and split points.

    Attributes
    ----------
    n_records : int
        Records that will be released.
    known : QuasiIdentifierStatistics
        Of each quasi-identifier.
    decimals : tuple of int
        To how many each attribute is rounded; -1 where it is not.
    tree : SplitTree
        Where blocks begin and end.
    warnings : tuple of Message
    """

    n_records: int
    known: QuasiIdentifierStatistics
    decimals: tuple[int, ...]
    tree: SplitTree
    warnings: tuple[Message, ...]

    def to_json(self) -> dict[str, Any]:
        """Return statistics, decimals and split tree as plain values, for JSON."""
        return {
            "n_records": self.n_records,
            "columns": self.known.to_json(),
            "decimals": list(self.decimals),
            "tree": self.tree.to_json(),
            "warnings": list(map(message_to_json, self.warnings)),
        }

    @classmethod
    def from_json(
        cls, content: Mapping[str, Any], plan: ResolvedPlan, source: ParquetSource
    ) -> FirstPassResult:
        """Return the result that :meth:`to_json` wrote, bit for bit."""
        orders = column_dictionaries(source.first_batch())
        return cls(
            content["n_records"],
            QuasiIdentifierStatistics.from_json(
                content["columns"], plan, source.schema, orders
            ),
            tuple(content["decimals"]),
            SplitTree.from_json(content["tree"]),
            tuple(map(message_from_json, content["warnings"])),
        )


def scan_all_records(
    plan: ResolvedPlan, source: ParquetSource, records_per_block: int, ctx: RunContext
) -> FirstPassResult:
    """Return statistics, decimals and split points, from reading all records.

    Parameters
    ----------
    records_per_block : int
        Aimed at; a block has at most so many on average.

    Raises
    ------
    InputError
        If a value is missing where that is refused, or cannot be computed with, or
        there are too many categories, or a hierarchy lacks one.
    InfeasibleError
        If there are fewer than k records.
    """
    begin = TRANSFORMS_TIME_SHARE if plan.transforms else 0.0
    bends = fit_transforms(plan, source, ctx.subcontext(0.0, begin))
    seen = _Seen(plan, source, records_per_block, bends)
    names = dict.fromkeys((*plan.quasi_identifiers, *filter(None, [plan.weights])))
    for first, batch in source.batches(
        tuple(names), ctx.subcontext(begin, 1.0), FIRST_PASS_STAGE
    ):
        seen.add_batch(first, batch)
    return seen.result()


class _Seen:
    """What has been seen of the records so far."""

    def __init__(
        self,
        plan: ResolvedPlan,
        source: ParquetSource,
        records_per_block: int,
        bends: tuple[FittedTransform, ...],
    ) -> None:
        p, names = len(plan.quasi_identifiers), plan.quasi_identifiers
        self._plan, self._source, self._bends = plan, source, bends
        self._per_block = records_per_block
        self._orders = column_dictionaries(source.first_batch())
        self._places = {
            name: ValueCounter(name) for name in encoded_columns(plan, source.schema)
        }
        self._moments = StreamingColumnMoments(p, weighted=plan.weights is not None)
        aimed = -(-source.n_records // records_per_block)
        self._sample = BernoulliHashSample(
            SAMPLED_RECORDS_PER_BLOCK * aimed / source.n_records, plan.seed
        )
        self._low, self._high = np.full(p, np.inf), np.full(p, -np.inf)
        self._whole, self._seconds = np.ones(p, np.bool_), np.ones(p, np.bool_)
        self._fits = np.ones((p, MAX_DECIMALS + 1), dtype=np.bool_)
        self._rules = None
        if plan.constraints:
            columns = tuple(source.schema.names)
            self._rules = parse_rules(plan.constraints, names, columns)
        self._cases = MissingRecordFilter(plan)
        types = [source.schema.field(name).type for name in names]
        self._moment = [is_date_type(kind) for kind in types]
        self._numeric = [name not in self._places for name in names]
        self._single = [str(kind) == "float" for kind in types]
        self._different = {name: ValueCounter(name) for name in self._to_be_known()}

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

    def add_batch(self, first: int, batch: Any) -> None:
        """Add a batch whose first record has number `first`."""
        names = self._plan.quasi_identifiers
        batch = decode_dictionaries(batch, self._orders)
        values = batch_to_float_matrix(batch, names, self._places, first)
        raise_if_unusable_numbers(values, names, first)
        complete = self._cases.complete_mask(values, first)
        values = values[complete]
        if not len(values):
            return
        numbers = first + np.flatnonzero(complete).astype(np.int64)
        weights = None
        if self._plan.weights is not None:
            weights = read_batch_weights(batch, self._plan.weights)[complete]
            _refuse_weights(weights, self._plan.weights, numbers)
        self._low = np.minimum(self._low, values.min(axis=0))
        self._high = np.maximum(self._high, values.max(axis=0))
        self._moments.add_records(self._bent(values), weights)
        self._sample.add_records(values, numbers)
        self._whole &= (values % 1 == 0).all(axis=0)
        for j, name in enumerate(names):
            if name in self._places:
                self._places[name].add_counts(values[:, j], weights)
            if name in self._different:
                self._different[name].encode_column(batch.column(name), first)
            if self._moment[j] and self._numeric[j] and self._seconds[j]:
                known = dates_to_series(batch.column(name)).dropna()
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
                self._fits[j, places] = is_rounded_to_decimals(column, int(places))

    def result(self) -> FirstPassResult:
        """Return the statistics of all records."""
        plan, names = self._plan, self._plan.quasi_identifiers
        moments = self._moments.finish()
        check_k(plan.k, moments.n)
        known = self._known(moments)
        self._check_trees(known)
        said = (
            bend.to_message(name) for bend, name in zip(self._bends, names, strict=True)
        )
        warnings = (
            *self._cases.warnings(),
            *constant_column_warnings(names, self._high - self._low),
            *filter(None, said),
        )
        values, numbers = self._sample.chosen_records()
        for name, own in known.encodings.items():
            j = names.index(name)
            values[:, j] = own.leaves[values[:, j].astype(np.int64)]
        leaves = min(-(-moments.n // self._per_block), max(1, numbers.size))
        tree = grow_split_tree(values, numbers, known.scale_comparably(values), leaves)
        return FirstPassResult(moments.n, known, self._decimals(known), tree, warnings)

    def _known(self, moments: StreamingColumnMoments) -> QuasiIdentifierStatistics:
        plan = self._plan
        centre, scale = centre_and_scale(plan.scaling, moments)
        columns: list[NumericColumnScaling | CountedValues] = []
        for j, name in enumerate(plan.quasi_identifiers):
            if name in self._places:
                columns.append(self._places[name].result())
                continue
            levels: list[float] = []
            if name in self._different and plan.kinds[name] is Kind.ORDINAL:
                values = column_to_floats(self._different[name].result().values)
                levels = np.unique(values).tolist()
            columns.append(
                NumericColumnScaling(
                    float(centre[j]),
                    float(scale[j]),
                    float(moments.weighted_sums_of_squares[j]),
                    float(self._high[j] - self._low[j]),
                    bool(self._whole[j]),
                    bool(self._seconds[j]),
                    levels,
                    self._bends[j],
                )
            )
        return QuasiIdentifierStatistics(
            plan, self._source.schema, self._orders, tuple(columns)
        )

    def _check_trees(self, known: QuasiIdentifierStatistics) -> None:
        """Refuse hierarchies of numbers that lack one of them."""
        for attribute in known.attributes:
            if attribute.name not in self._different or attribute.tree is None:
                continue
            words = self._different[attribute.name].result()
            texts = attribute.to_text(column_to_floats(words.values))
            lacking = set(texts) - set(attribute.tree.leaves)
            for text, record in zip(texts, words.first, strict=True):
                if text in lacking:
                    raise uncovered_value_error(attribute.name, text, int(record))

    def _decimals(self, known: QuasiIdentifierStatistics) -> tuple[int, ...]:
        """Return to how many decimals columns are rounded, as in memory."""
        own = tuple(map(self._places_of, range(len(known.attributes))))
        if self._rules is None:
            return own
        check_rule_columns(self._plan, known.attributes, self._rules)
        bound = self._rules.bound_columns
        least = rule_safe_decimals(self._plan.rounding, known.attributes, bound, own)
        return self._rules.first_roundable(own, least)

    def _places_of(self, j: int) -> int:
        """Return what `engine.pipeline.protection.rounding` finds in memory."""
        if self._plan.rounding == "none" or not self._numeric[j]:
            return -1
        if self._whole[j]:
            return 0
        if self._moment[j]:
            return -1
        fits = np.flatnonzero(self._fits[j])
        return int(fits[0]) if fits.size else -1


def read_batch_weights(batch: Any, name: str) -> Values:
    """Return the record weights of a batch, shape (n_records,)."""
    return column_to_floats(batch.column(name))


def _refuse_weights(weights: Values, name: str, numbers: NDArray[np.int64]) -> None:
    bad = invalid_weight_positions(weights)
    if bad.size:  # how many there are, no batch knows
        raise InputError(
            "Column {column!r} weighs records, but the weight of record "
            "{record:,} is missing, infinite, zero or negative: correct "
            "it, or give the column another role.",
            column=name,
            record=numbers[bad[0]] + 1,
        )
