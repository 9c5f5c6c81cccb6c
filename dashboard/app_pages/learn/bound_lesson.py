"""Lesson on effort: the bound, and the certificate to take home."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import LessonPicture
from dashboard.charts.lesson_bound import draw_effort_picture
from dashboard.i18n import text_lessons
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_tooltip
from dashboard.learn.lessons import effort, groups, tables
from dashboard.state import session
from dashboard.ui import check_certificate


@st.fragment
def show_bound_lesson() -> None:
    """Show the lesson on what effort gains, and where the bound ends all gains."""
    dial = lesson_layout.LessonControl(
        "bound",
        _("Effort"),
        effort.EFFORT_STEPS,
        effort.EFFORT_STEPS[0],
        glossary_tooltip("iterated"),
        tables.label_effort,
    )
    tried = [
        effort.effort_result(one) for one in effort.EFFORT_STEPS if one <= dial.value
    ]
    now, names = tried[-1], list(map(tables.label_effort, effort.EFFORT_STEPS))
    with lesson_layout.show_lesson_pictures(
        "bound",
        LessonPicture(
            draw_effort_picture(tried, names, effort.lesson_bounds_by_name()),
            _("Bars of losses after some effort, and lines of the lower bounds"),
        ),
    ):
        words = _(text_lessons.BOUND_TELLS)
        lesson_layout.show_large_text(
            words.format(count=groups.N_PATIENTS, k=effort.EFFORT_K)
        )
        slot = st.container()
        closed = f"{now.gap:.1f}" == "0.0"
        lesson_layout.show_large_text(
            _(text_lessons.BOUND_DONE if closed else text_lessons.BOUND_ASKS)
        )
        with lesson_layout.large_number_row():
            lesson_layout.show_large_loss(now.loss)
            lesson_layout.show_large_number(
                _("Gap"),
                f"{abs(now.gap):.1f} %",
                glossary_tooltip("gap"),
                is_lower_better=True,
            )
        if closed:
            _show_proof()
        lesson_layout.show_lesson_footer("bound", tables.effort_table)
    dial.show_slider(slot)


def _show_proof() -> None:
    """Check the certificate of the best groups; offer it, and the file it is about."""
    with st.container(horizontal=True):
        asked = st.button(
            _("Check the proof in this browser"),
            key=session.widget_key("lesson proof"),
            icon=":material/rule:",
        )
        with st.popover(_("Take the proof home"), icon=":material/verified:"):
            st.markdown(_(text_lessons.BOUND_PROOF))
            for label, name, data in (
                (_("Certificate (JSON)"), "certificate.json", _certificate_bytes),
                (_("Patients (CSV)"), "patients.csv", _patients_csv),
            ):
                st.download_button(
                    label,
                    data,
                    name,
                    key=session.widget_key("lesson proof", name),
                    on_click="ignore",
                    icon=":material/download:",
                )
    if asked:
        check_certificate.show_check_of_given_files(
            _certificate_bytes(), _patients_csv()
        )


def _certificate_bytes() -> bytes:
    return effort.certify_best_groups().certificate


def _patients_csv() -> bytes:
    return effort.certify_best_groups().file
