"""MST with DBFS: spanning tree parts, large ones split by DBFS or by MFS."""

from __future__ import annotations

from engine.core.parameters import Choice
from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.dbfs import DBFS
from engine.methods.fixed_size.mfs import MFS
from engine.methods.two_stages import SecondStage, SplitLargeStage, TwoStages
from engine.methods.variable_size.mst import MST

SPLIT_METHODS = {"nearest": DBFS, "grown": MFS}
"""Methods that divide large trees, by the name of the choice."""


@methods.register(
    MethodInfo(
        id="mst-diameter",
        title="MST + DBFS (M-d)",
        family="variable-size",
        summary="Cuts the longest links of the minimum spanning tree (see MST). Then "
        "divides trees of 2k records or more by DBFS.",
        reference=MST.info.reference,
        parameters=(
            Choice(
                "split",
                "nearest",
                "Large trees",
                "What divides trees of 2k records or more: DBFS (nearest), or MFS "
                "(grown), whose groups grow by the record nearest to their mean.",
                options=tuple(SPLIT_METHODS),
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.0036, records=1.8, attributes=0.9, coordinates=0.8, size=-0.1
            )
        ),
    )
)
class MSTDiameter(TwoStages):
    """Minimum spanning tree partitioning, then DBFS or MFS inside large trees.

    Parameters
    ----------
    k : int
        Minimum group size.
    split : str
        What divides trees of 2k records or more.
    seed : int
        Not used.

    Notes
    -----
    With MFS six of the eight figures that are printed come out to their two digits,
    and two miss by one hundredth; with DBFS one comes out.
    """

    split: str

    first = MST

    def _second_stage(self) -> SecondStage:
        return SplitLargeStage(SPLIT_METHODS[self.split])
