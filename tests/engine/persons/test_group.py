"""k counts persons: what every method's groups keep, and what they lose at least."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from engine import partition
from engine.bounds import edge_cover_bound, nearest_bound, persons_bound
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, InfeasibleError, InputError, ParameterError
from engine.core.typing import Integers, Values
from engine.methods import methods
from engine.methods.base import make_method
from engine.persons import class_search, group_for_k_persons, histories
from engine.persons.class_search import ClassSearch
from engine.persons.effort import SearchEffort
from engine.persons.group import person_class_sse_lower_bound
from engine.persons.pools import improve_person_groups
from engine.points.base import Points
from tests.reference.persons import k_persons, least_loss, loss

KNOWS = ("one", "all")


def small_tables() -> Iterator[tuple[Values, Integers]]:
    """Records of few persons, with many ties; some of nobody, some columns constant."""
    for seed in range(16):
        rng = np.random.default_rng(seed)
        n, people = int(rng.integers(4, 8)), int(rng.integers(2, 5))
        persons = rng.integers(0, people, n)
        persons[:people] = np.arange(people)
        if seed % 4 == 3 and n > people:
            persons[-1] = -1
        X = rng.integers(0, 5, (n, 2)).astype(float)
        if seed % 3 == 0:
            X[:, 0] = np.append(rng.integers(0, 5, people), 3)[persons]
        yield X, rng.permutation(persons) if seed % 3 else persons


def panel(people: int = 40, seed: int = 1) -> tuple[Values, Integers]:
    """A panel in which persons are alike over time, and histories differ in length."""
    rng = np.random.default_rng(seed)
    persons = np.repeat(np.arange(people), rng.integers(1, 7, people))
    person_means = rng.normal(size=(people, 3))
    X = person_means[persons] + 0.3 * rng.normal(size=(persons.size, 3))
    X[:, 2] = person_means[persons, 2]
    order = rng.permutation(persons.size)
    return X[order], persons[order]


@pytest.mark.parametrize("knows", KNOWS)
def test_small_tables_keep_k_and_lose_no_less_than_the_best(knows: str) -> None:
    best = 0
    for X, persons in small_tables():
        method = make_method("mdav", 2)
        groups = group_for_k_persons(Points.from_array(X), persons, method, knows)
        labels = groups.partition.labels
        assert k_persons(labels.tolist(), persons.tolist(), knows) >= 2
        minimal_loss = least_loss(X, persons, 2, knows)
        assert minimal_loss <= groups.sse + 1e-9
        constant = groups.constant if knows == "all" else None
        bound = persons_bound(X, persons, 2, constant)
        assert nearest_bound(X, 2).sse * (1.0 - 1e-9) <= bound.sse <= minimal_loss
        best += groups.sse <= minimal_loss + 1e-9
        if -1 not in persons:
            np.testing.assert_allclose(groups.sse, loss(X, labels, persons, knows))
    assert best >= 14, "so small, nearly all have the best groups there are"


@pytest.mark.parametrize(
    ("name", "knows"),
    [
        pytest.param(name, knows, marks=[pytest.mark.slow] * ((place + turn) % 2))
        for place, name in enumerate(methods)
        for turn, knows in enumerate(KNOWS)
    ],
)
def test_every_method_counts_persons_or_says_that_it_cannot(
    name: str, knows: str
) -> None:
    info = methods.info(name)
    X, persons = panel(16)
    if info.traits.univariate:
        X = X[:, :1]
    parameters = {"iterations": 50} if info.traits.time_budget else {}
    if not info.traits.guarantees_k:
        with pytest.raises(ParameterError, match="does not promise k"):
            partition(X, 3, name, persons=persons, intruder_knows=knows)
        return
    labels = partition(X, 3, name, persons=persons, intruder_knows=knows, **parameters)
    assert k_persons(labels.tolist(), persons.tolist(), knows) >= 3
    if info.traits.uses_seed:
        choices = {"persons": persons, "intruder_knows": knows, **parameters}
        np.testing.assert_array_equal(partition(X, 3, name, **choices), labels)


@pytest.mark.parametrize("knows", KNOWS)
def test_the_bound_of_persons_is_above_that_of_records(knows: str) -> None:
    rng = np.random.default_rng(8)
    persons = np.repeat(np.arange(50), 4)
    X = rng.normal(size=(50, 2))[persons] + 0.01 * rng.normal(size=(200, 2))
    X[:, 1] = X[persons * 4, 1]
    groups = group_for_k_persons(
        Points.from_array(X), persons, make_method("mdav", 5), knows
    )
    constant = groups.constant if knows == "all" else None
    bound = persons_bound(X, persons, 5, constant).sse
    assert 2.0 * edge_cover_bound(X, 5).sse < bound < groups.sse


def test_the_bound_holds_where_the_same_class_mates_are_near_in_no_group() -> None:
    above = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        k, people = (3, 3) if seed % 4 == 3 else (2, 4)
        persons = rng.permutation(np.append(np.arange(people), rng.integers(0, 3, 3)))
        X = rng.integers(0, 5, (persons.size, 2)).astype(float)
        one_known_bound = persons_bound(X, persons, k).sse
        everything = persons_bound(X, persons, k, np.zeros(2, dtype=np.bool_)).sse
        minimal_loss = least_loss(X, persons, k, "all")
        assert (
            one_known_bound * (1.0 - 1e-9) <= everything <= minimal_loss * (1.0 + 1e-12)
        )
        above += everything > one_known_bound * (1.0 + 1e-6)
    assert above >= 2
    X, persons = rng.normal(size=(400, 4)), np.repeat(np.arange(40), 10)
    one_known_bound = persons_bound(X, persons, 4).sse
    assert (
        persons_bound(X, persons, 4, np.zeros(4, dtype=np.bool_)).sse
        > 1.2 * one_known_bound
    )


@pytest.mark.parametrize("even", [True, False])
def test_classes_lose_no_less_than_what_is_known_before_a_search(even: bool) -> None:
    n_above = 0
    for seed in range(6):
        X, persons = panel(24, seed)
        if even:
            X, persons = np.repeat(X, 4, axis=0), np.repeat(np.arange(X.shape[0]), 4)
            X = X + np.random.default_rng(seed).integers(0, 2, X.shape)
        points = Points.from_array(X)
        class_bound = person_class_sse_lower_bound(points, persons, 3)
        everything = group_for_k_persons(
            points, persons, make_method("mdav", 3), "all"
        ).sse
        one_known = group_for_k_persons(
            points, persons, make_method("mdav", 3), "one"
        ).sse
        assert max(one_known, class_bound) <= everything * (1.0 + 1e-12)
        n_above += class_bound > one_known
    assert n_above >= 5 * even, "of equally long histories, the search is spared"


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.0, 0.02, 1.0])
def test_who_knows_less_never_costs_more_in_larger_tables(scale: float) -> None:
    rng = np.random.default_rng(3)
    persons = np.repeat(np.arange(260), rng.integers(1, 7, 260))
    X = rng.integers(0, 6, (260, 2))[persons] + scale * rng.normal(
        size=(persons.size, 2)
    )
    one_known, everything = (
        group_for_k_persons(
            Points.from_array(X), persons, make_method("mdav", 5), knows
        )
        for knows in KNOWS
    )
    assert one_known.sse <= everything.sse * (1.0 + 1e-12)


@pytest.mark.slow
def test_who_knows_less_never_costs_more_in_tables_of_tens_of_thousands() -> None:
    """Age and sex of few people with many records: classes lose less than groups."""
    rng = np.random.default_rng(0)
    persons = np.repeat(np.arange(200), rng.poisson(119, 200) + 1)
    traits = rng.normal(size=(200, 3))[persons]
    X = np.column_stack([np.round(40.0 + 10.0 * traits[:, 0]), traits[:, 1] > 0.0])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    one_known, everything = (
        group_for_k_persons(
            Points.from_array(X), persons, make_method("mdav", 5), knows
        )
        for knows in KNOWS
    )
    assert persons.size > 20_000
    assert one_known.sse <= everything.sse * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_early_to_cost_too_much_would_not_be_kept(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """A search that matches all that it tries takes the same steps to the same end."""
    rng = np.random.default_rng(seed)
    persons = np.repeat(np.arange(30), rng.integers(1, (3, 9, 14, 40)[seed], 30))
    X = rng.integers(0, 6, (persons.size, 3)).astype(float)
    X[:, 0] = rng.normal(size=30)[persons] if seed % 2 else X[:, 0]
    points, method = Points.from_array(X), make_method("mdav", 3)
    monkeypatch.setattr(class_search, "STEPS_PER_PERSON", 200)
    monkeypatch.setattr(class_search, "MAX_WORK", 10**13)
    monkeypatch.setattr(class_search, "WORK_PER_RECORD", 10**9)
    early = group_for_k_persons(points, persons, method, "all").partition
    make = histories._histories

    def tell_nothing(*arguments: Any) -> Any:
        person_histories, axis = make(*arguments)
        return person_histories._replace(
            squares=np.full_like(person_histories.squares, -1e30)
        ), axis

    monkeypatch.setattr(histories, "_histories", tell_nothing)
    late = group_for_k_persons(points, persons, method, "all").partition
    np.testing.assert_array_equal(early.labels, late.labels)


@pytest.mark.parametrize("name", ["simple", "single"])
def test_classes_of_a_baseline_are_not_what_a_search_begins_with(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where lengths differ much, a search from classes far apart ends far apart."""
    monkeypatch.setattr(class_search, "STEPS_PER_PERSON", 40)
    rng = np.random.default_rng(5)
    persons = np.repeat(np.arange(60), rng.integers(2, 30, 60))
    person_means = rng.normal(size=(60, 4))[persons]
    points = Points.from_array(person_means + 0.3 * rng.normal(size=person_means.shape))
    method_sse, blocked_sse = (
        group_for_k_persons(points, persons, make_method(each, 3), "all").sse
        for each in (name, "blocked")
    )
    assert method_sse <= 1.05 * blocked_sse


