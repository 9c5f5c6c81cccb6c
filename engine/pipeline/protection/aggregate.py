"""Build the release of a grouping: common values, rules, rounding, types."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import CommonValues, GroupedAttribute, aggregations
from engine.constraints.exact_rounding.decimals import round_columns
from engine.constraints.rules import Among, Rules
from engine.core.errors import InfeasibleError
from engine.core.partition import Partition
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo, round_to_nearest_ranks
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.outcome import Release
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.recompute_followers import (
    derive_following_series_by_column,
)
from engine.pipeline.protection.released_values import released_column_in_own_units
from engine.pipeline.protection.rounding import rule_safe_decimals
from engine.points.base import Points


@dataclass(frozen=True, eq=False)
class GroupingResult:
    """Groups of all records, and the groups' centres if the method computes them.

    Attributes
    ----------
    partition : Partition
    centres : tuple of ndarray of float64 or None
        Released values of each attribute's groups, in its own units, where the method
        computes them; else None, or empty for all attributes.
    """

    partition: Partition
    centres: tuple[Values | None, ...] = ()


class BuiltRelease(NamedTuple):
    """A release, and its quasi-identifiers as numbers before and after rounding.

    Attributes
    ----------
    release : Release
    exact, written : ndarray of float64, shape (n_records, n_attributes)
        Before and after rounding, in the columns' own units; midpoints of intervals.
        Of categories, nodes of the hierarchy.
    """

    release: Release
    exact: Values
    written: Values


def build_release(
    plan: ResolvedPlan, table: Table, prepared: PreparedTable, grouping: GroupingResult
) -> BuiltRelease:
    """Return the release of groups, with its numbers before and after rounding."""
    points, partition = prepared.points, grouping.partition
    n, p = points.values.shape
    if partition.attributes is None:
        labels = [partition.labels] * p
    else:
        labels = list(partition.attributes)
    commons = [
        _aggregate_attribute(plan, points, grouping, j, labels[j]) for j in range(p)
    ]
    # With one partition for all attributes rules bind groups, otherwise records.
    whole = partition.attributes is None
    lines = [
        common.values if whole else common.values[groups]
        for common, groups in zip(commons, labels, strict=True)
    ]
    values = np.column_stack(lines)
    lacking = np.zeros(values.shape, dtype=np.bool_)
    rules, alternatives = prepared.rules, prepared.open_alternatives
    if alternatives is None:
        alternatives = np.empty((n, 0))
    first = np.arange(n)
    if whole and (points.missing.any() or alternatives.size):
        first = np.unique(partition.labels, return_index=True)[1]
    if points.missing.any():  # all of a group's records lack the same cells
        lacking = points.missing[first]
    decimals = tuple(
        places if common.numeric else -1
        for common, places in zip(commons, prepared.decimals, strict=True)
    )

    def members(group: int) -> Values:
        """Return a group's records, of which one may stand for it."""
        rows = np.flatnonzero(partition.labels == group)
        member_values = np.where(points.missing[rows], np.nan, points.values[rows])
        return np.column_stack([member_values, alternatives[rows]])

    def ruled(places: Sequence[int]) -> tuple[Values, Values]:
        # All of a group's records have the same alternatives left.
        if rules is None or whole:
            some = (
                alternatives[first]
                if alternatives.size
                else alternatives[: len(values)]
            )
            return _enforce_rules(rules, places, values, lacking, some, members)
        return _enforce_rules_per_block(
            rules, places, values, lacking, alternatives, labels
        )

    try:
        exact, written = ruled(decimals)
    except InfeasibleError:
        # Own decimals are a default here: a group whose values have none does without.
        bound = rules.bound_columns if rules else ()
        safe_decimals = rule_safe_decimals(
            plan.rounding, points.attributes, bound, decimals
        )
        if safe_decimals == decimals:
            raise
        exact, written = ruled(safe_decimals)
    attributes = [
        dataclasses.replace(attribute, exact=plan.rounding == "none")
        for attribute in points.attributes
    ]
    for j, attribute in enumerate(attributes):
        base = plan.rounding_base.get(attribute.name)
        if base is not None:
            written[:, j] = round_to_multiples(exact[:, j], base)
        if attribute.words is not None and not commons[j].interval:
            written[:, j] = round_to_nearest_ranks(written[:, j])
        if commons[j].numeric and not commons[j].interval:
            written[:, j] = attribute.round_as_written(written[:, j])
    back = partition.labels if whole else np.arange(n, dtype=np.int64)
    frame = _assemble_frame(
        plan, table, points, attributes, commons, labels, written, back
    )
    exact, written = exact[back], written[back]
    for name, column in derive_following_series_by_column(plan, table, frame).items():
        frame[name], j = column, points.names.index(name)
        exact[:, j] = released_column_in_own_units(plan, table, points, j, column)
        written[:, j] = exact[:, j]
    texts = () if rules is None else rules.texts
    return BuiltRelease(Release(frame, points.rows, texts), exact, written)


def round_to_multiples(values: Values, base: float) -> Values:
    """Return the nearest multiples of `base`, without spurious digits.

    Parameters
    ----------
    values : ndarray of float64
    base : float
        Above 0.
    """
    places = -min(0, int(Decimal(repr(base)).as_tuple().exponent))
    return np.asarray(np.round(np.round(values / base) * base, places))


