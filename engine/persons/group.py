"""Groups of a method in which k counts persons: one mechanism below all methods.

An intruder who knows one record of a person must not tell that person from k - 1
others: every group has records of k persons. One who knows all of them must not do so
either: persons are put into classes of at least k, whose groups each have a record of
every person of the class. Records without an identifier count for nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, InputError, ParameterError
from engine.core.message import Message
from engine.core.partition import Labels, Partition
from engine.core.statistics import group_sse
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import NOBODY, code_persons, count_persons
from engine.methods.base import Microaggregator
from engine.methods.search.starts import start_groups
from engine.persons.effort import Effort
from engine.persons.histories import Classed, class_persons
from engine.persons.pools import improve, repaired
from engine.points.base import Points

STAGE = Message("Counting people")

Knows = Literal["one", "all"]
"""What an intruder knows of a person: one record, or all."""

MAX_BOTH = 20_000
"""Records up to which groups for one record known begin with those of classes, too."""

NEAR_ENOUGH = 1.3
"""Times the loss of quick classes up to which good ones may lose less than groups."""


@dataclass(frozen=True, eq=False)
class PersonGroups:
    """Groups of records in which k counts persons.

    Attributes
    ----------
    partition : Partition
        Where attributes take the value of a class, its `attributes` say so: the labels
        of the class for these, those of the group for the others.
    classes : ndarray of int64, shape (n_records,), or None
        Class of persons that each record belongs to, where an intruder knows all.
    constant : ndarray of bool, shape (n_attributes,)
        Attributes that do not vary within any person, where an intruder knows all:
        they take the class's common value.
    sse : float
        Sum of squares that is lost where each takes its mean.
    steps : int
        Steps that the search took.
    """

    partition: Partition
    classes: Integers | None
    constant: Booleans
    sse: float
    steps: int


def code_ids(ids: ArrayLike, n_records: int) -> Integers:
    """Return the person of each record for identifiers of any type.

    Parameters
    ----------
    ids : array-like, shape (n_records,)
        Texts, numbers or others; missing ones and blank texts are of nobody.
    n_records : int

    Returns
    -------
    ndarray of int64, shape (n_records,)
        0, 1, ... by first appearance, -1 of nobody.

    Raises
    ------
    InputError
        If there is not one identifier for each record.
    """
    import pandas as pd

    try:
        column = pd.Series(ids)
    except (TypeError, ValueError):
        column = pd.Series(dtype=object)
    if column.ndim != 1 or len(column) != n_records:
        raise InputError(
            "persons must name the person of each of the {n_records:,} records, but "
            "has {count:,} entries.",
            n_records=n_records,
            count=len(column),
        )
    return code_persons(pd.DataFrame({"person": column.to_numpy()}), ["person"])


def check_knows(intruder_knows: str) -> Knows:
    """Return what an intruder knows, or refuse it.

    Raises
    ------
    ParameterError
    """
    if intruder_knows not in ("one", "all"):
        raise ParameterError(
            "An intruder knows {known!r}, but must know 'one' (record of a person) or "
            "'all'.",
            known=intruder_knows,
        )
    return "one" if intruder_knows == "one" else "all"


def check_people(codes: Integers, k: int) -> None:
    """Refuse fewer than k persons.

    Raises
    ------
    InfeasibleError
    """
    count = count_persons(codes)
    if count < k:
        raise InfeasibleError(
            "{count:,} person, k = {k}: k counts people, so choose a smaller k or add "
            "records of others.",
            "{count:,} people, k = {k}: k counts people, so choose a smaller k or add "
            "records of others.",
            count=count,
            k=k,
        )


def group_persons(
    points: Points,
    codes: Integers,
    method: Microaggregator,
    intruder_knows: str = "one",
    ctx: RunContext = SILENT,
    polish: bool = False,
) -> PersonGroups:
    """Group records so that k counts the persons whom they are about.

    Parameters
    ----------
    points : Points
    codes : ndarray of int64, shape (n_records,)
        Person of each record, -1 of nobody.
    method : Microaggregator
        Makes the groups that are then repaired and made better: of records, or of
        persons where an intruder knows all. Where it searches for a time, that is the
        time of this search.
    intruder_knows : {"one", "all"}
    ctx : RunContext
    polish : bool
        Whether to search longer.

    Returns
    -------
    PersonGroups

    Raises
    ------
    ParameterError
        If the method does not keep k, or what an intruder knows does not exist.
    InfeasibleError
        If there are fewer than k persons.
    """
    knows, k = check_knows(intruder_knows), int(method.k)
    if not method.info.traits.guarantees_k:
        raise ParameterError(
            "{method} does not promise k, so that k cannot count people: choose "
            "another method, or count records.",
            method=method.info.id,
        )
    method.check(points.n_records, points.n_attributes)
    check_people(codes, k)
    effort = Effort.of(method, polish)
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1) - int(
        (codes == NOBODY).any()
    )
    X = np.ascontiguousarray(points.X - points.X.mean(axis=0))
    if knows == "all":
        found = class_persons(points, X, codes, method, effort, ctx)
        ctx.tick(1, 1, STAGE)
        return _of_classes(points, found, k, effort.steps)
    labels = _one(points, X, codes, method, effort, ctx)
    ctx.tick(1, 1, STAGE)
    constant = np.zeros(points.n_attributes, dtype=np.bool_)
    partition = Partition(labels, k)
    return PersonGroups(partition, None, constant, group_sse(X, labels), effort.steps)


def _of_classes(points: Points, found: Classed, k: int, steps: int) -> PersonGroups:
    """Return groups of classes as a partition."""
    ends = np.cumsum(points.space.widths) - 1
    constant = found.constant[ends]
    attributes = None
    if constant.any():
        attributes = np.where(constant[:, np.newaxis], found.classes, found.labels)
    partition = Partition(found.labels, k, attributes=attributes)
    return PersonGroups(partition, found.classes, constant, found.sse, steps)


def _one(
    points: Points,
    X: Values,
    codes: Integers,
    method: Microaggregator,
    effort: Effort,
    ctx: RunContext,
) -> Labels:
    """Return groups that each have records of k persons."""
    k, n = int(method.k), points.n_records
    if n < 2 * k:
        return np.zeros(n, dtype=np.int64)
    first = _groups_of_records(points, method, ctx.part(0.0, 0.4))
    begun, quick = repaired(X, codes, first, k), None
    if begun is None or n <= MAX_BOTH:
        share = ctx.part(0.4, 0.5)
        quick = class_persons(points, X, codes, method, effort.short(), share)
        if begun is None or group_sse(X, quick.labels) < group_sse(X, begun):
            begun = quick.labels
    labels = improve(X, codes, begun, k, effort.once(), ctx.part(0.5, 0.7))
    if quick is not None and quick.sse <= NEAR_ENOUGH * group_sse(X, labels):
        # Who knows less must not cost more.
        share = ctx.part(0.7, 0.8)
        good = class_persons(points, X, codes, method, effort.once(), share).labels
        other = improve(X, codes, good, k, effort.once(), ctx.part(0.8, 0.9))
        labels = min((labels, other), key=lambda each: group_sse(X, each))
    if effort.is_open:
        labels = improve(X, codes, labels, k, effort, ctx.part(0.9, 1.0))
    return labels


def _groups_of_records(
    points: Points, method: Microaggregator, ctx: RunContext
) -> Labels:
    """Return the groups of a method, or those that its search would begin with."""
    quiet = ctx.taking(None)
    if method.info.traits.time_budget:
        start = getattr(method, "start")  # noqa: B009
        return start_groups(start, points, int(method.k), method.seed, quiet)
    return method.partition(points, quiet).labels
