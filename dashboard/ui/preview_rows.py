"""The first rows of a file, in which the row of the names is clicked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.i18n import text_data
from dashboard.i18n.language import _
from dashboard.readers.readings import readings
from dashboard.state import session
from dashboard.ui import open_file
from dashboard.ui.said import said
from engine.files import Preview, ReadOptions

PATIENCE = 10.0
"""Seconds for which a preview is waited for."""

_WIDTH = 640
"""Pixels: more than half of a window, in which the rest of the page stays seen."""

_rows = st.components.v2.component(
    "coterie_preview_rows",
    html='<div class="preview"></div>',
    css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def choose_row_of_names() -> None:
    """Show a file's first rows; a click says in which of them the names stand."""
    ws = session.workspace()
    if ws.table is None or ws.upload is None:
        return
    found = _preview(ws.upload, ReadOptions.of(ws.table.origin.options))
    if found is None:
        return
    key = session.key("preview rows", open_file.round_number())
    layout = found.layout
    _rows(
        key=key,
        data={
            "rows": found.rows,
            "header": list(layout.header),
            "first": layout.first,
            "left": {row: _(text_data.LEFT_OUT[kind]) for kind, row in layout.left_out},
            "texts": {name: _(words) for name, words in text_data.PREVIEW.items()},
        },
        width=_WIDTH,
        height="content",
        on_chosen_change=lambda: _take_over(key, found),
    )


def _take_over(key: str, found: Preview) -> None:
    """Read the file again, with the names in the row that was clicked."""
    row = said(key, "chosen", int)
    if row is None or not 0 <= row < len(found.rows):
        return
    header = (int(row),) if row else ()
    known = [found.layout, *found.alternatives]
    layout = next((one for one in known if one.header == header), None)
    changes: dict[str, Any] = {"header": None, "first_row": None}
    changes["header_row"] = ",".join(map(str, header or (0,)))
    if layout is not None:
        changes["first_row"] = layout.first
    open_file.read_again(**changes)


def _preview(upload: session.Upload, options: ReadOptions) -> Preview | None:
    """Return the first rows, which a process of its own has read; once per file."""
    key = session.key("preview rows", "found")
    known = st.session_state.get(key)
    if known is not None and known[0] is upload and known[1] == options:
        found: Preview | None = known[2]
        return found
    started = readings().start("preview", upload.content, upload.name, None, (options,))
    reading = readings().find(started)
    if reading is None or not reading.wait(PATIENCE):
        readings().cancel(started)
        return None
    reading = readings().find(started)
    found = reading.result if reading is not None else None
    readings().cancel(started)
    st.session_state[key] = (upload, options, found)
    return found
