"""The guard logs who comes, is refused, takes a file away and leaves."""

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dashboard.audit import events
from dashboard.places import launch
from dashboard.server import sign_in
from dashboard.server.guard import RequestGuard
from tests.asynchronous import finish
from tests.dashboard.people import require_sign_in

CLAIMS = {"is_logged_in": True, "iss": "us", "sub": "ann"}


def told(path: Path) -> list[dict[str, Any]]:
    writer = events._writer
    assert isinstance(writer, events.LocalWriter)
    writer.log.write_refusals(is_end=True)
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> str:
    """Have people sign in; return the cookie of one who has."""
    require_sign_in(monkeypatch)
    monkeypatch.setattr(sign_in, "_signed_out", {})
    claims = json.dumps(CLAIMS | {"iat": time.time()})
    return create_signed_value("long", USER_COOKIE_NAME, claims).decode()


def ask(
    path: str,
    cookie: str = "",
    set_cookie: str = "",
    runtime: Any = None,
    method: str = "GET",
    **headers: str,
) -> list[Message]:
    """Ask the guard for something; return what it answers."""
    sent: list[Message] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        response_headers = [(b"set-cookie", set_cookie.encode())] if set_cookie else []
        await send(
            {"type": "http.response.start", "status": 302, "headers": response_headers}
        )
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    named = {"host": "127.0.0.1:8501", "cookie": cookie}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "headers": [(k.encode(), v.encode()) for k, v in named.items() if v],
        "path": path.partition("?")[0],
        "method": method,
        "scheme": "http",
        "query_string": path.partition("?")[2].encode(),
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8501),
    }
    # What uvicorn does for every application, by the proxies that it is told of.
    config = uvicorn.Config(cast(Any, RequestGuard(inner, lambda: runtime)))
    config.load()
    finish(config.loaded_app(cast(Any, scope), cast(Any, receive), cast(Any, send)))
    return sent


def trust(proxies: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(launch._TRUSTED_VARIABLE, "")  # and back at the end
    launch.set_trusted_proxies(filter(None, proxies.split(",")))


def sign_out(signed: str, **changed: str) -> Message:
    """Ask for signing out as the page's form does; return the answer's head."""
    cookies = {USER_COOKIE_NAME: signed}
    options = {"method": "POST", "origin": "http://127.0.0.1:8501"} | changed
    token = options.pop("token", sign_in.sign_out_token(cookies))
    cookie = options.pop("cookie", f"{USER_COOKIE_NAME}={signed}")
    return ask(f"/auth/logout?token={token}", cookie=cookie, **options)[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "GET"},
        {"method": "HEAD"},
        {"origin": "http://elsewhere.test"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8502"},
        {"token": ""},
        {"token": sign_in.sign_out_token({})},
        {"token": "é"},
    ],
)
def test_nothing_but_the_page_s_own_form_signs_out(
    changed: dict[str, str], log: Path, signed: str
) -> None:
    answer = sign_out(signed, **changed)
    assert answer["status"] == 303
    assert (b"location", b"/sign-out") in answer["headers"]
    assert sign_in.user_of_request({USER_COOKIE_NAME: signed}).person
    (line,) = told(log)
    assert (line["event"], line["reasons"]) == ("refusal", {"sign-out": 1})
    next_answer = sign_out(signed)
    assert next_answer["status"] == 200  # a page that goes on: forms lead nowhere else
    assert (b"refresh", b"0; url=/") in next_answer["headers"]
    assert not sign_in.user_of_request({USER_COOKIE_NAME: signed}).person


