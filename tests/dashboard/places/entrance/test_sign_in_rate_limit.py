"""Who signs in too often is told to wait, by address and by person; nobody else is."""

import json
import time
from pathlib import Path
from typing import Any, cast

import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dashboard.audit import events
from dashboard.places import launch
from dashboard.places.entrance import sign_in_rate_limit
from dashboard.places.entrance.sign_in_rate_limit import (
    MAX_SIGN_INS_PER_PERSON,
    MAX_TRIES_PER_ADDRESS,
    WINDOW_SECONDS,
    RateLimitMiddleware,
    SignInRateLimiter,
)
from tests.asynchronous import finish
from tests.dashboard.people import require_sign_in


class Door:
    """A provider's side, by which somebody comes or nobody does."""

    def __init__(self) -> None:
        self.person = ""
        self.limiter = SignInRateLimiter()

    async def inner(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: list[tuple[bytes, bytes]] = []
        if self.person and scope["path"] == "/oauth2callback":
            claims = {"is_logged_in": True, "iss": "us", "sub": self.person}
            text = json.dumps(claims | {"iat": time.time()})
            signed = create_signed_value("long", USER_COOKIE_NAME, text).decode()
            headers = [(b"set-cookie", f"{USER_COOKIE_NAME}={signed}".encode())]
        await send({"type": "http.response.start", "status": 302, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def ask(self, path: str, address: str = "10.0.0.1", forwarded: str = "") -> Message:
        """Return the head of the answer, with its body."""
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        named = [(b"host", b"x"), (b"x-forwarded-for", forwarded.encode())]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "headers": named[: 1 + bool(forwarded)],
            "path": path,
            "method": "GET",
            "scheme": "http",
            "query_string": b"",
            "client": (address, 50_000),
            "server": ("127.0.0.1", 8501),
        }
        app = RateLimitMiddleware(self.inner, self.limiter.count)
        config = uvicorn.Config(cast(Any, app))
        config.load()
        finish(config.loaded_app(cast(Any, scope), cast(Any, None), cast(Any, send)))
        return {**sent[0], "body": sent[-1]["body"].decode()}

    def sign_in(self, person: str, address: str = "10.0.0.1") -> tuple[int, int]:
        """Return the statuses of the way to the provider and of that back."""
        self.person = person
        login_status = self.ask("/auth/login", address)["status"]
        return login_status, self.ask("/oauth2callback", address)["status"]


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Door:
    require_sign_in(monkeypatch)
    monkeypatch.setenv(events.LOG_FILE_VARIABLE, "")  # and back at the end
    monkeypatch.setattr(events, "_writer", None)
    return Door()


def test_an_address_may_try_so_often_and_others_do_not_wait(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = events.start_audit_log(tmp_path / "audit.jsonl")
    try:
        for _ in range(MAX_TRIES_PER_ADDRESS):
            assert door.ask("/auth/login")["status"] == 302
        refused = door.ask("/auth/login")
        assert refused["status"] == 429
        assert "try again in 5 minutes" in refused["body"]
        assert refused["body"].count("too many sign-ins") == 1
        for _ in range(9):
            assert door.ask("/oauth2callback")["status"] == 429
        log.write_refusals(is_end=True)
    finally:
        log.close()
    lines = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert sum(event["reasons"]["too many sign-ins"] for event in lines) == 10
    assert {event["address"] for event in lines} == {"10.0.0.1"}
    assert len(lines) <= 2  # one for each minute
    assert door.sign_in("ben", "10.0.0.2") == (302, 302)
    assert door.ask("/other")["status"] == 302
    later = time.monotonic() + WINDOW_SECONDS + 1.0
    monkeypatch.setattr(sign_in_rate_limit.time, "monotonic", lambda: later)
    assert door.ask("/auth/login")["status"] == 302


def test_many_people_of_one_address_sign_in(door: Door) -> None:
    for number in range(2 * MAX_TRIES_PER_ADDRESS):
        assert door.sign_in(f"person {number}") == (302, 302)


def test_a_person_signs_in_so_often_wherever_they_come_from(door: Door) -> None:
    for number in range(MAX_SIGN_INS_PER_PERSON):
        assert door.sign_in("ann", f"10.0.1.{number}") == (302, 302)
    assert door.sign_in("ann", "10.0.2.1") == (302, 429)
    assert door.sign_in("ben", "10.0.2.1") == (302, 302)


@pytest.mark.parametrize(
    ("trusted", "status"), [("127.0.0.1", 302), ("", 429), ("10.0.0.0/8", 429)]
)
def test_behind_a_proxy_the_address_is_what_it_says_if_it_is_trusted(
    trusted: str, status: int, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(launch._TRUSTED_VARIABLE, "")  # and back at the end
    launch.set_trusted_proxies(filter(None, [trusted]))
    for number in range(MAX_TRIES_PER_ADDRESS):
        door.ask("/auth/login", "127.0.0.1", f"192.0.2.{number}")
    last = door.ask("/auth/login", "127.0.0.1", "192.0.2.200")
    assert last["status"] == status


def test_a_network_of_ipv6_is_one_address(door: Door) -> None:
    for number in range(MAX_TRIES_PER_ADDRESS):
        assert door.ask("/auth/login", f"2001:db8::{number:x}")["status"] == 302
    assert door.ask("/auth/login", "2001:db8::ffff")["status"] == 429
    assert door.ask("/auth/login", "2001:db8:0:1::1")["status"] == 302
