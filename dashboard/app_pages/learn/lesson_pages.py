"""Pages of the lessons: text, control and picture of each."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import LessonPicture
from dashboard.charts.lesson_composition import draw_composition_picture
from dashboard.charts.lesson_edits import draw_centre_distances, draw_centre_paths
from dashboard.charts.lesson_groups import draw_group_picture, draw_ten_record_picture
from dashboard.charts.lesson_inputs import ScalingResult
from dashboard.charts.lesson_intruder import draw_intruder_picture
from dashboard.charts.lesson_line import draw_line_picture
from dashboard.charts.lesson_scaling import draw_scaling_losses, draw_variation_shares
from dashboard.charts.verdicts import published_method_title, table_title
from dashboard.i18n import text, text_lessons
from dashboard.i18n.language import _, listed
from dashboard.i18n.markdown import plain
from dashboard.learn.glossary import glossary_tooltip
from dashboard.learn.lessons import (
    composition,
    edits,
    groups,
    intruder,
    one_column,
    scaling,
    tables,
)
from dashboard.state import session
from dashboard.state.session_cache import cache_in_session
from engine.data.table import Table
from engine.points.scaling import scalings

INITIAL_K = 3
"""The k that the first lesson begins with."""

INITIAL_KNOWN = 4
"""How much the intruder knows to begin with."""


def patient_axis_titles() -> tuple[str, str]:
    """Return the titles of the patients' two attributes."""
    return _(text_lessons.PATIENTS_X), _(text_lessons.PATIENTS_Y)


@st.fragment
def show_k_lesson() -> None:
    """Show the lesson on how groups form anew as k grows."""
    dial = lesson_layout.LessonControl(
        "k",
        _("k, minimum group size"),
        groups.GROUP_SIZES,
        INITIAL_K,
        glossary_tooltip("k"),
    )
    found = groups.group_patients(dial.value)
    with lesson_layout.show_lesson_pictures(
        "k",
        LessonPicture(
            draw_group_picture(found, patient_axis_titles()),
            _("Patients by height and weight, each joined to the centre of its group"),
        ),
    ):
        lesson_layout.show_large_text(_(text_lessons.K_TELLS), _(text_lessons.K_ASKS))
        slot = st.container()
        with lesson_layout.large_number_row():
            lesson_layout.show_large_number(
                _("Groups"), str(found.sizes.size), glossary_tooltip("group")
            )
            lesson_layout.show_large_loss(found.loss)
        lesson_layout.show_lesson_footer("k", lambda: tables.group_centre_table(found))
    dial.show_slider(slot)


_on_scale = cache_in_session(8)(scaling.compare_methods_on_scaling)


def lesson_scaling_title(scaling_id: str) -> str:
    """Return a scaling's title as the lesson calls it."""
    if scaling_id == scaling.WEIGHTED_SCALING:
        return _("Z-score, weighted")
    return (
        _("Values as they are")
        if scaling_id == "none"
        else _(scalings.info(scaling_id).title)
    )


@st.fragment
def show_scaling_lesson() -> None:
    """Show the lesson on how the scaling decides whose variation counts."""
    copy = session.workspace().reference
    table = scaling.default_scaling_table() if copy is None else copy
    dataset = scaling.published_dataset_or_default(table)
    cells = scaling.printed_cells_by_method(dataset)
    names = {method: published_method_title(method) for method in cells}
    first, second = cells.values()
    dial = lesson_layout.LessonControl(
        "scaling",
        _("Measured on"),
        scaling.LESSON_SCALINGS,
        scaling.LESSON_SCALINGS[0],
        glossary_tooltip("scaling"),
        lesson_scaling_title,
    )
    now = _on_scale(table, dial.value)
    printed = dict(zip(names, (cell.value for cell in cells.values()), strict=True))
    with lesson_layout.show_lesson_pictures(
        "scaling",
        LessonPicture(
            draw_variation_shares(now),
            _("Bars of each column's share of the variation"),
            0.45,
        ),
        LessonPicture(
            draw_scaling_losses(now, names, printed),
            _("Bars of two methods' losses, as printed and on one scaling"),
            0.55,
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.SCALING_PRINTED).format(
                first=f"{first.value:.1f}",
                second=f"{second.value:.1f}",
                first_name=published_method_title(first.method),
                second_name=published_method_title(second.method),
            )
        )
        dial.show_options()
        lesson_layout.show_large_text(_scaling_sentence(table, now))
        source = text_lessons.SCALING_SOURCE
        if copy is not None:
            source = text_lessons.SCALING_SOURCE_OPEN
        st.caption(
            _(source).format(
                table=table_title(dataset),
                k=scaling.SCALING_K,
                source=second.source,
                here=plain(_(table.schema.title)) or table_title(dataset),
            )
        )
        lesson_layout.show_lesson_footer(
            "scaling", lambda: tables.variation_share_table(now), _(text.LOWER)
        )


