"""Group records by a method such that k counts persons.

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

from engine.bounds.equal_counts import order_each_coordinate
from engine.bounds.nearest_neighbour_bound import nearest_bound
from engine.bounds.persons import MAX_HISTORY_RECORDS, persons_bound
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, InputError, ParameterError
from engine.core.message import Message
from engine.core.numerics.statistics import within_group_sse
from engine.core.partition import Labels, Partition, members_by_group, renumber_groups
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import (
    NOBODY,
    class_set_per_person,
    code_persons,
    count_persons,
    renumber_persons,
)
from engine.methods.base import Microaggregator
from engine.methods.default import DEFAULT_LARGE_METHOD
from engine.persons.effort import QUICK_STEP_SHARE, SearchEffort
from engine.persons.histories import (
    attributes_constant_per_person,
    fill_in_groups_of_personless_records,
    group_persons_into_classes,
    start_groups_of_method,
)
from engine.persons.pools import improve_person_groups, remake_groups_with_few_persons
from engine.points.base import Points

STAGE = Message("Counting people")

Knows = Literal["one", "all", "counts"]
"""What an intruder knows of a person: one record, all of them, or also how many."""

MAX_COMPARED = 60_000
"""Records up to which groups for one record known are compared with those for all;
before they are merged only where quick classes say that these may lose less."""

MAX_BOTH = 200_000
"""Records up to which a search for one record known starts from classes, too."""

NEAR_ENOUGH_TO_START, NEAR_ENOUGH_TO_COMPARE = 2.0, 1.5
"""How many times the loss of groups quick classes may lose, so that a search starts
again from better classes, or groups are compared with those of good classes.

Good ones lost at least 78 % of what quick ones do, in 39 tables of at most 60 people,
many with ties; and 87 % in panels."""


@dataclass(frozen=True, eq=False)
class PersonGroups:
    """Partition of records in which k counts persons, with classes if needed.

    Attributes
    ----------
    partition : Partition
        Where attributes take the value of a class, its `attributes` say so: the labels
        of the class for these, those of the group for the others.
    classes : ndarray of int64, shape (n_records,), or None
        Class of persons of each record where an intruder knows all records, else None.
    constant : ndarray of bool, shape (n_attributes,)
        Attributes that do not vary within any person and so take the class's common
        value; none where an intruder knows one record.
    sse : float
        Sum of squares around the means of groups, or of classes for `constant`.
    steps : tuple of int
        Steps that the search took in each part of the records; empty where the same
        number of steps would go on to compare other groups.
    """

    partition: Partition
    classes: Integers | None
    constant: Booleans
    sse: float
    steps: tuple[int, ...]


def code_person_ids(ids: ArrayLike, n_records: int) -> Integers:
    """Return the person code of each record from identifiers of any type.

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
        If there is not one identifier for each record, or one is a list or the like.
    """
    import pandas as pd

    try:
        column = pd.Series(ids)
    except (TypeError, ValueError):
        column = pd.Series(dtype=object)
    if column.ndim != 1 or len(column) != n_records:
        raise InputError(
            "persons must name the person of each of the {n_records:,} records, but "
            "has {count:,} entry.",
            "persons must name the person of each of the {n_records:,} records, but "
            "has {count:,} entries.",
            n_records=n_records,
            count=len(column),
        )
    try:
        return code_persons(pd.DataFrame({"person": column.to_numpy()}), ["person"])
    except TypeError:
        raise InputError(
            "persons has entries that are lists or the like: name each person by a "
            "text or a number."
        ) from None


def validate_intruder_knows(intruder_knows: str) -> Literal["one", "all"]:
    """Return the intruder's knowledge, or raise if it is not "one" or "all".

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


def check_person_count(persons: Integers, k: int) -> None:
    """Raise if there are fewer than k persons.

    Raises
    ------
    InfeasibleError
    """
    count = count_persons(persons)
    if count < k:
        raise InfeasibleError(
            "{count:,} person, k = {k}: k counts people, so choose a smaller k or add "
            "records of others.",
            "{count:,} people, k = {k}: k counts people, so choose a smaller k or add "
            "records of others.",
            count=count,
            k=k,
        )


