"""Fuzzy microaggregation: draw each record's centre by its memberships."""

from __future__ import annotations

from typing import cast

import numpy as np

from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parameters import Choice, Float, Int
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.fuzzy.clustering import (
    Algorithm,
    FuzzyClustering,
    FuzzyModel,
    Project,
    fuzzy_cluster,
)
from engine.points.base import Points
from engine.points.transforms import NO_TRANSFORM


@methods.register(
    MethodInfo(
        id="fuzzy",
        title="Fuzzy microaggregation",
        family="fuzzy",
        summary="Calculates the centres of fuzzy clusters: n/k centres, rounded down. "
        "Draws one of the centres for each record, so nobody can tell which "
        "records share a group. Groups have k records only on average.",
        reference=Reference(
            "Torra V (2020). Fuzzy clustering-based microaggregation to achieve "
            "probabilistic k-anonymity for data with constraints. Journal of "
            "Intelligent & Fuzzy Systems.",
            doi="10.3233/JIFS-189074",
        ),
        parameters=(
            Choice(
                "algorithm",
                "fcm",
                "Clustering",
                "fcm is fuzzy c-means with the fuzziness m; efcm is fuzzy "
                "c-means with entropy and the crispness lambda.",
                options=("fcm", "efcm"),
            ),
            Int(
                "c",
                0,
                "Centres",
                "Number of centres. 0 stands for floor(n / k): n / k, rounded "
                "down. With this number, the expected group size can be k. Fewer "
                "centres lose more, unless all centres are equally likely.",
                low=0,
            ),
            Float(
                "m1",
                1.1,
                "Fuzziness of the clusters",
                "The m of fcm while the centres are calculated. 1 is crisp. A "
                "larger m draws centres together, mostly to the mean; strongly "
                "correlated columns prevent this.",
                low=1.0,
            ),
            Float(
                "m2",
                1.5,
                "Fuzziness of the draw",
                "The m of fcm while records draw their centres. With 1, a record "
                "draws the nearest centre. With a large m, every centre is "
                "equally likely; groups have k records on average, and most is "
                "lost.",
                low=1.0,
            ),
            Float(
                "lambda1",
                10.0,
                "Crispness of the clusters",
                "The lambda of efcm while the centres are calculated, per "
                "squared unit of distance. A small lambda draws all centres to "
                "the mean; then 100 % is lost.",
                low=1e-12,
            ),
            Float(
                "lambda2",
                2.0,
                "Crispness of the draw",
                "The lambda of efcm while records draw their centres. Near 0, "
                "every centre is equally likely; groups have k records on "
                "average, and most is lost.",
                low=1e-12,
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.036,
                records=2.3,
                attributes=0.6,
                coordinates=0.6,
                size=-0.8,
            ),
            max_group_size="",
            guarantees_k=False,
            uses_seed=True,
            max_records=10_000,
            probabilistic=True,
        ),
    )
)
class FuzzyMicroaggregation(Microaggregator):
    """Fuzzy microaggregation, with probabilistic k-anonymity.

    Centres are found by fuzzy c-means with m1 (lambda1); then memberships are worked
    out anew with m2 (lambda2), and each record becomes a centre drawn with them.
    Centres satisfy linear rules even where the records do not: each mean moves to
    the nearest point that does, on the scale of X.

    k-anonymity is probabilistic: no group size is promised. With floor(n / k) centres
    and a large m2 (lambda2 near 0) each group is expected to have k records.

    Parameters
    ----------
    k : int
        Expected group size.
    algorithm : {"fcm", "efcm"}
    c : int
        Number of centres; 0 for floor(n / k).
    m1, m2 : float
        Fuzziness of FCM for the centres and for the draw.
    lambda1, lambda2 : float
        Crispness of EFCM for the centres and for the draw.
    seed : int
        Seed of the random numbers that choose the records to begin from, and that
        draw the centres.
    """

    algorithm: str
    c: int
    m1: float
    m2: float
    lambda1: float
    lambda2: float

    def check_size(self, n_records: int, n_attributes: int) -> None:
        """Raise the errors of :meth:`partition` for a table of this size.

        Raises
        ------
        ParameterError
            Also if there are more centres than records.
        InfeasibleError
        """
        super().check_size(n_records, n_attributes)
        if self.c > n_records:
            raise ParameterError(
                "Parameter c is {c}, more centres than the {n_records:,} records "
                "there are: choose fewer, or 0 for one centre per k records.",
                c=self.c,
                n_records=n_records,
            )

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        algorithm = cast(Algorithm, self.algorithm)
        fcm = algorithm == "fcm"
        first, second = (self.m1, self.m2) if fcm else (self.lambda1, self.lambda2)
        c = self.c or points.n_records // k
        title, to_rest = self.info.title, ctx.subcontext(0.0, 0.95)
        clustering = fuzzy_cluster(
            points.X,
            c,
            algorithm,
            first,
            rng,
            to_rest,
            title,
            _rule_projection(points),
            points.weights,
        )
        self._warn(clustering)
        model = FuzzyModel(points.X, algorithm, second)
        drawn, expected = model.draw_centres(
            clustering.centres, rng, ctx.subcontext(0.95, 1.0), title
        )
        used, labels = np.unique(drawn, return_inverse=True)
        self.centres_ = clustering.centres[used]
        self.expected_sizes_ = expected[used]
        self.n_centres_ = c
        return labels.astype(np.int64)

    def _warn(self, clustering: FuzzyClustering) -> None:
        if not clustering.at_rest:
            self.warnings_ = (
                Message(
                    "The fuzzy clusters still moved after {steps} steps, where the "
                    "search for them ends; another seed or less fuzziness may settle "
                    "them.",
                    steps=len(clustering.objective),
                ),
            )


def _rule_projection(points: Points) -> Project | None:
    """Return what moves points to the nearest that satisfy the rules, if any."""
    if points.rules is None:
        return None
    space = points.space
    # Rules are about numbers, which have one coordinate each.
    lines, roots = space.offsets, np.sqrt(space.weights)
    bound = [name in points.rules.bound_columns for name in points.names]
    straight = [each.id == NO_TRANSFORM for each in space.transforms]
    if not (np.array(straight) & (roots > 0.0))[bound].all():
        return None  # no plane in this space; released values keep the rules anyway
    roots = np.where(roots > 0.0, roots, 1.0)
    rules = points.rules.rescaled(space.centre, space.scale / roots)
    lacking = points.missing[0]  # the same cells in all records grouped together
    free = lacking | ~np.array(bound)

    def onto(centres: Values) -> Values:
        new_centres, coordinates = centres.copy(), centres[:, lines]
        moved = rules.project(np.where(lacking, np.nan, coordinates))
        new_centres[:, lines] = np.where(free, coordinates, moved)
        return new_centres

    return onto
