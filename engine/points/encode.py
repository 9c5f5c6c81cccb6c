"""From table to numbers: read the quasi-identifiers, settle missing values, scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.registry import Registry
from engine.core.typing import Values
from engine.data.attributes import Attribute, read_attribute
from engine.data.kinds import Kind
from engine.data.missing import MissingPolicy, settle_missing
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


Scaling = Callable[[Values], tuple[Values, Values]]
"""``scaling(values)`` gives (centre, scale), each (n_attributes,); no scale is 0."""

scalings: Registry[ScalingInfo, Scaling] = Registry(Message("scaling"))
"""All scalings, by identifier."""


def _nonzero(scale: Values, values: Values) -> Values:
    """Return 1 for constant columns, whose scale is 0 or rounding noise."""
    varies = values.max(axis=0) > values.min(axis=0)
    return np.where(varies & (scale > 0), scale, 1.0)


@scalings.register(
    ScalingInfo("zscore", "Z-score", "Mean 0 and standard deviation 1 per column.")
)
def _zscore(values: Values) -> tuple[Values, Values]:
    centre = values.mean(axis=0)
    return centre, _nonzero(values.std(axis=0), values)


@scalings.register(
    ScalingInfo("range", "Range", "Smallest value 0 and largest value 1 per column.")
)
def _range(values: Values) -> tuple[Values, Values]:
    low = values.min(axis=0)
    return low, _nonzero(values.max(axis=0) - low, values)


@scalings.register(
    ScalingInfo("none", "None", "Values as they are: the largest unit decides.")
)
def _none(values: Values) -> tuple[Values, Values]:
    p = values.shape[1]
    return np.zeros(p), np.ones(p)


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
    raw, warnings = settled.values, list(settled.warnings)
    present = np.where(settled.kept, np.nan, raw)
    nominal = np.array([attribute.nominal for attribute in attributes])
    spread = np.nanmax(present, axis=0) - np.nanmin(present, axis=0)
    for name, width in zip(columns, spread, strict=True):
        if width == 0:
            warnings.append(
                Message(
                    "Quasi-identifier {name!r} is constant: it does not influence the "
                    "groups.",
                    name=name,
                )
            )
    centre, scale = _centre_and_scale(present, nominal, scaling)
    weighed = None
    if weights is not None:
        weighed = read_weights(table, weights, settled.rows)
    raw = np.where(settled.kept, _neutral(present, nominal, weighed), raw)
    return Encoded(
        X=_frozen((raw - centre) / scale),
        values=_frozen(raw),
        attributes=tuple(
            attribute.among(present[:, j]) for j, attribute in enumerate(attributes)
        ),
        centre=centre,
        scale=scale,
        span=spread / scale,
        rows=settled.rows,
        missing=settled.kept,
        weights=weighed,
        filled=settled.filled,
        warnings=tuple(warnings),
    )


def _centre_and_scale(
    values: Values, nominal: NDArray[np.bool_], scaling: str
) -> tuple[Values, Values]:
    """Return what to scale by, from the cells that are there (the others are NaN)."""
    scale_by = scalings.get(scaling)
    if not np.isnan(values).any() and not nominal.any():
        return scale_by(values)
    centre, scale = np.zeros(nominal.size), np.ones(nominal.size)
    for j in np.flatnonzero(~nominal):
        column = values[~np.isnan(values[:, j]), j]
        centre[j : j + 1], scale[j : j + 1] = scale_by(column[:, np.newaxis])
    return centre, scale


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
