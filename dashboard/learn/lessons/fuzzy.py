"""Lesson on fuzzy groups: records draw centres, near ones more likely."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dashboard.charts.lesson_inputs import DrawnCentres
from dashboard.learn.lessons.groups import (
    patient_plane,
    released_loss_percent,
    standardise_plane,
)
from engine.methods.base import make_method, methods
from engine.methods.fuzzy.clustering import FuzzyModel, fuzzy_cluster
from engine.points.base import Points
from engine.points.scaling import ArraySpread, centre_and_scale

N_RECORDS = 30
FUZZY_K = 3
FUZZY_SEED = 0

FUZZINESS_VALUES = (1.0, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0, 10.0, 100.0)
"""Values of m2 that can be tried."""

DEFAULT_FUZZINESS = next(
    float(each.default)
    for each in methods.info("fuzzy").parameters
    if each.name == "m2"
)
"""The m2 that the method has unless another is chosen."""


@lru_cache(maxsize=len(FUZZINESS_VALUES))
def draw_centres_at_random(fuzziness: float) -> DrawnCentres:
    """Return the centres, memberships and groups that the method fuzzy draws.

    Parameters
    ----------
    fuzziness : float
        At least 1.
    """
    plane = patient_plane(N_RECORDS)
    X = standardise_plane(plane)
    method = make_method("fuzzy", FUZZY_K, {"m2": fuzziness}, FUZZY_SEED)
    m1 = float(method.get_params()["m1"])
    found = method.partition(Points.from_array(X))
    # The method keeps the centres that were drawn; the picture needs the others too.
    rng = np.random.default_rng(FUZZY_SEED)
    centres = fuzzy_cluster(X, N_RECORDS // FUZZY_K, "fcm", m1, rng).centres
    memberships = FuzzyModel(X, "fcm", fuzziness).memberships(centres)
    assert method.centres_ is not None
    places = [
        int(np.flatnonzero((centres == c).all(axis=1))[0]) for c in method.centres_
    ]
    labels = np.array(places, dtype=np.int64)[found.labels]
    centre, scale = centre_and_scale("zscore", ArraySpread(plane.values))
    lost = released_loss_percent(X, centres[labels])
    return DrawnCentres(
        plane, FUZZY_K, centres * scale + centre, memberships, labels, lost
    )
