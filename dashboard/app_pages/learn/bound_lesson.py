"""The lesson on effort: the bound that it comes to, and the proof to take home."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import Picture
from dashboard.charts.lesson_bound import bound_picture
from dashboard.i18n import text_lessons
from dashboard.i18n.language import _
from dashboard.learn.glossary import help_of
from dashboard.learn.lessons import effort, groups, tables
from dashboard.state import session
from dashboard.ui import check_certificate


@st.fragment
def show_bound() -> None:
    """Show what effort gains, and where nothing can be gained any more."""
    dial = lesson_layout.Dial(
        "bound",
        _("Effort"),
        effort.STEPS,
        effort.STEPS[0],
        help_of("iterated"),
        tables.effort_name,
    )
    tried = [effort.after(one) for one in effort.STEPS if one <= dial.value]
    now, names = tried[-1], list(map(tables.effort_name, effort.STEPS))
    with lesson_layout.board(
        "bound",
        Picture(
            bound_picture(tried, names, effort.bounds()),
            _("Bars of losses after some effort, and lines of the lower bounds"),
        ),
    ):
        words = _(text_lessons.BOUND_TELLS)
        lesson_layout.show_text(words.format(count=groups.PATIENTS, k=effort.K))
        slot = st.container()
        closed = f"{now.gap:.1f}" == "0.0"
        lesson_layout.show_text(
            _(text_lessons.BOUND_DONE if closed else text_lessons.BOUND_ASKS)
        )
        with lesson_layout.figures():
            lesson_layout.loss(now.loss)
            lesson_layout.figure(
                _("Gap"), f"{abs(now.gap):.1f} %", help_of("gap"), lower=True
            )
        if closed:
            _show_proof()
        lesson_layout.show_footer("bound", tables.effort_table)
    dial.slide(slot)


def _show_proof() -> None:
    """Check the certificate of the best groups; offer it, and the file it is about."""
    with st.container(horizontal=True):
        asked = st.button(
            _("Check the proof in this browser"),
            key=session.key("lesson proof"),
            icon=":material/rule:",
        )
        with st.popover(_("Take the proof home"), icon=":material/verified:"):
            st.markdown(_(text_lessons.BOUND_PROOF))
            for label, name, data in (
                (_("Certificate (JSON)"), "certificate.json", _certificate),
                (_("Patients (CSV)"), "patients.csv", _patients),
            ):
                st.download_button(
                    label,
                    data,
                    name,
                    key=session.key("lesson proof", name),
                    on_click="ignore",
                    icon=":material/download:",
                )
    if asked:
        check_certificate.show_given(_certificate(), _patients())


def _certificate() -> bytes:
    return effort.certified().certificate


def _patients() -> bytes:
    return effort.certified().file
