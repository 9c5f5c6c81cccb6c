"""Tooltips of table headings, from the glossary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.i18n.language import _, current
from dashboard.learn.glossary import glossary_tooltip
from engine.measures import measures

HEADING_ENTRIES = MappingProxyType(
    {
        "IL (%)": "information-loss",
        "Information loss": "information-loss",
        "Our IL (%)": "information-loss",
        "Ours, raw": "information-loss",
        "MDAV, raw": "information-loss",
        "Ours, z-scored": "information-loss",
        "MDAV, z-scored": "information-loss",
        "Printed IL (%)": "printed",
        "Difference (%)": "difference",
        "Lower bound (%)": "lower-bound",
        "Lower bound": "lower-bound",
        "Bound, raw": "lower-bound",
        "Bound, z-scored": "lower-bound",
        "Bound": "bound-kind",
        "Gap (%)": "gap",
        "Avoidable at most (%)": "gap",
        "Gap": "gap",
        "NCP (%)": "certainty-penalty",
        "Certainty penalty": "certainty-penalty",
        "C_avg": "average-class-size",
        "DM": "discernibility",
        "Lost (%)": "lost",
        "Lost in this run (%)": "lost",
        "Lost now (%)": "lost",
        "Measured by": "lost",
        "Share of the loss (%)": "shares",
        "Share of its loss (%)": "shares",
        "Share of all loss (%)": "shares",
        "Farthest record": "reach",
        "k": "k",
        "k as released": "k-anonymity",
        "Keeps k": "keeps-k",
        "Efficient": "efficient",
        "Record": "record",
        "Records": "record",
        "Attribute": "attribute",
        "Column": "attribute",
        "Group": "group",
        "Groups": "group",
        "Group size": "group-size",
        "Group sizes": "group-size",
        "Smallest": "smallest",
        "Mean size": "mean-size",
        "Largest": "largest",
        "Expected size": "expected-size",
        "Below k (%)": "below-k",
        "Seconds": "seconds",
        "Scaling": "scaling",
        "Method": "method",
        "Direction": "direction",
        "Compare with": "baseline",
        "95 % from": "interval-95",
        "95 % to": "interval-95",
        "Centre, component 1": "components",
        "Centre, component 2": "components",
        "Mean distance to centre": "centre",
    }
)
"""Headings of figures and columns, in English, and the entry that explains each."""

_OF_K = re.compile(r"k = \d+( \(%\))?")


@lru_cache
def _heading_tooltips(_language: str) -> Mapping[str, str]:
    """Return the tooltips of all known headings in the language in use."""
    found = {
        _(heading): glossary_tooltip(name) for heading, name in HEADING_ENTRIES.items()
    }
    for info in measures.infos():
        title, unit = _(info.title), _(info.unit)
        found[title] = found[f"{title} ({unit})"] = glossary_tooltip(info.id)
    return found


def heading_tooltips_config(
    frame: pd.DataFrame, column_config: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return Streamlit column settings with glossary tooltips added to headings.

    Parameters
    ----------
    column_config : mapping of str to column configuration, optional
        By heading: its format, or a tooltip of its own.
    """
    tips, found = _heading_tooltips(current()), dict(column_config or {})
    for heading in map(str, frame.columns):
        tip = (
            glossary_tooltip("k") if _OF_K.fullmatch(heading) else tips.get(heading, "")
        )
        if tip:
            own = found.get(heading, {})
            found[heading] = {**st.column_config.Column(help=tip), **_set(own)}
    return found


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
