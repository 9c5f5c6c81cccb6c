"""What the pages say about results: worked out once, passed on to charts and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from dashboard.words.language import _
from engine.data.kinds import Kind
from engine.methods import methods
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.probabilistic import Probabilistic
from engine.points.encode import scalings

PER_ATTRIBUTE = "per-attribute"
"""Kind of bound on methods that group each attribute on its own."""

NONE = "none"
"""Kind of bound on methods whose groups may have any size."""


POLISHED = ", polished"
"""Added to the name of a method whose groups were refined by local search."""


@dataclass(frozen=True, eq=False)
class Facts:
    """One result's figures, for charts and tables.

    Attributes
    ----------
    key : str
        Digest of the plan.
    method, title : str
        Identifier, followed by :data:`POLISHED` for polished groups; name on screen,
        with the parameters that are not the default.
    k : int
    scaling, aggregation : str
        Titles.
    loss, bound : float
        Information loss and its lower bound, in per cent of the variation.
    bound_kind : str
        Which bound it is, as :class:`engine.bounds.LowerBound` names it.
    sizes : mapping of int to int
        How many groups there are of each size.
    seconds : float
        Time of the method alone.
    k_released : int
        k counted on the released values.
    penalty : float
        Normalised certainty penalty (NCP), in per cent.
    discernibility : float
        Sum of squared group sizes.
    class_size : float
        Mean group size in units of k.
    generalised : bool
        Whether some columns hold categories, which IL leaves out, or are released as
        intervals: there NCP says more.
    drawn : Probabilistic or None
        Group sizes, where records drew their groups and no size is promised.
    """

    key: str
    method: str
    title: str
    k: int
    scaling: str
    aggregation: str
    loss: float
    bound: float
    bound_kind: str
    sizes: Mapping[int, int]
    seconds: float
    k_released: int
    penalty: float
    discernibility: float
    class_size: float
    generalised: bool
    drawn: Probabilistic | None = None

    @property
    def has_numbers(self) -> bool:
        """Whether there are numbers whose information loss can be measured."""
        return not math.isnan(self.loss)

    @property
    def lost(self) -> float:
        """What results are ranked by: IL, or NCP where no column is a number."""
        return self.loss if self.has_numbers else self.penalty

    @property
    def gap(self) -> float:
        """How much of the loss might be avoidable, in per cent of the loss."""
        return 100.0 * (self.loss - self.bound) / self.loss if self.loss > 0 else 0.0

    @property
    def keeps_k(self) -> bool:
        """Whether every record shares its released values with k - 1 others.

        Never where groups were drawn: they have k records by chance at most.
        """
        return self.drawn is None and self.k_released >= self.k

    @property
    def of_whole_records(self) -> bool:
        """Whether a bound on all groups of k whole records is one for this result."""
        return self.bound_kind not in (PER_ATTRIBUTE, NONE)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return sum(self.sizes.values())

    @property
    def n_records(self) -> int:
        """Number of released records."""
        return sum(size * count for size, count in self.sizes.items())

    @property
    def label(self) -> str:
        """Name and k, for one result among many."""
        return f"{self.title}, k = {self.k}"


def plan_label(plan: Plan) -> str:
    """Return the method's name and k."""
    return f"{plan_title(plan)}, k = {plan.k}"


def plan_title(plan: Plan) -> str:
    """Return the method's name, with the parameters that are not the default."""
    info = methods.info(plan.method)
    changed = [
        f"{_(parameter.label).lower()} {_plain(plan.parameters[parameter.name])}"
        for parameter in info.parameters
        if plan.parameters.get(parameter.name, parameter.default) != parameter.default
    ]
    title = _(info.title)
    if plan.polish:
        title = _("{method}, polished").format(method=title)
    return title + (f" ({', '.join(changed)})" if changed else "")


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def series(plan: Plan) -> str:
    """Return what shares a look in charts: the method, or the method polished."""
    return plan.method + (POLISHED if plan.polish else "")


def facts(outcome: Outcome) -> Facts:
    """Return the figures of one outcome."""
    found, counts = np.unique(outcome.partition.sizes, return_counts=True)
    sizes = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return Facts(
        key=outcome.plan.digest(),
        method=series(outcome.plan),
        title=plan_title(outcome.plan),
        k=outcome.plan.k,
        scaling=_(scalings.info(outcome.plan.scaling).title),
        aggregation=outcome.plan.aggregation,
        loss=outcome.information_loss,
        bound=outcome.bound.per_cent,
        bound_kind=outcome.bound.kind,
        sizes=MappingProxyType(sizes),
        seconds=outcome.seconds["partition"],
        k_released=outcome.k_released,
        penalty=outcome.scores["certainty-penalty"].value,
        discernibility=outcome.scores["discernibility"].value,
        class_size=outcome.scores["average-class-size"].value,
        generalised=Kind.NOMINAL in outcome.plan.kinds.values()
        or "interval" in outcome.plan.aggregations.values(),
        drawn=outcome.probabilistic,
    )


def basis(outcome: Outcome) -> str:
    """Return what information loss was measured on, for the end of a sentence."""
    plan, kinds = outcome.plan, set(outcome.plan.kinds.values())
    scaling = _(scalings.info(plan.scaling).title)
    words = [_("on {scaling} scaling").format(scaling=scaling)]
    if Kind.NOMINAL in kinds:
        words.append(_("of numbers only (categories count in the certainty penalty)"))
    if plan.weights is not None:
        words.append(_("weighted by {column}").format(column=plan.weights))
    return ", ".join(words)


def lost(outcome: Outcome) -> float:
    """Return what outcomes are ranked by: IL, or NCP where no column is a number."""
    return facts(outcome).lost


def lost_words(outcome: Outcome) -> str:
    """Return the same figure for people, named and with its unit."""
    row = facts(outcome)
    return f"{_('IL') if row.has_numbers else _('NCP')} {row.lost:.2f} %"


def together(outcomes: Sequence[Outcome]) -> list[Facts]:
    """Return the figures of outcomes on one table, all with the best bound for k.

    A bound on all groupings holds for every method that groups whole records, also
    when another run has found it. Methods that group each attribute on its own, or
    make groups of any size, can lose less and keep theirs.
    """
    rows = [facts(outcome) for outcome in outcomes]
    best: dict[int, Facts] = {}
    for row in rows:
        if row.of_whole_records and (
            row.k not in best or row.bound > best[row.k].bound
        ):
            best[row.k] = row
    return [
        replace(row, bound=best[row.k].bound, bound_kind=best[row.k].bound_kind)
        if row.of_whole_records
        else row
        for row in rows
    ]


def bounds(rows: Sequence[Facts]) -> dict[int, float]:
    """Return the bound to draw for each k: that of groups of whole records."""
    found: dict[int, float] = {}
    for row in sorted(rows, key=lambda row: not row.of_whole_records):
        found.setdefault(row.k, row.bound)
    return dict(sorted(found.items()))


def split(results: Sequence[Result]) -> tuple[list[Outcome], list[Failure]]:
    """Return what went well and what did not, in the given order."""
    outcomes = [result for result in results if isinstance(result, Outcome)]
    failures = [result for result in results if isinstance(result, Failure)]
    return outcomes, failures
