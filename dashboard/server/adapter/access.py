"""What is asked of Streamlit that it tells nobody: sessions, cookies and names.

Each is imported where it is asked for, after :mod:`.contract` has looked whether it is
as expected.
"""

from __future__ import annotations

from typing import Any

from engine.core.message import NO_MESSAGE, Message

USER_COOKIE = "_streamlit_user"
"""Cookie of who has signed in; what is too long goes on in others of this prefix."""

AUTH_LOGGER = "streamlit.web.server.starlette.starlette_auth_routes"


def current_run() -> Any:
    """Return what stands for the script run of this thread; None if there is none."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    return get_script_run_ctx(suppress_warning=True)


def current_session_id() -> str:
    """Return the identifier of the session that runs this script; may be empty."""
    run = current_run()
    return "" if run is None else str(run.session_id)


def current_runtime() -> Any:
    """Return what holds the sessions of this process; None without a server."""
    from streamlit import runtime

    return runtime.get_instance() if runtime.exists() else None


def is_session_open(session: str) -> bool:
    """Return whether a session's tab is open; without a server, none is."""
    runtime = current_runtime()
    # Streamlit's own tests put a mock in the place of the runtime.
    return bool(session) and runtime and runtime.is_active_session(session) is True


def last_refusal() -> tuple[Message, bool]:
    """Return why this tab's last file was refused, and if it was uploaded, once."""
    refuse = getattr(current_runtime(), "refusal", None)
    if not callable(refuse):
        return NO_MESSAGE, False
    why, is_upload = refuse(current_session_id())
    return why, is_upload


def signed_user(cookies: dict[str, str]) -> bytes:
    """Return what this server has signed of a user; empty if it has signed nothing."""
    from streamlit.web.server.starlette import starlette_websocket

    found = starlette_websocket._get_signed_cookie_with_chunks(cookies, USER_COOKIE)
    return found or b""


def is_host_allowed(host: str | None) -> bool:
    """Return whether the server may be asked by this name."""
    from streamlit.web.server.starlette import starlette_websocket

    return starlette_websocket.is_host_allowed(host)


def provider_token(provider: str) -> str:
    """Return the token by which the address for signing in names a provider."""
    from streamlit.auth_util import encode_provider_token

    return encode_provider_token(provider)
