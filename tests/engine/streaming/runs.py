"""Runs out of core as tests begin them."""

from pathlib import Path
from typing import Any

from engine import Plan
from engine.streaming import StreamedOutcome
from engine.streaming import run as streamed
from tests.engine.streaming.tables import QUASI

PLAN = Plan(method="mdav", k=4, quasi_identifiers=QUASI, identifiers=("name",))


def run(plan: Plan, source: Path, target: Path, **how: Any) -> StreamedOutcome:
    how = {"records_per_block": 500, "keep_undecided": True} | how
    return streamed(plan, source, target, **how)
