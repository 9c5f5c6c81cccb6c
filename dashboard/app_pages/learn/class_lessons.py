"""Lessons, exercises and game of the class file, on Learn.

They are drawn by the class file's own scripts: nothing of them is written twice.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from dashboard.class_file.component import PARTS, component_script, component_style
from dashboard.class_file.own_table import OwnTable, sample_two_columns
from dashboard.class_file.page import DEFAULT_SEED, LESSONS, class_page_data
from dashboard.class_file.words import script_translations
from dashboard.i18n import text_lessons
from dashboard.i18n.language import _, current
from dashboard.i18n.markdown import escape_text
from dashboard.learn.proof import certify_best_groups, patients_csv
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui.browser_components import check_certificate
from dashboard.ui.browser_components.component_values import read_component_value
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header import learn_links
from dashboard.ui.header.language_menu import show_language_menu
from engine.core.errors import InputError
from engine.data.kinds import Role
from engine.data.table import Table

_class = st.components.v2.component(
    "coterie_class",
    html='<div class="class"></div>',
    css=component_style(),
    js=component_script(),
)


def show_lesson_cards() -> None:
    """Show a card for every lesson of the class: figure, minutes and learning goal."""
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"
    ):
        st.markdown(_(text_lessons.CLASS_INTRO), width="stretch")
        own_table = _choose_table()
    _show("", own_table)


def show_class_part(part_name: str) -> None:
    """Show a part of the class: a lesson with exercises, the game or teacher's view."""
    order = [*LESSONS, "game"]
    with make_row(horizontal_alignment="distribute"):
        with make_row(width="content"):
            learn_links.show_link_to_all_lessons()
            place = order.index(part_name) if part_name in order else -1
            if place > 0:
                _link_to_part(_("Previous lesson"), order[place - 1], "arrow_back")
            if 0 <= place < len(order) - 1:
                _link_to_part(_("Next lesson"), order[place + 1], "arrow_forward")
            learn_links.show_learn_address_button(
                show=learn_links.CLASS_PREFIX + part_name
            )
        own_table = _choose_table() if part_name in LESSONS else None
        show_language_menu()
    _show(part_name, own_table)
    if part_name == "effort":
        offer_optimality_proof_check()


@st.fragment
def offer_optimality_proof_check() -> None:
    """Offer to check the certificate of the best groups here, or to download it."""
    with st.container(horizontal=True):
        is_clicked = st.button(
            _("Check the proof in this browser"),
            key=session.widget_key("lesson proof"),
            icon=":material/rule:",
        )
        with st.popover(_("Take the proof home"), icon=":material/verified:"):
            st.markdown(_(text_lessons.BOUND_PROOF))
            for label, name, data in (
                (_("Certificate (JSON)"), "certificate.json", _certificate_bytes),
                (_("Patients (CSV)"), "patients.csv", patients_csv),
            ):
                st.download_button(
                    label,
                    data,
                    name,
                    key=session.widget_key("lesson proof", name),
                    on_click="ignore",
                    icon=":material/download:",
                )
    if is_clicked:
        check_certificate.show_check_of_given_files(
            _certificate_bytes(), patients_csv()
        )


def _certificate_bytes() -> bytes:
    return certify_best_groups().text


def _link_to_part(label: str, part: str, icon: str) -> None:
    show = learn_links.CLASS_PREFIX + part
    learn_links.show_link_to_learn_part(label, show, f":material/{icon}:")


def _choose_table() -> OwnTable | None:
    """Let somebody choose whose records pictures show; return the own ones, if any."""
    table = session.workspace().table
    if table is None:
        return None
    try:
        own_table = sample_table_for_lessons(table)
    except InputError as error:
        st.caption(escape_text(_(error.message)))
        return None
    words = _(
        "Lessons whose pictures can show any two columns of amounts show yours. The "
        "others stay with made-up people."
    )
    key = session.widget_key("class", "table")
    chosen = choose_class_table(st, key, help=words, persist_state="session")
    return own_table if chosen == "own" else None


def choose_class_table(place: Any, key: str, **options: Any) -> str | None:
    """Ask whether the made-up people or the open table are shown; return which."""
    chosen: str | None = place.segmented_control(
        _("Table"),
        list(text_lessons.CLASS_TABLES),
        default="people",
        required=True,
        format_func=lambda table_name: _(text_lessons.CLASS_TABLES[table_name]),
        key=key,
        **options,
    )
    return chosen


@cache_in_session(4)
def sample_table_for_lessons(table: Table) -> OwnTable:
    """Return two numeric columns of a table for the lessons; of many records, a sample.

    Raises
    ------
    InputError
        If it has none that a plane could show.
    """
    amounts = [column for column in table.schema.columns if column.kind == "continuous"]
    # What somebody could be recognised by comes first, as methods group by it.
    amounts.sort(key=lambda column: column.role is not Role.QUASI_IDENTIFIER)
    return sample_two_columns(table, [column.name for column in amounts], DEFAULT_SEED)


def _show(part: str, own_table: OwnTable | None) -> None:
    """Show a part by the scripts of the class file."""
    language = current()
    words = script_translations(language)
    page_data = class_page_data(DEFAULT_SEED, (), own_table, language, words) | {
        "part": part
    }
    key = session.widget_key("class", "part")
    _class(
        key=key,
        # One string: Streamlit then sees by itself that nothing has changed.
        data=json.dumps(page_data),
        height="content",
        on_part_change=lambda: _go_to_part(key),
    )


def _go_to_part(key: str) -> None:
    part = read_component_value(key, "part", str)
    if part is not None and part in PARTS:
        learn_links.set_class_part_in_address(part)
