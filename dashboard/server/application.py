"""The application that is served: Streamlit's, with whose is what, and an end for all.

Streamlit keeps what sessions upload, show and offer for download under addresses that
whoever knows them may ask, and forgets closed sessions when somebody else connects.
Here each session belongs to one browser and one person, nobody else gets what is its
own, and a clock closes it a while after its tab.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import (
    SessionClient,
    SessionClientDisconnectedError,
)
from streamlit.web.cache_storage_manager_config import (
    create_default_cache_storage_manager,
)
from streamlit.web.server.starlette.starlette_routes import (
    BASE_ROUTE_MEDIA,
    BASE_ROUTE_UPLOAD_FILE,
)

from dashboard.server import heard, messages, sign_in
from dashboard.server.browsers import COOKIE
from dashboard.server.delivery import Parcel
from dashboard.server.looks import Looks
from dashboard.server.memory import let_go
from dashboard.server.shown import Shown
from dashboard.server.sign_in import person_of
from dashboard.server.storages import ClosedSessions, OwnedMedia
from dashboard.server.tabs import KEPT_SECONDS
from engine.core.message import NOTHING, Message

TICK = 5.0
"""Seconds between looks at closed sessions."""

AFTER = 6
"""Looks after a session was closed until its memory goes back to the system."""

COLLECT = 12
"""Looks between two searches for garbage: what open sessions let go of and refers to
itself."""


@dataclass(frozen=True)
class Owner:
    """Whose a session is.

    Attributes
    ----------
    browser : str
        What its cookie says; empty for a program that has none.
    person : str
        As the identity provider knows them; empty where nobody signs in.
    """

    browser: str
    person: str


_MESSAGES = (
    "rerun_script",
    "stop_script",
    "set_run_on_save",
    "file_urls_request",
    "app_heartbeat",
    "backend_operation_request",
)
_OPERATIONS = ("deferred_file", "dataframe_chunk")
"""What pages send. Others would empty the caches of all, or write into this program."""


class OwnedRuntime(Runtime):
    """Streamlit's runtime, in which nobody reaches another one's session."""

    def __init__(
        self, settings: RuntimeConfig, closed: ClosedSessions, media: OwnedMedia
    ) -> None:
        super().__init__(settings)
        self._closed, self.media = closed, media
        uploads = settings.uploaded_file_manager
        assert isinstance(uploads, MemoryUploadedFileManager)
        self._uploads = uploads
        self.owners: dict[str, Owner] = {}
        self._signed_in: dict[str, dict[str, str]] = {}
        self._refusals: dict[str, Message] = {}
        self._held: dict[str, dict[str, int]] = {}
        self._shown: dict[str, Shown] = {}
        self._arriving: Counter[Owner] = Counter()
        self._looks = Looks()
        self.open_from: Counter[str] = Counter()
        self._make_deferred = self.media_file_mgr.execute_deferred
        self.media_file_mgr.execute_deferred = self._deferred  # type: ignore[method-assign]

    def connect_session(
        self,
        client: SessionClient,
        user_info: Any,
        existing_session_id: str | None = None,
        session_id_override: str | None = None,
    ) -> str:
        """Connect a tab to its session, or to a new one; never to another browser's."""
        context = client.client_context
        cookies = {} if context is None else context.cookies
        owner = Owner(cookies.get(COOKIE, ""), person_of(user_info))
        if existing_session_id and self.owners.get(existing_session_id) != owner:
            existing_session_id = None
        session_id = super().connect_session(
            client, user_info, existing_session_id, session_id_override
        )
        self.owners[session_id] = owner
        self._signed_in[session_id] = sign_in.kept(cookies)
        return session_id

    def end_signed_out(self) -> int:
        """Close sessions of those who are no longer signed in; return how many.

        Their pages are sent to where one signs in. On the thread of the event loop
        only.
        """
        left = [
            session_id
            for session_id, cookies in self._signed_in.items()
            if not sign_in.asker(cookies).admitted
        ]
        for session_id in left:
            del self._signed_in[session_id]
            info = self._session_mgr.get_active_session_info(session_id)
            if info is not None:
                message = ForwardMsg()
                message.auth_redirect.url = f"{base_path()}/"
                with contextlib.suppress(SessionClientDisconnectedError):
                    self._send_message(info, message)
            self.close_session(session_id)
        return len(left)

    def handle_backmsg(
        self, session_id: str, msg: BackMsg, *, client: SessionClient | None = None
    ) -> None:
        """Hand a message to its session, unless it asks for what is not its own."""
        kind = msg.WhichOneof("type")
        if kind not in _MESSAGES:
            return
        if kind == "backend_operation_request":
            asked = msg.backend_operation_request
            if asked.WhichOneof("payload") not in _OPERATIONS:
                return
            if asked.WhichOneof("payload") == "deferred_file":
                made = self.media_file_mgr._deferred_callables
                offered = made.get(asked.deferred_file.file_id)
                if offered is None or offered["session_id"] != session_id:
                    return
        if kind == "file_urls_request" and (
            len(msg.file_urls_request.file_names) > messages.MOST_FILES
        ):
            return
        said = msg.rerun_script
        part = session_id, said.fragment_id
        if said.is_auto_rerun and said.fragment_id and not self._looks.is_due(part):
            return
        info = self._session_mgr.get_active_session_info(session_id)
        if kind == "rerun_script" and info is not None:
            widgets = info.session._session_state._new_widget_state.widget_metadata
            files = self._uploads.file_storage.get(session_id, {})
            names = {one.file_id: one.name for one in list(files.values())}
            held = self._held.setdefault(session_id, {})
            messages.sift(said, widgets, names, held)
            heard.take_in(info.session, said.widget_states)
            shown = self._shown.setdefault(session_id, Shown())
            said.cached_message_hashes[:] = shown.known(said.cached_message_hashes)
        super().handle_backmsg(session_id, msg, client=client)

    def _enqueued_some_message(self) -> None:
        """Have what a session has to say sent; on its own thread, at once."""
        objects = self._get_async_objs()
        if asyncio._get_running_loop() is objects.eventloop:
            objects.need_send_data.set()
        else:
            super()._enqueued_some_message()

    def _send_message(self, session_info: Any, msg: Any) -> None:
        """Send a message, or a parcel of them, of which nothing stays here."""
        shown = self._shown.setdefault(session_info.session.id, Shown())
        for one in msg.take() if isinstance(msg, Parcel) else (msg,):
            shown.add(one)
            super()._send_message(session_info, one)

    def close_session(self, session_id: str) -> None:
        """Close a session for good, and let go of all that it holds."""
        info = self._session_mgr.get_session_info(session_id)
        super().close_session(session_id)
        if info is not None:
            let_go(info.session)

    def _deferred(self, file_id: str) -> str:
        """Make a file that a session has offered, and note whose it is."""
        session_id = self.media_file_mgr._deferred_callables[file_id]["session_id"]
        address = self._make_deferred(file_id)
        made = address.rsplit("/", 1)[-1].split(".")[0]
        self.media.makers.setdefault(made, set()).add(session_id)
        return address

    def may_upload(self, session_id: str, owner: Owner) -> bool:
        """Return whether a session is open and this browser's and person's own."""
        open_ = self.is_active_session(session_id)
        return open_ and self.owners.get(session_id) == owner

    def may_download(self, file_name: str, owner: Owner) -> bool:
        """Return whether a session of this browser and person has made a file."""
        makers = self.media.makers.get(file_name.split(".")[0], set())
        return any(self.owners.get(session) == owner for session in makers)

    def download(self, file_name: str) -> bytes | None:
        """Return a file that pages offer to take away; None for pictures and such."""
        found = self.media._files_by_id.get(file_name.split(".")[0])
        kept = found is not None and found.kind == MediaFileKind.DOWNLOADABLE
        return found.content if found is not None and kept else None

    def held_bytes(self, owner: Owner | None = None) -> int:
        """Return the bytes of uploads that somebody has here; those of all for None.

        What is on its way counts as well, or many files at a time would be let in.
        """
        files = self._uploads.file_storage
        mine = [
            session
            for session in list(files)
            if owner is None or self.owners.get(session) == owner
        ]
        arriving = self._arriving
        coming = arriving.total() if owner is None else arriving[owner]
        return coming + sum(
            len(file.data) for one in mine for file in list(files[one].values())
        )

    @contextlib.contextmanager
    def arriving(self, owner: Owner, size: int) -> Iterator[None]:
        """Count bytes that somebody sends, for as long as the block takes."""
        self._arriving[owner] += size
        try:
            yield
        finally:
            self._arriving[owner] -= size
            if not self._arriving[owner]:
                del self._arriving[owner]

    def refuse(self, session_id: str, why: Message) -> None:
        """Have a session's page say why a file was not taken."""
        info = self._session_mgr.get_active_session_info(session_id)
        if info is not None:
            self._refusals[session_id] = why
            info.session.request_rerun(None)

    def refusal(self, session_id: str) -> Message:
        """Return why a session's last file was not taken, once."""
        return self._refusals.pop(session_id, NOTHING)

    def session_count(self, owner: Owner | None = None) -> int:
        """Return how many sessions somebody has, open and closed; all for None."""
        if owner is None:
            return len(self.owners)
        return sum(
            one.person == owner.person if owner.person else one == owner
            for one in list(self.owners.values())
        )

    @contextlib.contextmanager
    def connected(self, address: str) -> Iterator[None]:
        """Count a connection from an address, for as long as the block takes."""
        self.open_from[address] += 1
        try:
            yield
        finally:
            self.open_from[address] -= 1
            if not self.open_from[address]:
                del self.open_from[address]

    def close_overdue(self, seconds: float = KEPT_SECONDS) -> int:
        """Close sessions whose tabs have been closed for long; return how many.

        And those of whoever is no longer signed in. On the thread of the event loop
        only.
        """
        ended = self.end_signed_out()
        overdue = self._closed.overdue(seconds)
        for session_id in overdue:
            self.close_session(session_id)
        for session_id in list(self.owners):
            if self._session_mgr.get_session_info(session_id) is None:
                del self.owners[session_id]
                self._signed_in.pop(session_id, None)
                self._refusals.pop(session_id, None)
                self._held.pop(session_id, None)
                self._shown.pop(session_id, None)
        if ended or overdue:
            # Twice: the first time a download is but marked.
            self.media_file_mgr.remove_orphaned_files()
            self.media_file_mgr.remove_orphaned_files()
        return ended + len(overdue)


