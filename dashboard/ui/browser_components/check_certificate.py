"""Certificate check that runs in the browser, with the independent checker."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.state import session
from engine.certificate import certify
from engine.pipeline.outcome import Outcome


def certificate_checker_script() -> str:
    """Return the certificate checker's JavaScript, with all its modules joined."""
    place = Path(certify.__file__).parent
    names = ("certify_file", "certify_archive", "certify_columns", "certify")
    texts = [(place / f"{name}.js").read_text(encoding="utf-8") for name in names]
    imports = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
    return imports.sub("", "".join(texts))


CHECK_SCRIPT = certificate_checker_script() + Path(__file__).with_suffix(
    ".js"
).read_text(encoding="utf-8")
"""The checker, and what shows its answer."""

_check = st.components.v2.component(
    "coterie_check_certificate",
    html='<div class="check"></div>',
    css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    js=CHECK_SCRIPT,
)


def certificate_check_texts() -> dict[str, str]:
    """Return the texts of the certificate check by name, with braces for values."""
    labels = {
        "certificate": _("Certificate (JSON)"),
        "file": _("The original file"),
        "checking": _("Checking"),
        "wrong": _("Does not hold: {why}."),
    }
    texts = text_measures.CERTIFICATE_CHECK.items()
    return labels | {name: _(words) for name, words in texts}


def show_check_of_given_files(certificate: bytes, file: bytes) -> None:
    """Check a certificate against its file in the browser, and show the verdict.

    Parameters
    ----------
    certificate : bytes
        JSON.
    file : bytes
        A delimited text.
    """
    texts = [certificate.decode(), file.decode()]
    data = certificate_check_texts() | {"given": texts}
    _check(key=session.widget_key("check given"), data=data, height="content")


def show_certificate_check(outcome: Outcome) -> None:
    """Ask for a certificate and its file, check them in the browser, show the verdict.

    Parameters
    ----------
    outcome : Outcome
        The result that is looked at: people are told where a certificate is of another.
    """
    st.caption(_("Both files stay in your browser."))
    data = certificate_check_texts() | {
        "k": outcome.plan.k,
        "loss": outcome.information_loss,
    }
    _check(key=session.widget_key("check certificate"), data=data, height="content")
