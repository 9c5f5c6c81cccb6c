"""Attack results sorted, as lines of HTML with bars, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

from dashboard.i18n import text_attacks
from dashboard.i18n.language import _
from engine.analysis.attacks import AttackResult, attacks

GRADE_COLOURS = {
    "none": "#009E73",
    "slight": "#E69F00",
    "clear": "#D55E00",
    "most": "#C1272D",
    "nothing": "#8A8F98",
}
GRADE_SIGNS = {"none": "✓", "slight": "●", "clear": "▲", "most": "✕", "nothing": "–"}
"""Beside the colours, for those who do not see them."""

_GRID = "display:grid;grid-template-columns:1.1rem minmax(10rem,3fr) 9.5rem 3fr"


def sort_attacks_by_gain(attack_results: Sequence[AttackResult]) -> list[AttackResult]:
    """Return attack results sorted by gain over the control, largest first."""
    return sorted(attack_results, key=lambda attack_result: -attack_result.gain)


def _format_rate(value: float) -> str:
    """Return a rate with one decimal below ten, and whole above."""
    return f"{value:.1f}" if 0.0 < value < 9.95 else f"{value:.0f}"


def attack_lines_html(attack_results: Sequence[AttackResult]) -> str:
    """Return attack results as an HTML table of lines with bars."""
    title = escape(_("Attacks"))
    head = "".join(
        f'<span role="columnheader">{escape(heading)}</span>'
        for heading in ("", _("An intruder …"), _("succeeds in"), _(text_attacks.KEYS))
    )
    return (
        f'<div role="table" aria-label="{title}" style="font-size:0.9rem">'
        f'<div role="row" style="{_GRID};gap:0 0.7rem;opacity:0.75;'
        f'font-size:0.85em">{head}</div>'
        f"{''.join(map(_line_html, attack_results))}</div>"
    )


def _line_html(result: AttackResult) -> str:
    colour, verdict = GRADE_COLOURS[result.grade], text_attacks.VERDICTS[result.grade]
    if result.attempts:
        words = _("{rate} of 100, by guessing {control}").format(
            rate=_format_rate(100.0 * result.rate),
            control=_format_rate(100.0 * result.control),
        )
        label, sentence = escape(f"{_(verdict)}: {words}"), escape(words)
        bar = _bar(result, colour)
    else:
        label = escape(_(result.verdict_text))
        sentence, bar = f'<span style="opacity:0.75">{label}</span>', ""
    return (
        f'<div role="row" title="{label}" '
        f'style="{_GRID};gap:0 0.7rem;align-items:center;'
        f'padding:0.22rem 0;border-top:1px solid rgba(128,128,128,0.2)">'
        f'<span role="cell" aria-label="{escape(_(verdict))}" '
        f'style="color:{colour};font-weight:700">{GRADE_SIGNS[result.grade]}</span>'
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
