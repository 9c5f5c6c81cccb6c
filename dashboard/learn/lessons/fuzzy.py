"""Fuzzy groups: each record draws one of the centres, nearer ones more likely."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dashboard.charts.lesson_inputs import Drawn
from dashboard.learn.lessons.groups import loss, patients, standardised
from engine.methods.base import make_method, methods
from engine.methods.fuzzy.clustering import Model, cluster
from engine.points.base import Points
from engine.points.scaling import SpreadOf, centre_and_scale

RECORDS = 30
K = 3
SEED = 0

FUZZINESS = (1.0, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0, 10.0, 100.0)
"""Values of m2 that can be tried."""

DEFAULT = next(
    float(each.default)
    for each in methods.info("fuzzy").parameters
    if each.name == "m2"
)
"""The m2 that the method has unless another is chosen."""


@lru_cache(maxsize=len(FUZZINESS))
def draw(m2: float) -> Drawn:
    """Return what the method fuzzy draws with one fuzziness, others by default.

    Parameters
    ----------
    m2 : float
        At least 1.
    """
    plane = patients(RECORDS)
    X = standardised(plane)
    method = make_method("fuzzy", K, {"m2": m2}, SEED)
    m1 = float(method.get_params()["m1"])
    found = method.partition(Points.from_array(X))
    # The method keeps the centres that were drawn; the picture needs the others too.
    rng = np.random.default_rng(SEED)
    centres = cluster(X, RECORDS // K, "fcm", m1, rng).centres
    memberships = Model(X, "fcm", m2).memberships(centres)
    assert method.centres_ is not None
    places = [
        int(np.flatnonzero((centres == c).all(axis=1))[0]) for c in method.centres_
    ]
    labels = np.array(places, dtype=np.int64)[found.labels]
    centre, scale = centre_and_scale("zscore", SpreadOf(plane.values))
    lost = loss(X, centres[labels])
    return Drawn(plane, K, centres * scale + centre, memberships, labels, lost)
