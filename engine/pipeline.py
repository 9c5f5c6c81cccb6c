"""The order of the rooms: from a plan and a table to an outcome."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.bounds import LowerBound, best_bound, sum_of_bounds
from engine.bounds.per_attribute import per_attribute_bound
from engine.constraints import Rules, parse_rules
from engine.context import SILENT, RunContext
from engine.encode import Encoded, Values, encode
from engine.errors import InfeasibleError
from engine.measures import Protected, measures
from engine.measures.privacy.k_anonymity import class_sizes, record_classes
from engine.methods.base import make_method, methods
from engine.methods.search.refined import polish
from engine.outcome import Outcome, Release, library_versions
from engine.partition import Partition, check_k, merge
from engine.plan import Plan
from engine.table import Role, Table
from engine.trace import Trace


@dataclass(frozen=True, eq=False)
class Prepared:
    """What many plans on one table share."""

    encoded: Encoded
    strata: tuple[NDArray[np.int64], ...]
    rules: Rules | None
    warnings: tuple[str, ...]


def prepare(plan: Plan, table: Table) -> Prepared:
    """Encode the table for a resolved plan.

    Raises
    ------
    InputError, ParameterError, InfeasibleError
    """
    encoded = encode(table, plan.quasi_identifiers, plan.scaling, plan.missing)
    warnings = list(encoded.warnings)
    rules = None
    if plan.constraints:
        rules = parse_rules(plan.constraints, plan.quasi_identifiers)
        broken = rules.broken(encoded.values).sum(axis=0)
        warnings += [
            f"{count:,} records break the rule {text!r}; the release does not."
            for text, count in zip(rules.texts, broken.tolist(), strict=True)
            if count
        ]
    return Prepared(encoded, _strata(plan, table, encoded), rules, tuple(warnings))


def _strata(
    plan: Plan, table: Table, encoded: Encoded
) -> tuple[NDArray[np.int64], ...]:
    """Return the records of each stratum, in order of first appearance."""
    check_k(plan.k, encoded.n_records)
    if plan.strata is None:
        return (np.arange(encoded.n_records, dtype=np.int64),)
    column = table.frame[plan.strata].iloc[encoded.rows]
    codes, values = pd.factorize(column, use_na_sentinel=False)
    sizes = np.bincount(codes)
    if sizes.min() < plan.k:
        small = int(np.argmin(sizes))
        raise InfeasibleError(
            f"Stratum {str(values[small])!r} of column {plan.strata!r} has "
            f"{sizes[small]} records, fewer than k = {plan.k}: choose a smaller k or "
            "a coarser column."
        )
    order = np.argsort(codes, kind="stable").astype(np.int64)
    return tuple(np.split(order, np.cumsum(sizes)[:-1]))


def lower_bound(plan: Plan, prepared: Prepared, ctx: RunContext = SILENT) -> LowerBound:
    """Return what no release can stay below that the plan's method might make."""
    X, strata = prepared.encoded.X, prepared.strata
    per_attribute = methods.info(plan.method).traits.per_attribute
    find = per_attribute_bound if per_attribute else best_bound
    bounds, done = [], 0
    for records in strata:
        part = ctx.part(done / len(X), (done + records.size) / len(X))
        bounds.append(find(X if len(strata) == 1 else X[records], plan.k, part))
        done += records.size
    return sum_of_bounds(bounds, X)


def group(
    plan: Plan, prepared: Prepared, ctx: RunContext
) -> tuple[Partition, LowerBound | None, tuple[int, ...]]:
    """Run the plan's method, in each stratum on its own.

    Returns
    -------
    partition : Partition
    bound : LowerBound or None
        What the method has proven itself, where it does.
    iterations : tuple of int
        Steps that the method took in each stratum, where it searches.
    """
    encoded = prepared.encoded
    n, done = encoded.n_records, 0
    parts = []
    bounds: list[LowerBound] = []
    iterations: list[int] = []
    for records in prepared.strata:
        method = make_method(plan.method, plan.k, plan.parameters, plan.seed)
        some = encoded if records.size == n else encoded.subset(records)
        share = ctx.part(done / n, (done + records.size) / n)
        if plan.polish:
            found = method.partition(some, share.part(0.0, 0.5))
            found = polish(some, found, share.part(0.5, 1.0))
        else:
            found = method.partition(some, share)
        parts.append((records, found))
        if method.bound_ is not None:
            bounds.append(method.bound_)
        if method.n_iter_ is not None:
            iterations.append(method.n_iter_)
        done += records.size
    proven = sum_of_bounds(bounds, encoded.X) if len(bounds) == len(parts) else None
    return merge(parts), proven, tuple(iterations)


