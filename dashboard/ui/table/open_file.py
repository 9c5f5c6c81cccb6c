"""Opening of uploaded files, projects and samples, and texts about how it went."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Protocol

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _, n_, within_sentence
from dashboard.i18n.markdown import escape_text
from dashboard.i18n.text_session import PROJECT_OTHER
from dashboard.projects.project import PROJECT_SUFFIX
from dashboard.readers.reading import FileReadingJob
from dashboard.readers.readings import file_readings
from dashboard.readers.work_kinds import TableWithSuggestions
from dashboard.server.adapter import access
from dashboard.state import session
from dashboard.state.snapshots.snapshot import matches_source
from dashboard.ui.header import open_project
from dashboard.ui.table.table_health import inspect_table
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.files import ReadOptions, formats

_PROBLEM_KEY = session.widget_key("opening", "problem")
_OTHER_KEY = session.widget_key("opening", "other")
_REFUSED_KEY = session.widget_key("opening", "refused")
_ROUND_KEY = session.widget_key("opening", "round")
_WAITED_KEY = session.widget_key("opening", "waited")

_MAX_BLOCKING_SECONDS = 20.0
"""Seconds for which a page waits for a file before it shows the rest meanwhile."""


class UploadedFile(Protocol):
    """Protocol of a file from an uploader: name and content."""

    @property
    def name(self) -> str:
        """File name."""

    def getvalue(self) -> bytes:
        """Return all bytes."""


def name_of_upload(uploaded_file: UploadedFile) -> str:
    """Return an upload's file name, with ``%22`` decoded to a double quote."""
    return uploaded_file.name.replace("%22", '"')


def accepted_suffixes() -> list[str]:
    """Return the suffixes of all files that can be opened, without the dot."""
    tables = [suffix[1:] for info in formats.infos() for suffix in info.suffixes]
    return [*tables, PROJECT_SUFFIX]


def table_reset_count() -> int:
    """Return how often the table widgets were reset, which is part of their keys."""
    return int(st.session_state.get(_ROUND_KEY, 0))


def readable_formats_text() -> str:
    """Return the table formats that can be opened, with their suffixes, as text."""
    return ", ".join(
        f"{_(info.title)} ({', '.join(info.suffixes)})" for info in formats.infos()
    )


def file_opening_problem() -> str:
    """Return why the last file could not be opened, as Markdown; empty if it could."""
    return str(st.session_state.get(_PROBLEM_KEY, ""))


def _report_problem(message: Message, name: str) -> None:
    """Say why a file could not be opened, and set aside what is open."""
    st.session_state[_PROBLEM_KEY] = escape_text(_(message))
    session.update_workspace(failed_upload=name)


def restore_set_aside_table() -> None:
    """Use the table again that was set aside when a later file failed to open."""
    st.session_state[_PROBLEM_KEY], st.session_state[_OTHER_KEY] = "", None
    st.session_state[_REFUSED_KEY] = None
    session.update_workspace(failed_upload=None)


def reset_table_widgets() -> None:
    """Count one more reset, by which table widgets get new keys and become empty."""
    st.session_state[_ROUND_KEY] = table_reset_count() + 1


def start_opening_upload(uploaded_file: UploadedFile) -> None:
    """Start reading an upload unless a file is being read; show progress, then open it.

    It is read in a process of its own. Whoever does something else meanwhile finds it
    open when it has been read: see :func:`show_reading_progress_and_open_file`.
    """
    if session.workspace().reading is not None:  # this one: a click has come between
        return
    name = name_of_upload(uploaded_file)
    upload = session.Upload(name, access.uploaded_bytes(uploaded_file))
    if open_project.is_project_file(name):
        start_opening_project(upload.content, upload.name)
    elif session.workspace().awaiting is None:
        _start_opening(upload, None)
    else:
        _start_awaited(upload)
    show_reading_progress_and_open_file()


def open_upload_and_rerun(uploaded_file: UploadedFile) -> None:
    """Start opening an uploaded file with a spinner, and rerun the page."""
    with (
        st.container(key=session.widget_key("reading")),
        st.spinner(
            _("Reading {file}").format(file=escape_text(name_of_upload(uploaded_file)))
        ),
    ):
        start_opening_upload(uploaded_file)
    st.rerun()


def start_opening_project(content: bytes, file_name: str) -> None:
    """Start reading a project file; it is opened when it has been read."""
    open_project.clear_project_messages()
    _follow_instead(file_readings().start_reading("project", content, file_name))


