"""Message for pages without a table."""

from __future__ import annotations

from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.state.workspace import Workspace


def no_table_message(ws: Workspace) -> str:
    """Return that there is no table yet, or which one the project waits for."""
    if ws.awaiting is None:
        return _("There is no table yet: open one on the Data page.")
    return _("The project waits for its data: open {file} on the Data page.").format(
        file=plain(ws.awaiting.origin.name or ws.awaiting.title)
    )
