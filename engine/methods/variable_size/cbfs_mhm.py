"""CBFS-MHM: the path through the groups of CBFS, cut optimally."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.cbfs import CBFS
from engine.methods.steps.path import MHM_REFERENCE, CutPathStage
from engine.methods.two_stages import TwoStages


@methods.register(
    MethodInfo(
        id="cbfs-mhm",
        title="CBFS-MHM",
        family="variable-size",
        summary="Orders the groups of CBFS so that a path leads from centroid to "
        "centroid. The records of the groups follow each other in this order. Cuts "
        "this sequence of records into the best groups of k to 2k-1 records.",
        reference=MHM_REFERENCE,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.017,
                records=1.35,
                attributes=1.1,
                coordinates=0.75,
                size=-0.35,
            )
        ),
    )
)
class CBFSMHM(TwoStages):
    """Order of CBFS's groups, multivariate Hansen-Mukherjee."""

    first = CBFS
    second = CutPathStage()
