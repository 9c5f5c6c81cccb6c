"""Request guard: access control and limits."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from functools import cache
from http.cookies import SimpleCookie
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.responses import Response as Answer
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.charts import plotly_script
from dashboard.i18n.page_html import adapt_page_html
from dashboard.server import browsers, quotas, sign_in, sign_in_page
from dashboard.server.adapter.access import is_host_allowed
from dashboard.server.adapter.messages import is_parsable_message
from dashboard.server.adapter.runtime import KEPT_SECONDS, OwnedRuntime, SessionOwner
from dashboard.server.security_headers import set_security_headers
from engine.core.message import Message as Sentence
from engine.core.platform.temporary import DISK_FULL_CODES

_BLOCKED_PATHS = ("_stcore/metrics", "_stcore/agent", "_stcore/script-health-check")
"""Answers that no page needs."""

_PUBLIC_PATHS = ("static/", "favicon.png", "manifest.json", "oauth2callback", "auth/")
"""Before signing in: what signing in takes, and Streamlit's own files."""

_HEALTH_PATH, CALLBACK_PATH = "_stcore/health", "oauth2callback"

_FIRST_PAGE = "data"
"""The page that is shown at the address of the whole, and has none of its own: whoever
asks for it by name would be told that there is no such page."""

_UPLOAD, _MEDIA = "_stcore/upload_file/", "media/"


