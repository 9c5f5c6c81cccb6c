from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.ldf import LDF
from tests.casc import CELLS, information_loss, printed, zscored

# Wen, Lin and Wang, table 1
PRINTED = ("17.15", "19.44", "23.25", "33.49", "6.46", "8.49", "10.12", "15.93")


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_equals_the_published_figure_to_every_digit(
    cell: tuple[str, int], figure: str
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, LDF(cell[1]).fit(X).labels_)
    assert printed(loss, figure) == figure


def test_the_widest_neighbourhood_comes_first() -> None:
    X = np.array([[0.0], [3.0], [10.0], [11.0], [20.0], [22.0]])
    np.testing.assert_array_equal(LDF(2).fit(X).labels_, [0, 0, 2, 2, 1, 1])


def test_of_equal_neighbourhoods_the_lowest_record_comes_first() -> None:
    X = np.array([[30.0], [31.0], [0.0], [1.0], [10.0], [11.0]])
    np.testing.assert_array_equal(LDF(2).fit(X).labels_, [0, 0, 1, 1, 2, 2])
