"""Planes that records are drawn in: two components, two attributes, or one of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.i18n.language import _
from engine.core.principal import Principal, principal_components
from engine.core.typing import Integers, Values
from engine.data.attributes import Attribute
from engine.data.kinds import Kind
from engine.data.numeric import DAY, EPOCH
from engine.points.base import Points

SPREAD = 0.36
"""How far records of one category are spread to either side of its place."""

TICKS = 12
"""Categories whose names are written along an axis at most."""

LONGEST = 14
"""Characters of a name along an axis."""

LONGEST_TITLE = 28
"""The same of the attribute's own name: charts are not high."""

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


def usual_attributes(
    kinds: Mapping[str, Kind], values: Mapping[str, int]
) -> tuple[str, str]:
    """Return what is drawn across and up where nobody says; empty for components.

    Categories are far from each other or the same, so that components of few numbers
    and many categories are stripes: there an attribute is drawn against another one, a
    number first, then those with the most values.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Of the attributes.
    values : mapping of str to int
        How many different values each of them has.
    """
    numbers = _numbers(kinds)
    if len(kinds) < 2 or len(numbers) >= 2:
        return "", ""
    words = [name for name in kinds if name not in numbers]
    across, up = [*numbers, *sorted(words, key=lambda name: -values[name])][:2]
    return across, up


def of_numbers(kinds: Mapping[str, Kind]) -> bool:
    """Return whether components are of the numbers alone, and not of categories."""
    return 2 <= len(_numbers(kinds)) < len(kinds)


def _numbers(kinds: Mapping[str, Kind]) -> list[str]:
    """Return the attributes that are numbers or have an order."""
    return [name for name, kind in kinds.items() if kind is not Kind.NOMINAL]


def components_of(points: Points, kinds: Mapping[str, Kind]) -> Principal:
    """Return two components of the records; of their numbers where these are two.

    Parameters
    ----------
    points : Points
    kinds : mapping of str to Kind
        Of their attributes.
    """
    if not of_numbers(kinds):
        return principal_components(points.X)
    numbers = _numbers(kinds)
    names = [attribute.name for attribute in points.space.attributes]
    drawn = points.space.coordinates_of([names.index(name) for name in numbers])
    return principal_components(points.X[:, drawn])


def component_axis(found: Principal, number: int, numbers: bool = False) -> Axis:
    """Return the axis of a principal component, counted from 0.

    Parameters
    ----------
    found : Principal
    number : int
    numbers : bool
        Whether there are categories too, of which the components tell nothing.
    """
    words = _("Component {number} ({share} % of the variance)")
    if numbers:
        words = _("Numbers, component {number} ({share} %)")
    title = words.format(number=number + 1, share=f"{100.0 * found.shares[number]:.0f}")
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
    return Axis(here, short(attribute.name, LONGEST_TITLE), ticks)


def _round_ticks(low: float, high: float) -> tuple[Tick, ...]:
    return tuple((float(at), f"{at:.4g}") for at in np.linspace(low, high, 5))


def _categories(attribute: Attribute, here: Values) -> Axis:
    assert attribute.words is not None
    missing = np.isnan(here)
    codes, counts = np.unique(here[~missing], return_counts=True)
    if attribute.nominal:
        codes = codes[np.argsort(-counts, kind="stable")]
        title = _("{column}, most frequent first")
    else:
        title = _("{column}, in order")
    place_of = {float(code): float(at) for at, code in enumerate(codes)}
    places = np.array([place_of.get(float(code), -1.0) for code in here])
    names = [str(attribute.words[int(code)]) for code in codes]
    step = max(1, -(-len(names) // TICKS))
    ticks = [(float(at), short(names[at])) for at in range(0, len(names), step)]
    if missing.any():
        ticks.insert(0, (-1.0, _("missing")))
    # The same every time, so that a record stays where it is.
    aside = np.random.default_rng(0).uniform(-SPREAD, SPREAD, here.size)
    return Axis(
        places + aside,
        title.format(column=short(attribute.name, LONGEST_TITLE)),
        tuple(ticks),
    )


def short(name: str, longest: int = LONGEST) -> str:
    """Return a name that fits along an axis."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