def test_columns_constant_for_everybody_take_one_value_in_a_class() -> None:
    X, persons = panel()
    groups = group_for_k_persons(
        Points.from_array(X), persons, make_method("mdav", 5), "all"
    )
    assert groups.constant.tolist() == [False, False, True]
    assert groups.classes is not None
    assert groups.partition.attributes is not None
    np.testing.assert_array_equal(groups.partition.attributes[2], groups.classes)
    np.testing.assert_array_equal(
        groups.partition.attributes[0], groups.partition.labels
    )
    of = {p: set(groups.classes[persons == p].tolist()) for p in range(40)}
    assert all(len(classes) == 1 for classes in of.values())


@pytest.mark.parametrize("knows", KNOWS)
def test_identifiers_may_be_texts_and_missing(knows: str) -> None:
    X, persons = panel(20)
    names = np.array([f"P{p}" for p in persons], dtype=object)
    names[:7] = [None, "", " ", np.nan, None, "", None]
    codes = persons.copy()
    codes[:7] = -1
    labels = partition(X, 3, persons=names, intruder_knows=knows)
    assert k_persons(labels.tolist(), codes.tolist(), knows) >= 3


@pytest.mark.parametrize("knows", KNOWS)
def test_one_person_may_have_half_of_the_records(knows: str) -> None:
    rng = np.random.default_rng(5)
    persons = np.concatenate([np.zeros(150, dtype=np.int64), np.arange(1, 151)])
    X = rng.normal(size=(300, 2))
    X[:150] *= 0.1
    labels = partition(X, 5, persons=persons, intruder_knows=knows)
    assert k_persons(labels.tolist(), persons.tolist(), knows) >= 5