def test_the_cookie_of_a_request_is_verified_once(
    signed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whoever asks first: the place's own middleware, or the guard."""
    verified: list[bytes] = []
    verify = sign_in.verified_user_cookie_bytes

    def note(cookies: dict[str, str]) -> bytes:
        verified.append(verify(cookies))
        return verified[-1]

    monkeypatch.setattr(sign_in, "verified_user_cookie_bytes", note)
    runtime = SimpleNamespace(may_download=lambda name, owner: False)
    start, _ = ask("/media/x.csv", f"{USER_COOKIE_NAME}={signed}", runtime=runtime)
    assert start["status"] == 404
    assert len(verified) == 1
    assert verified[0]


def test_who_has_not_signed_in_signs_nobody_out(log: Path, signed: str) -> None:
    for cookie in ("", f"{USER_COOKIE_NAME}=forged"):
        token = sign_in.sign_out_token({USER_COOKIE_NAME: "forged"} if cookie else {})
        assert sign_out(signed, cookie=cookie, token=token)["status"] == 303
    assert [entry["event"] for entry in told(log)] == ["refusal"]


def test_signing_in_and_out_is_logged(log: Path, signed: str) -> None:
    set_cookie = f"{USER_COOKIE_NAME}={signed}; Path=/; HttpOnly"
    sent = ask("/oauth2callback", set_cookie=set_cookie)
    assert sent[0]["status"] == 302
    sign_out(signed)
    sign_out(signed)  # nobody's any more
    assert [(entry["event"], entry["who"]) for entry in told(log)] == [
        ("sign-in", "us ann"),
        ("sign-out", "us ann"),
        ("refusal", ""),
    ]


def test_a_provider_that_brings_nobody_is_a_refusal(log: Path, signed: str) -> None:
    ask("/oauth2callback")
    ask("/oauth2callback", set_cookie=f"{USER_COOKIE_NAME}=forged; Path=/")
    (line,) = told(log)
    assert (line["event"], line["reasons"]) == ("refusal", {"sign-in": 2})


def test_nobody_signs_in_unseen(log: Path, signed: str) -> None:
    log.unlink()
    log.mkdir()
    set_cookie = f"{USER_COOKIE_NAME}={signed}; Path=/; HttpOnly"
    start, body = ask("/oauth2callback", set_cookie=set_cookie)
    assert start["status"] == 503
    assert not [header for header in start["headers"] if header[0] == b"set-cookie"]
    assert b"The audit log cannot be written" in body["body"]
    # Signing out is done all the same.
    cookies = {USER_COOKIE_NAME: signed}
    assert sign_in.user_of_request(cookies).person
    sign_out(signed)
    assert not sign_in.user_of_request(cookies).person


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        ("", "10.9.9.9", "127.0.0.1"),
        ("127.0.0.1", "10.9.9.9, 10.0.0.7", "10.0.0.7"),
        ("127.0.0.1,10.0.0.0/24", "10.9.9.9, 10.0.0.7", "10.9.9.9"),
        ("127.0.0.1", "", "127.0.0.1"),
    ],
)
def test_refusals_name_the_address_that_a_trusted_proxy_names(
    trusted: str,
    forwarded: str,
    address: str,
    log: Path,
    signed: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trust(trusted, monkeypatch)
    for _ in range(3):
        assert ask("/", x_forwarded_for=forwarded)[0]["status"] == 200
    (line,) = told(log)
    assert line["address"] == address
    assert line["reasons"] == {"not signed in": 3}


@pytest.mark.parametrize(
    ("trusted", "scheme", "is_secure"),
    [("127.0.0.1", "https", True), ("127.0.0.1", "http", False), ("", "https", False)],
)
def test_cookies_are_sent_encrypted_where_a_trusted_proxy_encrypts(
    trusted: str, scheme: str, is_secure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(trusted, monkeypatch)
    set_cookie = f"{USER_COOKIE_NAME}=x; HttpOnly"
    for path, app_cookie in (
        ("/a.b", ""),
        ("/a.b", set_cookie),
        ("/coterie-tab.js", ""),
    ):
        start, *_ = ask(path, set_cookie=app_cookie, x_forwarded_proto=scheme)
        cookies = [v.decode() for name, v in start["headers"] if name == b"set-cookie"]
        assert len(cookies) == bool(app_cookie or path != "/a.b")
        for cookie in cookies:
            assert ("; Secure" in cookie) == is_secure
            assert "; SameSite=" in cookie


def test_a_file_is_taken_away_with_a_line_in_the_log_or_not(log: Path) -> None:
    whys: list[str] = []
    runtime = SimpleNamespace(
        owners={},
        may_download=lambda name, owner: name == "mine.csv",
        download=lambda name: b"released",
        refuse_download=lambda name, why: whys.append(str(why)),
    )
    assert ask("/media/mine.csv", runtime=runtime)[0]["status"] == 302
    assert ask("/media/other.csv", runtime=runtime)[0]["status"] == 404
    lines = told(log)
    assert [entry["event"] for entry in lines] == ["download", "refusal"]
    assert lines[0]["sha256"] == events.sha256_hex(b"released")
    log.unlink()
    log.mkdir()
    assert ask("/media/mine.csv", runtime=runtime)[0]["status"] == 503
    assert whys[0].startswith("The audit log cannot be written")
