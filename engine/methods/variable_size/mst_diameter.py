"""MST with DBFS: spanning tree parts, large ones split by DBFS."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.dbfs import DBFS
from engine.methods.two_stages import SplitLargeStage, TwoStages
from engine.methods.variable_size.mst import MST


@methods.register(
    MethodInfo(
        id="mst-diameter",
        title="MST + DBFS (M-d)",
        family="variable-size",
        summary="Cuts the longest links of the minimum spanning tree (see MST). Then "
        "divides trees of 2k records or more by DBFS.",
        reference=MST.info.reference,
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.0036, records=1.8, attributes=0.9, coordinates=0.8, size=-0.1
            )
        ),
    )
)
class MSTDiameter(TwoStages):
    """Minimum spanning tree partitioning, then DBFS inside large trees."""

    first = MST
    second = SplitLargeStage(DBFS)
