"""Statistics of each quasi-identifier over all records, and their coordinate space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.branches import CategoryCoordinates
from engine.points.coordinate_space import CoordinateSpace
from engine.points.encode import attribute_weight_array
from engine.points.scaling import GivenSpread, centre_and_scale
from engine.points.transforms import FittedTransform
from engine.streaming.passes.words import CountedValues, LeafEncoding
from engine.streaming.records.columns import is_date_type


@dataclass(frozen=True)
class NumericColumnScaling:
    """Centre, scale, sum of squares and range of a column of numbers or dates.

    Attributes
    ----------
    centre, scale : float
        Of transformed values.
    squares : float
        SST of transformed values, weighted where records have weights.
    range : float
        Largest less smallest value.
    whole, seconds : bool
        See :class:`engine.data.conversion.attributes.AttributeInfo`.
    levels : list of float
        Different values of an ordinal column where method or rule asks; else empty.
    bend : FittedTransform
    """

    centre: float
    scale: float
    squares: float
    range: float
    whole: bool
    seconds: bool
    levels: list[float]
    bend: FittedTransform

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> NumericColumnScaling:
        """Return the scaling from its JSON form, bit for bit."""
        return cls(**{**content, "bend": FittedTransform(**content["bend"])})


@dataclass(frozen=True, eq=False)
class QuasiIdentifierStatistics:
    """Statistics of each quasi-identifier, from the first pass over all records.

    Attributes
    ----------
    plan : ResolvedPlan
    schema : pyarrow.Schema
        Of the input.
    orders : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.records.columns.column_dictionaries`.
    columns : tuple of NumericColumnScaling or CountedValues
        In the order of the quasi-identifiers.
    """

    plan: ResolvedPlan
    schema: Any
    orders: Mapping[str, Any]
    columns: tuple[NumericColumnScaling | CountedValues, ...]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the columns' statistics as plain values, ready for JSON."""
        return [
            each.to_json() if isinstance(each, CountedValues) else asdict(each)
            for each in self.columns
        ]

    @classmethod
    def from_json(
        cls, content: list[dict[str, Any]], plan: ResolvedPlan, schema: Any, orders: Any
    ) -> QuasiIdentifierStatistics:
        """Return the statistics that :meth:`to_json` wrote, bit for bit."""
        columns = tuple(
            CountedValues.from_json(each)
            if "values" in each
            else NumericColumnScaling.from_json(each)
            for each in content
        )
        return cls(plan, schema, orders, columns)

    @cached_property
    def encodings(self) -> dict[str, LeafEncoding]:
        """Encoding of each encoded column's values as leaves or ranks, by column.

        Raises
        ------
        InputError
            If a hierarchy lacks a value, or nothing says the order of ordinal words.
        """
        plan = self.plan
        return {
            name: column.to_leaf_encoding(
                name, plan.kinds[name], plan.trees.get(name), self.orders.get(name)
            )
            for name, column in zip(plan.quasi_identifiers, self.columns, strict=True)
            if isinstance(column, CountedValues)
        }

    @cached_property
    def attributes(self) -> tuple[AttributeInfo, ...]:
        """Attribute of each quasi-identifier."""
        named = zip(self.plan.quasi_identifiers, self.columns, strict=True)
        return tuple(self._attribute(name, column) for name, column in named)

    def _attribute(
        self, name: str, column: NumericColumnScaling | CountedValues
    ) -> AttributeInfo:
        kind = self.plan.kinds[name]
        if isinstance(column, CountedValues):
            encoding = self.encodings[name]
            present = np.flatnonzero(
                encoding.sum_by_leaf(column.records_per_value)
            ).astype(np.float64)
            return encoding.attribute.with_known_values(present)
        field = self.schema.field(name).type
        dates = is_date_type(field)
        levels = np.array(column.levels) if column.levels else None
        return AttributeInfo(
            name,
            kind,
            self.plan.trees.get(name),
            dates=dates,
            zone=getattr(field, "tz", None) if dates else None,
            seconds=column.seconds and dates,
            whole=column.whole,
            range=column.range,
            levels=levels,
            exact=self.plan.rounding == "none",
        )

    @cached_property
    def space(self) -> CoordinateSpace:
        """Coordinate space of the whole table, equal to that of an in-memory run."""
        plan, p = self.plan, len(self.columns)
        centre, scale = np.zeros(p), np.ones(p)
        bends = [FittedTransform()] * p
        branches: list[CategoryCoordinates | None] = [None] * p
        for j, column in enumerate(self.columns):
            attribute = self.attributes[j]
            if isinstance(column, NumericColumnScaling):
                centre[j], scale[j] = column.centre, column.scale
                bends[j] = column.bend
            elif attribute.tree is not None and attribute.is_nominal:
                counts = self.encodings[attribute.name].sum_by_leaf(
                    column.records_per_value
                )
                branches[j] = CategoryCoordinates.from_counts(
                    attribute.tree,
                    counts.astype(np.int64),
                    plan.scaling,
                    attribute.name,
                )
            else:
                centre[j], scale[j] = self._ranks_scale(attribute, column)
        weights = attribute_weight_array(plan.quasi_identifiers, plan.attribute_weights)
        return CoordinateSpace(
            self.attributes, centre, scale, weights, tuple(bends), tuple(branches)
        )

    def _ranks_scale(
        self, attribute: AttributeInfo, column: CountedValues
    ) -> tuple[float, float]:
        """Return centre and scale of ordered words, by their ranks."""
        counts = self.encodings[attribute.name].sum_by_leaf(column.records_per_value)
        ranks = np.flatnonzero(counts).astype(np.float64)
        mass = counts[counts > 0]
        mean = float(np.average(ranks, weights=mass))
        deviation = float(np.average(np.square(ranks - mean), weights=mass)) ** 0.5
        figures = (mean, deviation, float(ranks[0]), float(ranks[-1]))
        spread = GivenSpread(*(np.array([figure]) for figure in figures))
        centre, scale = centre_and_scale(self.plan.scaling, spread)
        return float(centre[0]), float(scale[0])

    @cached_property
    def sst(self) -> Values:
        """SST of each attribute on its own scale, weighted if records have weights."""
        column_sst = np.zeros(len(self.columns))
        for j, column in enumerate(self.columns):
            branches, scale = self.space.branches[j], self.space.scale[j]
            if isinstance(column, NumericColumnScaling):
                column_sst[j] = column.squares / scale**2
                continue
            mass = self.encodings[self.attributes[j].name].sum_by_leaf(column.weights)
            present = np.flatnonzero(mass)
            if branches is not None:
                none = np.zeros_like(present)
                column_sst[j] = branches.sse(present, none, mass[present])
            else:
                mean = np.average(present, weights=mass[present])
                column_sst[j] = mass[present] @ np.square((present - mean) / scale)
        return column_sst

    def scale_comparably(self, values: Values) -> Values:
        """Return attribute values scaled so that their widths can be compared.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units; leaves stand in the order of the hierarchy, so far apart
            that all of them together are as wide as their two farthest.
        """
        space = self.space
        lines = space.scale_values(values)
        for j, branches in enumerate(space.branches):
            if branches is not None:
                last = max(1, len(branches.tree.leaves) - 1)
                lines[:, j] = values[:, j] * (branches.span / last)
        return np.asarray(lines * np.sqrt(space.weights))