def group_for_k_persons(
    points: Points,
    persons: Integers,
    method: Microaggregator,
    intruder_knows: Knows = "one",
    ctx: RunContext = SILENT,
    polish: bool = False,
    strata: Integers | None = None,
    is_quick: bool = False,
    share_of_table: float = 1.0,
) -> PersonGroups:
    """Group records by a method, at least k persons in each group, and improve groups.

    Parameters
    ----------
    persons : ndarray of int64, shape (n_records,)
        Person of each record, -1 of nobody.
    method : Microaggregator
        Makes the first groups, of records, or of persons where an intruder knows all;
        these are repaired and improved. Time or steps that it asks for come after the
        search that every method has.
    intruder_knows : {"one", "all", "counts"}
        Records of a person that an intruder knows: "one": each group has records of k
        persons; "all": persons form classes, whose groups hold a record of each;
        "counts": a group holds as many records of each person of its class.
    polish : bool
        Whether to search longer.
    strata : ndarray of int64, shape (n_records,), optional
        Records of different ones share no group.
    is_quick : bool
        Whether to search for a moment only.
    share_of_table : float
        Share of the table's records that these are.

    Raises
    ------
    ParameterError
        If the method does not keep k.
    InfeasibleError
        If there are fewer than k persons in all, in a stratum or, where an intruder
        knows all, with records in the same set of strata; or, with "counts", with as
        many in each of them.
    """
    knows, k = intruder_knows, int(method.k)
    if not method.info.traits.guarantees_k:
        raise ParameterError(
            "{method} does not promise k, so that k cannot count people: choose "
            "another method, or count records.",
            method=method.info.id,
        )
    check_person_count(persons, k)
    same = np.zeros(points.n_attributes, dtype=np.bool_)
    if knows != "one":
        same = attributes_constant_per_person(points, persons)
    labels, classes = np.zeros((2, 0), dtype=np.int64)
    done, steps, is_near = 0, tuple[int, ...](), False
    parts = _parts(persons, strata, knows, k)
    count = sum(persons[records].size for records in parts)
    for records in parts:
        some = points if isinstance(records, slice) else points.subset(records)
        part_persons = persons[records]
        share = ctx.subcontext(done / count, (done + part_persons.size) / count)
        done += part_persons.size
        check_person_count(part_persons, k)
        part_persons = renumber_persons(part_persons)
        n_grouped = part_persons.size if knows == "one" else count_persons(part_persons)
        method.check_size(n_grouped, points.n_attributes)
        part = part_persons.size / count
        effort = SearchEffort.from_method(method, polish, part, share_of_table * part)
        effort = effort.with_share(QUICK_STEP_SHARE) if is_quick else effort
        if knows != "one":
            within = None if strata is None else strata[records]
            person_classes = group_persons_into_classes(
                some, some.X, part_persons, method, effort, share, same, within
            )
            groups = person_classes.labels
            classes = _with_part(classes, person_classes.classes, records, persons.size)
        else:
            groups, is_part_near = _one(
                some, some.X, part_persons, method, effort, share
            )
            is_near = is_near or is_part_near
        labels = _with_part(labels, groups, records, persons.size)
        steps += (effort.steps,)
    X = points.X
    constant = np.repeat(same, points.space.widths)
    ctx.tick(1, 1, STAGE)
    if knows == "one":
        sse = within_group_sse(X, labels)
        is_open = is_near and persons.size <= MAX_COMPARED and not is_quick
        if is_open and strata is None:
            is_open = sse > person_class_sse_lower_bound(
                points, renumber_persons(persons), k, ctx
            )
        if is_open and (effort.until is not None or ctx.enough()):
            steps = ()
        elif is_open:
            labels = _with_less_lost(
                points, persons, labels, method, polish, strata, ctx
            )
            sse = within_group_sse(X, labels)
        return PersonGroups(Partition(labels, k), None, same, sse, steps)
    fill_in_groups_of_personless_records(X, labels, classes, constant, strata)
    sse, attributes = within_group_sse(X, labels, ~constant), None
    if same.any():
        sse += within_group_sse(X, classes, constant)
        attributes = np.where(same[:, np.newaxis], classes, labels)
        attributes.flags.writeable = False  # so that it is not copied: it is large
    partition = Partition(labels, k, attributes=attributes)
    return PersonGroups(partition, classes, same, sse, steps)


