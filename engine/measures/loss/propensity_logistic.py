"""pMSE ratio by logistic regression: how well it tells released from original."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.message import Message, join_messages
from engine.measures.base import (
    MeasureCost,
    MeasuredRelease,
    MeasureInfo,
    Score,
    measures,
)
from engine.measures.before_after.membership import propensity_data, propensity_mse
from engine.measures.judge import CHANCE_JUDGE
from engine.measures.reidentification.sampling import sample_indices, sampling_note
from engine.measures.sources import PROPENSITY_REFERENCE

MAX_MODEL_RECORDS = 50_000
"""Records that the model sees, at most; of more, a random sample."""

PROPENSITY_JUDGE = replace(CHANCE_JUDGE, good=3.0, watch=math.inf, small=0.0)
"""Good as of Raab, Nowok & Dibben 2021, https://doi.org/10.48550/arXiv.2109.12717."""


def fit_propensity_scores(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return propensity scores of rows whose second half is released.

    Parameters
    ----------
    terms : ndarray of float64, shape (2 * n_records, n_terms)
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    released = np.repeat([0, 1], len(terms) // 2)
    # Hardly any penalty: the null expectation is that of maximum likelihood.
    model = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=100)
    with threadpool_limits(1), warnings.catch_warnings():
        # Where the two can be told apart for certain there is no maximum.
        warnings.simplefilter("ignore")
        probabilities: NDArray[np.float64] = model.fit(terms, released).predict_proba(
            terms
        )
    return probabilities[:, 1]


def count_free_terms(terms: NDArray[np.float64]) -> int:
    """Return the number of linearly independent terms."""
    if terms.shape[1] == 0:
        return 0
    products = terms.T @ terms / len(terms)
    return int(np.linalg.matrix_rank(products, tol=1e-9, hermitian=True))


@measures.register(
    MeasureInfo(
        id="propensity-logistic",
        title="Propensity score, pMSE ratio (logistic regression)",
        family="loss",
        summary=(
            "A logistic regression tries to distinguish released records from "
            "original records. The measure is its success, divided by the success "
            "that chance would give. If this figure is about 1, the regression "
            "cannot distinguish the records. Each model can overlook differences, "
            "so also use the measure with boosted trees."
        ),
        formula=(
            "pMSE / E0, pMSE = mean of (q_i - 1/2)^2, q_i the model's probability that "
            "record i is a released one; E0 = T / (8 N), T the number of terms (main "
            "effects, squares, products), N the number of original and released "
            "records together"
        ),
        reference=PROPENSITY_REFERENCE,
        aliases=("pmse",),
        baseline=(
            "The expected figure if released records are drawn from a correct "
            "model of the original records."
        ),
        judge=PROPENSITY_JUDGE,
        on_demand=True,
        judged_with="propensity-boosting",
        effort=MeasureCost(microseconds=0.9, records=MAX_MODEL_RECORDS),
    )
)
def propensity_logistic(protected: MeasuredRelease) -> Score:
    """Return the pMSE ratio of the quasi-identifiers.

    Of more than :data:`MAX_MODEL_RECORDS` records a sample is taken; as the ratio grows
    with the number of records, it is that of the sample and has no interval.
    """
    n = protected.points.n_records
    records = sample_indices(n, MAX_MODEL_RECORDS, protected.seed)
    protected.ctx.tick(0, 1, Message("Fitting a logistic regression"))
    terms = propensity_data(protected, records).design_matrix()
    n_terms = count_free_terms(terms)
    if n_terms == 0:
        note = Message("No quasi-identifier varies.")
        return Score("propensity-logistic", float("nan"), note=note)
    pmse = propensity_mse(fit_propensity_scores(terms))
    null = n_terms / (8 * len(terms))
    sampled = records.size < n
    note = Message(
        "pMSE {value:.6f}, by chance {chance:.6f}, {count} term.",
        "pMSE {value:.6f}, by chance {chance:.6f}, {count} terms.",
        value=pmse,
        chance=null,
        count=n_terms,
    )
    return Score(
        "propensity-logistic",
        pmse / null,
        baseline=1.0,
        sample=records.size if sampled else None,
        note=join_messages([note, sampling_note(records.size, n)]),
    )