def test_persons_far_apart_share_groups_none_the_less() -> None:
    rng = np.random.default_rng(6)
    persons = np.repeat(np.arange(6), 100)
    X = rng.normal(size=(600, 2)) + 1000.0 * persons[:, np.newaxis]
    labels = partition(X, 3, persons=persons)
    assert k_persons(labels.tolist(), persons.tolist(), "one") >= 3
    assert np.unique(labels).size > 1


def test_long_histories_are_matched_in_parts() -> None:
    rng = np.random.default_rng(7)
    persons = np.repeat(np.arange(6), [35, 40, 45, 37, 50, 31])
    X = rng.normal(size=(persons.size, 2))
    labels = partition(X, 3, persons=persons, intruder_knows="all")
    assert k_persons(labels.tolist(), persons.tolist(), "all") >= 3
    assert np.unique(labels).size > 50


def test_too_few_persons_are_refused_with_numbers() -> None:
    X = np.arange(20.0)
    with pytest.raises(InfeasibleError, match="4 people, k = 5"):
        partition(X, 5, persons=np.arange(20) % 4)
    with pytest.raises(InfeasibleError, match="0 people, k = 2"):
        partition(X, 2, persons=[None] * 20)
    with pytest.raises(InputError, match="20 records, but has 3"):
        partition(X, 2, persons=[1, 2, 3])
    with pytest.raises(ParameterError, match="'some'"):
        partition(X, 2, persons=np.arange(20), intruder_knows="some")