class RequestGuard:
    """Middleware that checks host, sign-in, file owners, quotas; sets security headers.

    Parameters
    ----------
    app : ASGIApp
        What is guarded.
    runtime : callable
        Returns the runtime with all sessions; None before it is made.
    max_bytes : int
        Of all uploads together.
    """

    def __init__(
        self,
        app: ASGIApp,
        runtime: Callable[[], OwnedRuntime | None] = lambda: None,
        max_bytes: int = 2**31,
    ) -> None:
        self._app, self._runtime, self._max_bytes = app, runtime, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or connection."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        asker = sign_in.user_of_connection(connection)
        if (
            not is_host_allowed(connection.headers.get("host"))
            or is_cross_origin(connection.headers)
            or not asker.admitted
            or self._why_no_session()
        ):
            _note_refusal(connection, "connection", asker.person)
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        names = (browsers.TAB.encode(), browsers.BEFORE.encode())
        rest = [pair for pair in scope["headers"] if pair[0].lower() not in names]
        tab_pairs = browsers.headers_from_tab_query(scope.get("query_string", b""))

        async def receive_sound() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or is_parsable_message(message):
                return message
            return {"type": "websocket.disconnect", "code": 1003}

        await self._app({**scope, "headers": [*rest, *tab_pairs]}, receive_sound, send)

    def _why_no_session(self) -> Sentence:
        """Return why no other tab may be opened; nothing if one may."""
        runtime = self._runtime()
        return quotas.tab_denial_reason(len(runtime.owners) if runtime else 0)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        path = browsers.application_path(scope)
        cookie = connection.cookies.get(browsers.COOKIE, "")

        async def bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                set_security_headers(headers, connection.url.scheme == "https")
                if not path.startswith("static/"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        answer = self._refused(path, connection) or self._own(path, connection, cookie)
        if answer is not None:
            await answer(scope, receive, bound)
        elif path == CALLBACK_PATH:
            await self._sign_in(connection, receive, bound)
        elif path == sign_in_page.SIGN_OUT_PATH:
            await self._sign_out(connection, receive, bound)
        elif path.startswith(_UPLOAD):
            await self._upload(path, connection, receive, bound)
        elif scope["method"] == "GET" and "." not in path and path != _HEALTH_PATH:
            if why := self._why_no_session():
                refusal = sign_in_page.refusal_response(why, connection, 503)
                refusal.headers["Retry-After"] = str(int(KEPT_SECONDS))
                await refusal(scope, receive, bound)
            else:
                await self._page(scope, receive, bound)
        else:
            await self._app(scope, receive, bound)

    def _refused(self, path: str, connection: HTTPConnection) -> Answer | None:
        """Return what is said to whoever may not ask this, if they may not."""
        if not is_host_allowed(connection.headers.get("host")):
            _note_refusal(connection, "host")
            return PlainTextResponse("This server is not called so.", 400)
        if path.startswith(_BLOCKED_PATHS):
            return PlainTextResponse("There is nothing here.", 404)
        asker = sign_in.user_of_connection(connection)
        if asker.admitted or path == _HEALTH_PATH or path.startswith(_PUBLIC_PATHS):
            return None
        if path == sign_in_page.SIGN_IN_PATH:
            provider = connection.query_params.get("provider", "")
            return RedirectResponse(sign_in_page.sign_in_address(provider), 302)
        reason = "not allowed" if asker.person else "not signed in"
        _note_refusal(connection, reason, asker.person)
        is_page = not path.startswith(("_stcore", _MEDIA, "component"))
        if is_page and connection.scope["method"] in ("GET", "HEAD"):
            language = connection.headers.get("accept-language", "")
            return HTMLResponse(sign_in_page.sign_in_page_html(asker, language))
        return PlainTextResponse("Sign in first.", 401)

    def _own(self, path: str, connection: HTTPConnection, cookie: str) -> Answer | None:
        """Answer what the application does not know, or must not be asked for."""
        runtime = self._runtime()
        if path == browsers.SCRIPT_NAME:
            script = Answer(_tab_script(), media_type="text/javascript")
            if not cookie:
                # Here, not with the page: whoever follows a link from elsewhere comes
                # without the cookie, and would lose it.
                value = f"{browsers.COOKIE}={secrets.token_urlsafe(32)}"
                value += f"; Path={browsers.base_path() or '/'}; HttpOnly"
                script.headers["Set-Cookie"] = f"{value}; SameSite=Strict"
            return script
        if path == _FIRST_PAGE:
            query = f"?{connection.url.query}" if connection.url.query else ""
            return RedirectResponse(f"{browsers.base_path()}/{query}", 307)
        if path == plotly_script.SCRIPT_PATH:
            return plotly_script.respond_with_plotly_script(connection.headers)
        if runtime is None:
            return None
        owner = SessionOwner(cookie, sign_in.user_of_connection(connection).person)
        if path.startswith(_MEDIA):
            if not runtime.may_download(path.removeprefix(_MEDIA), owner):
                _note_refusal(connection, "file", owner.person)
                return PlainTextResponse("There is no such file.", 404)
            content = runtime.download(path.removeprefix(_MEDIA))
            if content is not None and connection.scope["method"] == "GET":
                sha256 = events.sha256_hex(content)
                try:
                    events.log_event("download", owner.person, sha256=sha256)
                except AuditError as error:
                    runtime.refuse_download(path.removeprefix(_MEDIA), error.message)
                    return PlainTextResponse(str(error), 503)
        elif path.startswith(_UPLOAD):
            session_id = path.removeprefix(_UPLOAD).split("/")[0]
            if not runtime.may_upload(session_id, owner):
                _note_refusal(connection, "upload", owner.person)
                return PlainTextResponse("There is no such session.", 400)
            if connection.scope["method"] != "PUT":
                return None
            size = _content_length(connection)
            if size is None:
                return PlainTextResponse("How long is it?", 411)
            total_bytes = runtime.held_bytes() + size
            if why := quotas.upload_denial_reason(total_bytes, self._max_bytes):
                runtime.refuse(session_id, why)
                return PlainTextResponse(str(why), 413)
        return None

    async def _upload(
        self, path: str, connection: HTTPConnection, receive: Receive, send: Send
    ) -> None:
        """Take a file, and have the page say why where it cannot be taken."""
        if (runtime := self._runtime()) is None:
            await self._app(connection.scope, receive, send)
            return
        status = 0
        why: Sentence | None = None

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with runtime.arriving(_content_length(connection) or 0):
            try:
                await self._app(connection.scope, receive, note_status)
            except OSError as error:
                if error.errno not in DISK_FULL_CODES:
                    raise
                why = quotas.upload_error_message(error)
        if why is not None and not status:
            status = 507  # and what is still to come is not read
            answer = PlainTextResponse(str(why), status, {"Connection": "close"})
            await answer(connection.scope, receive, send)
        if status >= 400:
            session_id = path.removeprefix(_UPLOAD).split("/")[0]
            runtime.refuse(session_id, why or quotas.upload_refusal_message(status))

    async def _sign_in(
        self, connection: HTTPConnection, receive: Receive, send: Send
    ) -> None:
        """Let the provider bring somebody, if it can be logged."""
        answer: Answer | None = None

        async def logged(message: Message) -> None:
            nonlocal answer
            if message["type"] == "http.response.start":
                person = person_in_set_cookie_headers(MutableHeaders(scope=message))
                address = _client_address(connection)
                try:
                    if person:
                        events.log_event("sign-in", person, address=address)
                    else:
                        events.count_refusal(address, "sign-in", "")
                except AuditError as error:
                    why = error.message
                    answer = sign_in_page.refusal_response(why, connection, 503)
            if answer is None:
                await send(message)

        await self._app(connection.scope, receive, logged)
        if answer is not None:
            await answer(connection.scope, receive, send)

    async def _sign_out(
        self, connection: HTTPConnection, receive: Receive, send: Send
    ) -> None:
        """Sign out whoever uses the form of our page, and lead others to it."""
        scope = connection.scope
        asker = sign_in.user_of_connection(connection)
        token = connection.query_params.get("token", "").encode()
        if (
            scope["method"] != "POST"
            or not asker.person
            or is_cross_origin(connection.headers)
            or not secrets.compare_digest(token, asker.sign_out_token.encode())
        ):
            _note_refusal(connection, "sign-out", asker.person)
            redirect = RedirectResponse(f"{browsers.base_path()}/sign-out", 303)
            await redirect(scope, receive, send)
            return
        sign_in.revoke_sign_in(connection.cookies)
        address = _client_address(connection)
        events.log_event_ignoring_failure("sign-out", asker.person, address=address)

        async def lead_on(message: Message) -> None:
            # By a page: browsers let no form lead to the provider's own address.
            if message["type"] == "http.response.start":
                message["status"] = 200
                headers = MutableHeaders(scope=message)
                address = headers.get("location", f"{browsers.base_path()}/")
                headers["Refresh"] = f"0; url={address}"
                del headers["location"]
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, lead_on)
        if (runtime := self._runtime()) is not None:
            runtime.close_signed_out()

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the application's page with our script and a word to old browsers."""
        start: dict[str, Any] = {}
        body = b""
        languages = Headers(scope=scope).get("accept-language", "")

        async def changed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = dict(message)
                if not _is_page(MutableHeaders(scope=start)):
                    await send(start)
            elif not _is_page(MutableHeaders(scope=start)):
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    script = f"./{browsers.SCRIPT_NAME}"
                    whole = adapt_page_html(body, script, languages)
                    MutableHeaders(scope=start)["Content-Length"] = str(len(whole))
                    await send(start)
                    await send({"type": "http.response.body", "body": whole})

        # Not from the browser's store: the page must come with its cookie.
        plain = [
            (name, value)
            for name, value in scope["headers"]
            if name != b"accept-encoding" and not name.startswith(b"if-")
        ]
        await self._app({**scope, "headers": plain}, receive, changed)


