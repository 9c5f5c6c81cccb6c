"""Small multiples: a panel for every method and every k, all on the same axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.charts.figure import Drawable
from dashboard.charts.theme import NEUTRAL, note, without_automargin

ACROSS = 6
"""Panels side by side at most; more go below, with headings of their own."""

_PANEL = 128
"""Height of a panel, in pixels; that of a single row is twice as much."""

_GAP, _HEADING, _FOOT, _SIDE = 12, 30, 62, 78
"""Room between rows, above a block of rows, below all and to the left, in pixels."""


@dataclass(frozen=True)
class Grid:
    """Where the panel of each method and k is.

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
    def methods_across(self) -> bool:
        """Whether methods are columns; otherwise values of k are."""
        return len(self.titles) >= len(self.sizes)

    @property
    def across(self) -> tuple[str, ...]:
        """Headings of the columns, over all blocks."""
        return self.titles if self.methods_across else tuple(map(_k, self.sizes))

    @property
    def down(self) -> tuple[str, ...]:
        """Headings of the rows of one block."""
        return tuple(map(_k, self.sizes)) if self.methods_across else self.titles

    @property
    def columns(self) -> int:
        """Panels side by side."""
        return -(-len(self.across) // self.blocks)

    @property
    def blocks(self) -> int:
        """Blocks of rows, one below the other."""
        return -(-len(self.across) // ACROSS)

    @property
    def rows(self) -> int:
        """Rows of all blocks."""
        return self.blocks * len(self.down)

    def place(self, title: str, k: int) -> tuple[int, int]:
        """Return row and column of a panel, counted from 0."""
        method, size = self.titles.index(title), self.sizes.index(k)
        along, below = (method, size) if self.methods_across else (size, method)
        block, column = divmod(along, self.columns)
        return block * len(self.down) + below, column

    @property
    def _panel(self) -> int:
        return _PANEL if self.rows > 1 else 2 * _PANEL

    @property
    def height(self) -> int:
        """Height of the whole figure in pixels."""
        rows = self.rows * (self._panel + _GAP)
        return rows + self.blocks * _HEADING + _FOOT

    def settle(self, figure: Drawable) -> None:
        """Give a dressed figure the room around all panels that it needs."""
        figure.update_layout(margin={"l": _SIDE, "r": 4, "t": 0, "b": _FOOT})
        without_automargin(figure)

    def axes_of(self, title: str, k: int) -> dict[str, str]:
        """Return the axes of a panel, for a trace."""
        row, column = self.place(title, k)
        return {"xaxis": _axis("x", column), "yaxis": _axis("y", row)}

    def layout(self, foot: str) -> dict[str, Any]:
        """Return axes and headings, for a figure's layout.

        Columns share an axis, and so do rows: a browser draws far fewer of them than
        there are panels.

        Parameters
        ----------
        foot : str
            What the axes show.
        """
        layout: dict[str, Any] = {"annotations": self._headings(foot)}
        for column in range(self.columns):
            left = column / self.columns
            layout[f"xaxis{column + 1}"] = {
                "domain": [left, left + 0.94 / self.columns],
                "anchor": _axis("y", self.rows - 1),
                "nticks": 5,
            } | ({"matches": "x"} if column else {})
        for row in range(self.rows):
            top = self._top(row)
            layout[f"yaxis{row + 1}"] = {
                "domain": [max(0.0, top - self._share(self._panel)), top],
                "anchor": "x",
                "nticks": 4,
                "title": {
                    "text": f"<b>{self.down[row % len(self.down)]}</b>",
                    "standoff": 10,
                    "font": {"size": 13},
                },
            } | ({"matches": "y"} if row else {})
        return layout

    def _share(self, pixels: float) -> float:
        return pixels / (self.height - _FOOT)

    def _top(self, row: int) -> float:
        """Return the upper end of a row as a share of the height of all."""
        above = row * (self._panel + _GAP)
        above += (row // len(self.down) + 1) * _HEADING
        return 1.0 - self._share(above)

    def _headings(self, foot: str) -> list[dict[str, Any]]:
        found = []
        for place, heading in enumerate(self.across):
            block, column = divmod(place, self.columns)
            x = (column + 0.47) / self.columns
            y = self._top(block * len(self.down)) + self._share(4)
            found.append(
                note(f"<b>{heading}</b>", x, y, 13 if self.columns > 4 else 14)
            )
        quiet = {"size": 13, "color": NEUTRAL}
        found.append(note(foot, 0.5, 0.0, yshift=-28, yanchor="top", font=quiet))
        return found


def grid_of(results: Sequence[tuple[str, int]]) -> Grid:
    """Return the grid that holds these methods and values of k, in their order."""
    titles = tuple(dict.fromkeys(title for title, _ in results))
    return Grid(titles, tuple(sorted({k for _, k in results})))


def _axis(letter: str, place: int) -> str:
    """Return what Plotly calls an axis, counted from 0: x, x2, x3."""
    return f"{letter}{place + 1}" if place else letter


def _k(size: int) -> str:
    return f"k = {size}"