def _scaling_sentence(table: Table, now: ScalingResult) -> str:
    """Return what follows from a scaling, by its own figures."""
    if now.scaling == "zscore":
        return _(text_lessons.SCALING_ZSCORED)
    if now.scaling == "none":
        share, lost = now.shares_of(now.decisive_columns)
        return _(text_lessons.SCALING_RAW).format(
            columns=listed(now.decisive_columns),
            share=f"{share:.0f} %",
            lost=f"{lost:.0f} %",
        )
    before = _on_scale(table, "zscore").lost
    heavy, *others = now.shares
    other = max(others, key=lambda name: now.lost[name] - before[name])
    return _(text_lessons.SCALING_WEIGHTED).format(
        weight=f"{scaling.COLUMN_WEIGHT:g}",
        column=heavy,
        now=f"{now.lost[heavy]:.1f} %",
        before=f"{before[heavy]:.1f} %",
        other=other,
        other_now=f"{now.lost[other]:.1f} %",
        other_before=f"{before[other]:.1f} %",
    )


@st.fragment
def show_group_order_lesson() -> None:
    """Show the lesson on ten records: groups of MDAV and V-MDAV beside the best."""
    dial = lesson_layout.LessonControl(
        "group-sizes",
        _("Method"),
        groups.TEN_RECORD_METHODS,
        groups.TEN_RECORD_METHODS[0],
        glossary_tooltip("variable-size"),
        lambda name: _(text_lessons.TEN_WAYS[name]),
    )
    found = groups.group_ten_records(dial.value)
    with lesson_layout.show_lesson_pictures(
        "ten",
        LessonPicture(draw_ten_record_picture(found), _("Ten records in their groups")),
    ):
        lesson_layout.show_large_text(_(text_lessons.TEN_TELLS))
        dial.show_options()
        said = {
            "mdav": text_lessons.TEN_FIXED,
            "vmdav": text_lessons.TEN_VARIABLE,
            "optimal": text_lessons.TEN_BEST
            if found.loss == groups.group_ten_records("vmdav").loss
            else text_lessons.TEN_BEST_ALONE,
        }
        lesson_layout.show_large_text(_(said[dial.value]))
        with lesson_layout.large_number_row():
            sizes = ", ".join(map(str, sorted(found.sizes.tolist())))
            lesson_layout.show_large_number(
                _("Group sizes"), sizes, glossary_tooltip("group")
            )
            lesson_layout.show_large_loss(found.loss)
        lesson_layout.show_lesson_footer(
            "ten", lambda: tables.group_centre_table(found)
        )


@st.fragment
def show_one_column_lesson() -> None:
    """Show the lesson on one column, which is grouped best by sorting it."""
    dial = lesson_layout.LessonControl(
        "one-column",
        _("Method"),
        one_column.COLUMN_METHODS,
        one_column.COLUMN_METHODS[0],
        glossary_tooltip("hansen-mukherjee"),
        lambda name: _(text_lessons.LINE_WAYS[name]),
    )
    found = one_column.group_twelve_values(dial.value)
    with lesson_layout.show_lesson_pictures(
        "line",
        LessonPicture(
            draw_line_picture(found),
            _("Twelve values on a line, and the mean of each group above them"),
        ),
    ):
        lesson_layout.show_large_text(_(text_lessons.LINE_TELLS))
        dial.show_options()
        best = dial.value == "hansen-mukherjee"
        lesson_layout.show_large_text(
            _(text_lessons.LINE_BEST if best else text_lessons.LINE_FIXED)
        )
        with lesson_layout.large_number_row():
            sizes = ", ".join(map(str, sorted(found.sizes.tolist())))
            lesson_layout.show_large_number(
                _("Group sizes"), sizes, glossary_tooltip("group")
            )
            lesson_layout.show_large_loss(found.loss)
        lesson_layout.show_lesson_footer(
            "line", lambda: tables.value_group_table(found)
        )


