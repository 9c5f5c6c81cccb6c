"""Preview of a file's first rows; a click chooses the row of column names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.i18n import text_data
from dashboard.i18n.language import _
from dashboard.readers.readings import file_readings
from dashboard.state import session
from dashboard.ui.browser_components.component_values import read_component_value
from dashboard.ui.table import open_file
from engine.files import FilePreview, ReadOptions

MAX_PREVIEW_SECONDS = 10.0
"""Seconds for which a preview is waited for."""

_PREVIEW_WIDTH_PX = 640
"""Pixels: more than half of a window, in which the rest of the page stays seen."""

_rows = st.components.v2.component(
    "coterie_preview_rows",
    html='<div class="preview"></div>',
    css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def show_header_row_chooser() -> None:
    """Show the open upload's first rows, where a click chooses the row of names."""
    ws = session.workspace()
    if ws.table is None or ws.upload is None:
        return
    preview = _cached_preview(
        ws.upload, ReadOptions.from_used_options(ws.table.origin.options)
    )
    if preview is None:
        return
    key = session.widget_key("preview rows", open_file.table_reset_count())
    layout = preview.layout
    _rows(
        key=key,
        data={
            "rows": preview.rows,
            "header": list(layout.header),
            "first": layout.first,
            "left": {row: _(text_data.LEFT_OUT[kind]) for kind, row in layout.left_out},
            "texts": {name: _(words) for name, words in text_data.PREVIEW.items()},
        },
        width=_PREVIEW_WIDTH_PX,
        height="content",
        on_chosen_change=lambda: _apply_name_row(key, preview),
    )


def _apply_name_row(key: str, preview: FilePreview) -> None:
    """Read the file again, with the names in the row that was clicked."""
    row = read_component_value(key, "chosen", int)
    if row is None or not 0 <= row < len(preview.rows):
        return
    header = (int(row),) if row else ()
    layouts = [preview.layout, *preview.alternatives]
    layout = next((entry for entry in layouts if entry.header == header), None)
    changes: dict[str, Any] = {"header": None, "first_row": None}
    changes["header_row"] = ",".join(map(str, header or (0,)))
    if layout is not None:
        changes["first_row"] = layout.first
    open_file.reread_upload(**changes)


def _cached_preview(upload: session.Upload, options: ReadOptions) -> FilePreview | None:
    """Return the first rows, which a process of its own has read; once per file."""
    key = session.widget_key("preview rows", "found")
    entry = st.session_state.get(key)
    if entry is not None and entry[0] is upload and entry[1] == options:
        preview: FilePreview | None = entry[2]
        return preview
    started = file_readings().start_reading(
        "preview", upload.content, upload.name, None, (options,)
    )
    reading = file_readings().find_reading(started)
    if reading is None or not reading.wait(MAX_PREVIEW_SECONDS):
        file_readings().cancel_reading(started)
        return None
    reading = file_readings().find_reading(started)
    preview = reading.result if reading is not None else None
    file_readings().cancel_reading(started)
    st.session_state[key] = (upload, options, preview)
    return preview
