"""The lessons on fuzzy groups: who draws which centre, and what parameters do."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import Picture
from dashboard.app_pages.learn.lesson_pages import axes
from dashboard.charts.lesson_fuzzy import fuzzy_picture, size_picture
from dashboard.charts.lesson_sweep import sweep_picture, trade_picture
from dashboard.i18n import text, text_lessons
from dashboard.i18n.language import _
from dashboard.learn.glossary import help_of
from dashboard.learn.lessons import fuzziness, fuzzy, tables


@st.fragment
def show_fuzzy() -> None:
    """Show how records draw centres, and which sizes come of it."""
    dial = lesson_layout.Dial(
        "fuzzy-groups",
        _("m2, fuzziness of the draw"),
        fuzzy.FUZZINESS,
        fuzzy.DEFAULT,
        help_of("membership"),
        lambda value: f"{value:g}",
    )
    drawn = fuzzy.draw(dial.value)
    with lesson_layout.board(
        "fuzzy",
        Picture(
            fuzzy_picture(drawn, axes()),
            _("Lines from patients to centres, darker where likelier"),
            0.66,
        ),
        Picture(
            size_picture(drawn),
            _("Bars of how many drew each centre, with how many were expected to"),
            0.34,
        ),
    ):
        lesson_layout.show_text(
            _(text_lessons.FUZZY_TELLS).format(k=fuzzy.K), _(text_lessons.FUZZY_ASKS)
        )
        slot = st.container()
        with lesson_layout.figures():
            lesson_layout.figure(
                _("In groups below {k}").format(k=fuzzy.K),
                _("{count} of {total}").format(
                    count=drawn.below, total=drawn.labels.size
                ),
                help_of("below-k"),
                lower=True,
            )
            lesson_layout.loss(drawn.loss)
        lesson_layout.show_footer("fuzzy", lambda: tables.centre_table(drawn))
    dial.slide(slot)


@st.fragment
def show_fuzziness() -> None:
    """Show what the parameters of fuzzy groups cost and hide."""
    dial = lesson_layout.Dial(
        "fuzziness",
        _("Parameter"),
        tuple(fuzziness.PARAMETERS),
        fuzziness.DEFAULT,
        help_of("membership"),
    )
    name = dial.value
    found, noise = fuzziness.swept(name), fuzziness.noise()
    with lesson_layout.board(
        "fuzziness",
        Picture(
            sweep_picture(found, name),
            _("Lines of loss and of records found against a parameter"),
            0.55,
        ),
        Picture(
            trade_picture(found, noise),
            _("Lines of records found against loss, of fuzzy groups and of noise"),
            0.45,
        ),
    ):
        lesson_layout.show_text(
            _(text_lessons.SWEEP_TELLS).format(
                count=fuzziness.RECORDS, draws=fuzziness.SEEDS
            ),
            _(text_lessons.SWEEP_ASKS),
        )
        dial.pick()
        lesson_layout.show_footer(
            "sweep", lambda: tables.sweep_table(found, name), _(text.LOWER)
        )
