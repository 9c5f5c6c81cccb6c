"""Messages that no table is open or one is set aside, and the name of a table."""

from __future__ import annotations

from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state.workspace import Workspace
from engine.data.table import Table


def title_or_file_name(table: Table) -> str:
    """Return a table's title in the language in use, or its file's name if untitled."""
    return _(table.schema.title) or table.origin.name


def no_table_message(ws: Workspace) -> str:
    """Return a sentence that no table is open, or that a project needs its file."""
    if ws.awaiting is None:
        return _("There is no table yet: open one on the Data page.")
    return _("The project waits for its data: open {file} on the Data page.").format(
        file=escape_text(ws.awaiting.origin.name or ws.awaiting.title)
    )


def table_set_aside_message(ws: Workspace) -> str:
    """Return a sentence on the file that failed to open, and the table set aside."""
    assert ws.table is not None
    name = ws.failed_upload or _("The file")
    return _(
        "{file} was not opened. {former}, which was open before, is set aside: nothing "
        "of it can be released until you bring it back."
    ).format(
        file=f"**{escape_text(name)}**",
        former=f"**{escape_text(title_or_file_name(ws.table))}**",
    )