def person_class_sse_lower_bound(
    points: Points, persons: Integers, k: int, ctx: RunContext = SILENT
) -> float:
    """Return a lower bound on the SSE of person classes; 0 where that takes long.

    Where all persons have as many records, a search for classes gives each group one
    record of every person.

    Parameters
    ----------
    persons : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody.
    """
    lengths = np.bincount(persons[persons != NOBODY])
    if lengths[0] * lengths.size == persons.size and (lengths == lengths[0]).all():
        order = np.argsort(persons, kind="stable")
        histories = points.X[order].reshape(lengths.size, int(lengths[0]), -1)
        return nearest_bound(order_each_coordinate(histories), k, ctx).sse
    if persons.size > MAX_HISTORY_RECORDS:
        return 0.0
    same = attributes_constant_per_person(points, persons)
    constant = np.repeat(same, points.space.widths)
    return persons_bound(points.X, persons, k, constant, ctx).sse


def _with_less_lost(
    points: Points,
    persons: Integers,
    labels: Labels,
    method: Microaggregator,
    polish: bool,
    strata: Integers | None,
    ctx: RunContext,
) -> Labels:
    """Return labels with the groups for all known in strata where these lose less."""
    rest = ctx.subcontext(1.0, 1.0)
    try:
        person_groups = group_for_k_persons(
            points, persons, method, "all", rest, polish, strata
        )
    except InfeasibleError:
        return labels  # there are none
    other, labels = person_groups.partition.labels, labels.copy()
    parts = np.zeros(persons.size, dtype=np.int64) if strata is None else strata
    for number in np.unique(parts).tolist():
        some = np.flatnonzero(parts == number)
        part_labels, other_labels = (
            renumber_groups(each[some]) for each in (labels, other)
        )
        if within_group_sse(points.X[some], other_labels) < within_group_sse(
            points.X[some], part_labels
        ):
            labels[some] = other_labels + labels.max() + 1
    return renumber_groups(labels)


def _parts(
    persons: Integers, strata: Integers | None, knows: Knows, k: int
) -> list[Integers | slice]:
    """Return the records that are grouped together; a slice where these are all.

    Raises
    ------
    InfeasibleError
    """
    if strata is not None:
        parts = (
            strata
            if knows == "one"
            else code_and_check_strata_sets(persons, strata, k, knows == "counts")
        )
    elif knows == "counts":
        alike = np.zeros(persons.size, dtype=np.int64)
        parts = code_and_check_strata_sets(persons, alike, k, True)
    elif knows == "one" or (persons != NOBODY).all():
        return [slice(None)]
    else:
        parts = np.minimum(persons, 0)
    records_in_parts = np.flatnonzero(parts >= 0)
    return [
        records_in_parts[records]
        for records in members_by_group(parts[records_in_parts])
    ]


def _with_part(
    labels: Labels, part: Labels, records: Integers | slice, n_records: int
) -> Labels:
    """Return labels with those of some more records, numbered after the others."""
    if isinstance(records, slice):
        return part
    if not labels.size:
        labels = np.full(n_records, -1, dtype=np.int64)
    labels[records] = part + labels.max() + 1
    return labels


