"""DBA-2: DBA-1, then groups dissolved if that lowers SSE."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.fixed_size.dba1 import DBA1
from engine.methods.two_stages import TwoStages
from engine.methods.variable_size.second_stage import DissolveStage


@methods.register(
    MethodInfo(
        id="dba2",
        title="DBA-2",
        family="variable-size",
        summary="Forms groups by DBA-1. Then looks at each group, the last group "
        "first. Dissolves the group if its records lose less in the groups around it.",
        reference=DBA1.info.reference,
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.025, records=1.6, attributes=0.65, coordinates=0.4, size=0.1
            )
        ),
    )
)
class DBA2(TwoStages):
    """Both stages of density-based microaggregation."""

    first = DBA1
    second = DissolveStage("last first")