def _start_opening(upload: session.Upload, options: ReadOptions | None) -> None:
    started = file_readings().start_reading(
        "table", upload.content, upload.name, _Opening(upload), (options,)
    )
    _follow_instead(started)


def _start_awaited(upload: session.Upload) -> None:
    """Begin to open the table that the project waits for, as it was read then."""
    source = session.workspace().awaiting
    assert source is not None
    started = file_readings().start_reading(
        "table",
        upload.content,
        upload.name,
        _Opening(upload, is_awaited=True),
        (ReadOptions.from_used_options(source.origin.options), None),
        source.fingerprint,
    )
    _follow_instead(started)


def _follow_instead(reading: str) -> None:
    """Wait for this file, and forget the one before it and what was said of it."""
    st.session_state[_PROBLEM_KEY], st.session_state[_OTHER_KEY] = "", None
    st.session_state[_REFUSED_KEY] = None
    file_readings().cancel_reading(session.workspace().reading)
    session.update_workspace(reading=reading)


@dataclass(frozen=True, eq=False)
class _Opening:
    """What a table that is being read is for.

    Attributes
    ----------
    upload : Upload
    is_awaited : bool
        Whether a project waits for it.
    """

    upload: session.Upload
    is_awaited: bool = False


def show_reading_progress_and_open_file() -> None:
    """Show the progress of the file being read, and open it when it has been read.

    The rest of the page waits a while for it, but only once: after a click it comes at
    once, and the file when it is ready.
    """
    refused, is_upload = access.last_refusal_and_is_upload()
    if is_upload:
        _report_problem(refused, "")
    elif refused:
        st.session_state[_PROBLEM_KEY] = _(refused)
    # Not before: a click ends this run of the script wherever it asks Streamlit.
    access.forget_refusal(refused)
    identifier = session.workspace().reading
    reading = file_readings().find_reading(identifier)
    if reading is None:
        if identifier is not None:  # the server forgets what nobody waits for
            session.update_workspace(reading=None)
        return
    first = st.session_state.get(_WAITED_KEY) != identifier
    st.session_state[_WAITED_KEY] = identifier
    limit = time.monotonic() + (_MAX_BLOCKING_SECONDS if first else 0.0)
    place = st.empty()
    pause = 0.1  # a small file is there before anything need be said
    while not reading.wait(pause, _heed_clicks) and time.monotonic() < limit:
        place.info(_progress_text(reading), icon=":material/hourglass_top:")
        pause = 1.0
    place.empty()
    if reading.wait(0.0):
        _finish()
        st.rerun()
    _follow()


def _heed_clicks() -> None:
    """Let a click in, which ends this run of the script; the file is read on."""
    st.session_state.get(_WAITED_KEY)  # Streamlit looks for clicks where it is asked


@st.fragment(run_every=0.5)
def _follow() -> None:
    """Show twice a second how far a file is."""
    reading = file_readings().find_reading(session.workspace().reading)
    if reading is None or reading.wait(0.0):
        _finish()
        st.rerun()
        return
    left, right = st.columns([4, 1], vertical_alignment="center")
    left.info(_progress_text(reading), icon=":material/hourglass_top:")
    if right.button(
        _("Cancel"),
        icon=":material/stop:",
        width="stretch",
        key=session.widget_key("reading", "cancel"),
    ):
        file_readings().cancel_reading(session.workspace().reading)
        session.update_workspace(reading=None)
        reset_table_widgets()
        st.rerun()


def _progress_text(reading: FileReadingJob) -> str:
    return _("{stage}, {seconds} seconds so far").format(
        stage=escape_text(_(reading.current_stage)),
        seconds=int(reading.elapsed_seconds),
    )


def _finish() -> None:
    """Take over what a file has brought, or say why it has brought nothing."""
    identifier = session.workspace().reading
    job = file_readings().find_reading(identifier)
    session.update_workspace(reading=None)
    if job is None:
        return
    file_readings().cancel_reading(identifier)
    reset_table_widgets()
    if job.kind == "project":
        open_project.open_project_from_reading(job)
        return
    if job.state != "done":
        if job.about.upload is session.workspace().upload:  # read with other options
            st.session_state[_PROBLEM_KEY] = escape_text(_(job.message))
        else:
            _report_problem(job.message, job.name)
        st.session_state[_REFUSED_KEY] = job.about.upload
        return
    try:
        _take_over(job.result, job.about)
    except EngineError as error:  # no room for it
        _report_problem(error.message, job.name)


