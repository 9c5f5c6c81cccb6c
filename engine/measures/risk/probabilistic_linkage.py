"""Probabilistic record linkage, weighted by agreement of attributes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.message import Message
from engine.kernels.measures.linkage import (
    count_heaviest_released,
    write_agreement_levels,
)
from engine.measures.base import MeasureCost, MeasuredRelease, RiskInfo, Score, measures
from engine.measures.reidentification.agreement import (
    agreement_weights,
    distinct_patterns,
)
from engine.measures.reidentification.linkage import (
    GUESSED_BASELINE,
    LinkageProblem,
    linkage_problem,
)
from engine.measures.reidentification.sampling import sample_indices

AGREEMENT_LIMITS = np.array([0.01, 0.1, 0.5])
"""Standard deviations up to which numbers are the same, close and near."""

MAX_LEARNING_PAIRS = 5_000_000
"""Pairs of a record and a class that weights are learnt from, at most."""


@measures.register(
    RiskInfo(
        id="probabilistic-linkage",
        title="Probabilistic record linkage",
        summary=(
            "The share of records that an intruder finds by counting agreements. "
            "The intruder knows original quasi-identifiers, and takes the released "
            "record that agrees best. Numbers agree at three levels: within 0.01, "
            "0.1 or 0.5 standard deviations. Categories agree if the released "
            "category stands for the original category. An agreement counts more "
            "if records of different people rarely agree in this way."
        ),
        formula=(
            "R = sum over attributes of log(m / u) at their level of agreement; "
            "100 * mean over records of [own has the largest R] / |{largest R}|"
        ),
        reference=(
            "Fellegi & Sunter 1969, https://doi.org/10.1080/01621459.1969.10501049; "
            "Jaro 1989, https://doi.org/10.1080/01621459.1989.10478785"
        ),
        aliases=("prl",),
        baseline=GUESSED_BASELINE,
        effort=MeasureCost(microseconds=17.0, records=10_000),
    )
)
def probabilistic_linkage(protected: MeasuredRelease) -> Score:
    """Return the share of records found, in per cent."""
    sides, ctx = linkage_problem(protected), protected.ctx
    ctx.tick(0, 1, Message("Learning weights of agreement"))
    n, n_classes = sides.classes.size, sides.sizes.size
    some = sample_indices(n, max(1, MAX_LEARNING_PAIRS // n_classes), protected.seed)
    how = AGREEMENT_LIMITS, _learn_weights(sides, some)
    stage = Message("Linking records by agreement")
    links = sides.link_records(
        count_heaviest_released, how, protected.seed, ctx.subcontext(0.2, 1.0), stage
    )
    return links.found_share_score("probabilistic-linkage")


def _learn_weights(
    sides: LinkageProblem, some: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weights that the pairs of some records with all classes teach."""
    n, n_classes = sides.classes.size, sides.sizes.size
    levels = np.empty((sides.n_attributes, some.size, n_classes), dtype=np.int8)
    write_agreement_levels(
        some,
        sides.known,
        sides.seen,
        sides.places,
        sides.low,
        sides.high,
        AGREEMENT_LIMITS,
        levels,
    )
    pairs = levels.reshape(sides.n_attributes, some.size * n_classes)
    counts = np.tile(sides.sizes.astype(np.float64), some.size)
    return agreement_weights(*distinct_patterns(pairs, counts), 1.0 / max(n, 2))
