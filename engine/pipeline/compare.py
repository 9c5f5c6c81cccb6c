"""Make and run many plans on one table, sharing preparation and bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.bounds import NO_BOUND, LowerBound
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, EngineError, ParameterError
from engine.core.message import Message
from engine.core.parameters import rename_to_declared
from engine.data.table import Table
from engine.methods.base import methods
from engine.pipeline.grouping.bound import copy_with_larger_bound, lower_bound
from engine.pipeline.grouping.group import check_group_sizes
from engine.pipeline.grouping.prepare import PreparationCache, preparation_key
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import (
    expected_bound_seconds,
    expected_seconds,
    expected_seconds_each,
)
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.pipeline.run import protect_prepared

EARLY_RESULT_BOUND_SECONDS = 0.5
"""Expected seconds of a lower bound from which the groups are shown ahead of it."""

EARLY_RESULT_METHOD_SECONDS = 1.0
"""Expected seconds of a search from which the groups that it begins with are shown."""

DEFAULT_BOUND_SHARE = 0.2
"""Share of a run's progress for its lower bound, where its seconds are unknown."""


@dataclass(frozen=True)
class Failure:
    """A plan that failed, and the error message.

    Attributes
    ----------
    plan : Plan
    message : Message
        One sentence that says what to change.
    """

    plan: Plan
    message: Message


Result = Outcome | Failure


@check_arguments
def grid(
    base: Plan,
    names: Sequence[str],
    sizes: Sequence[int],
    parameters: Mapping[str, Any] | None = None,
) -> tuple[Plan, ...]:
    """Return a plan per method and k, and a polished one where asked and possible.

    Parameters
    ----------
    base : Plan
        All other choices. With ``polish``, each method that allows it is there twice:
        as it is and polished.
    names : sequence of str
        Methods.
    sizes : sequence of int
        Values of k.
    parameters : mapping of str to object, optional
        Each goes to every method that declares it.

    Raises
    ------
    ParameterError
        If a method does not exist, none of them declares a parameter, or none can be
        polished.
    """
    infos = [methods.info(name) for name in dict.fromkeys(map(methods.resolve, names))]
    declared = {info.id: {each.name for each in info.parameters} for info in infos}
    every = tuple(each for info in infos for each in info.parameters)
    values_by_name = rename_to_declared(every, parameters or {})
    for name in values_by_name:
        if not any(name in parameter_names for parameter_names in declared.values()):
            raise ParameterError(
                "No method of this comparison has a parameter called {name!r}.",
                name=name,
            )
    if base.polish and not any(info.can_be_refined for info in infos):
        raise ParameterError(
            "No method of this comparison can be polished: add one that groups whole "
            "records and is not a search itself, such as mdav."
        )
    return tuple(
        base.replace(
            method=info.id,
            k=k,
            parameters={
                name: values_by_name[name]
                for name in declared[info.id] & set(values_by_name)
            },
            polish=polish,
        )
        for info in infos
        for polish in (False, True)[: 1 + (base.polish and info.can_be_refined)]
        for k in dict.fromkeys(sizes)
    )


def expected_first_result_seconds(plan: Plan, table: Table) -> float:
    """Estimate the seconds until a plan shows its final groups or its whole result.

    Estimated by :func:`engine.pipeline.planning.cost.expected_seconds`.
    """
    traits = methods.info(plan.method).traits
    is_late = expected_bound_seconds(plan, table) > EARLY_RESULT_BOUND_SECONDS
    return expected_seconds(
        plan, table, with_bound=bool(traits.time_budget) or not is_late
    )


