"""MDAV-2: MDAV-1, then groups dissolved if that lowers SSE."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.mdav1 import MDAV1
from engine.methods.two_stages import TwoStages
from engine.methods.variable_size.second_stage import DissolveStage


@methods.register(
    MethodInfo(
        id="mdav2",
        title="MDAV-2",
        family="variable-size",
        summary="Forms groups by MDAV-1. Then looks at each group, the widest group "
        "first. Dissolves the group if its records lose less in the groups around it.",
        reference=MDAV1.info.reference,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.0034,
                records=1.75,
                attributes=0.75,
                coordinates=0.8,
                size=-0.75,
            )
        ),
    )
)
class MDAV2(TwoStages):
    """MDAV-1, then the second stage of DBA-2 by falling SSE of the groups."""

    first = MDAV1
    second = DissolveStage("widest first")
