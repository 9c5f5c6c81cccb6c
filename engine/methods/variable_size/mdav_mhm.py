"""MDAV-MHM: the path through the groups of MDAV, cut optimally."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.steps.path import MHM_REFERENCE, CutPathStage
from engine.methods.two_stages import TwoStages


@methods.register(
    MethodInfo(
        id="mdav-mhm",
        title="MDAV-MHM",
        family="variable-size",
        summary="Orders the groups of MDAV so that a path leads from centroid to "
        "centroid. The records of the groups follow each other in this order. Cuts "
        "this sequence of records into the best groups of k to 2k-1 records.",
        reference=MHM_REFERENCE,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.0062,
                records=1.45,
                attributes=1.35,
                coordinates=0.7,
                size=-0.45,
            )
        ),
    )
)
class MDAVMHM(TwoStages):
    """Order of MDAV's groups, multivariate Hansen-Mukherjee."""

    first = MDAV
    second = CutPathStage()
