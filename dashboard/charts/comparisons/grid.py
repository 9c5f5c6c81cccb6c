"""Grid of panels with shared axes, a panel for each method and k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.charts.figure import DrawableFigure
from dashboard.charts.theme import NEUTRAL, disable_automargin, text_annotation

MAX_PANELS_ACROSS = 6
"""Panels side by side at most; more go below, with headings of their own."""

_PANEL_HEIGHT_PX = 128
"""Height of a panel, in pixels; that of a single row is twice as much."""

_GAP, _HEADING, _FOOT, _SIDE = 12, 30, 62, 78
"""Room between rows, above a block of rows, below all and to the left, in pixels."""


@dataclass(frozen=True)
class PanelGrid:
    """Layout of a grid of panels: row and column of each method and k.

    Attributes
    ----------
    titles : tuple of str
        Methods.
    sizes : tuple of int
        Values of k.
    """

    titles: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def has_methods_across(self) -> bool:
        """Whether columns are methods; otherwise columns are values of k."""
        return len(self.titles) >= len(self.sizes)

    @property
    def column_headings(self) -> tuple[str, ...]:
        """Headings of the columns, for all blocks."""
        return (
            self.titles if self.has_methods_across else tuple(map(_k_label, self.sizes))
        )

    @property
    def row_headings(self) -> tuple[str, ...]:
        """Headings of the rows of one block."""
        return (
            tuple(map(_k_label, self.sizes)) if self.has_methods_across else self.titles
        )

    @property
    def n_columns(self) -> int:
        """Number of panels side by side."""
        return -(-len(self.column_headings) // self.n_blocks)

    @property
    def n_blocks(self) -> int:
        """Number of blocks of rows, one below the other."""
        return -(-len(self.column_headings) // MAX_PANELS_ACROSS)

    @property
    def n_rows(self) -> int:
        """Number of rows in all blocks."""
        return self.n_blocks * len(self.row_headings)

    def panel_position(self, title: str, k: int) -> tuple[int, int]:
        """Return row and column of a panel, counted from 0."""
        method, size = self.titles.index(title), self.sizes.index(k)
        along, below = (method, size) if self.has_methods_across else (size, method)
        block, column = divmod(along, self.n_columns)
        return block * len(self.row_headings) + below, column

    @property
    def _panel(self) -> int:
        return _PANEL_HEIGHT_PX if self.n_rows > 1 else 2 * _PANEL_HEIGHT_PX

    @property
    def height_px(self) -> int:
        """Height of the whole figure in pixels."""
        rows = self.n_rows * (self._panel + _GAP)
        return rows + self.n_blocks * _HEADING + _FOOT

    def set_margins(self, figure: DrawableFigure) -> None:
        """Set a figure's margins to the space that the panels' headings need."""
        figure.update_layout(margin={"l": _SIDE, "r": 4, "t": 0, "b": _FOOT})
        disable_automargin(figure)

    def panel_axes(self, title: str, k: int) -> dict[str, str]:
        """Return the names of a panel's axes, for a trace."""
        row, column = self.panel_position(title, k)
        return {"xaxis": _axis_name("x", column), "yaxis": _axis_name("y", row)}

    def layout_settings(self, foot: str) -> dict[str, Any]:
        """Return axes and headings of all panels, for a figure's layout.

        Columns share an axis, and so do rows: a browser draws far fewer of them than
        there are panels.

        Parameters
        ----------
        foot : str
            What the axes show.
        """
        layout: dict[str, Any] = {"annotations": self._headings(foot)}
        for column in range(self.n_columns):
            left_edge = column / self.n_columns
            layout[f"xaxis{column + 1}"] = {
                "domain": [left_edge, left_edge + 0.94 / self.n_columns],
                "anchor": _axis_name("y", self.n_rows - 1),
                "nticks": 5,
            } | ({"matches": "x"} if column else {})
        for row in range(self.n_rows):
            top = self._top(row)
            layout[f"yaxis{row + 1}"] = {
                "domain": [max(0.0, top - self._share(self._panel)), top],
                "anchor": "x",
                "nticks": 4,
                "title": {
                    "text": f"<b>{self.row_headings[row % len(self.row_headings)]}</b>",
                    "standoff": 10,
                    "font": {"size": 13},
                },
            } | ({"matches": "y"} if row else {})
        return layout

    def _share(self, pixels: float) -> float:
        return pixels / (self.height_px - _FOOT)

    def _top(self, row: int) -> float:
        """Return the upper end of a row as a share of the height of all."""
        above = row * (self._panel + _GAP)
        above += (row // len(self.row_headings) + 1) * _HEADING
        return 1.0 - self._share(above)

    def _headings(self, foot: str) -> list[dict[str, Any]]:
        heading_annotations = []
        for place, heading in enumerate(self.column_headings):
            block, column = divmod(place, self.n_columns)
            x = (column + 0.47) / self.n_columns
            y = self._top(block * len(self.row_headings)) + self._share(4)
            heading_annotations.append(
                text_annotation(
                    f"<b>{heading}</b>", x, y, 13 if self.n_columns > 4 else 14
                )
            )
        quiet = {"size": 13, "color": NEUTRAL}
        heading_annotations.append(
            text_annotation(foot, 0.5, 0.0, yshift=-28, yanchor="top", font=quiet)
        )
        return heading_annotations


def make_panel_grid(titles_and_k: Sequence[tuple[str, int]]) -> PanelGrid:
    """Return a grid with panels for all combinations of the given titles and k."""
    titles = tuple(dict.fromkeys(title for title, _ in titles_and_k))
    return PanelGrid(titles, tuple(sorted({k for _, k in titles_and_k})))


def _axis_name(letter: str, place: int) -> str:
    """Return what Plotly calls an axis, counted from 0: x, x2, x3."""
    return f"{letter}{place + 1}" if place else letter


def _k_label(size: int) -> str:
    return f"k = {size}"