def _aggregate_attribute(
    plan: ResolvedPlan,
    points: Points,
    grouped: GroupingResult,
    j: int,
    labels: NDArray[np.int64],
) -> CommonValues:
    attribute = points.attributes[j]
    centres = grouped.centres[j] if grouped.centres else None
    if centres is not None:
        return CommonValues(centres)
    rule, values = plan.aggregations[attribute.name], points.values[:, j]
    leaves = None
    if aggregations.info(rule).hierarchy:
        leaves = attribute.leaf_codes(values, points.missing[:, j])
    members = GroupedAttribute(
        name=attribute.name,
        kind=attribute.kind,
        values=values,
        labels=labels,
        n_groups=int(labels.max()) + 1,
        tree=attribute.tree,
        weights=points.weights,
        leaves=leaves,
    )
    return aggregations.get(rule)(members)


def _enforce_rules(
    rules: Rules | None,
    decimals: Sequence[int],
    values: Values,
    lacking: NDArray[np.bool_],
    open_alternatives: Values,
    among: Among | None = None,
) -> tuple[Values, Values]:
    """Return values that satisfy the rules, and the same values rounded.

    Rules say nothing about cells that stay missing, which come back as they were.
    """
    exact = np.where(lacking, np.nan, values)
    if rules is not None:
        p = values.shape[1]
        exact = rules.project(np.column_stack([exact, open_alternatives]), among=among)
        written = rules.round(exact, decimals, among)[:, :p]
        exact = exact[:, :p]
    else:
        written = round_columns(exact, decimals)
    return np.where(lacking, values, exact), np.where(lacking, values, written)


def _enforce_rules_per_block(
    rules: Rules,
    decimals: Sequence[int],
    values: Values,
    lacking: NDArray[np.bool_],
    open_alternatives: Values,
    labels: Sequence[NDArray[np.int64]],
) -> tuple[Values, Values]:
    """Enforce the rules where attributes have groups of their own.

    Columns that no equation ties together are ruled apart, and records of the same
    groups at once: what was equal stays equal to the last bit. Where rules ask
    something else of a class's records, they share a value that keeps all, if found.
    """
    exact, written = values.copy(), values.copy()
    p = values.shape[1]
    for part_columns, some in rules.connected_parts():
        columns = [j for j in part_columns if j < p]
        alternative_indices = [j - p for j in part_columns if j >= p]
        codes = labels[columns[0]]
        for j in columns[1:]:
            if not np.array_equal(labels[j], labels[columns[0]]):
                codes = pd.factorize(codes * (labels[j].max() + 1) + labels[j])[0]
        states = codes
        for state in (
            *lacking[:, columns].T,
            *open_alternatives[:, alternative_indices].T,
        ):
            state_codes = np.nan_to_num(state, nan=2.0).astype(np.int64)
            if (state_codes != state_codes[0]).any():
                states = pd.factorize(states * 3 + state_codes)[0]
        _, first, back = np.unique(states, return_index=True, return_inverse=True)
        at = np.ix_(first, np.array(columns))
        places = [decimals[j] for j in columns]
        alternative_rows = open_alternatives[np.ix_(first, alternative_indices)]
        rows = values[at], lacking[at], alternative_rows
        if states is codes:
            ruled_values = _enforce_rules(some, places, *rows)
        else:
            ruled_values = _enforce_rules_per_class(some, places, *rows, codes[first])
        exact[:, columns], written[:, columns] = (
            ruled_values[0][back],
            ruled_values[1][back],
        )
    return exact, written


def _enforce_rules_per_class(
    rules: Rules,
    decimals: Sequence[int],
    values: Values,
    lacking: NDArray[np.bool_],
    open_alternatives: Values,
    classes: NDArray[np.int64],
) -> tuple[Values, Values]:
    """Enforce the rules on all rows of a class at once, or on each where that fails."""
    _, first, class_codes = np.unique(classes, return_index=True, return_inverse=True)
    gone = np.ones((first.size, lacking.shape[1]), dtype=np.bool_)
    np.logical_and.at(gone, class_codes, lacking)
    alternatives = np.full((first.size, open_alternatives.shape[1]), np.nan)
    np.fmin.at(alternatives, class_codes, open_alternatives)
    # Without a value every rule is kept.
    nothing = np.full((1, values.shape[1] + alternatives.shape[1]), np.nan)
    ruled_values = _enforce_rules(
        rules, decimals, values[first], gone, alternatives, lambda _: nothing
    )
    exact, written = ruled_values[0][class_codes], ruled_values[1][class_codes]
    each = np.isnan(exact).any(axis=1) | np.isnan(written).any(axis=1)
    exact[each], written[each] = _enforce_rules(
        rules, decimals, values[each], lacking[each], open_alternatives[each]
    )
    return exact, written


def _assemble_frame(
    plan: ResolvedPlan,
    table: Table,
    points: Points,
    attributes: list[AttributeInfo],
    commons: list[CommonValues],
    labels: list[NDArray[np.int64]],
    written: Values,
    back: NDArray[np.int64],
) -> pd.DataFrame:
    """Return the protected table, columns in their order, identifiers removed."""
    dropped = set(plan.identifiers)
    frame = table.frame.iloc[points.rows]
    places = {name: j for j, name in enumerate(points.names)}
    columns: dict[str, pd.Series] = {}
    for name in frame.columns:
        if name in dropped:
            continue
        if name not in places:
            columns[name] = frame[name]
            continue
        j = places[name]
        attribute, common = attributes[j], commons[j]
        missing = points.missing[:, j]
        columns[name] = common.released_column(
            attribute, labels[j], written[back, j], frame[name], missing
        )
        if common.interval and plan.interval_columns:
            for end, values in zip(("from", "to"), common.ranges, strict=True):
                ends = attribute.to_typed(values[labels[j]], frame[name], missing)
                columns[_free(f"{name}_{end}", table)] = ends
    return pd.DataFrame(columns, index=frame.index)


def _free(name: str, table: Table) -> str:
    """Return a column name that the table does not have yet."""
    while name in table.schema:
        name += "_"
    return name
