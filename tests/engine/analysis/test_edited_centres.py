"""Torra's experiment comes out again: rules bring centres of noisy data nearer."""

import numpy as np
import pytest

from engine.analysis import edited_centres as experiment


def off(values):
    """How far records are from keeping the rule."""
    return values @ [1.16, 1.07, -1.0]


def test_the_corrected_record_keeps_the_rule_and_the_printed_one_does_not():
    assert np.abs(off(experiment.CLEAN_RECORDS)).max() < 0.01
    printed = experiment.CLEAN_RECORDS.copy()
    printed[-1, 0] = 13
    assert abs(off(printed)[-1]) > 3


def test_the_printed_centres_come_out():
    found = experiment.clean_centres()
    np.testing.assert_allclose(found, experiment.PRINTED_CLEAN, atol=0.4)
    assert np.abs(off(found)).max() < 0.01


def test_with_the_printed_noise_the_rule_brings_every_centre_nearer():
    found = experiment.compare_centres(experiment.NOISY_RECORDS)
    assert np.abs(off(found.ruled)).max() < 1e-6
    assert np.abs(off(found.free)).max() > 0.1
    assert (found.constrained_distances < found.free_distances).all()
    for free, ruled in experiment.PRINTED_DISTANCES.values():
        assert (np.array(ruled) < np.array(free)).all()


@pytest.mark.parametrize("deviation", [0.5, 1.0, 1.5])
def test_over_many_draws_the_order_of_table_4_holds(deviation):
    found = experiment.repeat_draws(deviation, 20)
    assert found.free.shape == found.ruled.shape == (20, experiment.N_CENTRES)
    assert found.share_nearer >= 0.95
    assert found.ruled.mean() < found.free.mean()
