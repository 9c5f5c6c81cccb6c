"""Conditions under which a run can have a certificate."""

from __future__ import annotations

from engine.core.message import Message
from engine.data.table import Table
from engine.methods.base import methods
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.transforms import NO_TRANSFORM


def reason_not_certifiable(plan: ResolvedPlan, table: Table) -> Message | None:
    """Return the first reason against a certificate in plan and table, else None.

    It is about groups of whole records, whose distances are fractions: a logarithm has
    none.
    """
    traits, bends = methods.info(plan.method).traits, plan.transforms.values()
    reasons = {
        Message("groups that are drawn at random"): traits.probabilistic,
        Message("groups of their own in every column"): traits.per_attribute,
        Message("blocks of attributes"): bool(plan.blocks),
        Message("cells that are left out"): plan.suppress_cells,
        Message("households"): plan.household is not None,
        Message("merged groups of people whose whole history an intruder may know"): (
            bool(plan.person_columns)
            and plan.intruder_knows == "all"
            and plan.enforces_privacy
        ),
        Message("transforms"): any(bend != NO_TRANSFORM for bend in bends),
        Message("a table that comes from no file"): table.carried is None,
    }
    return next((what for what, is_true in reasons.items() if is_true), None)
