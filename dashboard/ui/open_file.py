"""Files and samples opened: from a drop to a table on screen."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Protocol

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.i18n.text_session import PROJECT_OTHER
from dashboard.projects.project import SUFFIX
from dashboard.readers.kinds import Read
from dashboard.readers.reading import Reading
from dashboard.readers.readings import readings
from dashboard.server import tabs
from dashboard.state import session
from dashboard.state.snapshot import fits
from dashboard.ui import open_project
from dashboard.ui.table_health import inspect
from engine.core.errors import EngineError
from engine.files import ReadOptions, formats

_PROBLEM = session.key("opening", "problem")
_OTHER = session.key("opening", "other")
_LAYOUT = session.key("opening", "layout")
_ROUND = session.key("opening", "round")
_WAITED = session.key("opening", "waited")

_PATIENCE = 20.0
"""Seconds for which a page waits for a file before it shows the rest meanwhile."""


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


def readable_formats() -> str:
    """Return the formats of files that can be opened, each with its suffixes."""
    return ", ".join(
        f"{_(info.title)} ({', '.join(info.suffixes)})" for info in formats.infos()
    )


def problem() -> str:
    """Return why the last file could not be opened; empty if it could."""
    refused = tabs.refusal()
    if refused:
        st.session_state[_PROBLEM] = _(refused)
    return str(st.session_state.get(_PROBLEM, ""))


def next_round() -> None:
    """Forget the edits that widgets hold: the workspace has them."""
    st.session_state[_ROUND] = round_number() + 1


def open_file(file: File) -> None:
    """Open an uploaded file; if it is no table or project, all stays as it was.

    It is read in a process of its own. Whoever does something else meanwhile finds it
    open when it has been read: see :func:`show_reading`.
    """
    if session.workspace().reading is not None:  # this one: a click has come between
        return
    upload = session.Upload(file.name, file.getvalue())
    if open_project.is_project(file.name):
        start_project(upload.content, upload.name)
    elif session.workspace().awaiting is None:
        _start(upload, None)
    else:
        _start_awaited(upload)
    show_reading()


def start_project(content: bytes, name: str) -> None:
    """Begin to open a project."""
    open_project.forget_messages()
    _follow_instead(readings().start("project", content, name))


def _start(
    upload: session.Upload, options: ReadOptions | None, other: bool = False
) -> None:
    """Begin to open a table; `other` ones take a project's choices over."""
    about = _Opening(upload, "other" if other else "")
    started = readings().start("table", upload.content, upload.name, about, (options,))
    _follow_instead(started)


def _start_awaited(upload: session.Upload) -> None:
    """Begin to open the table that the project waits for, as it was read then."""
    source = session.workspace().awaiting
    assert source is not None
    started = readings().start(
        "table",
        upload.content,
        upload.name,
        _Opening(upload, "awaited"),
        (ReadOptions.of(source.origin.options), None),
        source.fingerprint,
    )
    _follow_instead(started)


def _follow_instead(reading: str) -> None:
    """Wait for this file, and forget the one before it and what was said of it."""
    st.session_state[_PROBLEM], st.session_state[_OTHER] = "", None
    st.session_state[_LAYOUT] = None
    readings().cancel(session.workspace().reading)
    session.update(reading=reading)


@dataclass(frozen=True, eq=False)
class _Opening:
    """What a table that is being read is for.

    Attributes
    ----------
    upload : Upload
    why : {"", "awaited", "other"}
        Opened; or that a project waits for it; or that it is taken in its place.
    """

    upload: session.Upload
    why: str


def show_reading() -> None:
    """Show how far a file is that is being read, and open it when it has been.

    The rest of the page waits a while for it, but only once: after a click it comes at
    once, and the file when it is ready.
    """
    identifier = session.workspace().reading
    found = readings().find(identifier)
    if found is None:
        if identifier is not None:  # the server forgets what nobody waits for
            session.update(reading=None)
        return
    first = st.session_state.get(_WAITED) != identifier
    st.session_state[_WAITED] = identifier
    limit = time.monotonic() + (_PATIENCE if first else 0.0)
    place = st.empty()
    pause = 0.1  # a small file is there before anything need be said
    while not found.wait(pause, _heed_clicks) and time.monotonic() < limit:
        place.info(_progress(found), icon=":material/hourglass_top:")
        pause = 1.0
    place.empty()
    if found.wait(0.0):
        _finish()
        st.rerun()
    _follow()