@st.fragment
def show_edits_lesson() -> None:
    """Show the lesson on how rules bring noisy centres nearer to the clean ones."""
    dial = lesson_layout.LessonControl(
        "rules",
        _("Standard deviation of the noise"),
        edits.NOISE_DEVIATIONS,
        edits.PRINTED_DEVIATION,
        glossary_tooltip("rule"),
        lambda value: f"{value:g}",
    )
    found, spread = (
        edits.compare_noisy_centres(dial.value),
        edits.summarise_noise_draws(dial.value),
    )
    with lesson_layout.show_lesson_pictures(
        "rules",
        LessonPicture(
            draw_centre_paths(found),
            _("Arrows from clean to noisy centres, and back onto the rule"),
            0.55,
        ),
        LessonPicture(
            draw_centre_distances(spread),
            _("Boxes of distances from the clean centres, without and with the rule"),
            0.45,
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.EDITS_TELLS), _(text_lessons.EDITS_ASKS)
        )
        slot = st.container()
        with lesson_layout.large_number_row():
            lesson_layout.show_large_number(
                _("Nearer with the rule"),
                _("{share} of {count} draws").format(
                    share=f"{100.0 * spread.share_nearer:.0f} %", count=len(spread.free)
                ),
            )
        lesson_layout.show_lesson_footer(
            "rules", lambda: tables.centre_distance_table(spread)
        )
    dial.show_slider(slot)


@st.fragment
def show_intruder_lesson() -> None:
    """Show the lesson on how many firms an intruder with knowledge finds."""
    names = intruder.attributes_known_in_order()
    dial = lesson_layout.LessonControl(
        "intruder",
        _("How many attributes are known"),
        range(1, len(names) + 1),
        INITIAL_KNOWN,
        glossary_tooltip("record-linkage"),
    )
    known = dial.value
    found = intruder.attack_all_sizes(known)
    with lesson_layout.show_lesson_pictures(
        "intruder",
        LessonPicture(
            draw_intruder_picture(found),
            _("A hundred cells for each release; those of records found are orange"),
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.INTRUDER_TELLS), _(text_lessons.INTRUDER_ASKS)
        )
        slot = st.container()
        listed = ", ".join(names[:known])
        st.caption(_(text_lessons.INTRUDER_KNOWS).format(names=listed))
        lesson_layout.show_lesson_footer(
            "intruder", lambda: tables.attack_share_table(known), _(text.LOWER)
        )
    dial.show_slider(slot)


@st.fragment
def show_composition_lesson() -> None:
    """Show the lesson on who is found where several safe files are combined."""
    dial = lesson_layout.LessonControl(
        "two-files",
        _("Releases that somebody has"),
        composition.RELEASE_COUNTS,
        composition.RELEASE_COUNTS[1],
        glossary_tooltip("release"),
    )
    found = composition.compose_first_releases(dial.value)
    with lesson_layout.show_lesson_pictures(
        "together",
        LessonPicture(
            draw_composition_picture(found, patient_axis_titles()),
            _("Patients by height and weight; those found exactly are stars"),
        ),
    ):
        lesson_layout.show_large_text(
            _(text_lessons.TOGETHER_TELLS), _(text_lessons.TOGETHER_ASKS)
        )
        slot = st.container()
        with lesson_layout.large_number_row():
            sizes = ", ".join(map(str, found.sizes))
            lesson_layout.show_large_number("k", sizes, glossary_tooltip("k"))
            lesson_layout.show_large_number(
                _("Found exactly"),
                _("{count} of {total}").format(
                    count=int(found.opened.sum()), total=found.opened.size
                ),
                glossary_tooltip("record"),
                is_lower_better=True,
            )
        lesson_layout.show_lesson_footer("together", tables.revealed_by_releases_table)
    dial.show_slider(slot)
