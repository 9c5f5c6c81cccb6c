"""The plane of two principal components, in which many attributes are looked at."""

from __future__ import annotations

from engine.core.principal import Principal, principal_components
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import prepare


def principal_plane(plan: Plan, table: Table) -> Principal:
    """Return the first two components of the numbers that a plan's method looks at.

    Records come in the order of the release: those that the plan's missing-value
    policy drops are not among them.

    Raises
    ------
    InputError, ParameterError
        As :func:`engine.pipeline.prepare.prepare`.
    """
    plan = plan.resolve(table)
    return principal_components(prepare(plan, table).encoded.numbers)
