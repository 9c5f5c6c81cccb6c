"""Scores of a finished run by measures, and the release in the form that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.data.table import Table
from engine.measures import MeasuredRelease, Score, measures
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.protection.released_values import released_values_in_own_units


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
        Identifiers or aliases of measures; all if left out. Scores that the outcome
        has are taken from it: of another release, give
        ``replace(outcome, release=..., scores={})``.
    seed : int
        Seed of every sample.
    ctx : RunContext
        Progress and cancel.
    preparations : PreparationCache, optional
        Preparations of the same table, if they exist.
    keep : callable, optional
        Called with each score as soon as it is calculated.

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
    unscored_names = [name for name in chosen if name not in outcome.scores]
    scores = dict(outcome.scores)
    if unscored_names:
        ctx.tick(0, 1, Message("Reading the release"))
        protected = make_measured_release(outcome, table, seed, preparations)
        for place, name in enumerate(unscored_names):
            share = ctx.subcontext(
                place / len(unscored_names), (place + 1) / len(unscored_names)
            )
            share.tick(0, 1, measures.info(name).title)
            scores[name] = measures.get(name)(replace(protected, ctx=share))
            if keep is not None:
                keep(scores[name])
    ctx.tick(1, 1, Message("Done"))
    return MappingProxyType({name: scores[name] for name in chosen})


assess = evaluate
"""The earlier name of :func:`evaluate`, for scripts that have it."""


def make_measured_release(
    outcome: Outcome,
    table: Table,
    seed: int = 0,
    preparation_cache: PreparationCache | None = None,
) -> MeasuredRelease:
    """Return a run's original, release and groups in the form that measures take.

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
        intruder_knows=plan.person_knowledge,
        seed=seed,
    )
