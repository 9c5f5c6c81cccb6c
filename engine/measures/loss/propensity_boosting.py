"""pMSE ratio by gradient boosting: how well trees tell released from original."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.context import RunContext
from engine.core.message import Message, join_messages
from engine.core.parallel import set_openmp_threads
from engine.measures.base import (
    MeasureCost,
    MeasuredRelease,
    MeasureInfo,
    Score,
    measures,
)
from engine.measures.before_after.membership import propensity_data, propensity_mse
from engine.measures.loss.propensity_logistic import PROPENSITY_JUDGE
from engine.measures.reidentification.sampling import (
    Z_95_PERCENT,
    sample_indices,
    sampling_note,
)
from engine.measures.sources import PROPENSITY_REFERENCE

MAX_MODEL_RECORDS = 4_000
"""Records that the model sees, at most; of more, a random sample."""

N_SHUFFLES = 10
"""Fits to records whose origin was shuffled, for what chance gives."""


def boosted_pmse(
    features: NDArray[np.float64], released: NDArray[np.bool_], seed: int
) -> float:
    """Return the pMSE of boosted trees that classify rows as released."""
    set_openmp_threads()
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        max_iter=50, max_leaf_nodes=15, early_stopping=False, random_state=seed % 2**32
    )
    with threadpool_limits(1):  # waiting for each other takes longer than so few rows
        return propensity_mse(
            model.fit(features, released).predict_proba(features)[:, 1]
        )


def shuffled_pmse(
    features: NDArray[np.float64], seed: int, ctx: RunContext
) -> NDArray[np.float64]:
    """Return the pMSE of each of several runs with shuffled classes.

    Parameters
    ----------
    features : ndarray of float64, shape (2 * n_records, n_features)

    Returns
    -------
    ndarray of float64, shape (N_SHUFFLES,)
    """
    rng = np.random.default_rng(seed)
    half = np.repeat([False, True], len(features) // 2)
    pmse_values = np.empty(N_SHUFFLES)
    for turn in range(N_SHUFFLES):
        ctx.tick(1 + turn, 1 + N_SHUFFLES, Message("Boosting trees"))
        pmse_values[turn] = boosted_pmse(features, rng.permutation(half), seed)
    return pmse_values


@measures.register(
    MeasureInfo(
        id="propensity-boosting",
        title="Propensity score, pMSE ratio (gradient boosting)",
        family="loss",
        summary=(
            "Boosted trees (many small decision trees) try to distinguish released "
            "records from original records. The measure is their success, divided "
            "by the success that chance would give. If this figure is about 1, the "
            "trees cannot distinguish the records. A figure below 1 means that "
            "released and original records are more alike than two samples of one "
            "population. Each model can overlook differences, so also use the "
            "measure with a logistic regression."
        ),
        formula=(
            "pMSE / E0, pMSE = mean of (q_i - 1/2)^2, E0 its mean over records whose "
            "origin is shuffled"
        ),
        reference=PROPENSITY_REFERENCE,
        baseline=(
            "The expected figure if released and original records differ only by "
            "chance."
        ),
        judge=PROPENSITY_JUDGE,
        on_demand=True,
        judged_with="propensity-logistic",
        effort=MeasureCost(seconds=2.0, microseconds=0.0),
    )
)
def propensity_boosting(protected: MeasuredRelease) -> Score:
    """Return the pMSE ratio of the quasi-identifiers, with an interval.

    Of more than :data:`MAX_MODEL_RECORDS` records a sample is taken; as the ratio grows
    with the number of records, it is that of the sample.
    """
    n = protected.points.n_records
    records = sample_indices(n, MAX_MODEL_RECORDS, protected.seed)
    sides = propensity_data(protected, records)
    protected.ctx.tick(0, 1, Message("Boosting trees"))
    pmse = boosted_pmse(sides.features, sides.released, protected.seed)
    chance = shuffled_pmse(sides.features, protected.seed, protected.ctx)
    null = float(chance.mean())
    if null == 0.0:
        note = Message("There are too few different records to learn from.")
        return Score("propensity-boosting", float("nan"), note=note)
    error = Z_95_PERCENT * float(chance.std(ddof=1)) / N_SHUFFLES**0.5
    sampled = records.size < n
    note = Message("pMSE {value:.6f}, by chance {chance:.6f}.", value=pmse, chance=null)
    return Score(
        "propensity-boosting",
        pmse / null,
        interval=(pmse / (null + error), pmse / max(null - error, 1e-300)),
        baseline=1.0,
        sample=records.size if sampled else None,
        note=join_messages([note, sampling_note(records.size, n)]),
    )
