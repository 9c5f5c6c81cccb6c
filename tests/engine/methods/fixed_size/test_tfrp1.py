from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.tfrp1 import TFRP1
from tests.casc import CELLS, information_loss, printed, zscored

# Chang, Li and Huang 2007, as quoted by Kabir and Wang 2010
PRINTED = ("17.228", "19.396", "22.110", "33.186", "5.931", "7.880", "9.357", "14.442")


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_equals_the_published_figure_to_every_digit(
    cell: tuple[str, int], figure: str
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, TFRP1(cell[1]).fit(X).labels_)
    assert printed(loss, figure) == figure


def test_groups_begin_at_the_highest_and_the_lowest_corner_in_turn() -> None:
    X = np.array([[0.0], [1.0], [2.0], [50.0], [97.0], [98.0], [100.0]])
    labels = TFRP1(2).fit(X).labels_
    # far from 0: 100 with 98; far from 100: 0 with 1; then 97 with 50; 2 is left over
    np.testing.assert_array_equal(labels, [1, 1, 1, 2, 2, 0, 0])
