"""Fuzzy groups in a lesson: the method's own draw, and its memberships."""

import numpy as np
import pytest

from dashboard.learn.lessons import fuzzy
from engine import partition


@pytest.mark.parametrize("m2", fuzzy.FUZZINESS_VALUES)
def test_what_is_drawn_is_what_the_method_draws(m2):
    drawn = fuzzy.draw_centres_at_random(m2)
    values = drawn.plane.values
    labels = partition(values, fuzzy.FUZZY_K, "fuzzy", seed=fuzzy.FUZZY_SEED, m2=m2)
    together = labels[:, None] == labels
    assert (together == (drawn.labels[:, None] == drawn.labels)).all()
    assert drawn.sizes.sum() == fuzzy.N_RECORDS
    small = [drawn.sizes[label] < fuzzy.FUZZY_K for label in drawn.labels]
    assert drawn.n_below_k == sum(small)


@pytest.mark.parametrize("m2", fuzzy.FUZZINESS_VALUES)
def test_memberships_are_shares_and_add_up_to_expected_sizes(m2):
    drawn = fuzzy.draw_centres_at_random(m2)
    np.testing.assert_allclose(drawn.memberships.sum(axis=1), 1.0)
    assert drawn.expected.sum() == pytest.approx(fuzzy.N_RECORDS)


def test_without_fuzziness_everybody_draws_the_nearest_centre():
    drawn = fuzzy.draw_centres_at_random(1.0)
    scale = drawn.plane.values.std(axis=0)
    away = (drawn.plane.values[:, None] - drawn.centres) / scale
    nearest = np.square(away).sum(axis=2).argmin(axis=1)
    assert (drawn.labels == nearest).all()


def test_with_most_fuzziness_all_centres_are_as_likely():
    drawn = fuzzy.draw_centres_at_random(fuzzy.FUZZINESS_VALUES[-1])
    away = np.abs(drawn.memberships - 1.0 / len(drawn.centres))
    # A record on a centre belongs to it whatever m2 is.
    assert np.median(away) < 0.01
    assert drawn.loss > fuzzy.draw_centres_at_random(1.0).loss


def test_the_control_begins_at_the_method_s_own_default():
    assert fuzzy.DEFAULT_FUZZINESS in fuzzy.FUZZINESS_VALUES
