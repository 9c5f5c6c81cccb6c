"""LDF-2: LDF, then groups dissolved if that lowers SSE."""

from __future__ import annotations

from engine.methods.base import MethodInfo, methods
from engine.methods.fixed_size.ldf import LDF
from engine.methods.two_stages import TwoStages
from engine.methods.variable_size.dba2 import DBA2
from engine.methods.variable_size.second_stage import DissolveStage


@methods.register(
    MethodInfo(
        id="ldf2",
        title="LDF-2",
        family="variable-size",
        summary="Forms groups by LDF, then dissolves groups as DBA-2 does. The "
        "publication of LDF does not contain this second stage.",
        reference=LDF.info.reference,
        traits=DBA2.info.traits,
    )
)
class LDF2(TwoStages):
    """Low density first, followed by the second stage of density-based methods."""

    first = LDF
    second = DissolveStage("last first")
