"""Readings of published methods: the first of each is the method that is here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.published.literature import (
    LossBasis,
    PrintedCell,
    cells_apart,
    printed_cells,
)
from engine.analysis.published.reproduce import VERDICT_KINDS
from engine.core.typing import Values
from engine.methods.base import make_method
from engine.points.base import Points
from tests.casc import information_loss
from tests.readings import __main__ as script
from tests.readings import choices, kernels, losses, results, verdicts

NUMBER_OF_RECORDS = 61


def small_table(name: str, basis: LossBasis) -> Values:
    """Return a small table by name, in its units or z-scored."""
    rng = np.random.default_rng(int(name))
    X = rng.normal(size=(NUMBER_OF_RECORDS, 3)) * [1.0, 4.0, 9.0]
    X -= X.mean(axis=0)
    return np.ascontiguousarray(X / (X.std(axis=0) if basis.scaling == "zscore" else 1))


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "read_values", small_table)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(choices.OPEN_METHODS) - {"npn-mhm"}))
def test_the_first_reading_is_the_method_that_is_here(name: str) -> None:
    method = choices.OPEN_METHODS[name]
    first_reading = next(script.readings_of(method))
    scaling = first_reading.get("loss on", "z-scores")
    basis = LossBasis("none" if scaling == "raw values" else "zscore")
    for table in ("0", "1"):
        X = small_table(table, basis)
        for k in (3, 4):
            labels = make_method(name, k, {}, 0).partition(Points.from_array(X)).labels
            assert method.loss(table, LossBasis(), k, first_reading) == pytest.approx(
                information_loss(X, labels)
            )


@pytest.mark.slow
def test_the_better_of_two_first_records_is_what_npn_does() -> None:
    method = choices.OPEN_METHODS["npn-mhm"]
    firsts = ("farthest from the mean", "lower of the two farthest apart")
    for table in ("0", "1"):
        X = small_table(table, LossBasis())
        labels = make_method("npn-mhm", 3, {}, 0).partition(Points.from_array(X)).labels
        walks = [
            method.loss(
                table,
                LossBasis(),
                3,
                {"first record": first, "distance on": "z-scores"},
            )
            for first in firsts
        ]
        assert min(walks) == pytest.approx(information_loss(X, labels))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(choices.OPEN_METHODS))
def test_no_reading_loses_less_than_nothing_or_more_than_one_group(name: str) -> None:
    method = choices.OPEN_METHODS[name]
    tried = [
        method.loss("2", LossBasis(), 5, reading)
        for reading in script.readings_of(method)
    ]
    assert len(set(tried)) > 1  # the choices matter
    assert 0.0 < min(tried) < max(tried) < 100.0


def test_a_path_by_group_goes_to_the_nearest_record_of_the_group() -> None:
    X = small_table("3", LossBasis())
    labels = np.arange(NUMBER_OF_RECORDS) % 12
    middles = np.array([X[labels == group].mean(axis=0) for group in range(12)])
    chain = np.random.default_rng(3).permutation(12)
    # As Python: to compile a sort takes seconds, and slow tests do.
    walk_by_group = kernels.walk_by_group.__wrapped__  # type: ignore[attr-defined]
    path = walk_by_group(X, labels, middles, chain).tolist()
    naive: list[int] = []
    for group in chain:
        inside = np.flatnonzero(labels == group).tolist()
        while inside:
            near = X[naive[-1]] if naive else middles[chain[1]]
            sign = 1.0 if naive else -1.0
            nearest = min(inside, key=lambda i: sign * np.square(X[i] - near).sum())
            inside.remove(nearest)
            naive.append(nearest)
    assert path == naive


def cell(text: str) -> PrintedCell:
    return PrintedCell("census", "mdav1", 3, text, "")


def test_cells_are_equal_to_the_printed_digits_without_zeros_that_pad_them() -> None:
    padded = replace(cell("16.6300"), method="mst-diameter")
    assert script.equal_cells({padded: 16.6349, cell("16.6301"): 16.6349}) == 1


def test_what_is_expected_by_chance_grows_with_losses_and_falls_with_digits() -> None:
    few = [{cell("5.5"): loss} for loss in (5.0, 6.0)]
    many = [{cell("5.5"): loss} for loss in np.linspace(5.0, 6.0, 6)]
    exact = [{cell("5.5001"): loss} for loss in (5.0, 6.0)]
    assert script.expected_by_chance(few) == pytest.approx(0.2)
    assert script.expected_by_chance(many) == pytest.approx(0.6)
    assert script.expected_by_chance(exact) == pytest.approx(0.0002)
    same = [{cell("5.5"): 5.5}, {cell("5.5"): 5.5}]
    assert script.expected_by_chance(same) == 1.0


@pytest.mark.parametrize(
    ("key", "cells"), [("cells", printed_cells()), ("apart", cells_apart())]
)
def test_what_is_kept_is_of_all_cells(key: str, cells: tuple[PrintedCell, ...]) -> None:
    counts = verdicts.stored_counts(key)
    for by_kind in counts.values():
        assert set(by_kind) <= set(VERDICT_KINDS)
    kept = {name: sum(by_kind.values()) for name, by_kind in counts.items()}
    assert kept == Counter(one.method for one in cells)


def test_every_method_with_a_cell_apart_that_is_not_equal_says_why() -> None:
    for cell in cells_apart():
        if set(verdicts.stored_counts("apart")[cell.method]) != {"equal"}:
            assert cell.open_reason is not None, cell.method


def test_readings_are_kept_of_all_printed_cells() -> None:
    counts = verdicts.stored_counts()
    printed = [one.method for one in printed_cells()]
    for name, stored_result in results.stored_results().items():
        assert stored_result["cells"] == printed.count(name)
        ways = choices.OPEN_METHODS[name].choices.values()
        sets = (
            2
            if any(
                one.dataset == "eia" for one in printed_cells() if one.method == name
            )
            else 1
        )
        assert stored_result["readings"] == sets * np.prod([len(one) for one in ways])
    open_methods = {
        name for name, one in counts.items() if set(one) - {"equal", "slip"}
    }
    assert set(results.stored_results()) <= open_methods


@pytest.mark.parametrize("way", losses.WAYS, ids=lambda way: way.title)
def test_losses_of_the_manual_are_those_of_the_program(way: losses.GroupingWay) -> None:
    measured_losses = losses.measure_losses(way)
    assert losses.stored_losses()[way.title] == pytest.approx(measured_losses, abs=5e-5)
