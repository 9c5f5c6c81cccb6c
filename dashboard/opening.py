"""Opening files and samples: what happens between a drop and a table on screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import streamlit as st

from dashboard import state
from engine.errors import EngineError
from engine.files import ReadOptions, formats, read_table

_PROBLEM = state.key("opening", "problem")
_ROUND = state.key("opening", "round")

DELIMITERS = {",": "Comma ,", ";": "Semicolon ;", "\t": "Tab", "|": "Bar |"}
DECIMALS = {".": "Point 1.5", ",": "Comma 1,5"}
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Western European (cp1252)",
    "cp1250": "Central European (cp1250)",
    "iso8859-15": "Latin 9 (ISO 8859-15)",
    "utf-16": "UTF-16",
}


class File(Protocol):
    """What an uploader hands over."""

    @property
    def name(self) -> str:
        """File name."""

    def getvalue(self) -> bytes:
        """Return all bytes."""


def suffixes() -> list[str]:
    """Return the suffixes of all formats that can be read, without the dot."""
    return [suffix[1:] for info in formats.infos() for suffix in info.suffixes]


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
    """Open an uploaded file; if it is no table, all stays as it was."""
    _open(state.Upload(file.name, file.getvalue()), None)


def open_sample(sample_id: str) -> None:
    """Open a table that comes with Coterie."""
    st.session_state[_PROBLEM] = ""
    state.open_sample(sample_id)
    next_round()


def read_again(**changes: Any) -> None:
    """Read the current upload with some options changed and the others as found."""
    ws = state.workspace()
    if ws.upload is None or ws.table is None:
        return
    found = ReadOptions.of(ws.table.origin.options)
    try:
        options = replace(found, **changes)
    except EngineError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    _open(ws.upload, options)


def _open(upload: state.Upload, options: ReadOptions | None) -> None:
    try:
        table = read_table(upload.content, name=upload.name, options=options)
    except EngineError as error:
        st.session_state[_PROBLEM] = str(error)
    else:
        st.session_state[_PROBLEM] = ""
        state.open_table(table, upload)
    next_round()


def describe() -> list[str]:
    """Return what was found out about the file, in words."""
    table = state.workspace().table
    if table is None:
        return []
    options = table.origin.options
    words = [formats.info(table.origin.format).title] if table.origin.format else []
    if "delimiter" in options:
        words.append(f"fields separated by {_word(DELIMITERS, options['delimiter'])}")
    if "decimal" in options:
        words.append(f"decimal {_word(DECIMALS, options['decimal']).split()[0]}")
    if "encoding" in options:
        words.append(ENCODINGS.get(options["encoding"], options["encoding"]))
    if "sheet" in options:
        words.append(f"sheet {options['sheet']!r}")
    if "header" in options:
        words.append(
            "names in the first line" if options["header"] else "no line with names"
        )
    return words


def _word(names: dict[str, str], value: str) -> str:
    return names.get(value, repr(value)).split()[0].lower()