def _take_over(read: TableWithSuggestions, about: _Opening) -> None:
    table, awaiting = read.table, session.workspace().awaiting
    if not about.is_awaited or awaiting is None:
        session.open_table(table, about.upload)
    elif matches_source(awaiting, table.fingerprint, table.schema.names):
        open_project.set_awaited_table(table, about.upload)
    else:
        st.session_state[_PROBLEM_KEY] = _(PROJECT_OTHER)
        st.session_state[_OTHER_KEY] = about.upload
        return
    inspect_table(table).add_reading_findings(read)


def offer_choices_for_other_file() -> None:
    """Show a button to use the project's choices on an upload that is not its file."""
    upload = st.session_state.get(_OTHER_KEY)
    if upload is None or session.workspace().awaiting is None:
        return
    st.button(
        _("Use the project's choices on {file}").format(file=escape_text(upload.name)),
        key=session.widget_key("opening", "use other"),
        icon=":material/move_item:",
        on_click=_start_opening,
        args=(upload, None),
    )


def _takes_option(name: str, option: str) -> bool:
    """Return whether a format of such a name is read with an option."""
    suffix = PurePath(name).suffix.lower()
    return any(
        suffix in info.suffixes for info in formats.infos() if option in info.options
    )


def show_refused_file_options() -> None:
    """Show options with which the file that failed to open may be readable."""
    upload = st.session_state.get(_REFUSED_KEY)
    if upload is None:
        return
    if _takes_option(upload.name, "encoding"):
        _ask_encoding(upload)
    if _takes_option(upload.name, "layout"):
        _ask_layout(upload)


def _ask_encoding(upload: session.Upload) -> None:
    """Ask in which encoding a text file is written."""
    key = session.widget_key("opening", "encoding")
    st.selectbox(
        _("Encoding of {file}").format(file=escape_text(upload.name)),
        list(text.ENCODINGS),
        index=None,
        format_func=lambda encoding: _(text.ENCODINGS[encoding]),
        key=key,
        placeholder=_("Choose how its letters are written"),
        on_change=lambda: _start_opening(
            upload, ReadOptions(encoding=st.session_state[key])
        ),
        width=400,
    )


def _ask_layout(upload: session.Upload) -> None:
    """Ask at which positions the columns of fixed-width text begin."""
    key = session.widget_key("opening", "layout text")
    st.text_area(
        _("Layout of {file}").format(file=escape_text(upload.name)),
        key=key,
        placeholder=_("age 1-3, income 4-11"),
        help=_(text.LAYOUT_HELP),
    )
    st.button(
        _("Read the file"),
        key=session.widget_key("opening", "with layout"),
        type="primary",
        on_click=lambda: _start_opening(
            upload, ReadOptions(layout=st.session_state[key])
        ),
    )


def open_sample_file(sample_id: str) -> None:
    """Open a sample table that comes with Coterie, given its identifier."""
    st.session_state[_PROBLEM_KEY], st.session_state[_REFUSED_KEY] = "", None
    try:
        session.open_sample(sample_id)
    except EngineError as error:  # it cannot be logged
        _report_problem(error.message, "")
    reset_table_widgets()


def reread_upload(**changed_options: Any) -> None:
    """Start reading the current upload again, with some options changed."""
    ws = session.workspace()
    if ws.upload is None or ws.table is None:
        return
    old_options = ReadOptions.from_used_options(ws.table.origin.options)
    try:
        options = replace(old_options, **changed_options)
    except EngineError as error:
        st.session_state[_PROBLEM_KEY] = escape_text(_(error.message))
        return
    _start_opening(ws.upload, options)


def texts_on_how_upload_was_read() -> list[str]:
    """Return short texts on how the uploaded file was read: format, signs, encoding."""
    table = session.workspace().table
    if table is None:
        return []
    options = table.origin.options
    words = [_(formats.info(table.origin.format).title)] if table.origin.format else []
    if "delimiter" in options:
        sign = _value_label(text.DELIMITERS, options["delimiter"])
        words.append(_("fields separated by {sign}").format(sign=sign))
    if "decimal" in options:
        sign = _value_label(text.DECIMALS, options["decimal"])
        words.append(_("decimal {sign}").format(sign=sign))
    if encoding := options.get("encoding"):
        words.append(_(text.ENCODINGS.get(encoding, encoding)))
    if "sheet" in options:
        template = _("sheet {name}")
        if table.origin.format in text.SHEETS:
            template = _("table {name}")
        words.append(template.format(name=repr(options["sheet"])))
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
    if options.get("number_names"):
        words.append(_("equal names numbered"))
    return words


def _value_label(names: dict[str, str], value: str) -> str:
    return within_sentence(_(names.get(value, repr(value))).split()[0])