def test_a_part_of_a_large_table_takes_its_share_of_the_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("class_search", "pools"):
        monkeypatch.setattr(f"engine.persons.{name}.MAX_STEPS", 9000)
    monkeypatch.setattr("engine.persons.pools.STEPS_PER_GROUP", 10_000)
    X, persons = panel(60)
    points, method = Points.from_array(X), make_method("mdav", 4)

    def steps_for_one(share: float) -> int:
        effort = SearchEffort(1.0, 0, share)
        first = np.zeros(persons.size, dtype=np.int64)
        improve_person_groups(X, persons, first, 4, effort, SILENT)
        return effort.steps

    def steps_for_all(share: float) -> int:
        groups = group_for_k_persons(
            points, persons, method, "all", share_of_table=share
        )
        return sum(groups.steps)

    for steps in (steps_for_one, steps_for_all):
        assert 0 < steps(0.1) <= 0.2 * steps(1.0)
    strata_groups = group_for_k_persons(
        points, persons, method, "all", strata=persons % 3
    )
    assert len(strata_groups.steps) == 3
    assert sum(strata_groups.steps) <= 1.2 * steps_for_all(1.0)


def test_histories_of_unlike_lengths_take_the_work_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed, used = 2_000_000, []
    monkeypatch.setattr("engine.persons.class_search.MAX_WORK", allowed)
    monkeypatch.setattr("engine.persons.class_search.WORK", allowed // 50)
    monkeypatch.setattr("engine.persons.class_search.FEWEST_WARM", 0)
    anneal = ClassSearch._anneal

    def counted(search: ClassSearch, *given: Any) -> int:
        before = int(search.scratch.work[0])
        steps = anneal(search, *given)
        used.append(int(search.scratch.work[0]) - before)
        return steps

    monkeypatch.setattr(ClassSearch, "_anneal", counted)
    rng = np.random.default_rng(1)
    lengths = np.append(rng.integers(1, 9, 27), [40, 90, 300])
    persons = np.repeat(np.arange(30), lengths)
    X = rng.normal(size=(persons.size, 3))
    X[persons == 29] *= 10.0
    labels = partition(X, 4, persons=persons, intruder_knows="all")
    assert k_persons(labels.tolist(), persons.tolist(), "all") >= 4
    rounds = used[1:]  # the first measures
    assert 0 < sum(rounds) <= 1.1 * allowed


@pytest.mark.slow
def test_a_run_by_the_clock_repeats_by_its_steps() -> None:
    """With records of nobody, too; and else it says that its steps repeat nothing."""
    repeated = 0
    for seed, knows in product(range(6), KNOWS):
        X, persons = panel(30, seed)
        persons[: 5 * (seed % 2)] = -1
        X = X[:, 2:] if seed % 3 == 2 else X
        method = make_method("iterated", 4, {"seconds": 0.1})
        clock = group_for_k_persons(Points.from_array(X), persons, method, knows)
        for count in clock.steps:
            repetition = make_method("iterated", 4, {"iterations": count})
            steps = group_for_k_persons(
                Points.from_array(X), persons, repetition, knows
            )
            labels = clock.partition.labels, steps.partition.labels
            np.testing.assert_array_equal(*labels)
            assert steps.steps == clock.steps
            repeated += 1
    assert repeated >= 9


@pytest.mark.parametrize("knows", KNOWS)
@pytest.mark.parametrize("ticks", [0, 3, 10**9])
def test_steps_of_a_search_that_was_cut_short_repeat_it_or_are_none(
    knows: str, ticks: int
) -> None:
    X, persons = panel(60)
    shares: list[float] = []
    ctx = RunContext(
        lambda share, _: shares.append(share), enough=lambda: len(shares) > ticks
    )
    method = make_method("iterated", 4, {"seconds": 0.2})
    cut = group_for_k_persons(Points.from_array(X), persons, method, knows, ctx)
    if ticks == 0:
        assert sum(cut.steps) == 0
    for count in filter(None, cut.steps):
        repetition = make_method("iterated", 4, {"iterations": count})
        steps = group_for_k_persons(Points.from_array(X), persons, repetition, knows)
        np.testing.assert_array_equal(cut.partition.labels, steps.partition.labels)


@pytest.mark.parametrize("knows", KNOWS)
def test_progress_never_falls_and_a_cancel_is_heard(knows: str) -> None:
    X, persons = panel(60)
    shares: list[float] = []
    ctx = RunContext(lambda share, stage: shares.append(share))
    partition(X, 4, persons=persons, intruder_knows=knows, ctx=ctx)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    stop = RunContext(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        partition(X, 4, persons=persons, intruder_knows=knows, ctx=stop)


def integer_tables() -> Iterator[tuple[Values, Integers, Integers | None]]:
    """Small tables of whole numbers with ties; some constant per person, in strata."""
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        people, each = int(rng.integers(8, 14)), int(rng.integers(2, 6))
        persons = rng.permutation(np.repeat(np.arange(people), each))
        X = rng.integers(0, 4, (persons.size, 2)).astype(float)
        X[:, : seed % 3] = rng.integers(0, 4, (people, seed % 3))[persons]
        strata = None
        if seed % 2:  # everybody has records in both
            rank = np.zeros(persons.size, dtype=np.int64)
            for person in range(people):
                person_rows = np.flatnonzero(persons == person)
                rank[person_rows] = np.arange(person_rows.size)
            strata = rank % 2
        yield X, persons, strata


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * bool(place % 9))
        for place, name in enumerate(methods)
        if methods.info(name).traits.guarantees_k
    ],
)
def test_who_knows_less_never_costs_more(name: str) -> None:
    info = methods.info(name)
    parameters = {"iterations": 20} if info.traits.time_budget else {}
    for X, persons, strata in integer_tables():
        points = Points.from_array(X[:, :1] if info.traits.univariate else X)
        one_known, everything = (
            group_for_k_persons(
                points, persons, make_method(name, 3, parameters), knows, strata=strata
            )
            for knows in KNOWS
        )
        assert one_known.sse <= everything.sse * (1.0 + 1e-12)


@pytest.mark.parametrize("knows", KNOWS)
@pytest.mark.parametrize(
    "steps", [1, *(pytest.param(steps, marks=pytest.mark.slow) for steps in (60, 5000))]
)
def test_a_search_never_ends_worse_than_the_method_it_starts_from(
    knows: str, steps: int
) -> None:
    for seed in range(3):
        X, persons = panel(30, seed)
        points = Points.from_array(X)
        start, refined, iterated = (
            group_for_k_persons(
                points, persons, make_method(name, 4, parameters), knows
            ).sse
            for name, parameters in (
                ("mdav", {}),
                ("refined", {}),
                ("iterated", {"iterations": steps}),
            )
        )
        assert refined <= start * (1.0 + 1e-12)
        assert iterated <= start * (1.0 + 1e-12)
