"""The lessons as pages: what is said, the one control, and the picture."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import lesson_layout
from dashboard.app_pages.learn.lesson_layout import Picture
from dashboard.charts.lesson_edits import distance_picture, way_picture
from dashboard.charts.lesson_groups import group_picture, ten_picture
from dashboard.charts.lesson_inputs import OnScale
from dashboard.charts.lesson_intruder import intruder_picture
from dashboard.charts.lesson_line import line_picture
from dashboard.charts.lesson_scaling import loss_picture, share_picture
from dashboard.charts.lesson_together import together_picture
from dashboard.charts.verdicts import method_title
from dashboard.i18n import text, text_lessons
from dashboard.i18n.language import _, listed
from dashboard.i18n.markdown import plain
from dashboard.learn import published
from dashboard.learn.glossary import help_of
from dashboard.learn.lessons import (
    edits,
    groups,
    intruder,
    one_column,
    scaling,
    tables,
    together,
)
from dashboard.state import session
from dashboard.state.session_cache import per_session
from engine.data.table import Table
from engine.points.scaling import scalings

FIRST_K = 3
"""The k that the first lesson begins with."""

FIRST_KNOWN = 4
"""How much the intruder knows to begin with."""


def axes() -> tuple[str, str]:
    """Return the titles of the patients' two attributes."""
    return _(text_lessons.PATIENTS_X), _(text_lessons.PATIENTS_Y)


@st.fragment
def show_k() -> None:
    """Show how groups merge as k grows."""
    dial = lesson_layout.Dial(
        "k", _("k, minimum group size"), groups.SIZES, FIRST_K, help_of("k")
    )
    found = groups.of_size(dial.value)
    with lesson_layout.board(
        "k",
        Picture(
            group_picture(found, axes()),
            _("Patients by height and weight, each joined to the centre of its group"),
        ),
    ):
        lesson_layout.show_text(_(text_lessons.K_TELLS), _(text_lessons.K_ASKS))
        slot = st.container()
        with lesson_layout.figures():
            lesson_layout.figure(_("Groups"), str(found.sizes.size), help_of("group"))
            lesson_layout.loss(found.loss)
        lesson_layout.show_footer("k", lambda: tables.group_table(found))
    dial.slide(slot)


_on_scale = per_session(8)(scaling.on_scale)


def scaling_name(name: str) -> str:
    """Return what the lesson calls a scaling."""
    if name == scaling.WEIGHTED:
        return _("Z-score, weighted")
    return _("Values as they are") if name == "none" else _(scalings.info(name).title)


@st.fragment
def show_scaling() -> None:
    """Show whose variation counts on a scaling, and which loss follows."""
    copy = session.workspace().reference
    table = scaling.example() if copy is None else copy
    dataset = scaling.quoted(table)
    cells = scaling.printed(dataset)
    names = {method: method_title(method) for method in cells}
    first, second = cells.values()
    dial = lesson_layout.Dial(
        "scaling",
        _("Measured on"),
        scaling.SCALINGS,
        scaling.SCALINGS[0],
        help_of("scaling"),
        scaling_name,
    )
    now = _on_scale(table, dial.value)
    printed = dict(zip(names, (cell.value for cell in cells.values()), strict=True))
    with lesson_layout.board(
        "scaling",
        Picture(
            share_picture(now), _("Bars of each column's share of the variation"), 0.45
        ),
        Picture(
            loss_picture(now, names, printed),
            _("Bars of two methods' losses, as printed and on one scaling"),
            0.55,
        ),
    ):
        lesson_layout.show_text(
            _(text_lessons.SCALING_PRINTED).format(
                first=f"{first.value:.1f}",
                second=f"{second.value:.1f}",
                first_name=method_title(first.method),
                second_name=method_title(second.method),
            )
        )
        dial.pick()
        lesson_layout.show_text(_scaling_says(table, now))
        source = text_lessons.SCALING_SOURCE
        if copy is not None:
            source = text_lessons.SCALING_SOURCE_OPEN
        st.caption(
            _(source).format(
                table=published.table_title(dataset),
                k=scaling.K,
                source=second.source,
                here=plain(_(table.schema.title)) or published.table_title(dataset),
            )
        )
        lesson_layout.show_footer(
            "scaling", lambda: tables.scaling_table(now), _(text.LOWER)
        )


def _scaling_says(table: Table, now: OnScale) -> str:
    """Return what follows from a scaling, by its own figures."""
    if now.scaling == "zscore":
        return _(text_lessons.SCALING_ZSCORED)
    if now.scaling == "none":
        share, lost = now.share_of(now.decisive)
        return _(text_lessons.SCALING_RAW).format(
            columns=listed(now.decisive),
            share=f"{share:.0f} %",
            lost=f"{lost:.0f} %",
        )
    before = _on_scale(table, "zscore").lost
    heavy, *others = now.shares
    other = max(others, key=lambda name: now.lost[name] - before[name])
    return _(text_lessons.SCALING_WEIGHTED).format(
        weight=f"{scaling.WEIGHT:g}",
        column=heavy,
        now=f"{now.lost[heavy]:.1f} %",
        before=f"{before[heavy]:.1f} %",
        other=other,
        other_now=f"{now.lost[other]:.1f} %",
        other_before=f"{before[other]:.1f} %",
    )


