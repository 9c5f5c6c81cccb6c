"""Streamlit's runtime, extended by owners of sessions, uploads and downloads.

Streamlit keeps what sessions upload, show and offer for download under addresses that
whoever knows them may ask, and forgets closed sessions when somebody else connects.
Here each session belongs to one browser and one person, nobody else gets what is its
own, and a clock closes it a while after its tab.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import (
    SessionClient,
    SessionClientDisconnectedError,
    SessionInfo,
    SessionStorage,
)
from streamlit.web.cache_storage_manager_config import (
    create_default_cache_storage_manager,
)
from streamlit.web.server.starlette.starlette_routes import (
    BASE_ROUTE_MEDIA,
    BASE_ROUTE_UPLOAD_FILE,
)

from dashboard.server import sign_in
from dashboard.server.adapter import access, messages
from dashboard.server.browsers import COOKIE, base_path
from engine.core.message import Message

KEPT_SECONDS = 120.0
"""How long what a closed tab leaves behind is kept, for a reload."""

TICK_SECONDS = 5.0
"""Seconds between looks at closed sessions."""

_asking: ContextVar[str] = ContextVar("session", default="")
"""The session that asks for a file to be made."""


@dataclass(frozen=True)
class SessionOwner:
    """Browser and person to whom a session belongs.

    Attributes
    ----------
    browser : str
        What its cookie says; empty for a program that has none.
    person : str
        As the identity provider knows them; empty where nobody signs in.
    """

    browser: str
    person: str


class ClosedSessions(SessionStorage):
    """Streamlit session storage that keeps sessions of closed tabs until deletion."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[float, SessionInfo]] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """Return a stored session, whose tab is closed; None if there is none."""
        return self._sessions.get(session_id, (0.0, None))[1]

    def save(self, session_info: SessionInfo) -> None:
        """Store a session whose tab closes now."""
        self._sessions[session_info.session.id] = time.monotonic(), session_info

    def delete(self, session_id: str) -> None:
        """Remove a session from the storage."""
        self._sessions.pop(session_id, None)

    def overdue(self, seconds: float) -> list[str]:
        """Return the ids of sessions closed for more than some seconds."""
        limit = time.monotonic() - seconds
        return [name for name, (since, _) in self._sessions.items() if since < limit]

    def list(self) -> list[SessionInfo]:
        """Return all stored sessions."""
        return [info for _since, info in self._sessions.values()]


class OwnedMedia(MemoryMediaFileStorage):
    """Storage of files for download, with the sessions that made each of them."""

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
        """Store a file with the session that offers or requests it; return its id."""
        file_id = super().load_and_get_id(path_or_data, mimetype, kind, filename)
        maker = access.current_session_id() or _asking.get()
        if maker:
            self.makers.setdefault(file_id, set()).add(maker)
        return file_id

    def delete_file(self, file_id: str) -> None:
        """Remove a file and its makers."""
        super().delete_file(file_id)
        self.makers.pop(file_id, None)


class OwnedRuntime(Runtime):
    """Streamlit runtime that keeps people from reaching sessions of others.

    Attributes
    ----------
    note_rerun : callable
        Told of a session, and of what its page says, before Streamlit is.
    """

    def __init__(
        self, settings: RuntimeConfig, closed: ClosedSessions, media: OwnedMedia
    ) -> None:
        super().__init__(settings)
        self._closed, self.media = closed, media
        uploads = settings.uploaded_file_manager
        assert isinstance(uploads, MemoryUploadedFileManager)
        self._uploads = uploads
        self.owners: dict[str, SessionOwner] = {}
        self._signed_in: dict[str, dict[str, str]] = {}
        self.refusals: dict[str, tuple[Message, bool]] = {}
        self._to_erase: list[AppSession] = []
        self._arriving_bytes = 0
        self.note_rerun: Callable[[AppSession, WidgetStates], None] = lambda *_: None

    def connect_session(
        self,
        client: SessionClient,
        user_info: Any,
        existing_session_id: str | None = None,
        session_id_override: str | None = None,
    ) -> str:
        """Connect a tab to its own session or to a new one; return the session's id."""
        context = client.client_context
        cookies = {} if context is None else context.cookies
        owner = SessionOwner(cookies.get(COOKIE, ""), sign_in.person_id_of(user_info))
        if existing_session_id and self.owners.get(existing_session_id) != owner:
            existing_session_id = None
        session_id = super().connect_session(
            client, user_info, existing_session_id, session_id_override
        )
        self.owners[session_id] = owner
        self._signed_in[session_id] = sign_in.select_sign_in_cookies(cookies)
        return session_id

    def close_signed_out(self) -> int:
        """Close the sessions of people who are no longer signed in; return how many.

        Their pages are sent to where one signs in. On the thread of the event loop
        only.
        """
        session_ids = [
            session_id
            for session_id, cookies in self._signed_in.items()
            if not sign_in.user_of_request(cookies).admitted
        ]
        for session_id in session_ids:
            del self._signed_in[session_id]
            info = self._session_mgr.get_active_session_info(session_id)
            if info is not None:
                message = ForwardMsg()
                message.auth_redirect.url = f"{base_path()}/"
                with contextlib.suppress(SessionClientDisconnectedError):
                    self._send_message(info, message)
            self.close_session(session_id)
        return len(session_ids)

    def handle_backmsg(
        self, session_id: str, msg: BackMsg, *, client: SessionClient | None = None
    ) -> None:
        """Pass a known message to its session, unless it requests others' files."""
        if not messages.is_supported_message(msg):
            return
        kind, operation = msg.WhichOneof("type"), msg.backend_operation_request
        if operation.WhichOneof("payload") == "deferred_file":
            offers = self.media_file_mgr._deferred_callables
            offer = offers.get(operation.deferred_file.file_id)
            if offer is None or offer["session_id"] != session_id:
                return
        info = self._session_mgr.get_active_session_info(session_id)
        if kind == "rerun_script" and info is not None:
            self._check_rerun(info.session, msg.rerun_script)
        token = _asking.set(session_id)
        try:
            super().handle_backmsg(session_id, msg, client=client)
        finally:
            _asking.reset(token)

    def _check_rerun(self, session: AppSession, state: ClientState) -> None:
        """Leave in a request what its page can say, and note when it came."""
        store, files = session.session_state, self._uploads.file_storage.get(session.id)
        widgets = store._new_widget_state.widget_metadata
        names = {file.file_id: file.name for file in list((files or {}).values())}
        messages.remove_impossible_widget_values(state, widgets, names)
        self.note_rerun(session, state.widget_states)

    def _send_message(self, session_info: Any, msg: ForwardMsg) -> None:
        """Send a message, of which nothing stays here."""
        super()._send_message(session_info, msg)
        msg.Clear()  # the loop that sends keeps the last one at hand, on an idle server

    def close_session(self, session_id: str) -> None:
        """Close a session for good; its data are erased at the next tick."""
        info = self._session_mgr.get_session_info(session_id)
        super().close_session(session_id)
        if info is not None:
            self._to_erase.append(info.session)

    def erase_closed(self) -> int:
        """Erase the data of closed sessions; return how many.

        Not when they are closed: their scripts, if they still draw, end first.
        """
        erased, self._to_erase = self._to_erase, []
        for session in erased:
            for storage in (session.session_state, session._fragment_storage):
                storage.clear()
            session.flush_browser_queue()
        return len(erased)

    def has_open_tabs(self) -> bool:
        """Return whether any page is connected."""
        return self._session_mgr.num_active_sessions() > 0

    def may_upload(self, session_id: str, owner: SessionOwner) -> bool:
        """Return whether a session is open and belongs to this browser and person."""
        open_ = self.is_active_session(session_id)
        return open_ and self.owners.get(session_id) == owner

    def may_download(self, file_name: str, owner: SessionOwner) -> bool:
        """Return whether a file was made by a session of this browser and person."""
        makers = self.media.makers.get(file_name.split(".")[0], set())
        return any(self.owners.get(session) == owner for session in makers)

    def download(self, file_name: str) -> bytes | None:
        """Return a file offered for download; None for other media such as pictures."""
        try:
            file = self.media.get_file(file_name)
        except MediaFileStorageError:
            return None
        return file.content if file.kind == MediaFileKind.DOWNLOADABLE else None

    def held_bytes(self) -> int:
        """Return the bytes of all uploads, those that are still arriving included.

        What is on its way counts as well, or many files at a time would be let in.
        """
        sessions = list(self._uploads.file_storage.values())
        files = [file for uploads in sessions for file in list(uploads.values())]
        return self._arriving_bytes + sum(len(file.data) for file in files)

    @contextlib.contextmanager
    def arriving(self, size: int) -> Iterator[None]:
        """Count bytes as arriving while the context is open."""
        self._arriving_bytes += size
        try:
            yield
        finally:
            self._arriving_bytes -= size

    def refuse(self, session_id: str, why: Message, is_upload: bool = True) -> None:
        """Make a session's page show why an upload or download was refused."""
        info = self._session_mgr.get_active_session_info(session_id)
        if info is not None:
            self.refusals[session_id] = why, is_upload
            info.session.request_rerun(None)

    def refuse_download(self, file_name: str, why: Message) -> None:
        """Make the pages that offer a file show why its download was refused."""
        for session_id in self.media.makers.get(file_name.split(".")[0], set()):
            self.refuse(session_id, why, is_upload=False)

    def close_overdue(self, seconds: float = KEPT_SECONDS) -> int:
        """Close sessions of tabs closed too long ago, or signed out; return how many.

        On the thread of the event loop only.
        """
        n_signed_out = self.close_signed_out()
        overdue = self._closed.overdue(seconds)
        for session_id in overdue:
            self.close_session(session_id)
        for session_id in list(self.owners):
            if self._session_mgr.get_session_info(session_id) is None:
                del self.owners[session_id]
                self._signed_in.pop(session_id, None)
                self.refusals.pop(session_id, None)
        if n_signed_out or overdue:
            # Twice: the first time a download is but marked.
            self.media_file_mgr.remove_orphaned_files()
            self.media_file_mgr.remove_orphaned_files()
        return n_signed_out + len(overdue)


async def close_expired_sessions(runtime: OwnedRuntime) -> None:
    """Close expired sessions and erase closed ones, tick by tick, without end."""
    while True:
        await asyncio.sleep(TICK_SECONDS)
        if runtime.erase_closed():
            await asyncio.to_thread(gc.collect)  # sessions refer to themselves
        runtime.close_overdue()


class OwnedApp(st.App):
    """Streamlit application that runs by an OwnedRuntime."""

    def _create_runtime(self) -> OwnedRuntime:
        closed, media = ClosedSessions(), OwnedMedia(f"/{BASE_ROUTE_MEDIA}")
        settings = RuntimeConfig(
            script_path=str(self._resolve_script_path()),
            media_file_storage=media,
            uploaded_file_manager=MemoryUploadedFileManager(
                f"/{BASE_ROUTE_UPLOAD_FILE}"
            ),
            cache_storage_manager=create_default_cache_storage_manager(),
            session_storage=closed,
        )
        return OwnedRuntime(settings, closed, media)

    @property
    def owned_runtime(self) -> OwnedRuntime | None:
        """Runtime; None before it is created."""
        return cast(OwnedRuntime | None, self._runtime)
