"""First pass: statistics of all records for scaling, rounding and splitting."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
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
from engine.pipeline.remarks import lost_digits_warnings
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
    are_floats_exact,
    batch_to_float_matrix,
    column_dictionaries,
    column_to_floats,
    dates_to_series,
    decode_dictionaries,
    encoded_columns,
    is_date_type,
    raise_if_unusable_numbers,
)
from engine.streaming.records.source import InputPart, ParquetSource
from engine.streaming.workers.tasks import Workers, map_in_order

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
    plan: ResolvedPlan,
    source: ParquetSource,
    records_per_block: int,
    workers: Workers,
    ctx: RunContext,
) -> FirstPassResult:
    """Return statistics, decimals and split points, from reading all records.

    Parameters
    ----------
    records_per_block : int
        Aimed at; a block has at most so many on average.
    workers : Workers
        Who reads the parts of the input.

    Raises
    ------
    InputError
        If a value is missing where that is refused, or cannot be computed with, or
        there are too many categories, or a hierarchy lacks one.
    InfeasibleError
        If there are fewer than k records.
    """
    begin = TRANSFORMS_TIME_SHARE if plan.transforms else 0.0
    bends = fit_transforms(plan, source, workers, ctx.subcontext(0.0, begin))
    orders = column_dictionaries(source.first_batch())
    aimed = -(-source.n_records // records_per_block)
    share = SAMPLED_RECORDS_PER_BLOCK * aimed / source.n_records
    inexact = source.named_files.inexact_columns
    inputs = ScanInputs(plan, source.schema, orders, share, bends, inexact)
    part, statistics = ctx.subcontext(begin, 1.0), RecordStatistics(inputs)
    task = partial(scan_part, inputs)
    for own in map_in_order(workers, task, source.parts, part, FIRST_PASS_STAGE):
        statistics.join(inputs, own)
    return statistics.result(inputs, records_per_block)


@dataclass(frozen=True, eq=False)
class ScanInputs:
    """What the first pass knows of all parts of the input before it reads one.

    Attributes
    ----------
    plan : ResolvedPlan
    schema : pyarrow.Schema
        Of the input.
    orders : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.records.columns.column_dictionaries`.
    share : float
        Of the records that is sampled.
    bends : tuple of FittedTransform
        Of each quasi-identifier.
    inexact : collection of str
        Columns that had more digits in the text that they were read from.
    """

    plan: ResolvedPlan
    schema: Any
    orders: Mapping[str, Any]
    share: float
    bends: tuple[FittedTransform, ...]
    inexact: Collection[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that are read."""
        weights = filter(None, [self.plan.weights])
        return tuple(dict.fromkeys((*self.plan.quasi_identifiers, *weights)))

    @cached_property
    def types(self) -> list[Any]:
        """Type of each quasi-identifier."""
        return [self.schema.field(name).type for name in self.plan.quasi_identifiers]

    @cached_property
    def encoded(self) -> tuple[str, ...]:
        """Quasi-identifiers that are encoded as leaves or ranks."""
        return encoded_columns(self.plan, self.schema)

    def to_be_listed(self) -> list[str]:
        """Return columns of numbers whose different values somebody asks for.

        The methods that were published for categories rank ordinal ones among them,
        and a hierarchy has to have them all.
        """
        plan = self.plan
        ranks = methods.info(plan.method).family == "mixed"
        return [
            name
            for name in plan.quasi_identifiers
            if name not in self.encoded
            and (
                (ranks and plan.kinds[name] is Kind.ORDINAL)
                or aggregations.info(plan.aggregations[name]).hierarchy
            )
        ]


def scan_part(inputs: ScanInputs, part: InputPart, ctx: RunContext) -> RecordStatistics:
    """Return the statistics of the records in a part of the input."""
    seen = RecordStatistics(inputs)
    for first, batch in part.batches(inputs.names, ctx):
        seen.add_batch(inputs, first, batch)
    return seen.finish()


class RecordStatistics:
    """Statistics of the records so far, to which those of later ones can be joined."""

    def __init__(self, inputs: ScanInputs) -> None:
        plan, p = inputs.plan, len(inputs.plan.quasi_identifiers)
        self._places = {name: ValueCounter(name) for name in inputs.encoded}
        self._listed = {name: ValueCounter(name) for name in inputs.to_be_listed()}
        self._moments = StreamingColumnMoments(p, weighted=plan.weights is not None)
        self._sample = BernoulliHashSample(inputs.share, plan.seed)
        self._low, self._high = np.full(p, np.inf), np.full(p, -np.inf)
        self._whole, self._seconds = np.ones(p, np.bool_), np.ones(p, np.bool_)
        self._fits = np.ones((p, MAX_DECIMALS + 1), dtype=np.bool_)
        self._inexact = {*inputs.inexact}
        self._cases = MissingRecordFilter(plan)

    def add_batch(self, inputs: ScanInputs, first: int, batch: Any) -> None:
        """Add a batch whose first record has number `first`."""
        plan, names = inputs.plan, inputs.plan.quasi_identifiers
        batch = decode_dictionaries(batch, inputs.orders)
        values = batch_to_float_matrix(batch, names, self._places, first)
        raise_if_unusable_numbers(values, names, first)
        for name in {*names}.difference(self._inexact, self._places):
            if not are_floats_exact(batch.column(name)):
                self._inexact.add(name)
        complete = self._cases.complete_mask(values, first)
        values = values[complete]
        if not len(values):
            return
        numbers = first + np.flatnonzero(complete).astype(np.int64)
        weights = None
        if plan.weights is not None:
            weights = read_batch_weights(batch, plan.weights)[complete]
            _refuse_weights(weights, plan.weights, numbers)
        self._low = np.minimum(self._low, values.min(axis=0))
        self._high = np.maximum(self._high, values.max(axis=0))
        self._moments.add_records(_bent(inputs, values), weights)
        self._sample.add_records(values, numbers)
        self._whole &= (values % 1 == 0).all(axis=0)
        for j, name in enumerate(names):
            if name in self._places:
                self._places[name].add_counts(values[:, j], weights)
            elif is_date_type(inputs.types[j]) and self._seconds[j]:
                known = dates_to_series(batch.column(name)).dropna()
                self._seconds[j] = bool((known == known.dt.floor("s")).all())
            if name in self._listed:
                self._listed[name].encode_column(batch.column(name), first)
        self._count_decimals(inputs, values)

    def _count_decimals(self, inputs: ScanInputs, values: Values) -> None:
        if inputs.plan.rounding == "none":
            return
        for j, name in enumerate(inputs.plan.quasi_identifiers):
            dates = is_date_type(inputs.types[j])
            if self._whole[j] or dates or name in self._places:
                continue
            form = np.float32 if str(inputs.types[j]) == "float" else np.float64
            column: NDArray[Any] = values[:, j].astype(form)
            for places in np.flatnonzero(self._fits[j]):
                self._fits[j, places] = is_rounded_to_decimals(column, int(places))

    def finish(self) -> RecordStatistics:
        """Add what is buffered, and return self."""
        self._moments.finish()
        return self

    def join(self, inputs: ScanInputs, later: RecordStatistics) -> None:
        """Add the statistics of the records that follow these."""
        places = {
            inputs.plan.quasi_identifiers.index(name): own.join(later._places[name])
            for name, own in self._places.items()
        }
        if later._moments.n:
            values, numbers = later._sample.chosen_records()
            for j, own in places.items():
                values[:, j] = own[values[:, j].astype(np.int64)]
            self._sample.add_records(values, numbers)
        for name, counter in self._listed.items():
            counter.join(later._listed[name])
        self._moments.join(later._moments)
        self._low = np.minimum(self._low, later._low)
        self._high = np.maximum(self._high, later._high)
        self._whole &= later._whole
        self._seconds &= later._seconds
        self._fits &= later._fits
        self._inexact |= later._inexact
        self._cases.join(later._cases)

    def result(self, inputs: ScanInputs, records_per_block: int) -> FirstPassResult:
        """Return what is known once all records have been added."""
        plan, names = inputs.plan, inputs.plan.quasi_identifiers
        n_records = self._moments.n
        check_k(plan.k, n_records)
        known = self._known(inputs)
        self._check_trees(known)
        said = (
            bend.to_message(name)
            for bend, name in zip(inputs.bends, names, strict=True)
        )
        widths = self._high - self._low
        for name, counter in self._places.items():
            widths[names.index(name)] = counter.n_released - 1
        warnings = (
            *self._cases.warnings(),
            *constant_column_warnings(names, widths),
            *filter(None, said),
            *lost_digits_warnings(
                [n for n in names if n in self._inexact and n not in self._places]
            ),
        )
        values, numbers = self._sample.chosen_records()
        for name, own in known.encodings.items():
            j = names.index(name)
            values[:, j] = own.leaves[values[:, j].astype(np.int64)]
        leaves = min(-(-n_records // records_per_block), max(1, numbers.size))
        tree = grow_split_tree(values, numbers, known.scale_comparably(values), leaves)
        decimals = self._decimals(inputs, known)
        return FirstPassResult(n_records, known, decimals, tree, warnings)

    def _known(self, inputs: ScanInputs) -> QuasiIdentifierStatistics:
        plan, moments = inputs.plan, self._moments
        centre, scale = centre_and_scale(plan.scaling, moments)
        columns: list[NumericColumnScaling | CountedValues] = []
        for j, name in enumerate(plan.quasi_identifiers):
            if name in self._places:
                columns.append(self._places[name].result())
                continue
            levels: list[float] = []
            if name in self._listed and plan.kinds[name] is Kind.ORDINAL:
                values = column_to_floats(self._listed[name].result().values)
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
                    inputs.bends[j],
                )
            )
        return QuasiIdentifierStatistics(
            plan, inputs.schema, inputs.orders, tuple(columns)
        )

    def _check_trees(self, known: QuasiIdentifierStatistics) -> None:
        """Refuse hierarchies of numbers that lack one of them."""
        for attribute in known.attributes:
            if attribute.name not in self._listed or attribute.tree is None:
                continue
            words = self._listed[attribute.name].result()
            texts = attribute.to_text(column_to_floats(words.values))
            lacking = set(texts) - set(attribute.tree.leaves)
            for text, record in zip(texts, words.first, strict=True):
                if text in lacking:
                    raise uncovered_value_error(attribute.name, text, int(record))

    def _decimals(
        self, inputs: ScanInputs, known: QuasiIdentifierStatistics
    ) -> tuple[int, ...]:
        """Return to how many decimals columns are rounded, as in memory."""
        plan = inputs.plan
        own = tuple(
            self._places_of(inputs, j) for j in range(len(plan.quasi_identifiers))
        )
        if not plan.constraints:
            return own
        columns = tuple(inputs.schema.names)
        rules = parse_rules(plan.constraints, plan.quasi_identifiers, columns)
        check_rule_columns(plan, known.attributes, rules)
        bound = rules.bound_columns
        least = rule_safe_decimals(plan.rounding, known.attributes, bound, own)
        return rules.first_roundable(own, least)

    def _places_of(self, inputs: ScanInputs, j: int) -> int:
        """Return what `engine.pipeline.protection.rounding` finds in memory."""
        plan = inputs.plan
        if plan.rounding == "none" or plan.quasi_identifiers[j] in self._places:
            return -1
        if self._whole[j]:
            return 0
        if is_date_type(inputs.types[j]):
            return -1
        fits = np.flatnonzero(self._fits[j])
        return int(fits[0]) if fits.size else -1


def _bent(inputs: ScanInputs, values: Values) -> Values:
    if not inputs.plan.transforms:
        return values
    columns = zip(inputs.bends, values.T, strict=True)
    return np.column_stack([bend(column) for bend, column in columns])


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
