"""Who pays: the information loss of each subgroup's records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.analysis.need.search import Search
from engine.core.statistics import mean_by_group
from engine.pipeline.outcome import Outcome


def loss_by_subgroup(
    search: Search, outcome: Outcome, names: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Return the loss of each value's records, as a multiple of the file's variance.

    Parameters
    ----------
    search : Search
    outcome : Outcome
    names : sequence of str
        Columns.

    Returns
    -------
    tuple of dict
        With ``column``, ``value``, ``n_records`` and ``loss``: the mean squared
        distance from the group's mean, in per cent of that of all records from theirs.
        It can pass 100.
    """
    rows, labels = outcome.release.rows, outcome.partition.labels
    X = search.points_of(rows).X
    sq_dist = ((X - mean_by_group(X, labels)[labels]) ** 2).sum(axis=1)
    spread = ((X - X.mean(axis=0)) ** 2).sum() / len(X)
    losses = []
    for name in names:
        texts = search.table.frame[name].iloc[rows].astype("str").to_numpy()
        for value in sorted(set(texts.tolist())):
            is_member = texts == value
            losses.append(
                {
                    "column": name,
                    "value": value,
                    "n_records": int(is_member.sum()),
                    "loss": 100.0 * float(sq_dist[is_member].mean() / spread),
                }
            )
    return tuple(losses)
