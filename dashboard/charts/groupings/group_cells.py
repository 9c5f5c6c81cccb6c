"""Chart of the groups of very many records, drawn as counted cells of the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.charts.figure import ChartFigure
from dashboard.charts.groupings import groups
from dashboard.charts.inputs import CountedCells
from dashboard.i18n.language import _
from engine.core.typing import Integers, Values

CELL_MARK = "cell"
"""In the custom data of a mark, before its place: a click looks into it."""

_LEAST, _MOST = 2.5, 10.0
"""Diameters of marks of one record, and of nearly as many as there are, in pixels."""

_LARGE_MARK_QUANTILE = 0.98
"""Share of the marks that are smaller than the largest ones."""

_MIN_WEBGL_MARKS = 2_000
"""Marks from which they are drawn by the graphics card, where there is one."""


def draw_counted_cells(cells: CountedCells, height: int, note: str = "") -> ChartFigure:
    """Draw cells of a plane as marks sized by records, coloured by their mean loss.

    The custom data of marks are the result's key, :data:`CELL_MARK` and their place.

    Parameters
    ----------
    cells : CountedCells
    height : int
        In pixels.
    note : str
        Above: which result it is.
    """
    figure = ChartFigure([_cell_marks(cells)])
    groups.lay_out_plane(figure, cells, cells.window, height, note)
    return figure


def _cell_marks(cells: CountedCells) -> dict[str, Any]:
    tints = np.digitize(cells.costs, cells.usual * np.array(groups.LOSS_FACTORS))
    return {
        "type": "scattergl" if len(cells.counts) > _MIN_WEBGL_MARKS else "scatter",
        "mode": "markers",
        "x": cells.places[:, 0].astype(np.float32),
        "y": cells.places[:, 1].astype(np.float32),
        "marker": {
            "color": [groups.HULL_COLOURS[tint] for tint in tints],
            "size": _mark_diameters(cells.counts),
            "line": {"width": 0},
            "opacity": 0.85,
        },
        "customdata": [
            (cells.key, CELL_MARK, x, y, f"{count:,}")
            for (x, y), count in zip(
                cells.places.tolist(), cells.counts.tolist(), strict=True
            )
        ],
        "hovertemplate": _("{count} records: click to look closer").format(
            count="%{customdata[4]}"
        )
        + "<extra></extra>",
    }


def _mark_diameters(counts: Integers) -> Values:
    """Return diameters whose areas grow as the numbers of records do."""
    large_count = max(float(np.quantile(counts, _LARGE_MARK_QUANTILE)), 2.0)
    shares = np.sqrt(np.minimum(counts / large_count, 1.0))
    diameters: Values = (_LEAST + (_MOST - _LEAST) * shares).astype(np.float32)
    return diameters
