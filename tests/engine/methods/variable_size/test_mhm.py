import numpy as np
import pytest

from engine.methods.base import make_method
from engine.methods.variable_size.mdav_mhm import MDAVMHM
from engine.methods.variable_size.npn_mhm import NPNMHM
from tests.casc import information_loss, zscored
from tests.reference.brute_force import least_sse

CELLS = [(table, k) for table in ("tarragona", "census") for k in (3, 5, 10)]

# Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006, as quoted by Kabir and
# Wang 2010
PRINTED = {
    "mdav-mhm": (16.9326, 22.4617, 33.1923, 5.6523, 9.0870, 14.2239),
    "md-mhm": (16.9829, 22.5269, 33.1834, 5.69724, 8.98594, 14.3965),
    "cbfs-mhm": (16.9714, 22.8227, 33.2188, 5.6734, 8.8942, 13.8925),
    "npn-mhm": (17.3949, 27.0213, 40.1831, 6.3498, 11.3443, 18.7335),
}


@pytest.mark.parametrize(
    ("name", "cell", "figure"),
    [
        (name, *pair)
        for name, figures in PRINTED.items()
        for pair in zip(CELLS, figures, strict=True)
    ],
)
def test_is_no_worse_than_the_published_figure(
    name: str, cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, make_method(name, cell[1]).fit(X).labels_)
    assert loss <= 1.01 * figure


@pytest.mark.parametrize(("k", "figure"), [(3, 16.6813), (5, 22.0244), (10, 33.1509)])
def test_the_mdav_order_equals_the_reference_run(k: int, figure: float) -> None:
    X = zscored("tarragona")
    loss = information_loss(X, MDAVMHM(k).fit(X).labels_)
    assert round(loss, 4) == figure


@pytest.mark.parametrize(("k", "figure"), [(3, 17.5258), (5, 28.1666), (10, 38.7184)])
def test_the_path_from_the_outermost_record_equals_the_reference_run(
    k: int, figure: float
) -> None:
    X = zscored("tarragona")
    labels = NPNMHM(k, first="farthest-from-mean").fit(X).labels_
    assert round(information_loss(X, labels), 4) == figure


@pytest.mark.parametrize(
    ("cell", "figure"), list(zip(CELLS, PRINTED["npn-mhm"], strict=True))
)
def test_the_path_from_the_widest_pair_lies_close_below_the_published_figures(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    labels = NPNMHM(cell[1], first="farthest-pair").fit(X).labels_
    assert 0.985 * figure < information_loss(X, labels) <= figure


def test_the_better_of_both_paths_is_taken() -> None:
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((70, 3))
        losses = {
            first: information_loss(X, NPNMHM(4, first=first).fit(X).labels_)
            for first in ("best", "farthest-from-mean", "farthest-pair")
        }
        assert losses["best"] == min(losses.values())


@pytest.mark.parametrize("name", list(PRINTED))
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_is_optimal_where_all_records_lie_on_a_line(name: str, offset: float) -> None:
    # The path of every order runs along the line, whatever way the line turns.
    steps = np.array([1.0, 1.1, 1.3, 5.0, 5.2, 5.3, 5.5, 9.0, 9.1])
    X = np.column_stack([steps, -2 * steps]) + offset
    labels = make_method(name, 2).fit(X).labels_
    groups = [X[labels == g] for g in range(labels.max() + 1)]
    sse = sum(((G - G.mean(axis=0)) ** 2).sum() for G in groups)
    assert sse == pytest.approx(least_sse(X, 2), rel=1e-5)


def test_loss_is_accurate_far_from_zero() -> None:
    X = np.random.default_rng(0).integers(0, 1000, (300, 4)).astype(np.float64)
    near, far = (NPNMHM(5).fit(X + offset).labels_ for offset in (0.0, 1e12))
    np.testing.assert_array_equal(near, far)


def test_groups_are_numbered_along_the_path() -> None:
    X = np.array([[9.6], [1.0], [8.9], [5.0], [1.1], [5.1]])
    labels = NPNMHM(2, first="farthest-from-mean").fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 2, 0, 1, 2, 1])
