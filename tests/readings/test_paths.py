"""The reading of MD-MHM and MDAV-MHM that is nearest to what their paper prints."""

from __future__ import annotations

import pytest

from engine.analysis.published.literature import LossBasis, printed_cells
from tests.readings.choices import OPEN_METHODS

NEAREST = {
    "path": "from the last made; nearest point next",
    "nearest": "to the seed",
    "leftovers": "nearest mean",
    "pairs while": "2k",
    "pair": "higher record first",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["md-mhm", "mdav-mhm"])
def test_one_path_is_near_all_cells_of_tarragona_and_census(name: str) -> None:
    cells = [
        one for one in printed_cells() if one.method == name and one.dataset != "eia"
    ]
    assert len(cells) == 6
    for cell in cells:
        loss = OPEN_METHODS[name].loss(cell.dataset, LossBasis(), cell.k, NEAREST)
        assert loss == pytest.approx(cell.value, rel=0.0008)
