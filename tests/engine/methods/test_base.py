"""A method is declared once, checked at every door, and keeps its promises."""

import inspect
import itertools

import numpy as np
import pytest

from engine.core.context import RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.parameters import Float, Int, Parameter
from engine.core.partition import Labels
from engine.core.registry import Registry
from engine.methods.base import (
    FAMILY_TITLES,
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    make_method,
    methods,
)
from engine.methods.descriptions.info import _describe_class
from engine.points.base import Points

COST = RunCost("n k", 1.0, 1)


def declare(
    *parameters: Parameter, traits: Traits | None = None, id: str = "halves"
) -> MethodInfo:
    return MethodInfo(
        id=id,
        title="Halves",
        family="fixed-size",
        summary="Cuts the file in the middle.",
        reference=Reference("Nobody"),
        traits=traits or Traits(COST),
        parameters=parameters,
    )


class Halves(Microaggregator):
    """The first half and the second half of the records."""

    gain: float

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        n = points.n_records
        ctx.tick(1, 2, "Cutting")
        return (np.arange(n) >= self.cut(n, rng)).astype(np.int64)

    def cut(self, n: int, rng: np.random.Generator) -> int:
        return n // 2


GAIN = Float("gain", 0.5, "Gain", "How much.", low=0.0, high=1.0)


def registered(
    method: type[Microaggregator], info: MethodInfo
) -> type[Microaggregator]:
    registry: Registry[MethodInfo, type[Microaggregator]] = Registry(
        "method", _describe_class
    )
    return registry.register(info)(type(method.__name__, (method,), {}))


X = np.arange(10.0)[:, None]


def test_a_method_takes_what_its_description_declares() -> None:
    info = declare(GAIN, Int("rounds", 5, "Rounds", "How many."))
    method = registered(Halves, info)
    assert str(inspect.signature(method)) == (
        "(k: int = 3, *, gain=0.5, rounds=5, seed: int = 0)"
    )
    assert method(4, rounds=7).get_params() == {
        "gain": 0.5,
        "k": 4,
        "rounds": 7,
        "seed": 0,
    }
    with pytest.raises(TypeError, match="Halves takes no turns"):
        method(turns=1)


def test_a_registered_method_knows_its_description() -> None:
    info = declare(GAIN)
    assert registered(Halves, info).info is info


def test_a_group_that_is_too_small_does_not_get_out() -> None:
    class Careless(Halves):
        def cut(self, n: int, rng: np.random.Generator) -> int:
            return 1

    method = registered(Careless, declare(GAIN))
    with pytest.raises(InfeasibleError, match="with 1 of at least k = 3 records"):
        method(3).fit(X)
    loose = registered(Careless, declare(GAIN, traits=Traits(COST, guarantees_k=False)))
    np.testing.assert_array_equal(np.bincount(loose(3).fit(X).labels_), [1, 9])


def test_a_parameter_is_checked_before_the_run() -> None:
    method = registered(Halves, declare(GAIN))
    with pytest.raises(ParameterError, match="gain is 7, but must be a number from 0"):
        method(3, gain=7).fit(X)  # type: ignore[call-arg]


def test_random_numbers_come_from_the_seed() -> None:
    class Random(Halves):
        def cut(self, n: int, rng: np.random.Generator) -> int:
            return int(rng.integers(3, n - 3))

    method = registered(Random, declare(GAIN, traits=Traits(COST, uses_seed=True)))
    wide = np.zeros((1000, 1))
    cuts = [np.bincount(method(3, seed=s).fit(wide).labels_)[0] for s in (1, 1, 2)]
    assert cuts[0] == cuts[1] != cuts[2]


def test_too_many_records_are_refused_with_the_way_out() -> None:
    method = registered(Halves, declare(GAIN, traits=Traits(COST, max_records=9)))
    with pytest.raises(InfeasibleError, match=r"at most 9 .* are 10: choose a faster"):
        method(3).fit(X)


def test_several_attributes_are_refused_by_a_univariate_method() -> None:
    method = registered(Halves, declare(GAIN, traits=Traits(COST, univariate=True)))
    with pytest.raises(ParameterError, match="there are 2: choose one quasi-ident"):
        method(3).fit(np.zeros((10, 2)))
    assert method(3).fit(X).n_features_in_ == 1


def test_a_run_begins_at_0_and_ends_at_1() -> None:
    reports: list[tuple[float, str]] = []
    ctx = RunContext(lambda share, stage: reports.append((share, stage)))
    registered(Halves, declare(GAIN))(3).partition(Points.from_array(X), ctx)
    assert reports == [(0.0, "Halves"), (0.5, "Cutting"), (1.0, "Halves")]


@pytest.mark.parametrize("parameters", [{}, {"gamma": "0.4"}, {"gamma": "auto"}])
def test_a_method_is_made_by_name_and_text(parameters: dict[str, str]) -> None:
    method = make_method("vmdav", 4, parameters, seed=9)
    expected = {"": 0.2, "0.4": 0.4, "auto": "auto"}[parameters.get("gamma", "")]
    chosen = {"gamma": expected, "rest": "centroid"}
    assert method.get_params() == {**chosen, "k": 4, "seed": 9}


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mdva", {}, "no method called 'mdva'.*mdav"),
        ("vmdav", {"gama": 1}, "vmdav has no parameter called 'gama'; it takes gamma"),
        ("vmdav", {"gamma": 99}, "gamma is 99, but must be a number from 0 to 10"),
        ("mdav", {"gamma": 1}, "mdav has no parameter .* takes no parameters"),
    ],
)
def test_a_method_that_cannot_be_made_is_explained(
    name: str, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        make_method(name, 3, parameters)


def test_times_follow_the_declared_powers() -> None:
    cost = RunCost("n^2 p / k", 5.0, 1.5, attributes=2, coordinates=0.5, size=-1)
    base_seconds = cost.expected_seconds(1000, 4, 5)
    assert base_seconds == pytest.approx(5e-6 * 1000**1.5 * 16 / 5)
    assert cost.expected_seconds(4000, 4, 5) == pytest.approx(8 * base_seconds)
    assert cost.expected_seconds(1000, 8, 5) == pytest.approx(4 * base_seconds)
    assert cost.expected_seconds(1000, 4, 10) == pytest.approx(base_seconds / 2)
    assert cost.expected_seconds(1000, 4, 5, 36) == pytest.approx(3 * base_seconds)


def test_parts_that_are_worked_on_apart_take_as_long_as_each_other() -> None:
    cost = RunCost("n p", 1.0, 2, side_by_side=1000)
    assert cost.parallel_tasks(1999) == 1
    assert cost.parallel_tasks(4000) == 4
    assert cost.expected_seconds(4000, 1, 5) == pytest.approx(
        4 * cost.expected_seconds(1000, 1, 5)
    )


def test_every_family_is_described_and_every_method_has_one() -> None:
    assert all(info.family in FAMILY_TITLES for info in methods.infos())
    assert all(text for text in FAMILY_TITLES.values())


def test_no_two_methods_share_a_title() -> None:
    titles = [info.title for info in methods.infos()]
    assert [a for a, b in itertools.combinations(titles, 2) if a == b] == []
