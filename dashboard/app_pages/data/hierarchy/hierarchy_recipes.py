"""Recipes of hierarchies: propose, preview and build them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import pandas as pd

from dashboard.app_pages.data.hierarchy import hierarchies
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from engine.core.errors import EngineError, ParameterError
from engine.hierarchy import (
    DATE_LEVELS,
    Hierarchy,
    flat_hierarchy,
    from_dates,
    from_intervals,
    from_prefixes,
    index_and_list_distinct_texts,
)

RECIPE_KINDS = tuple(text.HIERARCHY_WAYS)
"""How a hierarchy comes about: identifiers."""


@dataclass(frozen=True)
class HierarchyRecipe:
    """Way to build a hierarchy, with its step, widths, cut points, periods and levels.

    Attributes
    ----------
    way : str
        One of :data:`RECIPE_KINDS`; a level file is read and not built.
    step : int
        Prefixes: characters left out from level to level.
    widths, cuts : str
        Intervals: numbers as typed; where `cuts` has any, widths do not matter.
    origin : float
        Intervals: where one of them begins.
    periods : tuple of str
        Dates: some of day, month, quarter, year.
    levels : int
        By hand: levels between the values and the root.
    """

    way: str
    step: int = 1
    widths: str = ""
    cuts: str = ""
    origin: float = 0.0
    periods: tuple[str, ...] = ("month", "quarter", "year")
    levels: int = 1


def propose_hierarchy_recipe(values: pd.Series) -> HierarchyRecipe:
    """Return a recipe for a hierarchy, proposed by the type and form of the values."""
    present = values.dropna()
    if pd.api.types.is_datetime64_any_dtype(present.dtype):
        whole_days = bool((present == present.dt.normalize()).all())
        periods = tuple(DATE_LEVELS)
        return HierarchyRecipe("dates", periods=periods[1:] if whole_days else periods)
    if pd.api.types.is_numeric_dtype(present.dtype) and present.nunique() > 10:
        return HierarchyRecipe("intervals", widths=_round_widths(present))
    texts = index_and_list_distinct_texts(present)[1]
    lengths = {len(value) for value in texts}
    codes = all(re.fullmatch(r"[\w-]*\d[\w-]*", value) for value in texts)
    if len(lengths) == 1 and lengths != {1} and codes and len(texts) > 3:
        return HierarchyRecipe("prefixes", widths=_round_widths(present))
    return HierarchyRecipe("flat", widths=_round_widths(present))


def _round_widths(values: pd.Series) -> str:
    """Return three round widths, each twice the one before, some 20 to 5 intervals."""
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return ""
    span = float(values.max()) - float(values.min())
    if not math.isfinite(span) or span <= 0:
        return "1, 2, 4"
    power = 10.0 ** math.floor(math.log10(span / 20))
    first = next(f * power for f in (1, 2, 5, 10) if f * power >= span / 20 * 0.9999)
    return ", ".join(f"{first * factor:g}" for factor in (1, 2, 4))


def build_hierarchy_from_recipe(
    values: pd.Series, recipe: HierarchyRecipe
) -> Hierarchy:
    """Return the hierarchy that a recipe builds from these values.

    Raises
    ------
    EngineError
        One sentence, if the values or the recipe do not allow it.
    """
    if recipe.way == "prefixes":
        longest = max(
            map(len, index_and_list_distinct_texts(values.dropna())[1]), default=0
        )
        return from_prefixes(values, range(longest - recipe.step, 0, -recipe.step))
    if recipe.way == "intervals":
        cuts = parse_number_list(recipe.cuts)
        widths = () if cuts else parse_number_list(recipe.widths)
        return from_intervals(values, widths, recipe.origin, cuts)
    if recipe.way == "dates":
        return from_dates(values, recipe.periods)
    tree = flat_hierarchy(values)
    if recipe.way == "hand":
        for _level in range(recipe.levels):
            tree = hierarchies.add_level(tree)
    return tree


def recipe_example_and_error(
    values: pd.Series, recipe: HierarchyRecipe
) -> tuple[str, str]:
    """Return one value's levels as an example, and an error text; each may be empty.

    Where there are too many values to build all at each keystroke, nothing is said.
    """
    if values.nunique() > hierarchies.MAX_EDITABLE_VALUES:
        return "", ""
    try:
        tree = build_hierarchy_from_recipe(values, recipe)
    except EngineError as error:
        return "", escape_text(_(error.message))
    row = tree.rows[len(tree.rows) // 2]
    levels = " → ".join(map(escape_text, row))
    return _("For instance {levels}").format(levels=levels), ""


def parse_number_list(text: str) -> tuple[float, ...]:
    """Return the numbers in a line such as ``5, 10, 20``.

    Raises
    ------
    ParameterError
        If one of them is no number.
    """
    numbers = []
    for word in re.split(r"[;,\s]+", text.strip()):
        try:
            numbers += [float(word)] if word else []
        except ValueError:
            raise ParameterError(
                _(
                    "{word} is no number: write numbers with commas between them and "
                    "decimals behind a point, such as 0.5, 1, 2."
                ).format(word=repr(word))
            ) from None
    return tuple(numbers)