def code_and_check_strata_sets(
    person_codes: Integers, strata: Integers, k: int, counts: bool = False
) -> Integers:
    """Return each record's person's set of strata as codes; raise if under k share one.

    With `counts`, the number of records in each stratum is part of the set.

    Records of nobody get -1.

    Parameters
    ----------
    person_codes, strata : ndarray of int64, shape (n_records,)

    Raises
    ------
    InfeasibleError
        If fewer than k persons share a set.
    """
    set_codes = np.full(person_codes.size, -1, dtype=np.int64)
    has_person = person_codes != NOBODY
    sets = class_set_per_person(strata, person_codes, counts)
    set_codes[has_person] = sets[person_codes[has_person]]
    persons = np.bincount(sets)
    fewest = int(persons.min())
    if fewest < k and counts:
        raise InfeasibleError(
            "{count:,} person has a number of records that fewer than k = {k} have: "
            "leave some records out, or do not count them.",
            "{count:,} people have a number of records that fewer than k = {k} have: "
            "leave some records out, or do not count them.",
            count=fewest,
            k=k,
        )
    if fewest < k:
        raise InfeasibleError(
            "Strata or gaps make people recognisable to an intruder who knows all of "
            "their records: {count:,} person has records in a set of strata or gaps "
            "that fewer than k = {k} have: leave the strata out, fill the missing "
            "values, or let an intruder know one record.",
            "Strata or gaps make people recognisable to an intruder who knows all of "
            "their records: {count:,} people have records in a set of strata or gaps "
            "that fewer than k = {k} have: leave the strata out, fill the missing "
            "values, or let an intruder know one record.",
            count=fewest,
            k=k,
        )
    return set_codes


def _one(
    points: Points,
    X: Values,
    persons: Integers,
    method: Microaggregator,
    effort: SearchEffort,
    ctx: RunContext,
) -> tuple[Labels, bool]:
    """Return groups of k persons, and whether those for all known may lose less."""
    k, n = int(method.k), points.n_records
    if n < 2 * k:
        return np.zeros(n, dtype=np.int64), False

    def classed(effort: SearchEffort, ctx: RunContext) -> tuple[Labels, float]:
        person_classes = group_persons_into_classes(
            points, X, persons, method, effort, ctx
        )
        labels, classes = person_classes.labels.copy(), person_classes.classes.copy()
        fill_in_groups_of_personless_records(
            X, labels, classes, person_classes.constant
        )
        return labels, person_classes.sse

    first = _groups_of_records(points, method, ctx.subcontext(0.0, 0.4))
    start_labels = remake_groups_with_few_persons(X, persons, first, k)
    quick = quick_sse = np.inf
    is_constant = attributes_constant_per_person(points, persons).all()
    if start_labels is None or n <= MAX_BOTH or is_constant:
        labels, quick = classed(
            effort.with_share(QUICK_STEP_SHARE), ctx.subcontext(0.4, 0.5)
        )
        quick_sse = within_group_sse(X, labels)
        if start_labels is None or quick_sse < within_group_sse(X, start_labels):
            start_labels = labels
    untimed = effort.with_share(effort.share)
    labels = improve_person_groups(
        X, persons, start_labels, k, untimed, ctx.subcontext(0.5, 0.7)
    )
    if quick <= NEAR_ENOUGH_TO_START * within_group_sse(X, labels):
        good = classed(effort.with_share(effort.share / 4), ctx.subcontext(0.7, 0.8))[0]
        other = improve_person_groups(
            X, persons, good, k, untimed, ctx.subcontext(0.8, 0.9)
        )
        labels = min((labels, other), key=lambda each: within_group_sse(X, each))
    if effort.is_open and not ctx.enough():
        labels = improve_person_groups(
            X, persons, labels, k, effort, ctx.subcontext(0.9, 1.0)
        )
    return labels, quick_sse < NEAR_ENOUGH_TO_COMPARE * within_group_sse(X, labels)


def _groups_of_records(
    points: Points, method: Microaggregator, ctx: RunContext
) -> Labels | None:
    """Return a method's groups to start from; None for `blocked`, to start without."""
    if method.info.id == DEFAULT_LARGE_METHOD:
        return None
    return start_groups_of_method(method, points, ctx.with_labels_callback(None))
