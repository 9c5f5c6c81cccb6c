"""Planes that records are drawn in: two components, two attributes, or one of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.i18n.language import _
from engine.core.principal import Principal
from engine.core.typing import Integers, Values
from engine.data.attributes import DAY, EPOCH, Attribute

SPREAD = 0.36
"""How far records of one category are spread to either side of its place."""

TICKS = 12
"""Categories whose names are written along an axis at most."""

LONGEST = 14
"""Characters of a name along an axis."""

Tick = tuple[float, str]


@dataclass(frozen=True, eq=False)
class Axis:
    """Where records are along one axis.

    Attributes
    ----------
    places : ndarray of float64, shape (n_records,)
    title : str
        What it shows, and how categories are arranged.
    ticks : tuple of (place, words), or None
        Empty where the numbers say it; None where they mean nothing to people.
    """

    places: Values
    title: str
    ticks: tuple[Tick, ...] | None = ()


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane for the records of one table.

    Attributes
    ----------
    across, up : Axis
    """

    across: Axis
    up: Axis

    @property
    def places(self) -> Values:
        """Shape (n_records, 2)."""
        return np.column_stack([self.across.places, self.up.places])


def component_axis(found: Principal, number: int) -> Axis:
    """Return the axis of a principal component, counted from 0."""
    title = _("Component {number} ({share} % of the variance)").format(
        number=number + 1, share=f"{100.0 * found.shares[number]:.0f}"
    )
    if (
        number and found.shares[number] == 0.0
    ):  # of a single attribute there is one component
        title = ""
    return Axis(found.scores[:, number], title, None)


def attribute_axis(attribute: Attribute, values: Values, rows: Integers) -> Axis:
    """Return the axis of an attribute.

    Numbers are where they are. Categories stand side by side, the most frequent first
    and words with an order in it, the records of each spread about its place; missing
    values stand before all others.

    Parameters
    ----------
    attribute : Attribute
    values : ndarray of float64, shape (n_rows,)
        Its numbers, of the whole table; missing ones are NaN.
    rows : ndarray of int64, shape (n_records,)
        Rows of the records that are drawn.
    """
    here = values[rows]
    if attribute.words is not None:
        return _categories(attribute, here)
    missing = np.isnan(here)
    ticks: tuple[Tick, ...] = ()
    known = here[~missing]
    if attribute.dates and known.size:
        days = np.linspace(known.min(), known.max(), 5)
        ticks = tuple((float(day), f"{EPOCH + day * DAY:%Y-%m-%d}") for day in days)
    if missing.any():
        low = float(known.min()) if known.size else 0.0
        reach = float(np.ptp(known)) if known.size else 0.0
        aside = low - 0.08 * (reach or 1.0)
        here = np.where(missing, aside, here)
        ticks = ((aside, _("missing")), *(ticks or _round_ticks(low, low + reach)))
    return Axis(here, attribute.name, ticks)


def _round_ticks(low: float, high: float) -> tuple[Tick, ...]:
    return tuple((float(at), f"{at:.4g}") for at in np.linspace(low, high, 5))


def _categories(attribute: Attribute, here: Values) -> Axis:
    assert attribute.words is not None
    missing = np.isnan(here)
    codes, counts = np.unique(here[~missing], return_counts=True)
    if attribute.nominal:
        codes = codes[np.argsort(-counts, kind="stable")]
        title = _("{column} (categories, the most frequent first)")
    else:
        title = _("{column} (in their order)")
    place_of = {float(code): float(at) for at, code in enumerate(codes)}
    places = np.array([place_of.get(float(code), -1.0) for code in here])
    names = [str(attribute.words[int(code)]) for code in codes]
    step = max(1, -(-len(names) // TICKS))
    ticks = [(float(at), short(names[at])) for at in range(0, len(names), step)]
    if missing.any():
        ticks.insert(0, (-1.0, _("missing")))
    # The same every time, so that a record stays where it is.
    aside = np.random.default_rng(0).uniform(-SPREAD, SPREAD, here.size)
    return Axis(places + aside, title.format(column=attribute.name), tuple(ticks))


def short(name: str) -> str:
    """Return a name that fits along an axis."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
