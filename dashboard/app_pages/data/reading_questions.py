"""Questions on how a file is to be read, their answers and undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import streamlit as st

from dashboard.i18n import text_data
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.state.session_cache import cache_in_session
from dashboard.ui import open_file
from engine.data.kinds import Role
from engine.data.missing_codes import MissingCodeEvidence, find_missing_codes_by_column
from engine.data.questions import FormatQuestion, format_questions
from engine.data.reading import (
    left_out_row_messages,
    missing_word_messages,
    mixed_date_messages,
    options_keeping_rows,
    sheet_message,
)
from engine.data.table import Table


def ask_reading_question(table: Table) -> bool:
    """Show one open question on how the file is read; return whether there was one."""
    if session.workspace().upload is None:
        return False
    asked = format_questions(table)
    codes = unanswered_missing_codes(table)
    if asked:
        _ask_format(table, asked[0])
    elif codes:
        _ask_missing_codes(table, codes)
    return bool(asked or codes)


def unanswered_missing_codes(
    table: Table,
) -> dict[str, tuple[MissingCodeEvidence, ...]]:
    """Return codes that may mean missing values but are read as values, by column.

    Of columns that do not leave, or leave as they are, nothing depends on it.
    """
    found = {
        name: tuple(one for one in codes if not one.applied)
        for name, codes in _codes(table).items()
        if table.schema[name].role not in (Role.IDENTIFIER, Role.OTHER)
    }
    return {name: codes for name, codes in found.items() if codes}


def _codes_key(table: Table) -> tuple[str, str]:
    """Return what codes depend on: the values, and what people have said of them."""
    return table.fingerprint, repr(table.origin.options.get("missing"))


_codes = cache_in_session(4, {Table: _codes_key})(find_missing_codes_by_column)


def _ask_format(table: Table, question: FormatQuestion) -> None:
    """Ask how the dates or numbers of a column are written."""
    with st.container(border=True, key=session.widget_key("how written"), gap="small"):
        st.subheader(plain(_(question.asks)), anchor=False)
        known = table.frame[question.column].dropna().unique()[:3]
        st.markdown(plain(_("It holds {values}.").format(values=", ".join(known))))
        with st.container(horizontal=True, gap="xsmall"):
            for answer, said in question.answers:
                forms = _with(table, "forms", "written", question.column, answer)
                _show_button(_(said), partial(open_file.reread_upload, forms=forms))


def _ask_missing_codes(
    table: Table, codes: Mapping[str, tuple[MissingCodeEvidence, ...]]
) -> None:
    """Ask whether codes of the first column that has any stand for missing values."""
    name, found = next(iter(codes.items()))
    with st.container(
        border=True, key=session.widget_key("whether missing"), gap="small"
    ):
        listed = ", ".join(one.code for one in found)
        words = n_(
            "{name}: is {codes} a missing value?",
            "{name}: are {codes} missing values?",
            len(found),
        )
        st.subheader(words.format(name=plain(name), codes=plain(listed)), anchor=False)
        for one in found:
            count = n_("{count} record", "{count} records", one.count)
            said = (
                f"{one.code}: {count.format(count=f'{one.count:,}')}. {_(one.reason)}"
            )
            st.markdown(plain(said))
        with st.container(horizontal=True, gap="xsmall"):
            _show_button(
                _(text_data.MISSING_YES), _reread_callback(table, {name: found})
            )
            _show_button(_(text_data.MISSING_NO), _reread_callback(table, {name: ()}))
        if len(codes) > 1:
            count = f"{len(codes):,}"
            with st.container(
                horizontal=True, vertical_alignment="center", gap="xsmall"
            ):
                st.caption(
                    _("In all {count} columns:").format(count=count), width="content"
                )
                _show_button(_(text_data.ALL_MISSING), _reread_callback(table, codes))
                none = dict.fromkeys(codes, ())
                _show_button(_(text_data.NONE_MISSING), _reread_callback(table, none))


def _reread_callback(
    table: Table, codes: Mapping[str, tuple[MissingCodeEvidence, ...]]
) -> Callable[[], None]:
    """Return what reads the file again, with codes of some columns as missing."""
    said = dict(table.origin.options.get("missing", {}))
    said |= {name: [one.code for one in some] for name, some in codes.items()}
    return partial(open_file.reread_upload, missing=said)


def _with(
    table: Table, field: str, said: str, name: str, answer: str | None
) -> dict[str, Any]:
    """Return what is said of columns, with another answer for one of them."""
    options = table.origin.options
    known = {**options.get(field, {}), **options.get(said, {})}
    known.pop(name, None)
    return known if answer is None else {**known, name: answer}


def _show_button(label: str, act: Callable[[], None], hint: str | None = None) -> None:
    st.button(
        label,
        key=session.widget_key("reading", label, open_file.count_opened_tables()),
        help=hint,
        on_click=act,
    )


def list_reading_decisions(table: Table) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield a sentence per decision on how the file was read, and what undoes it."""
    origin, options = table.origin, table.origin.options
    sheet = sheet_message(origin)
    if sheet is not None:
        yield _(sheet), None
    for kind, rows in left_out_row_messages(origin).items():
        yield _(rows), options_keeping_rows(origin, kind)
    for name, mixed in mixed_date_messages(origin).items():
        yield _(mixed), {"forms": _with(table, "forms", "written", name, "text")}
    for name, words in missing_word_messages(origin).items():
        yield _(words), {"forms": _with(table, "forms", "written", name, "text")}
    missing = options.get("missing", {})
    for name in filter(missing.get, missing):
        said = _("{name}: {codes} read as missing").format(
            name=name, codes=", ".join(missing[name])
        )
        yield said, {"missing": {k: v for k, v in missing.items() if k != name}}
    for name, answer in options.get("written", {}).items():
        said = f"{name}: {_(text_data.WRITTEN[answer])}"
        yield said, {"forms": _with(table, "forms", "written", name, None)}


def show_reading_decisions(table: Table) -> None:
    """List the decisions on how the file was read, each with a button to undo it."""
    mine = session.workspace().upload is not None
    for said, changes in list_reading_decisions(table):
        with st.container(
            horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall"
        ):
            st.markdown(plain(said), help=_(text_data.READING_SETTLED))
            if mine and changes is not None:
                st.button(
                    _("Undo it"),
                    key=session.widget_key(
                        "reading undo", said, open_file.count_opened_tables()
                    ),
                    type="tertiary",
                    on_click=open_file.reread_upload,
                    kwargs=changes,
                )
