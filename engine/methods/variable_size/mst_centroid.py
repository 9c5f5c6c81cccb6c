"""MST with CBFS: spanning tree parts, large ones split by CBFS."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.cbfs import CBFS
from engine.methods.two_stages import SplitLargeStage, TwoStages
from engine.methods.variable_size.mst import MST


@methods.register(
    MethodInfo(
        id="mst-centroid",
        title="MST + CBFS (M-c)",
        family="variable-size",
        summary="Cuts the longest links of the minimum spanning tree (see MST). Then "
        "divides trees of 2k records or more by CBFS.",
        reference=MST.info.reference,
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.003,
                records=1.8,
                attributes=0.85,
                coordinates=0.8,
                size=-0.05,
            )
        ),
    )
)
class MSTCentroid(TwoStages):
    """Minimum spanning tree partitioning, then CBFS inside large trees."""

    first = MST
    second = SplitLargeStage(CBFS)
