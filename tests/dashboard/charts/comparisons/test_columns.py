"""What columns lose: a figure per method and column, the costliest of many."""

import numpy as np

from dashboard.charts.comparisons.columns import (
    MAX_DRAWN_COLUMNS,
    ResultColumnLosses,
    choose_columns_to_draw,
    draw_column_loss_heatmap,
)


def row(title: str, **losses: float) -> ResultColumnLosses:
    return ResultColumnLosses(
        f"{title}-3", title, losses, {name: f"{name}!" for name in losses}
    )


def test_each_cell_is_the_loss_of_a_column_in_a_result() -> None:
    (trace,) = draw_column_loss_heatmap([row("A", x=1.5, y=20.0), row("B", x=3.0)]).data
    np.testing.assert_array_equal(trace.z, [[1.5, 20.0], [3.0, np.nan]])
    assert list(map(list, trace.text)) == [["1.5", "20"], ["3.0", ""]]
    assert [list(cell) for cell in trace.customdata[0]] == [
        ["A-3", "x!"],
        ["A-3", "y!"],
    ]


def test_of_many_columns_the_costliest_are_drawn_in_their_order() -> None:
    losses = {f"c{number}": float(number % 7) for number in range(60)}
    losses["c3"] = 90.0
    names = choose_columns_to_draw([row("A", **losses)])
    assert len(names) == MAX_DRAWN_COLUMNS
    assert "c3" in names
    assert names == sorted(names, key=lambda name: int(name[1:]))
    other_names = set(losses) - set(names)
    assert max(losses[name] for name in other_names) <= min(
        losses[name] for name in names
    )
