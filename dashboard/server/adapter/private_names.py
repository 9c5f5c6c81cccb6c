"""Private names of Streamlit that we use, and a check that they are as expected.

A part whose names are not there, or take other arguments, is left out, and a sentence
says which; what keeps people apart is never left out: the server does not start.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version

from engine.core.errors import ParameterError

STREAMLIT = "1.67"
"""The release for which all names were looked at; ``pyproject.toml`` asks for it."""

_LINE = re.compile(r"(\w+)(?:\(([\w ]*)\))?( replaced)?: (.+)")


@dataclass(frozen=True)
class PrivateName:
    """A private name of Streamlit that we use, its expected parameters, and the reason.

    Attributes
    ----------
    path : str
        Module, a colon, and where in it. What is set in ``__init__`` is the class's.
    parameters : str or None
        Names of those of a function, with spaces between; None for what is none.
    is_replaced : bool
        Whether the attribute is another one while Coterie runs.
    why : str
    """

    path: str
    parameters: str | None
    is_replaced: bool
    why: str

    @property
    def deviation(self) -> str:
        """How the name differs from what is expected; empty if it does not."""
        module, _, inside = self.path.partition(":")
        *owners, last = inside.split(".")
        try:
            owner: object = import_module(module)
        except ImportError:
            return f"{self.path} is not there"
        for name in owners:
            owner = getattr(owner, name, None)
        if not _has(owner, last):
            return f"{self.path} is not there"
        if self.parameters is not None:
            takes = " ".join(inspect.signature(getattr(owner, last)).parameters)
            if takes != self.parameters:
                return f"{self.path} takes ({takes})"
        return ""


def _has(owner: object, name: str) -> bool:
    """Return whether something has an attribute, or its instances have."""
    if hasattr(owner, name):
        return True
    for kind in owner.__mro__ if isinstance(owner, type) else ():
        code = getattr(kind.__dict__.get("__init__"), "__code__", None)
        is_set = code is not None and name in code.co_names
        if is_set or name in inspect.get_annotations(kind):
            return True
    return False


@dataclass(frozen=True)
class PrivateNameGroup:
    """Private names of Streamlit that are used for one purpose.

    Attributes
    ----------
    use : str
        What they are for.
    is_security : bool
        Whether nobody is served without.
    table : str
        A line for each module or class, and below it one for each name: parameters,
        whether it is replaced, and why.
    """

    use: str
    is_security: bool
    table: str

    def names(self) -> Iterator[PrivateName]:
        """Yield the names of the table."""
        owner = ""
        for line in filter(None, self.table.splitlines()):
            if not line.startswith(" "):
                owner = line + ("." if ":" in line else ":")
                continue
            line_match = _LINE.fullmatch(line.strip())
            assert line_match is not None, line
            name, parameters, replaced, why = line_match.groups()
            yield PrivateName(owner + name, parameters, bool(replaced), why)

    @cached_property
    def deviations(self) -> tuple[str, ...]:
        """How names of the group differ from what is expected, for each that does."""
        return tuple(filter(None, (name.deviation for name in self.names())))


ISOLATION = PrivateNameGroup(
    "keep what is one person's from others",
    True,
    """
streamlit:App
    _create_runtime(self): makes a runtime that knows whose each session is
    _resolve_script_path(self): it is handed the script
    _runtime: the guard asks it who owns what
streamlit.runtime:Runtime
    connect_session(self client user_info existing_session_id session_id_override): \
a tab gets a session of its own browser only
    handle_backmsg(self session_id msg client): what no page sends is not worked in
    _send_message(self session_info msg): messages are not kept once they are sent
    close_session(self session_id): what it holds is erased
    _session_mgr: sessions are found, open or closed
streamlit.runtime
    RuntimeConfig: what keeps sessions and files is ours
streamlit.runtime.session_manager
    SessionStorage: closed sessions end by the clock, not when somebody else comes
    SessionClientDisconnectedError: a browser may have gone meanwhile
    SessionInfo: what is kept of a closed one
streamlit.runtime.session_manager:SessionClient
    client_context: which browser connects
streamlit.runtime.media_file_storage
    MediaFileKind: whether a file is offered for download
    MediaFileStorageError: there is no such file
streamlit.runtime.memory_media_file_storage:MemoryMediaFileStorage
    load_and_get_id(self path_or_data mimetype kind filename): who made a download
    get_file(self filename): the audit log names what is taken away
    delete_file(self file_id): and who made it is forgotten
streamlit.runtime.media_file_manager:MediaFileManager
    _deferred_callables: files that are made on request are made for their page
    remove_orphaned_files(self): files go with their session
streamlit.runtime.memory_uploaded_file_manager:MemoryUploadedFileManager
    file_storage: how much each person has uploaded
streamlit.runtime.app_session:AppSession
    session_state: it is erased
    _fragment_storage: it is erased
    flush_browser_queue(self): it is erased
    request_rerun(self client_state): a page says why a file was not taken
streamlit.web.server.starlette.starlette_routes
    BASE_ROUTE_MEDIA: addresses of files
    BASE_ROUTE_UPLOAD_FILE: addresses of files
