from __future__ import annotations

import pytest

from engine.methods.variable_size.mdav2 import MDAV2
from tests.casc import CELLS, information_loss, zscored

# Lin, Wen, Hsieh and Chang 2010, as quoted by Kabir and Wang 2010
PRINTED = (
    16.38261429,
    19.01314997,
    22.07965363,
    33.17932950,
    5.656049371,
    7.409645342,
    9.012389597,
    13.94411775,
)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_is_within_one_and_a_half_per_cent_of_the_published_figure(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, MDAV2(cell[1]).fit(X).labels_)
    assert loss == pytest.approx(figure, rel=0.015)
