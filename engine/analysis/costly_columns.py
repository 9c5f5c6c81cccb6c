"""Columns that cost a release most, and which of them to leave out first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from engine.data.table import Table, facts_of_frame
from engine.pipeline.outcome import Outcome

MAX_ANSWERS = 11
"""Different answers to a question on a scale: 0 to 10 at most."""

MIN_QUESTIONS = 10
"""Questions on one scale from which they are a questionnaire."""


def loss_per_column(outcome: Outcome) -> Mapping[str, float]:
    """Return information loss, else penalty, in % per protected leading column."""
    per_column = outcome.scores["information-loss"].per_column
    penalty = outcome.scores["certainty-penalty"].per_column
    return {
        name: float(per_column.get(name, penalty.get(name, 0.0)))
        for name in outcome.plan.quasi_identifiers
        if name not in outcome.plan.follows
    }


def columns_to_drop_for_loss(
    outcome: Outcome,
    table: Table,
    max_loss: float,
    max_columns: int | None = None,
    kept_columns: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the costliest columns, to bring down the mean loss of the rest.

    Answers to a questionnaire come first: of many questions on one scale each says
    little, and who was asked, as by age or sex, is needed to analyse any of them.

    Parameters
    ----------
    table : Table
        What was protected.
    max_loss : float
        Per cent that the mean of the others comes down to.
    max_columns : int, optional
        Columns to name at most.
    kept_columns : collection of str
        Columns that are not named.
    """
    losses = loss_per_column(outcome)
    answers = questionnaire_columns(table, losses)
    order = sorted(losses, key=lambda name: (name not in answers, -losses[name]))
    order = [name for name in order if name not in kept_columns]
    fixed = [losses[name] for name in losses if name in kept_columns]
    dropped: list[str] = []
    while len(order) + len(fixed) - len(dropped) > 1 and len(dropped) < len(order):
        if max_columns is not None and len(dropped) >= max_columns:
            break
        rest = [losses[name] for name in order[len(dropped) :]]
        if dropped and float(np.mean(rest + fixed)) <= max_loss:
            break
        dropped.append(order[len(dropped)])
    return tuple(dropped)


def questionnaire_columns(table: Table, columns: Iterable[str]) -> frozenset[str]:
    """Return the columns whose values are answers on a scale that many of them share.

    Where nobody chose an answer, the values of a question are some of those of others.
    """
    known = facts_of_frame(table.frame).values
    answers = {}
    for name in columns:
        if 2 < table.n_distinct(name) <= MAX_ANSWERS:
            if name not in known:
                known[name] = frozenset(table.frame[name].dropna().unique())
            answers[name] = known[name]
    scales: list[frozenset[object]] = []
    scale_of = {}
    for name in sorted(answers, key=lambda name: -len(answers[name])):
        fitting = (each for each in scales if answers[name] <= each)
        scale = next(fitting, answers[name])
        if scale not in scales:
            scales.append(scale)
        scale_of[name] = scale
    counts = Counter(scale_of.values())
    return frozenset(n for n, each in scale_of.items() if counts[each] >= MIN_QUESTIONS)


def estimate_excess_columns(outcome: Outcome, loss: float, max_loss: float) -> int:
    """Return about how many protected columns are too many, 0 if the loss is allowed.

    Groups of k among n points of d independent columns lose c (k / n)^(2 / d) of the
    differences. Where the columns are related, d is less and c is 1: what remains then
    counts half as much as what remains for the c that explains the loss of all columns.
    """
    if loss <= max_loss:
        return 0
    n_columns, n = len(loss_per_column(outcome)), outcome.partition.n_records
    logs = np.log(np.clip([loss, max_loss], 0.1, 99.0) / 100.0)
    size = 2.0 * np.log(outcome.plan.k / n)
    if size == 0.0 or n_columns < 2:
        return 1
    related = n_columns * logs[0] / logs[1]
    independent = size / (logs[1] - logs[0] + size / n_columns)
    return max(1, n_columns - int((related + 2.0 * independent) / 3.0))
