"""Where the server keeps closed sessions, and whose files for download are."""

from __future__ import annotations

import time

from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionInfo, SessionStorage


class ClosedSessions(SessionStorage):
    """Sessions whose tabs are closed: all of them, until the clock has come round."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[float, SessionInfo]] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """Return a session whose tab was closed; None if there is none."""
        found = self._sessions.get(session_id)
        return None if found is None else found[1]

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session whose tab is closed now."""
        self._sessions[session_info.session.id] = time.monotonic(), session_info

    def delete(self, session_id: str) -> None:
        """Forget a session."""
        self._sessions.pop(session_id, None)

    def overdue(self, seconds: float) -> list[str]:
        """Return the sessions that were closed so long ago."""
        limit = time.monotonic() - seconds
        return [one for one, (since, _) in self._sessions.items() if since < limit]

    def list(self) -> list[SessionInfo]:
        """Return all of them."""
        return [info for _since, info in self._sessions.values()]


class OwnedMedia(MemoryMediaFileStorage):
    """Files for download, and which sessions have made each."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self.makers: dict[str, set[str]] = {}

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file, and the session whose page offers it."""
        file_id = super().load_and_get_id(path_or_data, mimetype, kind, filename)
        context = get_script_run_ctx(suppress_warning=True)
        if context is not None:
            self.makers.setdefault(file_id, set()).add(context.session_id)
        return file_id

    def delete_file(self, file_id: str) -> None:
        """Forget a file and who has made it."""
        super().delete_file(file_id)
        self.makers.pop(file_id, None)
