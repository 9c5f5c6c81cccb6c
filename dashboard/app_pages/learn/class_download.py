"""Download of the class file: its language, seed and an own table for its lessons."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import streamlit as st

from dashboard.app_pages.learn.class_lessons import choose_class_table
from dashboard.class_file.own_table import (
    OwnTable,
    sample_certified_release,
    sample_public_table,
)
from dashboard.class_file.page import DEFAULT_SEED, LESSONS, class_page_html
from dashboard.class_file.words import lesson_titles, script_translations
from dashboard.i18n import text_lessons
from dashboard.i18n.language import LANGUAGES, _, current
from dashboard.i18n.markdown import escape_text
from dashboard.readers.certified_columns import make_certificate_order_writer
from dashboard.readers.readings import read_file_and_wait
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from engine.cli.class_file import MAX_SEED
from engine.core.errors import EngineError, InputError
from engine.core.message import Message
from engine.data.table import Table


def show_class_download() -> None:
    """Show the options of a class file, and the button that downloads it."""
    with st.expander(_("Take a class along (HTML)"), icon=":material/download:"):
        st.caption(_(text_lessons.CLASS_FILE_HELP))
        left, middle, right = st.columns([1, 1, 2], vertical_alignment="bottom")
        language = left.selectbox(
            _("Language"),
            list(LANGUAGES),
            index=list(LANGUAGES).index(current()),
            format_func=LANGUAGES.__getitem__,
            key=session.widget_key("class file", "language"),
        )
        seed = middle.number_input(
            _("Number of the class"),
            min_value=0,
            max_value=MAX_SEED,
            value=DEFAULT_SEED,
            step=1,
            help=_(
                "Another number makes other people, other questions and other right "
                "answers; the same number makes the same file."
            ),
            key=session.widget_key("class file", "seed"),
        )
        table = session.workspace().table
        chosen: str | None = "people"
        if table is not None:
            chosen = choose_class_table(
                right, session.widget_key("class file", "table")
            )
        titles = lesson_titles()
        lessons = st.multiselect(
            _("Lessons in the file"),
            list(titles),
            format_func=lambda lesson: _(titles[lesson]),
            placeholder=_("All of them"),
            help=_(
                "With their exercises. They stay in the order in which they are "
                "taught, and the game comes along."
            ),
            key=session.widget_key("class file", "lessons"),
        )
        own_table = None
        if table is not None and chosen == "own":
            own_table = _ask_for_own_table(table, int(seed))
            if own_table is None:
                return
        st.download_button(
            _("Download"),
            partial(_write_class_file, language, int(seed), lessons, own_table),
            "class_" + str(int(seed)) + ".html",
            key=session.widget_key("class file"),
            on_click="ignore",
            type="primary",
            icon=":material/download:",
        )


def _ask_for_own_table(table: Table, seed: int) -> OwnTable | None:
    """Ask whose records these are; return what may be shown of them, if anything."""
    st.caption(_(text_lessons.CLASS_WHY))
    name = escape_text(table.origin.name or _(table.schema.title))
    kind = st.radio(
        _("Whose records are those of {table}?").format(table=name),
        list(text_lessons.CLASS_KINDS),
        index=None,
        format_func=lambda kind_name: _(text_lessons.CLASS_KINDS[kind_name]),
        horizontal=True,
        key=session.widget_key("class file", "kind"),
    )
    try:
        sample = _checked_table(table, kind, seed)
    except EngineError as error:
        st.error(escape_text(_(error.message)), icon=":material/error:")
        return None
    if sample is not None:
        counts = {"count": f"{len(sample.values):,}", "all": f"{sample.n_records:,}"}
        if sample.is_sampled:
            st.info(_(text_lessons.CLASS_SAMPLED).format(**counts))
        if sample.n_left_out:
            count = f"{sample.n_left_out:,}"
            st.info(_("Records with a gap are left out: {count}.").format(count=count))
    return sample


def _checked_table(table: Table, kind: str | None, seed: int) -> OwnTable | None:
    """Return the table's columns once somebody has said why they may be shown."""
    if kind == "public":
        source = st.text_input(
            _("Its source, as one cites it"),
            placeholder=_("National statistics institute, 2011"),
            key=session.widget_key("class file", "source"),
        ).strip()
        return sample_public_table(table, source, seed) if source else None
    if kind == "release":
        file = st.file_uploader(
            _("Certificate of the run that made the release (JSON)"),
            type="json",
            key=session.widget_key("class file", "certificate"),
        )
        if file is not None:
            content, name = file.getvalue(), file.name
            return sample_certified_release(
                table, lambda: _certified_columns(table, content, name), name, seed
            )
    return None


def _certified_columns(table: Table, certificate: bytes, name: str) -> list[str]:
    columns = _read_certified_columns(table, certificate, name)
    if isinstance(columns, Message):
        raise InputError(columns)
    return columns


@cache_in_session(1)
def _read_certified_columns(
    table: Table, certificate: bytes, name: str
) -> list[str] | Message:
    """Return the columns that a certificate is about, or why there are none."""
    write = make_certificate_order_writer(table, certificate)
    try:
        columns: list[str] = read_file_and_wait("certified-columns", write, name)
    except InputError as error:
        return error.message
    return columns


def _write_class_file(
    language: str, seed: int, lessons: Collection[str], own_table: OwnTable | None
) -> bytes:
    """Return the class file; no session is at hand as it is asked for."""
    in_order = [name for name in LESSONS if name in lessons]
    words = script_translations(language)
    return class_page_html(seed, in_order, own_table, language, words).encode()
