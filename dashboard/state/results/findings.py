"""What was found beside results, with the table that it is about."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.jobs.needs import NeedRequest
from engine.analysis.curves.timing import MethodTiming
from engine.analysis.need import Need
from engine.pipeline.plan import Plan

STARTS_TIMING_KEY = "starts"
"""Key of the timings that are means over several starts."""


@dataclass(frozen=True)
class NeedAnswer:
    """Answer to a need, with the table, base plan and request that it is for.

    Attributes
    ----------
    fingerprint : str
        Of the table.
    base : Plan
        The choices that stayed.
    request : NeedRequest
    answer : Need
    """

    fingerprint: str
    base: Plan
    request: NeedRequest
    answer: Need


@dataclass(frozen=True)
class MeasuredTimings:
    """Measured seconds of methods on one table, which its fingerprint names.

    Attributes
    ----------
    fingerprint : str
        Of the table.
    found : tuple of MethodTiming
    """

    fingerprint: str
    found: tuple[MethodTiming, ...]
