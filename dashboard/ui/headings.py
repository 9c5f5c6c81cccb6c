"""Tooltips of table headings, from the glossary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.i18n.language import _, current
from dashboard.learn.glossary import glossary_tooltip
from engine.measures import measures

HEADINGS_BY_ENTRY: Mapping[str, tuple[str, ...]] = {
    "information-loss": (
        "IL (%)",
        "Information loss",
        "Our IL (%)",
        "Ours, raw",
        "MDAV, raw",
        "Ours, z-scored",
        "MDAV, z-scored",
    ),
    "printed": ("Printed IL (%)",),
    "difference": ("Difference (%)",),
    "lower-bound": ("Lower bound (%)", "Lower bound", "Bound, raw", "Bound, z-scored"),
    "bound-kind": ("Bound",),
    "gap": ("Avoidable at most (%)", "Optimality gap"),
    "certainty-penalty": ("NCP (%)", "Certainty penalty"),
    "average-class-size": ("C_avg",),
    "discernibility": ("DM",),
    "lost": ("Lost (%)", "Lost in this run (%)", "Lost now (%)", "Measured by"),
    "shares": (
        "Share of the loss (%)",
        "Share of its loss (%)",
        "Share of all loss (%)",
    ),
    "reach": ("Farthest record",),
    "k": ("k",),
    "k-anonymity": ("k as released",),
    "keeps-k": ("Keeps k",),
    "efficient": ("Efficient",),
    "record": ("Record", "Records"),
    "attribute": ("Attribute", "Column"),
    "group": ("Group", "Groups"),
    "group-size": ("Group size", "Group sizes"),
    "smallest": ("Smallest",),
    "mean-size": ("Mean size",),
    "largest": ("Largest",),
    "expected-size": ("Expected size",),
    "below-k": ("Below k (%)",),
    "seconds": ("Seconds",),
    "scaling": ("Scaling",),
    "method": ("Method",),
    "direction": ("Direction",),
    "baseline": ("Compare with",),
    "interval-95": ("95 % from", "95 % to"),
    "components": ("Centre, component 1", "Centre, component 2"),
    "centre": ("Mean distance to centre",),
}
"""Headings of figures and columns, in English, by the entry that explains them."""

_OF_K = re.compile(r"k = \d+( \(%\))?")


@lru_cache
def _heading_tooltips(_language: str) -> Mapping[str, str]:
    """Return the tooltips of all known headings in the language in use."""
    tooltips = {
        _(heading): glossary_tooltip(name)
        for name, headings in HEADINGS_BY_ENTRY.items()
        for heading in headings
    }
    for info in measures.infos():
        title, unit = _(info.title), _(info.unit)
        tooltips[title] = tooltips[f"{title} ({unit})"] = glossary_tooltip(info.id)
    return tooltips


def heading_tooltips_config(
    frame: pd.DataFrame, column_config: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return Streamlit column settings with glossary tooltips added to headings.

    Parameters
    ----------
    column_config : mapping of str to column configuration, optional
        By heading: its format, or a tooltip of its own.
    """
    tips, configs = _heading_tooltips(current()), dict(column_config or {})
    for heading in map(str, frame.columns):
        tip = (
            glossary_tooltip("k") if _OF_K.fullmatch(heading) else tips.get(heading, "")
        )
        if tip:
            config = configs.get(heading, {})
            configs[heading] = {**st.column_config.Column(help=tip), **_set(config)}
    return configs


def show_table_with_tooltips(frame: pd.DataFrame, key: str, **options: Any) -> None:
    """Show a table, with a tooltip at each heading that the glossary has.

    Parameters
    ----------
    key : str
    **options : object
        As for :func:`streamlit.dataframe`.
    """
    columns = heading_tooltips_config(frame, options.pop("column_config", None))
    # What is not there, people read as nothing and not as a word of a program.
    options = {"placeholder": ""} | options
    st.dataframe(frame, hide_index=True, key=key, column_config=columns, **options)


def _set(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return only what a column configuration says, without what it leaves open."""
    return {name: value for name, value in config.items() if value is not None}
