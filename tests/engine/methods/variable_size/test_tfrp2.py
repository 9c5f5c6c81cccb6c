from __future__ import annotations

import pytest

from engine.methods.variable_size.tfrp2 import TFRP2
from tests.casc import CELLS, information_loss, zscored

# Chang, Li and Huang 2007, as quoted by Kabir and Wang 2010
PRINTED = ("16.881", "19.181", "21.847", "33.088", "5.803", "7.638", "8.980", "13.959")


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_every_printed_digit_comes_out(cell: tuple[str, int], figure: str) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, TFRP2(cell[1]).fit(X).labels_)
    assert f"{loss:.3f}" == figure
