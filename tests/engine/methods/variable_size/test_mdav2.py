from __future__ import annotations

import pytest

from engine.methods.variable_size.mdav2 import MDAV2
from tests.casc import CELLS, information_loss, zscored

# Lin, Wen, Hsieh and Chang 2010, as quoted by Kabir and Wang 2010; of the first cell
# one digit is another, 16.38261429.
PRINTED = (
    "16.68261429",
    "19.01314997",
    "22.07965363",
    "33.17932950",
    "5.656049371",
    "7.409645342",
    "9.012389597",
    "13.94411775",
)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_every_printed_digit_comes_out(cell: tuple[str, int], figure: str) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, MDAV2(cell[1]).fit(X).labels_)
    assert f"{loss:.{len(figure.partition('.')[2])}f}" == figure