streamlit.config
    _main_script_path: settings, those of safety too, lie beside the dashboard
    get_config_options(force_reparse options_from_flags): they are read there
streamlit.web.cache_storage_manager_config
    create_default_cache_storage_manager(): handed on to the runtime
""",
)
MESSAGES = PrivateNameGroup(
    "take from pages only what they can say",
    True,
    """
streamlit.runtime.state.session_state:SessionState
    _new_widget_state: which widgets a page has shown
streamlit.runtime.state.common
    unpack_widget_state_value(widget_state): the value that is said
streamlit.runtime.state.common:WidgetMetadata
    deserializer: whether a widget takes it
    formatted_options: whether a widget offers it
streamlit.elements.lib.file_uploader_utils
    enforce_filename_restriction(filename allowed_types): files of the kinds asked for
streamlit.elements.widgets.number_input
    NumberInputSerde: numbers are put into emptied fields
streamlit.elements.widgets.selectbox
    SelectboxSerde: texts are put into emptied fields
streamlit.elements.widgets.text_widgets
    TextInputSerde: texts have an end
    TextAreaSerde: texts have an end
""",
)
SIGNING_IN = PrivateNameGroup(
    "know who asks",
    True,
    """
streamlit.web.server.starlette.starlette_websocket
    _get_signed_cookie_with_chunks(cookies cookie_name): who, before there is a session
    is_host_allowed(host): Streamlit guards connections only, not requests
streamlit.web.server.starlette.starlette_server_config
    USER_COOKIE_NAME: the cookie's name
streamlit.web.server.starlette.starlette_auth_routes
    _LOGGER: a mistake takes one line of the log
streamlit.error_util
    _LOGGER: what an error of a page says may hold values
streamlit.auth_util
    encode_provider_token(provider): addresses on the page to sign in on
streamlit.runtime.scriptrunner
    get_script_run_ctx(suppress_warning): whose script runs
""",
)
RERUNS = PrivateNameGroup(
    "lose no click where somebody clicks faster than pages are drawn",
    False,
    """
streamlit.runtime.state.safe_session_state:SafeSessionState
    on_script_will_rerun(self fresh_widget_states replay_trigger_states \
replay_trigger_values is_history_navigation) replaced: callbacks end, stale values go
    register_widget(self metadata user_key) replaced: a browser is not told what it said
    _state: where is kept what it said
    _yield_callback: leads to the script's runner
streamlit.runtime.state.session_state:SessionState
    _old_state: lasts from run to run
streamlit.runtime.state.session_state
    STREAMLIT_INTERNAL_KEY_PREFIX: a key that pages do not see
streamlit.runtime.state.common:RegisterWidgetResult
    value_changed: whether a browser is told a value
streamlit.runtime.scriptrunner:RerunData
    fragment_id: which part of a page is asked for
    is_auto_rerun: whether nobody has clicked
streamlit.runtime.scriptrunner:ScriptRunner
    _execing: while it is off, no click ends a callback
    _requests: whether a click waits
    request_rerun(self rerun_data): whether a run is ending
streamlit.runtime.scriptrunner_utils.script_requests:ScriptRequestType
    RERUN: a click waits
streamlit.runtime.scriptrunner_utils.script_requests:ScriptRequests
    _state: whether a click waits
    _rerun_data: what it says
streamlit.runtime.scriptrunner_utils.script_requests
    _coalesce_widget_states(old_states new_states): it is said with the next one
    _TRIGGER_PROTO_FIELDS: which widgets are buttons
streamlit.runtime.app_session:AppSessionState
    SHUTDOWN_REQUESTED: whether the session has ended
streamlit.runtime.app_session:AppSession
    _create_scriptrunner(self initial_rerun_data) replaced: runs of parts wait for ends
    _scriptrunner: the run before
    _event_loop: where they wait
    _state: whether it has ended
    has_fragment(self fragment_id): whether the part is still there
streamlit.web.server.starlette.starlette_websocket
    WEBSOCKET_MAX_SEND_QUEUE_SIZE replaced: more waits for a browser that is drawing
""",
)
PARTS = (ISOLATION, MESSAGES, SIGNING_IN, RERUNS)


@cache
def check_private_names_and_list_warnings() -> tuple[str, ...]:
    """Return a sentence per purpose with changed names; raise for a security one.

    Raises
    ------
    ParameterError
        If a part is not as expected without which nobody may be served.
    """
    words = []
    installed = version("streamlit")
    for part in PARTS:
        if part.deviations and part.is_security:
            raise ParameterError(
                "Streamlit {version} is not served, because Coterie could not {use} in "
                "it: {names}. Install Streamlit {known}.",
                version=installed,
                use=part.use,
                names=list(part.deviations),
                known=STREAMLIT,
            )
        if part.deviations:
            names = ", ".join(part.deviations)
            words.append(
                f"With Streamlit {installed}, Coterie may not {part.use}: {names}. "
                f"Install Streamlit {STREAMLIT}."
            )
    return tuple(words)


if __name__ == "__main__":
    for part in PARTS:
        for deviation in part.deviations:
            print(f"{deviation}: needed to {part.use}")
