"""MD-MHM: the path through the groups of MD, cut optimally."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.md import MD
from engine.methods.steps.path import MHM_REFERENCE, CutPathStage
from engine.methods.two_stages import TwoStages


@methods.register(
    MethodInfo(
        id="md-mhm",
        title="MD-MHM",
        family="variable-size",
        summary="Orders the groups of MD so that a path leads from centroid to "
        "centroid. The records of the groups follow each other in this order. Cuts "
        "this sequence of records into the best groups of k to 2k-1 records.",
        reference=MHM_REFERENCE,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.04,
                records=1.75,
                attributes=0.4,
                coordinates=0.85,
                size=-1,
            )
        ),
    )
)
class MDMHM(TwoStages):
    """Order of MD's groups, multivariate Hansen-Mukherjee."""

    first = MD
    second = CutPathStage()