async def close_in_time(runtime: OwnedRuntime, then: Callable[[], None]) -> None:
    """Close sessions as their time comes, for ever.

    Parameters
    ----------
    runtime : OwnedRuntime
    then : callable
        Called on another thread a while after some were closed, also where others
        are closed all the time.
    """
    due = 0
    for look in itertools.count(1):
        await asyncio.sleep(TICK)
        closed = runtime.close_overdue()
        if look % COLLECT == 0:
            gc.collect()
        if due:
            due -= 1
            if not due:
                await asyncio.to_thread(then)
        if closed and not due:
            due = AFTER


def ask_settings_freely() -> None:
    """Have Streamlit look its settings up without a lock: they do not change here.

    It asks for one with everything that a page sends, and whoever holds the lock when
    another thread's turn comes has all others wait for its own next turn.
    """

    def get_option(key: str) -> Any:
        options = config.get_config_options()
        if key not in options:
            raise RuntimeError(f"Config key {key!r} not defined.")
        return options[key].value

    @cache
    def options(section: str) -> Mapping[str, Any]:
        return ask_section(section)

    ask_section = config.get_options_for_section
    config.get_option = get_option
    # Streamlit goes through all, for each theme, with whatever begins to be drawn.
    config.get_options_for_section = lambda section: dict(options(section))


def give_runtime(app: st.App) -> None:
    """Have an application of Streamlit's make a runtime of ours.

    Its class cannot be ours: Streamlit's command starts what is spelled ``st.App``.
    """

    def create() -> Runtime:
        closed, media = ClosedSessions(), OwnedMedia(f"/{BASE_ROUTE_MEDIA}")
        settings = RuntimeConfig(
            script_path=str(app._resolve_script_path()),
            media_file_storage=media,
            uploaded_file_manager=MemoryUploadedFileManager(
                f"/{BASE_ROUTE_UPLOAD_FILE}"
            ),
            cache_storage_manager=create_default_cache_storage_manager(),
            session_storage=closed,
        )
        return OwnedRuntime(settings, closed, media)

    app._create_runtime = create  # type: ignore[method-assign]


def runtime_of(app: st.App) -> OwnedRuntime | None:
    """Return an application's runtime, once there is one."""
    return app._runtime if isinstance(app._runtime, OwnedRuntime) else None


def base_path() -> str:
    """Return where a proxy has put the application: empty, or with a slash before."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
