"""What the methods of other tools lose on a table, beside those to take instead."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard.charts.inputs import Facts
from dashboard.i18n import text_learn
from dashboard.i18n.language import _
from engine.methods import methods
from engine.methods.elsewhere import ELSEWHERE

TOOL = "sdcMicro"

NAMES: Mapping[str, str] = {
    "simple": "simple",
    "single": "single",
    "pca": "pca",
    "mcdpca": "mcdpca",
    "influence": "influence",
    "individual-ranking": "onedims",
    "rmd": "rmd",
    "mdav-generic": "mdav",
    "refined": "",
}
"""Methods here, by what they are called there; the last one is not there."""


def there(name: str) -> str:
    """Return what a method here is called there; empty where it is not there."""
    return f"{TOOL} {NAMES[name]}" if NAMES[name] else ""


def losses(found: Mapping[str, Facts]) -> pd.DataFrame:
    """Return a line for every name: what it is here and what it loses.

    Parameters
    ----------
    found : mapping of str to Facts
        By method; what has not run is left empty. Least loss comes first.
    """
    lines = [
        {
            _(text_learn.THERE): there(name) or _(text_learn.ONLY_HERE),
            _("Method"): _(methods.info(name).title),
            _("IL (%)"): found[name].loss if name in found else None,
            _("k as released"): found[name].k_released if name in found else None,
            _("Seconds"): found[name].seconds if name in found else None,
        }
        for name in NAMES
    ]
    frame = pd.DataFrame(lines)
    return frame.sort_values(_("IL (%)"), kind="stable", ignore_index=True)


def missing_names() -> list[str]:
    """Return a sentence for each method of other tools that is not here."""
    return [_(one.message) for one in ELSEWHERE.values()]


def nearest(found: Mapping[str, Facts]) -> tuple[str, float] | None:
    """Return what loses least there, of those that keep k, and how often the least."""
    kept = {name: row.loss for name, row in found.items() if row.keeps_k}
    known = [name for name in kept if NAMES[name]]
    if not 0 < len(known) < len(kept) or min(kept.values()) <= 0:
        return None
    best = min(known, key=lambda name: kept[name])
    return there(best), kept[best] / min(kept.values())
