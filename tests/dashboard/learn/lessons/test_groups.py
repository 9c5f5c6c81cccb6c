"""Groups in lessons: true to their k, and their losses to the definition."""

from itertools import pairwise

import numpy as np
import pytest

from dashboard.learn.lessons import groups
from engine.points.scaling import ArraySpread, centre_and_scale
from tests.reference.brute_force import least_sse, sse_of_groups


def by_definition(found):
    """Information loss of z-scored values, group by group."""
    values = found.plane.values
    X = (values - values.mean(axis=0)) / values.std(axis=0)
    members = [np.flatnonzero(found.labels == g) for g in np.unique(found.labels)]
    return 100 * sse_of_groups(X, members) / sse_of_groups(X, [np.arange(len(X))])


@pytest.mark.parametrize("k", groups.GROUP_SIZES)
def test_every_group_has_at_least_k_patients(k):
    found = groups.group_patients(k)
    assert found.sizes.min() >= k
    assert found.sizes.sum() == groups.N_PATIENTS
    assert found.loss == pytest.approx(by_definition(found))


def test_more_k_means_fewer_groups_and_more_loss_from_end_to_end():
    first, last = (
        groups.group_patients(groups.GROUP_SIZES[0]),
        groups.group_patients(groups.GROUP_SIZES[-1]),
    )
    assert first.sizes.size > last.sizes.size
    assert first.loss < last.loss
    losses = [groups.group_patients(k).loss for k in groups.GROUP_SIZES]
    more = [later > sooner for sooner, later in pairwise(losses)]
    assert len(more) / 2 < sum(more) < len(more)  # mostly, as the lesson says


def test_no_groups_of_the_ten_records_lose_less_than_the_best():
    found = groups.group_ten_records("optimal")
    X = groups.standardise_plane(found.plane)
    centre, scale = centre_and_scale("zscore", ArraySpread(found.plane.values))
    np.testing.assert_allclose(X, (found.plane.values - centre) / scale)
    least = (
        100 * least_sse(X, groups.TEN_RECORD_K) / np.square(X - X.mean(axis=0)).sum()
    )
    assert found.loss == pytest.approx(least)
    assert found.loss == pytest.approx(by_definition(found))


def test_the_ten_records_lose_what_their_description_says():
    losses = {
        way: groups.group_ten_records(way).loss for way in groups.TEN_RECORD_METHODS
    }
    assert f"{losses['mdav']:.2f}" == "12.60"
    assert f"{losses['vmdav']:.3f}" == f"{losses['optimal']:.3f}" == "0.063"
    for way in groups.TEN_RECORD_METHODS:
        assert groups.group_ten_records(way).sizes.min() >= groups.TEN_RECORD_K


def test_centres_are_means_in_the_attributes_own_units():
    found = groups.group_patients(5)
    for group, centre in enumerate(found.centres):
        members = found.plane.values[found.labels == group]
        np.testing.assert_allclose(centre, members.mean(axis=0))


def test_the_ten_records_have_the_same_sizes_whatever_the_method():
    """Order costs there, and not size: MDAV's four have one that lies far away."""
    for way in groups.TEN_RECORD_METHODS:
        assert sorted(groups.group_ten_records(way).sizes) == [3, 3, 4]
    found = groups.group_ten_records("mdav")
    four = found.plane.values[found.labels == int(np.argmax(found.sizes)), 0]
    assert sorted(four) == [50, 51, 52, 100]
    best = groups.group_ten_records("optimal")
    assert 200 <= found.loss / best.loss < 202


def test_groups_of_a_larger_k_are_not_merged_ones_of_a_smaller():
    for k in list(groups.GROUP_SIZES)[:-1]:
        small, large = (
            groups.group_patients(k).labels,
            groups.group_patients(k + 1).labels,
        )
        whole = [len(set(large[small == g])) == 1 for g in range(small.max() + 1)]
        assert 0.25 <= np.mean(whole) <= 0.6, k
