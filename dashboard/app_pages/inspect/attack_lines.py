"""Attack results sorted, as lines of HTML with bars, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from dashboard.results.attack_verdicts import (
    attack_rates_text,
    attack_sentence,
    attack_verdict_and_sign,
)
from engine.analysis.attacks import AttackResult, attacks
from engine.measures.judge import Sign

COLOURS: dict[Sign, str] = {
    "good": "#009E73",
    "watch": "#E69F00",
    "bad": "#C1272D",
    "open": "#8A8F98",
}
SHAPES: dict[Sign, str] = {"good": "✓", "watch": "●", "bad": "✕", "open": "–"}
"""Beside the colours, for those who do not see them."""

_GRID = "display:grid;grid-template-columns:1.1rem minmax(10rem,3fr) 9.5rem 3fr"


def sort_attacks_by_gain(attack_results: Sequence[AttackResult]) -> list[AttackResult]:
    """Return attack results sorted by gain over the control, largest first."""
    return sorted(attack_results, key=lambda attack_result: -attack_result.gain)


def attack_lines_html(attack_results: Sequence[AttackResult], k: int) -> str:
    """Return attack results as an HTML table of lines with bars, coloured by verdict.

    Parameters
    ----------
    attack_results : sequence of AttackResult
    k : int
        That of the release, beside which the verdict judges some attacks.
    """
    title = escape(_("Attacks"))
    head = "".join(
        f'<span role="columnheader">{escape(heading)}</span>'
        for heading in ("", _("An intruder …"), _("succeeds in"), _(text_attacks.KEYS))
    )
    return (
        f'<div role="table" aria-label="{title}" style="font-size:0.9rem">'
        f'<div role="row" style="{_GRID};gap:0 0.7rem;opacity:0.75;'
        f'font-size:0.85em">{head}</div>'
        f"{''.join(_line_html(result, k) for result in attack_results)}</div>"
    )


def _line_html(result: AttackResult, k: int) -> str:
    verdict, sign = attack_verdict_and_sign(result, k)
    label = escape(attack_sentence(result, k))
    sentence, bar = f'<span style="opacity:0.75">{label}</span>', ""
    if result.attempts:
        sentence = escape(attack_rates_text(result))
        bar = _bar(result, COLOURS[sign])
    return (
        f'<div role="row" title="{label}" '
        f'style="{_GRID};gap:0 0.7rem;align-items:center;'
        f'padding:0.22rem 0;border-top:1px solid rgba(128,128,128,0.2)">'
        f'<span role="cell" aria-label="{escape(verdict)}" '
        f'style="color:{COLOURS[sign]};font-weight:700">{SHAPES[sign]}</span>'
        f'<span role="rowheader">{escape(_(attacks.info(result.attack).does))}</span>'
        f'<span role="cell" style="font-size:0.86em;line-height:1.2">{sentence}</span>'
        f'<span role="cell"><span role="img" aria-label="{label}" '
        f'style="position:relative;display:block;height:1rem;'
        f'background:rgba(128,128,128,0.13)">{bar}</span></span></div>'
    )


def _bar(result: AttackResult, colour: str) -> str:
    """Return the rate as a bar, its interval, and the control with its own."""
    low, high = (100.0 * end for end in result.interval)
    lower, upper = (100.0 * end for end in result.control_interval)
    rate, control = 100.0 * result.rate, 100.0 * result.control
    place = "position:absolute;display:block"
    return (
        f'<span style="{place};left:0;top:0.2rem;height:0.6rem;background:{colour};'
        f'opacity:0.75;width:{rate:.2f}%"></span>'
        f'<span style="{place};left:{low:.2f}%;width:{max(high - low, 0.2):.2f}%;'
        f'top:0.45rem;height:0.1rem;background:currentColor"></span>'
        f'<span style="{place};left:{lower:.2f}%;width:{max(upper - lower, 0.2):.2f}%;'
        f'top:0.3rem;height:0.4rem;background:#8A8F98;opacity:0.5"></span>'
        f'<span style="{place};left:calc({control:.2f}% - 0.25rem);top:0.25rem;'
        f"width:0.5rem;height:0.5rem;background:currentColor;"
        f'transform:rotate(45deg)"></span>'
    )


def attack_results_table(attack_results: Sequence[AttackResult]) -> pd.DataFrame:
    """Return a table of attacks tried: rates and controls in per cent, and numbers."""
    tried = [row for row in attack_results if row.attempts]
    return pd.DataFrame(
        {
            _("Attack"): [_(attacks.info(row.attack).title) for row in tried],
            _("Rate (%)"): [100.0 * row.rate for row in tried],
            _("From (%)"): [100.0 * row.interval[0] for row in tried],
            _("To (%)"): [100.0 * row.interval[1] for row in tried],
            _("Control (%)"): [100.0 * row.control for row in tried],
            _("Attempts"): [row.attempts for row in tried],
            _("Records that fall"): [row.fallen.size for row in tried],
        }
    )
