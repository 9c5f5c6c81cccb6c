"""Verdicts on printed figures, and figures as they were printed."""

from __future__ import annotations

from dashboard.i18n.language import _
from dashboard.i18n.text_learn import VERDICTS
from engine.analysis.literature import Printed
from engine.analysis.reproduce import Row, kind_of
from engine.methods import methods

EQUAL, CLOSE, LOWER, HIGHER, IMPOSSIBLE = VERDICTS

_KINDS = {
    "equal": EQUAL,
    "close": CLOSE,
    "lower": LOWER,
    "higher": HIGHER,
    "impossible": IMPOSSIBLE,
}


def verdict_kind(row: Row) -> str:
    """Return which of the verdicts a row has."""
    return _KINDS[kind_of(row)]


def method_title(method: str) -> str:
    """Return a method's name on screen; the identifier where it is not here."""
    return _(methods.info(method).title) if method in methods else method


def sentence(words: str) -> str:
    """Return words with a capital at the beginning."""
    return words[:1].upper() + words[1:]


def as_printed(value: float, cell: Printed) -> str:
    """Return a value with as many digits as a cell was printed with."""
    return f"{value:.{cell.digits}f}"


def signed(value: float) -> str:
    """Return a difference with its sign; none where it rounds to nothing."""
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text
