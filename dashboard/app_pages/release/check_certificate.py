"""A certificate is checked in the browser, by a program that knows nothing of this."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.state import session
from engine.certificate import certify

_STYLE = """
.check, label { display: flex; flex-direction: column; gap: 0.4rem; }
.check { font: 0.875rem var(--st-font); color: var(--st-text-color); }
input { font: inherit; max-width: 100%; }
p { margin: 0; overflow-wrap: anywhere; }
.right::before { content: "\\2713\\00a0"; color: var(--st-green-text-color); }
.wrong::before { content: "\\2717\\00a0"; color: var(--st-red-text-color); }
"""

SCRIPT = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (
        Path(certify.__file__).with_suffix(".js"),
        Path(__file__).with_suffix(".js"),
    )
)
"""The checker, and what shows its answer."""

_check = st.components.v2.component(
    "coterie_check_certificate",
    html='<div class="check"></div>',
    css=_STYLE,
    js=SCRIPT,
)


def words() -> dict[str, str]:
    """Return what is said, with values in braces."""
    return {
        "certificate": _("Certificate (JSON)"),
        "file": _("The file that was protected"),
        "checking": _("Checking"),
        "wrong": _("Does not hold: {why}."),
        "right": _(text_measures.CERTIFICATE_RIGHT),
        "best": _(text_measures.CERTIFICATE_BEST),
        "taken": _(text_measures.CERTIFICATE_TAKEN),
    }


def show() -> None:
    """Ask for a certificate and its file, and say whether it holds."""
    st.caption(_("Both files stay in your browser."))
    _check(key=session.key("check certificate"), data=words(), height="content")
