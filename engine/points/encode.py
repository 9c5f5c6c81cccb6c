"""From table to numbers: read the quasi-identifiers, settle missing values, scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.registry import Registry
from engine.core.typing import Values
from engine.data.attributes import Attribute, read_attribute
from engine.data.kinds import Kind, MissingPolicy
from engine.data.missing import settle_missing
from engine.data.table import Table

if TYPE_CHECKING:
    from engine.constraints.rules import Rules
    from engine.hierarchy import Hierarchy


@dataclass(frozen=True)
class ScalingInfo:
    """A scaling's name and meaning."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


class Spread(Protocol):
    """What scaling has to know of all records, each of shape (n_attributes,)."""

    @property
    def mean(self) -> Values:
        """Mean of each attribute."""

    @property
    def deviation(self) -> Values:
        """Standard deviation of each attribute."""

    @property
    def low(self) -> Values:
        """Smallest value of each attribute."""

    @property
    def high(self) -> Values:
        """Largest value of each attribute."""


@dataclass(frozen=True, eq=False)
class SpreadOf:
    """The spread of records that are all in memory.

    Attributes
    ----------
    values : ndarray of float64, shape (n_records, n_attributes)
    """

    values: Values

    @property
    def mean(self) -> Values:
        """Mean of each attribute."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def deviation(self) -> Values:
        """Standard deviation of each attribute."""
        return np.asarray(self.values.std(axis=0))

    @cached_property
    def low(self) -> Values:
        """Smallest value of each attribute."""
        return np.asarray(self.values.min(axis=0))

    @cached_property
    def high(self) -> Values:
        """Largest value of each attribute."""
        return np.asarray(self.values.max(axis=0))


Scaling = Callable[[Spread], tuple[Values, Values]]
"""``scaling(spread)`` gives (centre, scale), each (n_attributes,)."""

scalings: Registry[ScalingInfo, Scaling] = Registry(Message("scaling"))
"""All scalings, by identifier."""


@scalings.register(
    ScalingInfo("zscore", "Z-score", "Mean 0 and standard deviation 1 per column.")
)
def _zscore(spread: Spread) -> tuple[Values, Values]:
    return spread.mean, spread.deviation


@scalings.register(
    ScalingInfo("range", "Range", "Smallest value 0 and largest value 1 per column.")
)
def _range(spread: Spread) -> tuple[Values, Values]:
    return spread.low, spread.high - spread.low


@scalings.register(
    ScalingInfo("none", "None", "Values as they are: the largest unit decides.")
)
def _none(spread: Spread) -> tuple[Values, Values]:
    return np.zeros_like(spread.low), np.ones_like(spread.low)


def centre_and_scale(scaling: str, spread: Spread) -> tuple[Values, Values]:
    """Return centre and scale of each attribute, shape (n_attributes,); no scale is 0.

    Parameters
    ----------
    scaling : str
        Identifier in :data:`scalings`.
    spread : Spread

    Raises
    ------
    ParameterError
        If there is no such scaling.
    """
    centre, scale = scalings.get(scaling)(spread)
    # The scale of a constant column is 0 or rounding noise.
    varies = (spread.high > spread.low) & (scale > 0)
    return centre, np.where(varies, scale, 1.0)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Records prepared for grouping.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous, read-only, without NaN: ``(values - centre) / scale``.
    values : ndarray of float64, shape (n_records, n_attributes)
        The same records in their own units, missing values settled.
    attributes : tuple of Attribute
        What the columns of X mean. For a nominal attribute X and values hold leaf
        numbers of its hierarchy; centre is 0 and scale 1.
    centre, scale : ndarray of float64, shape (n_attributes,)
    span : ndarray of float64, shape (n_attributes,)
        Largest minus smallest value of X in the whole table; 0 for constants.
    rows : ndarray of int64, shape (n_records,)
        Row of the table that each record came from.
    missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing in the release; X is 0 there. Records are grouped with
        those that lack the same cells, so within a group such a column is constant.
    weights : ndarray of float64, shape (n_records,), or None
        How many units each record stands for.
    rules : Rules or None
        What released values have to satisfy, in the columns' own units.
    filled : mapping of str to ndarray of int64
        Rows of the table whose missing value in that column was filled in.
    warnings : tuple of Message
    """

    X: Values
    values: Values
    attributes: tuple[Attribute, ...]
    centre: Values
    scale: Values
    span: Values
    rows: NDArray[np.int64]
    missing: NDArray[np.bool_]
    weights: Values | None = None
    rules: Rules | None = None
    filled: Mapping[str, NDArray[np.int64]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    warnings: tuple[Message, ...] = ()

    @classmethod
    def from_array(cls, X: Values) -> Encoded:
        """Wrap values that need no preparation: continuous, as they are.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_attributes)
        """
        values = np.ascontiguousarray(X, dtype=np.float64)
        if values is X:
            values = values.view()
        values.flags.writeable = False
        n, p = values.shape
        with np.errstate(over="ignore"):  # a range beyond the largest number is inf
            span = np.ptp(values, axis=0) if n else np.zeros(p)
        return cls(
            X=values,
            values=values,
            attributes=tuple(
                Attribute(f"x{j}", range=float(span[j])) for j in range(p)
            ),
            centre=np.zeros(p),
            scale=np.ones(p),
            span=span,
            rows=np.arange(n, dtype=np.int64),
            missing=np.zeros((n, p), dtype=np.bool_),
        )

    @classmethod
    def scaled(
        cls,
        values: Values,
        attributes: tuple[Attribute, ...],
        centre: Values,
        scale: Values,
        **others: Any,
    ) -> Encoded:
        """Return records on the scale of a table that they are all or a part of.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units, missing values settled.
        attributes : tuple of Attribute
            With the ranges of the whole table.
        centre, scale : ndarray of float64, shape (n_attributes,)
        **others
            As above; without them no cell is missing, and rows are 0, 1, and so on.
        """
        n, p = values.shape
        known = {
            "rows": np.arange(n, dtype=np.int64),
            "missing": np.zeros((n, p), dtype=np.bool_),
        }
        return cls(
            X=_frozen((values - centre) / scale),
            values=_frozen(values),
            attributes=attributes,
            centre=centre,
            scale=scale,
            span=np.array([each.range for each in attributes]) / scale,
            **{**known, **others},
        )

    def subset(self, records: NDArray[np.int64]) -> Encoded:
        """Return only the given records, on the same centre, scale and span."""
        return replace(
            self,
            X=_frozen(self.X[records]),
            values=_frozen(self.values[records]),
            rows=self.rows[records],
            missing=self.missing[records],
            weights=None if self.weights is None else self.weights[records],
        )

    def columns(self, indices: Sequence[int]) -> Encoded:
        """Return only the given attributes of all records, without the rules."""
        chosen = list(indices)
        return replace(
            self,
            X=_frozen(self.X[:, chosen]),
            values=_frozen(self.values[:, chosen]),
            attributes=tuple(self.attributes[j] for j in chosen),
            centre=self.centre[chosen],
            scale=self.scale[chosen],
            span=self.span[chosen],
            missing=self.missing[:, chosen],
            rules=None,
        )

    def with_rules(self, rules: Rules) -> Encoded:
        """Return the same records, bound by rules."""
        return replace(self, rules=rules)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, in the order of X."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds, in the order of X."""
        return tuple(attribute.kind for attribute in self.attributes)

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """Generalisation hierarchies, by column; every nominal attribute has one."""
        return {
            attribute.name: attribute.tree
            for attribute in self.attributes
            if attribute.tree is not None
        }

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Attributes whose differences mean something, shape (n_attributes,)."""
        return np.array([not each.nominal for each in self.attributes], dtype=np.bool_)

    @cached_property
    def numbers(self) -> Values:
        """The numeric columns of X; X itself if there are no others."""
        return self.X if self.numeric.all() else _frozen(self.X[:, self.numeric])

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return int(self.X.shape[1])


def _frozen(values: Values) -> Values:
    """Return values C-contiguous and read-only."""
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values


def encode(
    table: Table,
    columns: tuple[str, ...],
    scaling: str = "zscore",
    missing: MissingPolicy = "refuse",
    missing_columns: Mapping[str, MissingPolicy] | None = None,
    weights: str | None = None,
) -> Encoded:
    """Prepare quasi-identifiers for grouping.

    Parameters
    ----------
    table : Table
    columns : tuple of str
        The quasi-identifiers.
    scaling : str
        Identifier in :data:`scalings`.
    missing : {"refuse", "drop", "median", "mode", "keep"}
        What happens to records with a missing quasi-identifier; see
        :mod:`engine.data.missing`.
    missing_columns : mapping of str to policy, optional
        The same for single columns, where they differ.
    weights : str, optional
        Column with how many units each record stands for.

    Raises
    ------
    ParameterError
        If there is no quasi-identifier, or a column does not exist.
    InputError
        If a column's values are not those of its kind, or infinite or huge, or missing
        where that is refused, or a weight is not positive.
    """
    if not columns:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    if len(set(columns)) < len(columns):
        name = next(c for c in columns if columns.count(c) > 1)
        raise ParameterError("Quasi-identifier {column!r} is named twice.", column=name)
    found = [read_attribute(table, name) for name in columns]
    attributes = tuple(attribute for attribute, _ in found)
    raw = np.column_stack([values for _, values in found])
    policies = [(missing_columns or {}).get(name, missing) for name in columns]
    settled = settle_missing(raw, attributes, policies)
    raw = settled.values
    present = np.where(settled.kept, np.nan, raw)
    nominal = np.array([attribute.nominal for attribute in attributes])
    spread = np.nanmax(present, axis=0) - np.nanmin(present, axis=0)
    centre, scale = _centre_and_scale(present, nominal, scaling)
    weighed = None
    if weights is not None:
        weighed = read_weights(table, weights, settled.rows)
    raw = np.where(settled.kept, _neutral(present, nominal, weighed), raw)
    return Encoded.scaled(
        raw,
        tuple(attribute.among(present[:, j]) for j, attribute in enumerate(attributes)),
        centre,
        scale,
        rows=settled.rows,
        missing=settled.kept,
        weights=weighed,
        filled=settled.filled,
        warnings=settled.warnings + constant_columns(columns, spread),
    )


def _centre_and_scale(
    values: Values, nominal: NDArray[np.bool_], scaling: str
) -> tuple[Values, Values]:
    """Return what to scale by, from the cells that are there (the others are NaN)."""
    if not np.isnan(values).any() and not nominal.any():
        return centre_and_scale(scaling, SpreadOf(values))
    centre, scale = np.zeros(nominal.size), np.ones(nominal.size)
    for j in np.flatnonzero(~nominal):
        column = values[~np.isnan(values[:, j]), j]
        found = centre_and_scale(scaling, SpreadOf(column[:, np.newaxis]))
        centre[j : j + 1], scale[j : j + 1] = found
    return centre, scale


def constant_columns(names: Sequence[str], width: Values) -> tuple[Message, ...]:
    """Return a warning for each column whose largest value is its smallest."""
    return tuple(
        Message(
            "Quasi-identifier {name!r} is constant: it does not influence the groups.",
            name=name,
        )
        for name, wide in zip(names, width, strict=True)
        if wide == 0
    )


def _neutral(
    present: Values, nominal: NDArray[np.bool_], weights: Values | None
) -> Values:
    """Return what cells that stay missing hold: the mean, so that they vary nothing."""
    found = np.zeros(nominal.size)
    for j in np.flatnonzero(~nominal):
        there = ~np.isnan(present[:, j])
        some = None if weights is None else weights[there]
        found[j] = np.average(present[there, j], weights=some)
    return found


def read_weights(table: Table, name: str, rows: NDArray[np.int64]) -> Values:
    """Return a column of weights, shape (n_records,).

    Raises
    ------
    InputError
        If a weight is missing, zero or negative.
    """
    attribute, values = read_attribute(table, name)
    if attribute.words is not None or attribute.dates:
        raise InputError(
            "Column {column!r} holds no numbers, so it cannot weigh records: give the "
            "role weight to another column.",
            column=name,
        )
    values = values[rows]
    bad = np.flatnonzero(~(values > 0))
    if bad.size:
        what = Message("zero or negative")
        if np.isnan(values[bad[0]]):
            what = Message("missing")
        raise InputError(
            "Column {column!r} weighs records, but {count:,} weight cannot be used: "
            "the first, in record {record}, is {what}. Correct these cells, or give "
            "the column another role.",
            "Column {column!r} weighs records, but {count:,} weights cannot be used: "
            "the first, in record {record}, is {what}. Correct these cells, or give "
            "the column another role.",
            count=bad.size,
            column=name,
            record=rows[bad[0]] + 1,
            what=what,
        )
    return _frozen(values)
