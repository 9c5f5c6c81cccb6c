"""Facts on how much of each column survives, in plain words."""

from __future__ import annotations

import math
import re
from typing import Any

from engine.core.message import Message, join_messages
from engine.pipeline.column_survival import ColumnSurvival
from engine.pipeline.outcome import Outcome

_UNIT_NAMES = (
    *("mm", "cm", "m", "km", "g", "kg", "t", "l", "ml", "m2", "qm", "ha", "kwh"),
    *("eur", "usd", "chf", "gbp", "years", "months", "days", "hours", "min", "pct"),
)
_UNIT_PATTERN = re.compile(
    rf"[\[(]\s*(?!\d+\s*[\])])([^\[\]()]{{1,12}}?)\s*[\])]\s*$|_({'|'.join(_UNIT_NAMES)})$",
    re.IGNORECASE,
)
"""Units that people write behind a column's name: ``height (cm)``, ``weight_kg``."""


def column_survival_facts(outcome: Outcome) -> list[dict[str, Any]]:
    """Return a list of dicts of facts on released columns, protected columns first."""
    quasi = outcome.plan.quasi_identifiers
    names = sorted(outcome.survived, key=lambda name: name not in quasi)
    return [
        {
            "name": name,
            "protected": name in quasi,
            "shares": dict(outcome.survived[name].shares),
            "before": outcome.survived[name].before,
            "after": outcome.survived[name].after,
            "lost": outcome.survived[name].is_lost,
            "words": column_survival_message(
                name, outcome.survived[name], name in quasi
            ),
        }
        for name in names
    ]


def column_survival_message(
    name: str, survival: ColumnSurvival, protected: bool = True
) -> Message:
    """Return in a few words how protection changed a column, in its unit."""
    if not protected:
        return Message("as it is")
    if survival.kept == 1.0:
        return Message("all values as they were")
    messages = [_change(name, survival)]
    if survival.generalised:
        messages.append(
            Message("{share} % coarser", share=format_per_cent(survival.generalised))
        )
    if survival.gone:
        messages.append(Message("{share} % gone", share=format_per_cent(survival.gone)))
    if survival.before == "whole number" and survival.after == "number":
        messages.append(Message("with decimals now"))
    if survival.within_persons is not None:
        messages.append(
            Message(
                "variance within persons {share} % of what it was",
                share=format_per_cent(survival.within_persons),
            )
        )
    return join_messages(messages, ", ")


def _change(name: str, survival: ColumnSurvival) -> Message:
    if survival.average_change is None:
        if not survival.changed:
            return Message("")
        return Message("{share} % changed", share=format_per_cent(survival.changed))
    if survival.before == "date":
        days = survival.average_change
        if days < 1.0:
            return Message(
                "changed by {hours} hours on average",
                hours=format_two_digits(24.0 * days),
            )
        return Message(
            "changed by {days} days on average", days=format_two_digits(days)
        )
    change = join_messages(
        [format_two_digits(survival.average_change), unit_in_name(name)]
    )
    if survival.has_numbers_as_text:
        return Message("middles of intervals {change} off on average", change=change)
    return Message("changed by {change} on average", change=change)


def unit_in_name(name: str) -> str:
    """Return the unit at the end of a column's name; empty if there is none.

    A year or another number in brackets is none.

    Examples
    --------
    >>> unit_in_name("height (cm)"), unit_in_name("weight_kg"), unit_in_name("income")
    ('cm', 'kg', '')
    >>> unit_in_name("sales (1000 EUR)"), unit_in_name("sales (2)")
    ('1000 EUR', '')
    """
    unit_match = _UNIT_PATTERN.search(name)
    if unit_match is None:
        return ""
    unit = unit_match.group(1) or unit_match.group(2)
    return "%" if unit == "pct" else unit


def format_per_cent(share: float) -> str:
    """Return a share in per cent, "0" only for 0, and "100" for nothing less.

    Of a ratio, which may pass 1, no more than ten times is told.

    Examples
    --------
    >>> [format_per_cent(share) for share in (0.034, 0.0001, 0.9999, 1.0, 1371.5)]
    ['3', 'less than 1', 'more than 99', '100', 'more than 1,000']
    """
    value = 100.0 * share
    if 0.0 < value <= 0.5:
        return Message("less than 1")
    if 99.5 <= value < 100.0:
        return Message("more than 99")
    if value > 1000.0:
        return Message("more than 1,000")
    return f"{value:.0f}"


def format_two_digits(value: float) -> str:
    """Return a number as text, rounded to two significant digits.

    Examples
    --------
    >>> [format_two_digits(x) for x in (1.8734, 9.96, 12345.6, 0.0, 0.00456)]
    ['1.9', '10', '12,000', '0', '0.0046']
    """
    if value == 0.0:
        return "0"
    rounded = float(f"{value:.1e}")  # which may have a digit more: 9.96 is 10
    places = 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(0, places)}f}"
