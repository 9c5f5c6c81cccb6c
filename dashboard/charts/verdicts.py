"""Texts on published losses in charts and tables: verdicts, methods, digits."""

from __future__ import annotations

from dashboard.i18n.language import _
from dashboard.i18n.text_learn import VERDICTS
from engine.analysis.published.literature import PrintedCell
from engine.analysis.published.reproduce import ComparisonRow, verdict_of_comparison
from engine.methods import methods

EQUAL, SLIP, CLOSE, LOWER, HIGHER, IMPOSSIBLE = VERDICTS.values()


def verdict_label(comparison: ComparisonRow) -> str:
    """Return the label of the verdict on a printed loss and ours."""
    return VERDICTS[verdict_of_comparison(comparison)]


def published_method_title(method_id: str) -> str:
    """Return a method's title, or its identifier if this program lacks it."""
    return _(methods.info(method_id).title) if method_id in methods else method_id


def dataset_title(dataset: str) -> str:
    """Return the displayed name of a reference table."""
    return dataset.upper() if dataset == "eia" else dataset.capitalize()


def format_as_printed(value: float, printed_cell: PrintedCell) -> str:
    """Return a value as text, with as many decimals as a printed one."""
    return f"{value:.{printed_cell.decimals}f}"


def format_difference(value: float) -> str:
    """Return a difference as text with its sign; ``0.00`` if it rounds to zero."""
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text
