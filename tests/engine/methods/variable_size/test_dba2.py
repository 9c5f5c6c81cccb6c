from __future__ import annotations

import pytest

from engine.methods.variable_size.dba2 import DBA2
from tests.casc import CELLS, information_loss, printed, zscored

# Lin, Wen, Hsieh and Chang 2010, as quoted by Kabir and Wang 2010
PRINTED = (
    "16.15265063",
    "22.67107728",
    "25.45039236",
    "34.80675148",
    "5.581605762",
    "7.591307664",
    "9.046162117",
    "13.52140518",
)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_equals_the_published_figure_to_every_digit(
    cell: tuple[str, int], figure: str
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, DBA2(cell[1]).fit(X).labels_)
    assert printed(loss, figure) == figure
