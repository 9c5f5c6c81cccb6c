"""Files and samples opened: from a drop to a table on screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.i18n.text_session import PROJECT_OTHER
from dashboard.projects.project import SUFFIX
from dashboard.projects.resume import read_awaited
from dashboard.state import session
from dashboard.ui import open_project
from engine.core.errors import EngineError
from engine.files import ReadOptions, formats, read_table

_PROBLEM = session.key("opening", "problem")
_OTHER = session.key("opening", "other")
_ROUND = session.key("opening", "round")


class File(Protocol):
    """What an uploader hands over."""

    @property
    def name(self) -> str:
        """File name."""

    def getvalue(self) -> bytes:
        """Return all bytes."""


def suffixes() -> list[str]:
    """Return the suffixes of all files that can be opened, without the dot."""
    tables = [suffix[1:] for info in formats.infos() for suffix in info.suffixes]
    return [*tables, SUFFIX]


def round_number() -> int:
    """Return how many tables were opened: widgets of an older one must not speak."""
    return int(st.session_state.get(_ROUND, 0))


def problem() -> str:
    """Return why the last file could not be opened; empty if it could."""
    return str(st.session_state.get(_PROBLEM, ""))


def next_round() -> None:
    """Forget the edits that widgets hold: the workspace has them."""
    st.session_state[_ROUND] = round_number() + 1


def open_file(file: File) -> None:
    """Open an uploaded file; if it is no table or project, all stays as it was."""
    if open_project.is_project(file.name):
        open_project.open_project(file.getvalue())
        next_round()
        return
    upload = session.Upload(file.name, file.getvalue())
    if session.workspace().awaiting is None:
        _open(upload, None)
    else:
        _open_awaited(upload)


def _open_awaited(upload: session.Upload) -> None:
    """Open the table that the project waits for; another one only when asked again."""
    ws = session.workspace()
    table = read_awaited(ws, upload)
    if table is not None:
        st.session_state[_PROBLEM] = ""
        open_project.open_awaited(table, upload)
        next_round()
        return
    _open(upload, None, other=True)


def other_file() -> None:
    """Offer to use a project's choices on a file that it was not made with."""
    upload = st.session_state.get(_OTHER)
    if upload is None or session.workspace().awaiting is None:
        return
    st.button(
        _("Use the project's choices on {file}").format(file=plain(upload.name)),
        key=session.key("opening", "use other"),
        icon=":material/move_item:",
        on_click=_open,
        args=(upload, None),
    )


def open_sample(sample_id: str) -> None:
    """Open a table that comes with Coterie."""
    st.session_state[_PROBLEM] = ""
    session.open_sample(sample_id)
    next_round()


def read_again(**changes: Any) -> None:
    """Read the current upload with some options changed and the others as found."""
    ws = session.workspace()
    if ws.upload is None or ws.table is None:
        return
    found = ReadOptions.of(ws.table.origin.options)
    try:
        options = replace(found, **changes)
    except EngineError as error:
        st.session_state[_PROBLEM] = _(error.message)
        return
    _open(ws.upload, options)


def _open(
    upload: session.Upload, options: ReadOptions | None, other: bool = False
) -> None:
    """Open a table; `other` ones are only offered."""
    st.session_state[_PROBLEM], st.session_state[_OTHER] = "", None
    try:
        table = read_table(upload.content, name=upload.name, options=options)
    except EngineError as error:
        st.session_state[_PROBLEM] = _(error.message)
    else:
        if other:
            st.session_state[_PROBLEM] = _(PROJECT_OTHER)
            st.session_state[_OTHER] = upload
        else:
            session.open_table(table, upload)
    next_round()


def describe() -> list[str]:
    """Return what was found out about the file, in words."""
    table = session.workspace().table
    if table is None:
        return []
    options = table.origin.options
    words = [_(formats.info(table.origin.format).title)] if table.origin.format else []
    if "delimiter" in options:
        sign = _word(text.DELIMITERS, options["delimiter"])
        words.append(_("fields separated by {sign}").format(sign=sign))
    if "decimal" in options:
        sign = _word(text.DECIMALS, options["decimal"])
        words.append(_("decimal {sign}").format(sign=sign))
    if "encoding" in options:
        encoding = options["encoding"]
        words.append(_(text.ENCODINGS.get(encoding, encoding)))
    if "sheet" in options:
        words.append(_("sheet {name}").format(name=repr(options["sheet"])))
    if "header" in options:
        words.append(
            _("names in the first line")
            if options["header"]
            else _("no line with names")
        )
    return words


def _word(names: dict[str, str], value: str) -> str:
    return _(names.get(value, repr(value))).split()[0].lower()