@st.fragment
def show_ten() -> None:
    """Show what a fixed group size costs where the data have clusters."""
    dial = lesson_layout.Dial(
        "group-sizes",
        _("Method"),
        groups.WAYS,
        groups.WAYS[0],
        help_of("variable-size"),
        lambda name: _(text_lessons.TEN_WAYS[name]),
    )
    found = groups.of_ten(dial.value)
    with lesson_layout.board(
        "ten",
        Picture(ten_picture(found), _("Ten records in their groups")),
    ):
        lesson_layout.show_text(_(text_lessons.TEN_TELLS))
        dial.pick()
        said = {
            "mdav": text_lessons.TEN_FIXED,
            "vmdav": text_lessons.TEN_VARIABLE,
            "optimal": text_lessons.TEN_BEST
            if found.loss == groups.of_ten("vmdav").loss
            else text_lessons.TEN_BEST_ALONE,
        }
        lesson_layout.show_text(_(said[dial.value]))
        with lesson_layout.figures():
            sizes = ", ".join(map(str, sorted(found.sizes.tolist())))
            lesson_layout.figure(_("Group sizes"), sizes, help_of("group"))
            lesson_layout.loss(found.loss)
        lesson_layout.show_footer("ten", lambda: tables.group_table(found))


@st.fragment
def show_line() -> None:
    """Show that one column is grouped best by sorting it."""
    dial = lesson_layout.Dial(
        "one-column",
        _("Method"),
        one_column.WAYS,
        one_column.WAYS[0],
        help_of("hansen-mukherjee"),
        lambda name: _(text_lessons.LINE_WAYS[name]),
    )
    found = one_column.of_twelve(dial.value)
    with lesson_layout.board(
        "line",
        Picture(
            line_picture(found),
            _("Twelve values on a line, and the mean of each group above them"),
        ),
    ):
        lesson_layout.show_text(_(text_lessons.LINE_TELLS))
        dial.pick()
        best = dial.value == "hansen-mukherjee"
        lesson_layout.show_text(
            _(text_lessons.LINE_BEST if best else text_lessons.LINE_FIXED)
        )
        with lesson_layout.figures():
            sizes = ", ".join(map(str, sorted(found.sizes.tolist())))
            lesson_layout.figure(_("Group sizes"), sizes, help_of("group"))
            lesson_layout.loss(found.loss)
        lesson_layout.show_footer("line", lambda: tables.line_table(found))


@st.fragment
def show_edits() -> None:
    """Show how a rule brings the centres of noisy records nearer to the clean ones."""
    dial = lesson_layout.Dial(
        "rules",
        _("Standard deviation of the noise"),
        edits.DEVIATIONS,
        edits.PRINTED,
        help_of("rule"),
        lambda value: f"{value:g}",
    )
    found, spread = edits.centres(dial.value), edits.over_draws(dial.value)
    with lesson_layout.board(
        "rules",
        Picture(
            way_picture(found),
            _("Arrows from clean to noisy centres, and back onto the rule"),
            0.55,
        ),
        Picture(
            distance_picture(spread),
            _("Boxes of distances from the clean centres, without and with the rule"),
            0.45,
        ),
    ):
        lesson_layout.show_text(_(text_lessons.EDITS_TELLS), _(text_lessons.EDITS_ASKS))
        slot = st.container()
        with lesson_layout.figures():
            lesson_layout.figure(
                _("Nearer with the rule"),
                _("{share} of {count} draws").format(
                    share=f"{100.0 * spread.nearer:.0f} %", count=len(spread.free)
                ),
            )
        lesson_layout.show_footer("rules", lambda: tables.distance_table(spread))
    dial.slide(slot)


@st.fragment
def show_intruder() -> None:
    """Show how many firms somebody with knowledge finds."""
    names = intruder.attributes()
    dial = lesson_layout.Dial(
        "intruder",
        _("How many attributes are known"),
        range(1, len(names) + 1),
        FIRST_KNOWN,
        help_of("record-linkage"),
    )
    known = dial.value
    found = intruder.attacks(known)
    with lesson_layout.board(
        "intruder",
        Picture(
            intruder_picture(found),
            _("A hundred cells for each release; those of records found are orange"),
        ),
    ):
        lesson_layout.show_text(
            _(text_lessons.INTRUDER_TELLS), _(text_lessons.INTRUDER_ASKS)
        )
        slot = st.container()
        listed = ", ".join(names[:known])
        st.caption(_(text_lessons.INTRUDER_KNOWS).format(names=listed))
        lesson_layout.show_footer(
            "intruder", lambda: tables.attack_table(known), _(text.LOWER)
        )
    dial.slide(slot)


@st.fragment
def show_together() -> None:
    """Show who is found where several safe files are put together."""
    dial = lesson_layout.Dial(
        "two-files",
        _("Releases that somebody has"),
        together.COUNTS,
        together.COUNTS[1],
        help_of("release"),
    )
    found = together.together(dial.value)
    with lesson_layout.board(
        "together",
        Picture(
            together_picture(found, axes()),
            _("Patients by height and weight; those found exactly are stars"),
        ),
    ):
        lesson_layout.show_text(
            _(text_lessons.TOGETHER_TELLS), _(text_lessons.TOGETHER_ASKS)
        )
        slot = st.container()
        with lesson_layout.figures():
            sizes = ", ".join(map(str, found.sizes))
            lesson_layout.figure("k", sizes, help_of("k"))
            lesson_layout.figure(
                _("Found exactly"),
                _("{count} of {total}").format(
                    count=int(found.opened.sum()), total=found.opened.size
                ),
                help_of("record"),
                lower=True,
            )
        lesson_layout.show_footer("together", tables.together_table)
    dial.slide(slot)