def replace(
    plan: Plan, table: Table, prepared: Prepared, partition: Partition
) -> tuple[Release, Values]:
    """Return the release and its quasi-identifiers, (n_records, n_attributes)."""
    encoded = prepared.encoded
    aggregate = aggregations.get(plan.aggregation)
    if partition.attributes is None:
        labels = partition.labels
        values = aggregate(encoded.values, labels, partition.n_groups)
    else:  # groups differ by attribute, so every record has a row of its own
        labels = np.arange(encoded.n_records, dtype=np.int64)
        each = [
            aggregate(encoded.values[:, [j]], groups, int(groups.max()) + 1)[groups]
            for j, groups in enumerate(partition.attributes)
        ]
        values = np.hstack(each)
    if prepared.rules is not None:
        values = prepared.rules.project(values)
    released = values[labels]
    dropped = set(plan.identifiers or ())
    frame = table.frame.iloc[encoded.rows]
    frame = frame[[name for name in frame.columns if name not in dropped]]
    columns = {
        name: _typed(released[:, j], frame[name])
        for j, name in enumerate(plan.quasi_identifiers)
    }
    rules = () if prepared.rules is None else prepared.rules.texts
    return Release(frame.assign(**columns), encoded.rows, rules), released


def _typed(values: Values, column: pd.Series) -> pd.Series:
    """Return released values in the column's type where they fit into it."""
    released = pd.Series(values, index=column.index)
    if pd.api.types.is_integer_dtype(column.dtype) and (values % 1 == 0).all():
        return released.astype(column.dtype)
    if pd.api.types.is_float_dtype(column.dtype):
        return released.astype(column.dtype)
    return released


def run(
    plan: Plan,
    table: Table,
    ctx: RunContext = SILENT,
    prepared: Prepared | None = None,
    bound: LowerBound | None = None,
) -> Outcome:
    """Protect a table.

    Parameters
    ----------
    plan : Plan
    table : Table
    ctx : RunContext
        Progress and cancel.
    prepared, bound : optional
        What :mod:`engine.compare` has worked out already for the same table.

    Raises
    ------
    EngineError
        With one sentence that says what to change; nothing is written or kept.
    """
    started = time.perf_counter()
    plan = plan.resolve(table)
    ctx.tick(0, 1, "Preparing")
    prepared = prepared or prepare(plan, table)
    encoded = prepared.encoded
    trace = Trace()
    grouping = ctx.part(0.0, 0.8)
    if methods.info(plan.method).traits.time_budget:
        if bound is None:
            bound = lower_bound(plan, prepared)
        grouping = grouping.heard_by(trace)
        if len(prepared.strata) == 1:
            grouping.note("sst", _sst(encoded.X))
            grouping.note("bound", bound.sse)
    clock = time.perf_counter()
    partition, proven, iterations = group(plan, prepared, grouping)
    partition_seconds = time.perf_counter() - clock
    early = ctx.enough()
    release, released = replace(plan, table, prepared, partition)
    if partition.attributes is not None:
        classes = record_classes(release.frame, plan.quasi_identifiers)
        partition = Partition(classes, plan.k, guarantees_k=False)
    protected = Protected(encoded, released, partition, release.frame)
    scores = {name: measures.get(name)(protected) for name in measures}
    if bound is None and proven is None:
        bound = lower_bound(plan, prepared, ctx.part(0.8, 1.0))
    known = [each for each in (bound, proven) if each is not None]
    ctx.tick(1, 1, "Done")
    return Outcome(
        plan=plan,
        fingerprint=table.fingerprint,
        partition=partition,
        release=release,
        scores=MappingProxyType(scores),
        bound=max(known, key=lambda each: each.sse),
        seconds=MappingProxyType(
            {
                "partition": partition_seconds,
                "total": time.perf_counter() - started,
            }
        ),
        versions=MappingProxyType(library_versions()),
        warnings=prepared.warnings
        + _warnings(plan, table)
        + _warnings_about_k(plan, release, int(scores["k-anonymity"].value))
        + (_warnings_about_stop(plan, iterations, partition_seconds) if early else ()),
        iterations=iterations,
        trace=trace.points,
    )


def _sst(X: Values) -> float:
    return float(np.square(X - X.mean(axis=0)).sum())


def _warnings_about_stop(
    plan: Plan, iterations: tuple[int, ...], seconds: float
) -> tuple[str, ...]:
    """Say so where a search was told that it is enough."""
    info = methods.info(plan.method)
    if not info.traits.time_budget:
        return ()
    steps = f" and {sum(iterations):,} steps" if iterations else ""
    return (
        f"{info.title} was stopped early, after {seconds:.1f} s{steps}: the release "
        "has the best groups found by then.",
    )


def _warnings_about_k(plan: Plan, release: Release, k_released: int) -> tuple[str, ...]:
    """Say which k holds where a method groups each attribute on its own."""
    info = methods.info(plan.method)
    if not info.traits.per_attribute:
        return ()
    alone = min(
        int(class_sizes(release.frame, (name,)).min())
        for name in plan.quasi_identifiers
    )
    promise = "does not hold" if k_released < plan.k else "is not promised"
    return (
        f"{info.title} groups each attribute on its own: k-anonymity {promise} for the "
        f"records as a whole. The k that holds in this release is {k_released} for "
        f"records, and {alone} for each attribute taken alone.",
    )


def _warnings(plan: Plan, table: Table) -> tuple[str, ...]:
    warnings = [
        f"Column {name!r} looks like an identifier but stays in the release as it is."
        for name in table.schema.with_role(Role.IDENTIFIER)
        if name not in plan.quasi_identifiers + (plan.identifiers or ())
    ]
    if plan.k < 3:
        warnings.append(
            f"k = {plan.k} is below 3: a member of a group of two can work out the "
            "other one's values."
        )
    return tuple(warnings)
