"""Risks in the population: E[1 / F | f] is what the truth is on average."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import hyp2f1

from engine.measures.reidentification.population import (
    PopulationModel,
    SampledClasses,
    inverse_size_moments,
)
from tests.engine.measures.tables import averaged, replaced, score


@pytest.mark.parametrize("shape", [-0.9, -0.3, 0.0, 2.5, 40.0])
@pytest.mark.parametrize("p", [0.001, 0.05, 0.5, 0.999])
def test_the_mean_of_an_inverse_equals_the_hypergeometric_function(
    shape: float, p: float
) -> None:
    sizes = np.array([1, 2, 5, 64, 65])
    moments = inverse_size_moments(sizes, np.full(sizes.size, p), shape)[0]
    f = sizes.astype(float)
    expected = p**shape / f * hyp2f1(1 - shape, f, f + 1, -(1 - p) / p)
    np.testing.assert_allclose(moments, expected, rtol=5e-6)


def test_a_sample_unique_at_one_in_twenty_is_three_times_its_fraction() -> None:
    first = inverse_size_moments(np.array([1]), np.array([0.05]), 0.0)[0]
    assert first[0] == pytest.approx(0.05 / 0.95 * math.log(20.0))
    assert 3.0 < first[0] / 0.05 < 3.2


def test_moments_are_those_of_drawn_populations() -> None:
    rng = np.random.default_rng(0)
    sizes, chance = np.array([1, 3, 80]), np.array([0.1, 0.4, 0.02])
    people = sizes + rng.negative_binomial(sizes + 0.7, chance, (400_000, 3))
    first, second = inverse_size_moments(sizes, chance, 0.7)
    np.testing.assert_allclose(first, (1 / people).mean(axis=0), rtol=0.01)
    np.testing.assert_allclose(second, (1 / people**2).mean(axis=0), rtol=0.03)


def test_without_weights_or_a_fraction_the_risk_is_unknown() -> None:
    plain = averaged(np.arange(9.0), [0, 0, 1, 1, 1, 2, 2, 2, 2])
    for name in ("journalist-risk", "marketer-risk", "population-uniqueness"):
        figure = score(name, plain)
        assert math.isnan(figure.value)
        assert figure.note.startswith("Unknown: neither a column of weights nor")
    assert score("journalist-risk", plain).interval == (0.0, pytest.approx(50.0))
    whole = replace(plain, sampling_fraction=1.0)
    assert score("journalist-risk", whole).value == pytest.approx(50.0)
    assert score("journalist-risk", whole).interval is None
    assert score("marketer-risk", whole).note == ""


def draw_population(rng: np.random.Generator, shape: float) -> np.ndarray:
    """Return the people of 12,000 kinds: Poisson, with gamma distributed means."""
    return rng.poisson(rng.gamma(shape, 6.0, 12_000))


def cover(draws: int, shape: float, fraction: float) -> dict[str, np.ndarray]:
    """Return estimates, truths and whether intervals hold, sample by sample."""
    rng = np.random.default_rng(20)
    rows: dict[str, list[list[float]]] = {
        "marketer-risk": [],
        "population-uniqueness": [],
    }
    for _ in range(draws):
        people = draw_population(rng, shape)
        drawn = rng.binomial(people, fraction)
        sampled_kinds = np.flatnonzero(drawn)
        keys = np.repeat(sampled_kinds, drawn[sampled_kinds]).astype(float)
        sample = replace(replaced(keys, keys), sampling_fraction=fraction)
        truth = {
            "marketer-risk": (1.0 / people[sampled_kinds]) @ drawn[sampled_kinds],
            "population-uniqueness": float((people[sampled_kinds] == 1).sum()),
        }
        for name, cells in rows.items():
            figure, true = score(name, sample), 100.0 * truth[name] / keys.size
            assert figure.interval is not None
            low, high = figure.interval
            cells.append([figure.value, true, low <= true <= high])
    return {name: np.array(cells) for name, cells in rows.items()}


def check_coverage(found: dict[str, np.ndarray], least: float, most: float) -> None:
    for cells in found.values():
        assert cells[:, 0].mean() == pytest.approx(cells[:, 1].mean(), rel=0.06)
        assert least <= cells[:, 2].mean() <= most


def test_intervals_hold_the_truth() -> None:
    check_coverage(cover(40, 0.3, 0.2), 0.85, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "fraction"), [(0.3, 0.1), (0.8, 0.05), (0.1, 0.3)])
def test_intervals_hold_the_truth_as_often_as_they_say(
    shape: float, fraction: float
) -> None:
    check_coverage(cover(300, shape, fraction), 0.92, 0.98)


def test_what_is_estimated_is_nearer_the_truth_than_one_by_the_weights() -> None:
    # Rare kinds and more rare kinds, as in a census, which the model does not have.
    rng = np.random.default_rng(3)
    people = rng.poisson(np.exp(2.0 * rng.normal(size=20_000)))
    drawn = rng.binomial(people, 0.1)
    sampled_kinds = np.flatnonzero(drawn)
    keys = np.repeat(sampled_kinds, drawn[sampled_kinds]).astype(float)
    figure = score(
        "marketer-risk", replace(replaced(keys, keys), sampling_fraction=0.1)
    )
    true = 100.0 * ((1.0 / people[sampled_kinds]) @ drawn[sampled_kinds]) / keys.size
    by_weights = 100.0 * (0.1 * sampled_kinds.size) / keys.size
    assert abs(figure.value - true) < 0.5 * abs(by_weights - true)


def test_classes_formed_by_size_tell_nothing_of_the_population() -> None:
    keys = np.repeat(np.arange(20.0), 5)
    sample = replace(replaced(keys, keys), sampling_fraction=0.1)
    sampled = SampledClasses.count(sample, np.repeat(np.arange(20), 5))
    model = PopulationModel.fit(sampled)
    assert (model.shape, model.covariance) == (0.0, None)
    figure = score("journalist-risk", sample)
    expected = inverse_size_moments(np.array([5]), np.array([0.1]), 0.0)[0][0]
    assert figure.value == pytest.approx(100.0 * expected)
    assert figure.interval is not None
    assert figure.interval[0] < figure.value < figure.interval[1]
