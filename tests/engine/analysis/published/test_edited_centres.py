"""Torra's experiment comes out again: rules bring centres of noisy data nearer."""

import numpy as np
import pytest
from scipy.stats import chi2

from engine.analysis.published import edited_centres as experiment
from engine.constraints.rules import parse_rules


def off(values):
    """How far records are from keeping the rule."""
    return values @ [1.16, 1.07, -1.0]


def test_the_corrected_record_keeps_the_rule_and_the_printed_one_does_not():
    assert np.abs(off(experiment.CLEAN_RECORDS)).max() < 0.01
    printed = experiment.CLEAN_RECORDS.copy()
    printed[-1, 0] = 13
    assert abs(off(printed)[-1]) > 3


def test_the_printed_centres_come_out():
    centres = experiment.fuzzy_centres_of_clean_records()
    np.testing.assert_allclose(centres, experiment.PRINTED_CLEAN, atol=0.4)
    assert np.abs(off(centres)).max() < 0.01


def test_with_the_printed_noise_the_rule_brings_every_centre_nearer():
    fits = experiment.fit_centres_with_and_without_rule(experiment.NOISY_RECORDS)
    assert np.abs(off(fits.ruled)).max() < 1e-6
    assert np.abs(off(fits.free)).max() > 0.1
    assert (fits.constrained_distances < fits.free_distances).all()
    for free, ruled in experiment.PRINTED_DISTANCES.values():
        assert (np.array(ruled) < np.array(free)).all()


@pytest.mark.parametrize("deviation", [0.5, 1.0, 1.5])
def test_over_many_draws_the_order_of_table_4_holds(deviation):
    centre_summary = experiment.summarise_centres_over_draws(deviation, 20)
    assert (
        centre_summary.free.shape
        == centre_summary.ruled.shape
        == (20, experiment.N_CENTRES)
    )
    assert centre_summary.share_nearer >= 0.95
    assert centre_summary.ruled.mean() < centre_summary.free.mean()


def test_printed_centres_with_the_rule_are_those_without_it_moved_onto_it() -> None:
    project = parse_rules((experiment.RULE_TEXT,), experiment.RULE_COLUMNS).project
    for deviation, printed in experiment.PRINTED_NOISY.items():
        free, ruled = np.array(printed).transpose(1, 0, 2)
        np.testing.assert_allclose(project(free), ruled, atol=2e-5)
        distances = [
            np.linalg.norm(centres - experiment.PRINTED_CLEAN, axis=1)
            for centres in (free, ruled)
        ]
        np.testing.assert_allclose(
            distances, experiment.PRINTED_DISTANCES[deviation], atol=2e-5
        )


def test_the_printed_noise_has_the_deviation_that_is_said() -> None:
    noise = experiment.NOISY_RECORDS - experiment.CLEAN_RECORDS
    squares = float((noise**2).sum())
    as_deviation, as_variance = (
        chi2.sf(squares / variance, noise.size) for variance in (1.5**2, 1.5)
    )
    assert as_deviation == pytest.approx(0.05, abs=0.01)
    assert as_variance == pytest.approx(1e-4, rel=0.5)


def test_edit_and_imputation_keeps_the_rule_but_not_the_centres() -> None:
    copies = experiment.imputed_copies_of_noisy_records()
    scaled = copies * [1.16, 1.07, 1.0]
    np.testing.assert_allclose(scaled, scaled.round(1), atol=1e-4)
    assert np.abs(off(copies)).max() < 0.6 + 1e-3  # the tolerance that it was given
    breaks = np.abs(off(experiment.NOISY_RECORDS)) > 0.6
    changed = np.abs(copies - experiment.NOISY_RECORDS) > 0.06  # beyond its rounding
    assert changed[:, breaks].any(axis=2).all()
    assert not changed[:, ~breaks].any()
    fits = experiment.fit_centres_with_and_without_rule(experiment.NOISY_RECORDS)
    distances = experiment.distances_of_imputed_centres()
    assert distances.shape == (len(copies), experiment.N_CENTRES)
    assert distances.mean(axis=1).min() > fits.free_distances.mean()
