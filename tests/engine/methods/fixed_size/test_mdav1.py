from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.mdav1 import MDAV1
from tests.casc import CELLS, information_loss, printed, zscored
from tests.reference.mdav1 import mdav1

# Lin, Wen, Hsieh and Chang 2010, table 3
PRINTED = {
    "tarragona": ("16.93258762", "19.54578612", "22.46128236", "33.19235838"),
    "census": ("5.692186279", "7.494699833", "9.088435498", "14.15593043"),
}
FIGURES = (*PRINTED["tarragona"], *PRINTED["census"])


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, FIGURES, strict=True)))
def test_equals_the_published_figure_to_every_digit(
    cell: tuple[str, int], figure: str
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, MDAV1(cell[1]).fit(X).labels_)
    assert printed(loss, figure) == figure


@pytest.mark.parametrize("k", [4, 7])
def test_equals_its_naive_twin_on_a_real_table(k: int) -> None:
    X = zscored("tarragona")  # 834 records: some are left over
    np.testing.assert_array_equal(MDAV1(k).fit(X).labels_, mdav1(X, k))


def test_the_last_group_is_the_outermost_k_and_others_join_their_nearest() -> None:
    X = np.array([[0.0], [1], [30], [31], [32], [99], [100]])
    # pairs at both ends; of 30, 31 and 32 the first two, and 32 goes to them
    np.testing.assert_array_equal(MDAV1(2).fit(X).labels_, [1, 1, 2, 2, 2, 0, 0])
