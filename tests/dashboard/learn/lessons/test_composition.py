"""Who is found in the lesson is who can be worked out with a pencil."""

import numpy as np
import pytest

from dashboard.learn.lessons import composition, groups
from dashboard.learn.lessons.tables import revealed_by_releases_table


@pytest.mark.parametrize("count", composition.RELEASE_COUNTS)
def test_a_record_is_found_where_its_own_unit_vector_is_a_sum_of_groups(count):
    found = composition.compose_first_releases(count)
    rows = []
    for k in found.sizes:
        labels = groups.group_patients(k).labels
        rows.append(
            (labels == np.arange(labels.max() + 1)[:, np.newaxis]).astype(float)
        )
    equations = np.vstack(rows)
    # What the equations leave open is what moves nobody that is found.
    _u, values, free = np.linalg.svd(equations)
    null = free[(values > 1e-9).sum() :]
    assert found.opened.tolist() == (np.abs(null) < 1e-9).all(axis=0).tolist()


def test_one_file_alone_finds_nobody_and_every_further_one_finds_more():
    counts = revealed_by_releases_table().iloc[:, -1].tolist()
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[1] > 0
    assert counts[-1] > groups.N_PATIENTS / 2