def _heed_clicks() -> None:
    """Let a click in, which ends this run of the script; the file is read on."""
    st.session_state.get(_WAITED)  # Streamlit looks for clicks where it is asked


@st.fragment(run_every=0.5)
def _follow() -> None:
    """Show twice a second how far a file is."""
    found = readings().find(session.workspace().reading)
    if found is None or found.wait(0.0):
        _finish()
        st.rerun()
        return
    left, right = st.columns([4, 1], vertical_alignment="center")
    left.info(_progress(found), icon=":material/hourglass_top:")
    if right.button(
        _("Cancel"),
        icon=":material/stop:",
        width="stretch",
        key=session.key("reading", "cancel"),
    ):
        readings().cancel(session.workspace().reading)
        session.update(reading=None)
        next_round()
        st.rerun()


def _progress(found: Reading) -> str:
    return _("{stage}, {seconds} seconds so far").format(
        stage=plain(_(found.stage)), seconds=int(found.seconds)
    )


def _finish() -> None:
    """Take over what a file has brought, or say why it has brought nothing."""
    identifier = session.workspace().reading
    found = readings().find(identifier)
    session.update(reading=None)
    if found is None:
        return
    readings().cancel(identifier)
    next_round()
    if found.kind == "project":
        open_project.finish(found)
        return
    if found.state != "done":
        st.session_state[_PROBLEM] = plain(_(found.message))
        if found.kind == "table" and _takes_layout(found.about.upload.name):
            st.session_state[_LAYOUT] = found.about.upload
        return
    try:
        _take_over(found.result, found.about)
    except EngineError as error:  # no room for it
        st.session_state[_PROBLEM] = plain(_(error.message))


def _take_over(read: Read, about: _Opening) -> None:
    table, awaiting = read.table, session.workspace().awaiting
    if about.why != "awaited" or awaiting is None:
        session.open_table(table, about.upload)
    elif fits(awaiting, table.fingerprint, table.schema.names):
        open_project.open_awaited(table, about.upload)
    else:
        st.session_state[_PROBLEM] = _(PROJECT_OTHER)
        st.session_state[_OTHER] = about.upload
        return
    inspect(table).take(read)


def other_file() -> None:
    """Offer to use a project's choices on a file that it was not made with."""
    upload = st.session_state.get(_OTHER)
    if upload is None or session.workspace().awaiting is None:
        return
    st.button(
        _("Use the project's choices on {file}").format(file=plain(upload.name)),
        key=session.key("opening", "use other"),
        icon=":material/move_item:",
        on_click=_start,
        args=(upload, None, True),
    )


def _takes_layout(name: str) -> bool:
    suffix = PurePath(name).suffix.lower()
    return any(
        suffix in info.suffixes for info in formats.infos() if "layout" in info.options
    )


def ask_layout() -> None:
    """Ask where the columns of fixed-width text stand that could not be read."""
    upload = st.session_state.get(_LAYOUT)
    if upload is None:
        return
    key = session.key("opening", "layout text")
    st.text_area(
        _("Layout of {file}").format(file=plain(upload.name)),
        key=key,
        placeholder=_("age 1-3, income 4-11"),
        help=_(text.LAYOUT_HELP),
    )
    st.button(
        _("Read the file"),
        key=session.key("opening", "with layout"),
        type="primary",
        on_click=lambda: _start(upload, ReadOptions(layout=st.session_state[key])),
    )


def open_sample(sample_id: str) -> None:
    """Open a table that comes with Coterie."""
    st.session_state[_PROBLEM], st.session_state[_LAYOUT] = "", None
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
        st.session_state[_PROBLEM] = plain(_(error.message))
        return
    _start(ws.upload, options)


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
    if encoding := options.get("encoding"):
        words.append(_(text.ENCODINGS.get(encoding, encoding)))
    if "sheet" in options:
        said = _("sheet {name}")
        if table.origin.format in text.SHEETS:
            said = _("table {name}")
        words.append(said.format(name=repr(options["sheet"])))
    rows = str(options.get("header_row", ""))
    if rows not in ("", "0"):
        row = n_("names in row {rows}", "names in rows {rows}", rows.count(",") + 1)
        words.append(row.format(rows=rows.replace(",", ", ")))
    elif "header" in options:
        words.append(
            _("names in the first line")
            if options["header"]
            else _("no line with names")
        )
    return words


def _word(names: dict[str, str], value: str) -> str:
    return _(names.get(value, repr(value))).split()[0].lower()
