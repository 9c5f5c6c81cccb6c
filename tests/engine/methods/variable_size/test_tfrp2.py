from __future__ import annotations

import pytest

from engine.methods.variable_size.tfrp2 import TFRP2
from tests.casc import CELLS, information_loss, zscored

# Chang, Li and Huang 2007, as quoted by Kabir and Wang 2010
PRINTED = (16.881, 19.181, 21.847, 33.088, 5.803, 7.638, 8.980, 13.959)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_is_within_a_tenth_of_a_per_cent_of_the_published_figure(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, TFRP2(cell[1]).fit(X).labels_)
    assert loss == pytest.approx(figure, rel=0.001)
