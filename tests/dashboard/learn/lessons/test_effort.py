"""How good is good enough: effort gains, bounds hold, and the gap closes."""

import numpy as np
import pytest

from dashboard.learn.lessons import effort, groups
from engine.certificate.certify import certify
from tests.dashboard.charts.examples import fact


def test_no_effort_passes_a_bound_and_none_loses_what_was_gained():
    losses = [effort.effort_result(steps).loss for steps in effort.EFFORT_STEPS]
    assert losses == sorted(set(losses), reverse=True)
    assert max(effort.lesson_bounds_by_name().values()) <= min(losses)


def test_bounds_rise_from_the_weakest_to_the_strongest():
    names, values = zip(*effort.lesson_bounds_by_name().items(), strict=True)
    assert names == ("LB0", "LB1", "LB2")
    assert list(values) == sorted(values)


@pytest.mark.parametrize("steps", effort.EFFORT_STEPS)
def test_groups_keep_k_and_lose_what_is_said(steps):
    labels = effort.labels_after_effort(steps)
    assert np.bincount(labels).min() >= effort.EFFORT_K
    X = groups.standardise_plane(groups.patient_plane())
    lost = groups.released_loss_percent(X, groups.mean_per_group(X, labels)[labels])
    assert effort.effort_result(steps).loss == pytest.approx(lost)


def test_the_gap_is_the_one_of_the_comparison():
    for steps in effort.EFFORT_STEPS:
        one = effort.effort_result(steps)
        assert one.gap == pytest.approx(fact(loss=one.loss, bound=one.bound).gap)


def test_the_most_effort_is_proven_to_be_enough():
    assert effort.effort_result(effort.EFFORT_STEPS[-1]).gap < 0.05
    assert effort.effort_result(effort.EFFORT_STEPS[0]).gap > 5.0


def test_the_lesson_ends_with_a_certificate_that_holds():
    proof = effort.certify_best_groups()
    assert proof.best
    said = " ".join(certify(proof.certificate, proof.file))
    assert "these are the best" in said
    assert f"{effort.effort_result(effort.EFFORT_STEPS[-1]).loss:.9f}"[:-1] in said
