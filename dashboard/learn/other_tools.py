"""Losses of sdcMicro's methods as run here and of one of ours: table and sentences."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard.charts.inputs import ResultFigures
from dashboard.i18n.language import _
from engine.methods import methods
from engine.methods.descriptions.elsewhere import FOREIGN_METHODS

TOOL_NAME = "sdcMicro"

TOOL_METHOD_NAMES: Mapping[str, str] = {
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
"""Names in sdcMicro of methods here; sdcMicro lacks the last one."""


def name_in_sdcmicro(method: str) -> str:
    """Return ``sdcMicro`` and a compared method's name there, or empty text if none."""
    return (
        f"{TOOL_NAME} {TOOL_METHOD_NAMES[method]}" if TOOL_METHOD_NAMES[method] else ""
    )


def method_loss_table(figures_by_method: Mapping[str, ResultFigures]) -> pd.DataFrame:
    """Return a data frame with a row per compared method: names, loss, k and seconds.

    Parameters
    ----------
    figures_by_method : mapping of str to ResultFigures
        By method; what has not run is left empty. Least loss comes first.
    """
    lines = [
        {
            _("In the other tool"): name_in_sdcmicro(name) or _("only here"),
            _("Method"): _(methods.info(name).title),
            _("IL (%)"): None if row is None else row.loss,
            _("k as released"): None if row is None else row.k_released,
            _("Seconds"): None if row is None else row.seconds,
        }
        for name in TOOL_METHOD_NAMES
        for row in (figures_by_method.get(name),)
    ]
    frame = pd.DataFrame(lines)
    return frame.sort_values(_("IL (%)"), kind="stable", ignore_index=True)


def missing_method_sentences() -> list[str]:
    """Return a sentence for each listed method of sdcMicro that this program lacks."""
    return [_(method.message) for method in FOREIGN_METHODS.values()]


def best_sdcmicro_method_and_relative_loss(
    figures_by_method: Mapping[str, ResultFigures],
) -> tuple[str, float] | None:
    """Return name and relative loss of sdcMicro's best method that keeps k, or None."""
    losses = {name: row.loss for name, row in figures_by_method.items() if row.keeps_k}
    tool_methods = [name for name in losses if TOOL_METHOD_NAMES[name]]
    if not 0 < len(tool_methods) < len(losses) or min(losses.values()) <= 0:
        return None
    best = min(tool_methods, key=lambda name: losses[name])
    return name_in_sdcmicro(best), losses[best] / min(losses.values())