class PlanRunner:
    """Runs plans on one table and shares their preparation and bounds.

    Parameters
    ----------
    table : Table
    thorough : bool
        Whether lower bounds may take minutes; see
        :func:`engine.bounds.strongest_affordable_bound`.

    Attributes
    ----------
    preparations : PreparationCache
    """

    def __init__(self, table: Table, thorough: bool = False) -> None:
        self.table = table
        self._thorough = thorough
        self.preparations = PreparationCache(table)
        self._bounds: dict[tuple[str, int, bool, bool], LowerBound] = {}

    def check_plan(self, plan: Plan) -> None:
        """Raise the errors of a plan that are known without running its method.

        Raises
        ------
        EngineError
        """
        resolved = resolve_plan(plan, self.table)
        prepared = self.preparations.get(resolved)
        check_group_sizes(resolved, prepared)

    def run_plan(
        self,
        plan: Plan,
        ctx: RunContext = SILENT,
        on_early: Callable[[Outcome], None] | None = None,
    ) -> Outcome:
        """Run one plan; return its outcome.

        Parameters
        ----------
        on_early : callable, optional
            Called with the outcome of the groups that a search begins with, and with
            that before there is a lower bound, where what follows takes long; what is
            returned is the same with and without.

        Raises
        ------
        EngineError
        """
        resolved = resolve_plan(plan, self.table)
        prepared = self.preparations.get(resolved)
        traits = methods.info(resolved.method).traits
        key = _bound_key(resolved)
        bound = self._bounds.get(key)
        share = 0.0 if bound else self._share_of_bound(resolved)
        # Groups that get better yet are for whoever has nothing to look at.
        waited = not self._bounds and self._is_long(plan)
        first = on_early if waited else None
        # A search looks at its bound, and has to know it first.
        if bound or on_early is None or traits.time_budget or not self._is_late(plan):
            bound = bound or lower_bound(
                resolved, prepared, ctx.subcontext(0.0, share), self._thorough
            )
            rest = ctx.subcontext(share, 1.0)
            outcome = protect_prepared(
                resolved, self.table, prepared, rest, bound, on_early=first
            )
        else:
            part = ctx.subcontext(0.0, 1.0 - share)
            outcome = protect_prepared(
                resolved, self.table, prepared, part, NO_BOUND, on_early=first
            )
            on_early(outcome)
            rest = ctx.subcontext(1.0 - share, 1.0)
            bound = lower_bound(resolved, prepared, rest, self._thorough)
            outcome = copy_with_larger_bound(outcome, bound)
        self._bounds[key] = outcome.bound  # a method may have proven a better one
        return outcome

    def reuse_bound(self, plan: ResolvedPlan, bound: LowerBound) -> None:
        """Take the bound of an outcome that there is already for later plans."""
        self._bounds[_bound_key(plan)] = bound

    def run_plans(
        self,
        plans: Sequence[Plan],
        ctx: RunContext = SILENT,
        on_early: Callable[[int, Outcome], None] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of each plan in turn; parameters as of :func:`compare`.

        Nothing of a result that was yielded is kept here but its bound.

        Raises
        ------
        Cancelled
        """
        weights = [1e-3 + each for each in expected_seconds_each(plans, self.table)]
        total, done = sum(weights), 0.0
        for position, (plan, weight) in enumerate(zip(plans, weights, strict=True)):
            title = methods.info(plan.method).title
            owner = Message("{method}, k = {k}", method=title, k=plan.k)
            if plan.polish:
                owner = Message("{method}, polished, k = {k}", method=title, k=plan.k)
            part = ctx.subcontext(done / total, (done + weight) / total, owner)
            early = None if on_early is None else partial(on_early, position)
            try:
                yield self.run_plan(plan, part, early)
            except Cancelled:
                raise
            except EngineError as error:
                yield Failure(plan, error.message)
            done += weight
            stage = Message("{done} of {all} done", done=position + 1, all=len(plans))
            ctx.tick(done, total, stage)

    def _is_late(self, plan: Plan) -> bool:
        """Return whether a plan's lower bound keeps people waiting."""
        return (
            self._thorough
            or expected_bound_seconds(plan, self.table) > EARLY_RESULT_BOUND_SECONDS
        )

    def _is_long(self, plan: Plan) -> bool:
        """Return whether a plan's method keeps people waiting."""
        return (
            expected_seconds(plan, self.table, with_bound=False)
            > EARLY_RESULT_METHOD_SECONDS
        )

    def _share_of_bound(self, plan: Plan) -> float:
        """Return which share of a run its lower bound takes."""
        seconds = expected_bound_seconds(plan, self.table)
        if not seconds or self._thorough:
            return DEFAULT_BOUND_SHARE
        whole = seconds + expected_seconds(plan, self.table, with_bound=False)
        return min(0.9, seconds / whole)


def _bound_key(plan: ResolvedPlan) -> tuple[str, int, bool, bool]:
    """Return a cache key of all that a plan's lower bound depends on."""
    traits = methods.info(plan.method).traits
    return (
        preparation_key(plan),
        plan.k,
        traits.per_attribute,
        traits.probabilistic,
    )


@check_arguments
def compare(
    plans: Sequence[Plan],
    table: Table,
    ctx: RunContext = SILENT,
    on_result: Callable[[int, Result], None] | None = None,
    on_early: Callable[[int, Outcome], None] | None = None,
) -> tuple[Result, ...]:
    """Return the outcome of each plan, or the failure of a plan that cannot run.

    Parameters
    ----------
    plans : sequence of Plan
    table : Table
    ctx : RunContext
        Progress over all plans, weighted by their expected seconds.
    on_result : callable, optional
        Called with (position, result) as soon as each plan is finished.
    on_early : callable, optional
        Called with (position, outcome) where a lower bound is still to come, and of
        the first plan also where better groups are.

    Returns
    -------
    tuple of Outcome or Failure
        In the order of `plans`.

    Raises
    ------
    Cancelled
        If the run was stopped; results handed to `on_result` stay valid.
    """
    results: list[Result] = []
    run_results = PlanRunner(table).run_plans(plans, ctx, on_early)
    for position, result in enumerate(run_results):
        results.append(result)
        if on_result is not None:
            on_result(position, result)
    return tuple(results)