@cache
def _tab_script() -> str:
    """Return the script that each page runs before all else."""
    folder, plotly = files("dashboard.server"), f"./{plotly_script.SCRIPT_PATH}"
    style = (folder / "page.css").read_text(encoding="utf-8")
    facts = {"GONE": browsers.GONE, "PLOTLY_SCRIPT": plotly, "STYLE": style}
    constants = "".join(f"const {key} = {json.dumps(facts[key])};\n" for key in facts)
    return constants + (folder / "tab.js").read_text(encoding="utf-8")


def is_cross_origin(headers: Headers) -> bool:
    """Return whether a request's Origin header names another host or port than Host."""
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


def person_in_set_cookie_headers(response_headers: MutableHeaders) -> str:
    """Return the person whose sign-in cookie a response sets; empty if it sets none."""
    cookies: SimpleCookie = SimpleCookie()
    for value in response_headers.getlist("set-cookie"):
        cookies.load(value)
    values = {name: cookie.value for name, cookie in cookies.items()}
    return sign_in.user_of_request(values).person if values else ""


def _client_address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def _note_refusal(connection: HTTPConnection, reason: str, who: str = "") -> None:
    events.count_refusal(_client_address(connection), reason, who)


def _content_length(connection: HTTPConnection) -> int | None:
    """Return how many bytes a request says that it has; None if it does not."""
    header = connection.headers.get("content-length", "")
    # Longer numbers are cut: they are far too large all the same.
    return int(header[:20]) if header.isascii() and header.isdecimal() else None


def _is_page(headers: MutableHeaders) -> bool:
    return headers.get("content-type", "").startswith("text/html")
