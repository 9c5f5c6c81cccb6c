"""Access to Streamlit's private state: sessions, cookies and host names.

Each is imported where it is asked for, after :mod:`.private_names` has looked whether
it is as expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.core.message import NO_MESSAGE, Message

USER_COOKIE = "_streamlit_user"
"""Cookie of who has signed in; what is too long goes on in others of this prefix."""

AUTH_LOGGER = "streamlit.web.server.starlette.starlette_auth_routes"
PAGE_LOGGER = "streamlit.error_util"


def load_streamlit_settings(settings: Mapping[str, Any]) -> None:
    """Load some settings, and the others from the file beside the dashboard."""
    from streamlit import config

    config._main_script_path = str(Path(__file__).parents[2] / "app.py")
    config.get_config_options(force_reparse=True, options_from_flags=dict(settings))


def current_script_run() -> Any:
    """Return Streamlit's context of this thread's script run; None outside one."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    return get_script_run_ctx(suppress_warning=True)


def current_session_id() -> str:
    """Return Streamlit's identifier of the running session; empty outside one."""
    run = current_script_run()
    return "" if run is None else str(run.session_id)


def streamlit_runtime() -> Any:
    """Return Streamlit's runtime of this process; None if it serves nothing."""
    from streamlit import runtime

    return runtime.get_instance() if runtime.exists() else None


def is_session_open(session_id: str) -> bool:
    """Return whether a session's tab is open; False without a server."""
    runtime = streamlit_runtime() if session_id else None
    # Streamlit's own tests put a mock in the place of the runtime.
    return runtime is not None and runtime.is_active_session(session_id) is True


def last_refusal_and_is_upload() -> tuple[Message, bool]:
    """Return this tab's last refusal, and whether an upload was refused."""
    return _refusals().get(current_session_id(), (NO_MESSAGE, False))


def forget_refusal(why: Message) -> None:
    """Forget a refusal of this tab that the page has taken over, but no later one."""
    if last_refusal_and_is_upload()[0] is why:
        _refusals().pop(current_session_id(), None)


def _refusals() -> dict[str, tuple[Message, bool]]:
    return getattr(streamlit_runtime(), "refusals", None) or {}


def uploaded_bytes(file: Any) -> bytes:
    """Return an uploaded file's bytes, those that Streamlit holds if it has them."""
    uploads = getattr(streamlit_runtime(), "uploaded_file_mgr", None)
    files = uploads.get_files(current_session_id(), [file.file_id]) if uploads else ()
    return bytes(next((upload.data for upload in files), file.getvalue()))


def verified_user_cookie_bytes(cookies: dict[str, str]) -> bytes:
    """Return the sign-in cookie's content if its signature is valid; else b""."""
    from streamlit.web.server.starlette import starlette_websocket

    content = starlette_websocket._get_signed_cookie_with_chunks(cookies, USER_COOKIE)
    return content or b""


def is_host_allowed(host: str | None) -> bool:
    """Return whether Streamlit's settings allow requests for a host name."""
    from streamlit.web.server.starlette import starlette_websocket

    return starlette_websocket.is_host_allowed(host)


def encode_sign_in_provider(provider: str) -> str:
    """Return the token that stands for an identity provider in the sign-in address."""
    from streamlit.auth_util import encode_provider_token

    return encode_provider_token(provider)
