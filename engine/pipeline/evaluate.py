"""Compute measures of a finished run on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy.words import index_distinct_texts
from engine.measures import MeasuredRelease, Score, measures
from engine.measures.reidentification.linkage import released_nodes
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolved import ResolvedPlan
from engine.points.base import Points


@check_arguments
def evaluate(
    outcome: Outcome,
    table: Table,
    names: Iterable[str] | None = None,
    seed: int = 0,
    ctx: RunContext = SILENT,
    preparations: PreparationCache | None = None,
    keep: Callable[[Score], None] | None = None,
) -> Mapping[str, Score]:
    """Return the scores of measures of a finished run, by measure.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected.
    names : iterable of str, optional
        Identifiers or aliases of measures; all if left out. Measures that every run
        calculates are not calculated again, but taken from the outcome.
    seed : int
        Seed of every sample.
    ctx : RunContext
        Progress and cancel.
    preparations : PreparationCache, optional
        Preparations of the same table, if they exist.
    keep : callable, optional
        Given each score as soon as it is there.

    Returns
    -------
    mapping of str to Score
        By identifier, in the order of `names`.

    Raises
    ------
    ParameterError
        If a measure does not exist.
    Cancelled
    """
    chosen = [measures.resolve(name) for name in (measures if names is None else names)]
    wanted = [name for name in chosen if name not in outcome.scores]
    found = dict(outcome.scores)
    if wanted:
        ctx.tick(0, 1, Message("Reading the release"))
        protected = release_for_measures(outcome, table, seed, preparations)
        for place, name in enumerate(wanted):
            share = ctx.subcontext(place / len(wanted), (place + 1) / len(wanted))
            share.tick(0, 1, measures.info(name).title)
            found[name] = measures.get(name)(replace(protected, ctx=share))
            if keep is not None:
                keep(found[name])
    ctx.tick(1, 1, Message("Done"))
    return MappingProxyType({name: found[name] for name in chosen})


assess = evaluate
"""The earlier name of :func:`evaluate`, for scripts that have it."""


def release_for_measures(
    outcome: Outcome,
    table: Table,
    seed: int = 0,
    preparation_cache: PreparationCache | None = None,
) -> MeasuredRelease:
    """Return original and release as measures need them, the release as numbers.

    Parameters
    ----------
    table : Table
        The table that was protected.
    preparation_cache : PreparationCache, optional
        Preparations of the same table, if they exist.
    """
    table.check_fingerprint(outcome.fingerprint)
    plan, frame = outcome.plan, outcome.release.frame
    prepared = (preparation_cache or PreparationCache(table)).get(plan)
    points = prepared.points
    return MeasuredRelease(
        points=points,
        released=released_values_in_own_units(plan, table, points, frame),
        partition=outcome.partition,
        frame=frame,
        original=table.frame.iloc[points.rows],
        confidential=tuple(
            table.schema[name] for name in plan.confidential if name in frame.columns
        ),
        sampling_fraction=plan.sampling_fraction,
        recursive_l=plan.recursive_l,
        persons=prepared.persons,
        intruder_knows=plan.intruder_knows,
        seed=seed,
    )


def released_values_in_own_units(
    plan: ResolvedPlan, table: Table, points: Points, frame: pd.DataFrame
) -> NDArray[np.float64]:
    """Return released quasi-identifiers as numbers in the columns' own units.

    Parameters
    ----------
    table : Table
        The table that was protected.
    points : Points
        Its quasi-identifiers.
    frame : pandas.DataFrame, n_records rows
        The release.

    Returns
    -------
    ndarray of float64, shape (n_records, n_attributes)
        Where intervals or nodes of a hierarchy are released, the middle of the values
        that each stands for; cells that stay missing as in `points`; of categories
        the nodes of their hierarchy.
    """
    released = points.values.copy()
    for j, attribute in enumerate(points.attributes):
        column = frame[attribute.name]
        there = ~points.missing[:, j]
        if attribute.is_nominal:
            assert attribute.tree is not None
            nodes = released_nodes(*index_distinct_texts(column), attribute.tree)
            released[there, j] = nodes[there]
            continue
        words = attribute.words is not None
        numeric = aggregations.info(plan.aggregations[attribute.name]).common.numeric
        if not numeric and (words or column.dtype != table.frame[attribute.name].dtype):
            codes = pd.factorize(column)[0][there]
            released[there, j] = _class_midpoints(points.values[there, j], codes)
        elif attribute.words is not None:
            ranks = attribute.words.get_indexer(pd.Index(column, dtype=object))
            released[there, j] = ranks[there]
        else:
            one = Table(
                frame[[attribute.name]],
                Schema((Column(attribute.name, attribute.kind),)),
                "",
            )
            released[there, j] = read_attribute_and_numbers(one, attribute.name)[1][
                there
            ]
    return released


def _class_midpoints(
    values: NDArray[np.float64], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the midpoint of each class's values."""
    low = np.full(int(codes.max()) + 1, np.inf)
    high = -low
    np.minimum.at(low, codes, values)
    np.maximum.at(high, codes, values)
    middle: NDArray[np.float64] = (low + high) / 2
    return middle[codes]
