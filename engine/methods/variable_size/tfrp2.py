"""TFRP-2: TFRP-1, then groups dissolved if that lowers SSE."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.tfrp1 import TFRP1
from engine.methods.two_stages import TwoStages
from engine.methods.variable_size.second_stage import DissolveStage


@methods.register(
    MethodInfo(
        id="tfrp2",
        title="TFRP-2",
        family="variable-size",
        summary="Forms groups by TFRP-1. Then looks at each group, the widest group "
        "first. Dissolves the group if its records lose less in neighbouring groups, "
        "which may grow to 4k-1 records. At the end, TFRP-1 divides groups of more "
        "than 2k-1 records.",
        reference=TFRP1.info.reference,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.0026,
                records=1.8,
                attributes=0.65,
                coordinates=0.7,
                size=-0.7,
            )
        ),
    )
)
class TFRP2(TwoStages):
    """Both stages of the two fixed reference points method."""

    first = TFRP1
    second = DissolveStage("widest first", limit=4, divide=TFRP1)
