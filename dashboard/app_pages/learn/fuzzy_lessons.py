"""Lessons on fuzzy groups: random centres, and the effect of parameters."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import LessonPicture
from dashboard.app_pages.learn.lesson_pages import patient_axis_titles
from dashboard.charts.lesson_fuzzy import (
    draw_group_size_picture,
    draw_membership_picture,
)
from dashboard.charts.lesson_sweep import draw_sweep_picture, draw_trade_off_picture
from dashboard.i18n import text, text_lessons
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_tooltip
from dashboard.learn.lessons import fuzziness, fuzzy, tables


@st.fragment
def show_fuzzy_lesson() -> None:
    """Show the lesson on records that draw centres at random, and the group sizes."""
    dial = lesson_layout.LessonControl(
        "fuzzy-groups",
        _("m2, fuzziness of the draw"),
        fuzzy.FUZZINESS_VALUES,
        fuzzy.DEFAULT_FUZZINESS,
        glossary_tooltip("membership"),
        lambda value: f"{value:g}",
    )
    drawn = fuzzy.draw_centres_at_random(dial.value)
    with lesson_layout.show_lesson_pictures(
        "fuzzy",
        LessonPicture(
            draw_membership_picture(drawn, patient_axis_titles()),
            _("Lines from patients to centres, darker where likelier"),
            0.66,
        ),
        LessonPicture(
            draw_group_size_picture(drawn),
            _("Bars of how many drew each centre, with how many were expected to"),
            0.34,
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.FUZZY_TELLS).format(k=fuzzy.FUZZY_K),
            _(text_lessons.FUZZY_ASKS),
        )
        slot = st.container()
        with lesson_layout.large_number_row():
            lesson_layout.show_large_number(
                _("In groups below {k}").format(k=fuzzy.FUZZY_K),
                _("{count} of {total}").format(
                    count=drawn.n_below_k, total=drawn.labels.size
                ),
                glossary_tooltip("below-k"),
                is_lower_better=True,
            )
            lesson_layout.show_large_loss(drawn.loss)
        lesson_layout.show_lesson_footer(
            "fuzzy", lambda: tables.centre_size_table(drawn)
        )
    dial.show_slider(slot)


@st.fragment
def show_fuzzy_parameter_lesson() -> None:
    """Show the lesson on what each parameter of fuzzy groups costs and hides."""
    dial = lesson_layout.LessonControl(
        "fuzziness",
        _("Parameter"),
        tuple(fuzziness.PARAMETER_VALUES),
        fuzziness.DEFAULT_PARAMETER,
        glossary_tooltip("membership"),
    )
    name = dial.value
    found, noise = fuzziness.sweep_results(name), fuzziness.plain_noise_results()
    with lesson_layout.show_lesson_pictures(
        "fuzziness",
        LessonPicture(
            draw_sweep_picture(found, name),
            _("Lines of loss and of records found against a parameter"),
            0.55,
        ),
        LessonPicture(
            draw_trade_off_picture(found, noise),
            _("Lines of records found against loss, of fuzzy groups and of noise"),
            0.45,
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.SWEEP_TELLS).format(
                count=fuzziness.N_RECORDS, draws=fuzziness.N_SEEDS
            ),
            _(text_lessons.SWEEP_ASKS),
        )
        dial.show_options()
        lesson_layout.show_lesson_footer(
            "sweep", lambda: tables.parameter_sweep_table(found, name), _(text.LOWER)
        )
