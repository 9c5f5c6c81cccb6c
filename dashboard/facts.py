"""What the pages say about results: worked out once, passed on to charts and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.compare import Failure, Result
from engine.encode import scalings
from engine.methods import methods
from engine.outcome import Outcome
from engine.plan import Plan
from engine.principal import Principal
from engine.probabilistic import Probabilistic
from engine.table import Kind

PER_ATTRIBUTE = "per-attribute"
"""Kind of bound on methods that group each attribute on its own."""

NONE = "none"
"""Kind of bound on methods whose groups may have any size."""

BOUND_NAMES = {
    "nearest": "LB0",
    "edge-cover": "LB1",
    "column-generation": "LB2",
    PER_ATTRIBUTE: "per attribute",
    NONE: "none",
}
"""What the kinds of bounds are called on screen."""


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


def plan_title(plan: Plan) -> str:
    """Return the method's name, with the parameters that are not the default."""
    info = methods.info(plan.method)
    changed = [
        f"{parameter.label.lower()} {_plain(plan.parameters[parameter.name])}"
        for parameter in info.parameters
        if plan.parameters.get(parameter.name, parameter.default) != parameter.default
    ]
    title = info.title + (POLISHED if plan.polish else "")
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
        scaling=scalings.info(outcome.plan.scaling).title,
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
    words = [f"on {scalings.info(plan.scaling).title} scaling"]
    if Kind.NOMINAL in kinds:
        words.append("of numbers only (categories count in the certainty penalty)")
    if plan.weights is not None:
        words.append(f"weighted by {plan.weights}")
    return ", ".join(words)


def lost(outcome: Outcome) -> float:
    """Return what outcomes are ranked by: IL, or NCP where no column is a number."""
    return facts(outcome).lost


def lost_words(outcome: Outcome) -> str:
    """Return the same figure for people, named and with its unit."""
    row = facts(outcome)
    return f"{'IL' if row.has_numbers else 'NCP'} {row.lost:.2f} %"


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


def comparison_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return one line per result, least loss first within each k.

    Results that do not keep k come last: what they lose buys less.
    """
    ordered = sorted(rows, key=lambda row: (row.k, not row.keeps_k, row.lost))
    frame = pd.DataFrame(
        {
            "Method": [row.title for row in ordered],
            "k": [row.k for row in ordered],
            "IL (%)": [row.loss for row in ordered],
            "Lower bound (%)": [
                None if row.bound_kind == NONE else row.bound for row in ordered
            ],
            "Bound": [BOUND_NAMES.get(row.bound_kind, "") for row in ordered],
            "Gap (%)": [None if row.bound_kind == NONE else row.gap for row in ordered],
            "NCP (%)": [row.penalty for row in ordered],
            "Groups": [row.n_groups for row in ordered],
            "Smallest": [min(row.sizes) for row in ordered],
            "Mean size": [row.n_records / row.n_groups for row in ordered],
            "Largest": [max(row.sizes) for row in ordered],
            "C_avg": [row.class_size for row in ordered],
            "DM": [row.discernibility for row in ordered],
            "Seconds": [row.seconds for row in ordered],
            "k as released": [row.k_released for row in ordered],
            "Scaling": [row.scaling for row in ordered],
        }
    )
    if all(row.drawn is None for row in ordered):
        return frame
    sizes = [
        (math.nan, math.nan)
        if row.drawn is None
        else (row.drawn.expected_size, 100.0 * row.drawn.share_below)
        for row in ordered
    ]
    return frame.assign(
        **{
            "Expected size": [expected for expected, _ in sizes],
            "Below k (%)": [below for _, below in sizes],
        }
    )


def loss_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return the loss per method (lines) and k (columns), the bound last."""
    sizes = sorted({row.k for row in rows})
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.k): row.loss for row in rows}
    least = bounds(rows)
    content: dict[str, list[object]] = {"Method": [*titles, "Lower bound"]}
    for k in sizes:
        column: list[object] = [cells.get((title, k)) for title in titles]
        content[f"k = {k}"] = [*column, least[k]]
    return pd.DataFrame(content)


def penalty_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return the certainty penalty per method (lines) and k (columns)."""
    sizes = sorted({row.k for row in rows})
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.k): row.penalty for row in rows}
    content: dict[str, list[object]] = {"Method": [*titles]}
    for k in sizes:
        content[f"k = {k}"] = [cells.get((title, k)) for title in titles]
    return pd.DataFrame(content)


def size_table(rows: Sequence[Facts]) -> pd.DataFrame:
    """Return how many groups of each size every result has."""
    lines = [
        (row.title, row.k, size, count)
        for row in rows
        for size, count in sorted(row.sizes.items())
    ]
    return pd.DataFrame(lines, columns=["Method", "k", "Group size", "Groups"])


@dataclass(frozen=True, eq=False)
class GroupView:
    """One result's groups in the plane of the first two principal components.

    Attributes
    ----------
    title : str
    method : str
        As in :class:`Facts`.
    loss : float
        Per cent.
    points : ndarray of float64, shape (n_shown, 2)
    labels : ndarray of int64, shape (n_shown,)
    shares : ndarray of float64, shape (2,)
        Share of the variance that each component explains.
    n_records, n_groups : int
        Before sampling.
    """

    title: str
    method: str
    loss: float
    points: NDArray[np.float64]
    labels: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_records: int
    n_groups: int

    @property
    def sampled(self) -> bool:
        """Whether some groups are left out."""
        return self.labels.size < self.n_records


def group_view(outcome: Outcome, plane: Principal, limit: int = 5_000) -> GroupView:
    """Place an outcome's groups in a plane, drawing whole groups above a limit.

    Parameters
    ----------
    outcome : Outcome
    plane : Principal
        Of the same plan and table.
    limit : int
        Records to show at most; groups are drawn at random with a fixed seed.
    """
    labels, sizes = outcome.partition.labels, outcome.partition.sizes
    keep = np.ones(sizes.size, dtype=np.bool_)
    if labels.size > limit:
        order = np.random.default_rng(0).permutation(sizes.size)
        keep[order] = np.cumsum(sizes[order]) <= limit
    shown = np.flatnonzero(keep[labels])
    if shown.size == 0:  # a single group can be larger than the limit
        shown = np.sort(np.random.default_rng(0).permutation(labels.size)[:limit])
    return GroupView(
        title=plan_title(outcome.plan),
        method=series(outcome.plan),
        loss=outcome.information_loss,
        points=plane.scores[shown],
        labels=labels[shown],
        shares=plane.shares,
        n_records=labels.size,
        n_groups=sizes.size,
    )


def group_table(views: Sequence[GroupView]) -> pd.DataFrame:
    """Return each shown group's centre and spread in the plane."""
    parts = []
    for view in views:
        frame = pd.DataFrame(view.points, columns=["x", "y"])
        grouped = frame.groupby(view.labels)
        spread = np.sqrt(np.square(frame - grouped.transform("mean")).sum(axis=1))
        parts.append(
            pd.DataFrame(
                {
                    "Method": view.title,
                    "Group": grouped.size().index + 1,
                    "Records": grouped.size().to_numpy(),
                    "Centre, component 1": grouped["x"].mean().to_numpy(),
                    "Centre, component 2": grouped["y"].mean().to_numpy(),
                    "Mean distance to centre": spread.groupby(view.labels)
                    .mean()
                    .to_numpy(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
