"""Verdicts on published figures, and their printed form."""

from __future__ import annotations

from dashboard.i18n.language import _, capitalize_first
from dashboard.i18n.text_learn import VERDICTS
from engine.analysis.literature import PrintedCell
from engine.analysis.reproduce import ComparisonRow, verdict_kind
from engine.methods import methods

EQUAL, SLIP, CLOSE, LOWER, HIGHER, IMPOSSIBLE = VERDICTS

_VERDICT_LABELS = {
    "equal": EQUAL,
    "slip": SLIP,
    "close": CLOSE,
    "lower": LOWER,
    "higher": HIGHER,
    "impossible": IMPOSSIBLE,
}


def verdict_of_row(row: ComparisonRow) -> str:
    """Return which of the verdicts a row has."""
    return _VERDICT_LABELS[verdict_kind(row)]


def method_title(method: str) -> str:
    """Return a method's name on screen; the identifier where it is not here."""
    return _(methods.info(method).title) if method in methods else method


def table_title(dataset: str) -> str:
    """Return a reference table's name on screen."""
    return dataset.upper() if dataset == "eia" else dataset.capitalize()


def capitalise_sentence(words: str) -> str:
    """Return words with a capital at the beginning."""
    return capitalize_first(words)


def format_as_printed(value: float, cell: PrintedCell) -> str:
    """Return a value with as many digits as a cell was printed with."""
    return f"{value:.{cell.decimals}f}"


def format_signed(value: float) -> str:
    """Return a difference with its sign; none where it rounds to nothing."""
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text
