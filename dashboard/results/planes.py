"""Planes for drawing records: axes of principal components or attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.i18n.language import _
from engine.core.numerics.principal import PrincipalComponents, principal_components
from engine.core.typing import Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.numeric import ONE_DAY, UNIX_EPOCH
from engine.data.kinds import Kind
from engine.points.base import Points

CATEGORY_SPREAD = 0.36
"""How far records of one category are spread to either side of its place."""

MAX_TICKS = 12
"""Categories whose names are written along an axis at most."""

MAX_TICK_CHARS = 14
"""Characters of a name along an axis."""

MAX_TITLE_CHARS = 28
"""Characters of an attribute's name as an axis's title: charts are not high."""

Tick = tuple[float, str]


@dataclass(frozen=True, eq=False)
class PlaneAxis:
    """Coordinates of all records along one axis, its title and ticks.

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
class RecordPlane:
    """Two axes that place the records of a table in a plane."""

    across: PlaneAxis
    up: PlaneAxis

    @property
    def positions(self) -> Values:
        """Positions of the records in the plane, shape (n_records, 2)."""
        return np.column_stack([self.across.places, self.up.places])


def default_axis_attributes(
    kinds: Mapping[str, Kind], distinct_counts: Mapping[str, int]
) -> tuple[str, str]:
    """Return the attributes of the two default axes; ("", "") for components.

    Categories are far from each other or the same, so that components of few numbers
    and many categories are stripes: there an attribute is drawn against another one, a
    number first, then those with the most values.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Of the attributes.
    distinct_counts : mapping of str to int
        How many different values each of them has.
    """
    numbers = _ordered_attributes(kinds)
    if len(kinds) < 2 or len(numbers) >= 2:
        return "", ""
    words = [name for name in kinds if name not in numbers]
    across, up = [*numbers, *sorted(words, key=lambda name: -distinct_counts[name])][:2]
    return across, up


def do_components_omit_categories(kinds: Mapping[str, Kind]) -> bool:
    """Return whether components leave nominal attributes out, having two others."""
    return 2 <= len(_ordered_attributes(kinds)) < len(kinds)


def _ordered_attributes(kinds: Mapping[str, Kind]) -> list[str]:
    """Return the attributes that are numbers or have an order."""
    return [name for name, kind in kinds.items() if kind is not Kind.NOMINAL]


def principal_plane_components(
    points: Points, kinds: Mapping[str, Kind]
) -> PrincipalComponents:
    """Return two principal components, of non-nominal attributes if two or more.

    Parameters
    ----------
    kinds : mapping of str to Kind
        Of their attributes.
    """
    if not do_components_omit_categories(kinds):
        return principal_components(points.X)
    numbers = _ordered_attributes(kinds)
    names = [attribute.name for attribute in points.space.attributes]
    drawn = points.space.coordinates_of([names.index(name) for name in numbers])
    return principal_components(points.X[:, drawn])


def component_axis(
    components: PrincipalComponents, number: int, omits_categories: bool = False
) -> PlaneAxis:
    """Return scores and title of a principal component, counted from 0, as an axis.

    Parameters
    ----------
    components : PrincipalComponents
    number : int
    omits_categories : bool
        Whether there are categories too, of which the components tell nothing.
    """
    words = _("Component {number} ({share} % of the variance)")
    if omits_categories:
        words = _("Numbers, component {number} ({share} %)")
    title = words.format(
        number=number + 1, share=f"{100.0 * components.shares[number]:.0f}"
    )
    if (
        number and components.shares[number] == 0.0
    ):  # of a single attribute there is one component
        title = ""
    return PlaneAxis(components.scores[:, number], title, None)


def attribute_axis(
    attribute: AttributeInfo, values: Values, rows: Integers
) -> PlaneAxis:
    """Return the axis of an attribute: numbers unchanged, categories at equal steps.

    Numbers are where they are. Categories stand side by side, the most frequent first
    and words with an order in it, the records of each spread about its place; missing
    values stand before all others.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
        Numbers of the attribute, of the whole table; missing ones are NaN.
    rows : ndarray of int64, shape (n_records,)
        Rows of the records that are drawn.
    """
    positions = values[rows]
    if attribute.words is not None:
        return _category_axis(attribute, positions)
    missing = np.isnan(positions)
    ticks: tuple[Tick, ...] = ()
    known_values = positions[~missing]
    if attribute.dates and known_values.size:
        days = np.linspace(known_values.min(), known_values.max(), 5)
        ticks = tuple(
            (float(day), f"{UNIX_EPOCH + day * ONE_DAY:%Y-%m-%d}") for day in days
        )
    if missing.any():
        low = float(known_values.min()) if known_values.size else 0.0
        reach = float(np.ptp(known_values)) if known_values.size else 0.0
        aside = low - 0.08 * (reach or 1.0)
        positions = np.where(missing, aside, positions)
        round_places = np.linspace(low, low + reach, 5)
        ticks = ticks or tuple((float(at), f"{at:.4g}") for at in round_places)
        ticks = ((aside, _("missing")), *ticks)
    return PlaneAxis(positions, shorten_label(attribute.name, MAX_TITLE_CHARS), ticks)


def _category_axis(attribute: AttributeInfo, here: Values) -> PlaneAxis:
    assert attribute.words is not None
    missing = np.isnan(here)
    codes, counts = np.unique(here[~missing], return_counts=True)
    if attribute.is_nominal:
        codes = codes[np.argsort(-counts, kind="stable")]
        title = _("{column}, most frequent first")
    else:
        title = _("{column}, in order")
    place_of = {float(code): float(at) for at, code in enumerate(codes)}
    places = np.array([place_of.get(float(code), -1.0) for code in here])
    names = [str(attribute.words[int(code)]) for code in codes]
    step = max(1, -(-len(names) // MAX_TICKS))
    ticks = [(float(at), shorten_label(names[at])) for at in range(0, len(names), step)]
    if missing.any():
        ticks.insert(0, (-1.0, _("missing")))
    # The same every time, so that a record stays where it is.
    aside = np.random.default_rng(0).uniform(
        -CATEGORY_SPREAD, CATEGORY_SPREAD, here.size
    )
    return PlaneAxis(
        places + aside,
        title.format(column=shorten_label(attribute.name, MAX_TITLE_CHARS)),
        tuple(ticks),
    )


def shorten_label(name: str, max_chars: int = MAX_TICK_CHARS) -> str:
    """Return a name, cut to max_chars characters with an ellipsis if longer."""
    return name if len(name) <= max_chars else f"{name[: max_chars - 1]}…"
