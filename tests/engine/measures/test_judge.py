"""Verdicts, and baselines beside what sampling and random groups really give."""

import math

import numpy as np
import pytest
from scipy import stats

from engine.measures import measures
from engine.measures.judge import (
    CHANCE_JUDGE,
    LOWER_BOUND_JUDGE,
    UNPROTECTED_JUDGE,
    BaselineJudge,
    sampling_judge,
)
from engine.measures.loss.information_loss import loss_of_values
from tests.engine.measures.tables import averaged, replaced, score


@pytest.mark.parametrize(
    ("judge", "value", "baseline", "lower", "sign"),
    [
        (CHANCE_JUDGE, 5.0, 10.0, True, "good"),
        (CHANCE_JUDGE, 15.0, 10.0, True, "watch"),
        (CHANCE_JUDGE, 25.0, 10.0, True, "bad"),
        (CHANCE_JUDGE, 0.2, 0.0, True, "good"),
        (CHANCE_JUDGE, 1.5, 0.0, True, "bad"),
        (CHANCE_JUDGE, float("nan"), 1.0, True, "open"),
        (CHANCE_JUDGE, 1.0, None, True, "open"),
        (CHANCE_JUDGE, 5.0, 10.0, False, "watch"),
        (CHANCE_JUDGE, 4.0, 10.0, False, "bad"),
        (CHANCE_JUDGE, 12.0, 10.0, False, "good"),
        (LOWER_BOUND_JUDGE, 90.0, 10.0, True, "watch"),
        (LOWER_BOUND_JUDGE, 90.0, 0.0, True, "watch"),
        (UNPROTECTED_JUDGE, math.inf, math.inf, True, "good"),
        (UNPROTECTED_JUDGE, 1.0, 1.0, False, "watch"),
        (UNPROTECTED_JUDGE, 2.0, 1.0, False, "good"),
        (sampling_judge(1.0), 0.9, 0.01, True, "good"),
        (sampling_judge(1.0), 31.0, 0.01, True, "watch"),
        (sampling_judge(1.0), 31.0, 40.0, True, "good"),
    ],
)
def test_a_sign_says_how_far_from_its_baseline_a_figure_is(
    judge: BaselineJudge, value: float, baseline: float | None, lower: bool, sign: str
) -> None:
    assert judge.verdict(value, baseline, lower) == sign


def test_every_measure_declares_what_it_stands_beside() -> None:
    for info in measures.infos():
        assert info.baseline, info.id
        assert info.judge.against, info.id


def test_no_loss_is_bad_by_itself_as_the_verdict_limits_it() -> None:
    losses = [info for info in measures.infos() if info.family == "loss"]
    assert losses
    for info in losses:
        lower = info.direction == "lower is better"
        worst = 1e9 if lower else -1e9
        assert info.judge.verdict(worst, 1.0, lower) != "bad", info.id


def test_standard_errors_are_those_of_repeated_samples() -> None:
    rng, n, turns = np.random.default_rng(0), 200, 400
    mix = np.array([[1.0, 0.6], [0.0, 0.8]])
    samples = rng.normal(size=(turns, n, 2)) @ mix
    deciles = np.quantile(samples, np.arange(1, 10) / 10, axis=1)
    related = [np.corrcoef(sample.T) for sample in samples]
    lines = np.sort(samples[:, :, 0], axis=1)
    shares = stats.norm.cdf(lines)
    above, below = np.arange(1, n + 1) / n - shares, shares - np.arange(n) / n
    grid = np.linspace(-5.0, 5.0, 501)
    deviations = [
        np.searchsorted(sample, grid) / n - stats.norm.cdf(grid) for sample in lines
    ]
    axes = np.linalg.eigvalsh(related)
    truth = {
        "means": 100 * samples.mean(axis=1).std(axis=0).mean(),
        "variances": 100 * samples.var(axis=1).std(axis=0).mean(),
        "quantiles": 100 * deciles.std(axis=1).mean(),
        "correlations": np.std(related, axis=0)[0, 1],
        "kolmogorov-smirnov": np.maximum(above, below).max(axis=1).mean(),
        "wasserstein": np.abs(deviations).mean(axis=0).sum() * (grid[1] - grid[0]),
        "eigenvalues": (axes.std(axis=0) / axes.mean(axis=0)).sum(),
    }
    for name, expected in truth.items():
        baselines = [
            score(name, replaced(sample, sample)).baseline for sample in samples[:25]
        ]
        assert np.mean(baselines) == pytest.approx(expected, rel=0.15), name


def test_random_groups_lose_on_average_what_stands_beside_the_loss() -> None:
    rng = np.random.default_rng(1)
    before = rng.normal(size=(40, 2)) ** 3
    labels = np.repeat(np.arange(11), [3] * 8 + [4, 5, 7])
    losses = []
    for _ in range(400):
        protected = averaged(before, rng.permutation(labels))
        losses.append(
            loss_of_values(protected, protected.released, "information-loss").value
        )
    error = np.std(losses) / math.sqrt(len(losses))
    stated = score("information-loss", protected).baseline
    assert stated is not None
    assert abs(np.mean(losses) - stated) < 4 * error
