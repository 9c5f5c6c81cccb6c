"""A place serves its own person, and tells everybody else what has become of theirs."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.places.entrance import tenancy
from dashboard.places.entrance.tenancy import PlaceAccessMiddleware
from dashboard.server import sign_in
from dashboard.server.browsers import GONE
from dashboard.server.guard import RequestGuard
from tests.asynchronous import finish


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [([], None), (["streamlit"], "streamlit"), (["streamlit", "xsrf"], "streamlit")],
)
def test_a_page_whose_place_is_no_more_is_told_in_a_protocol_that_it_speaks(
    offered: list[str], chosen: str | None
) -> None:
    sent: list[dict[str, Any]] = []

    async def nobody(*_: object) -> None:
        raise AssertionError("it is none of this place's person")

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    place = PlaceAccessMiddleware(nobody, cast(Any, SimpleNamespace(token="p1.new")))
    headers = [(b"cookie", b"place=p1.old")]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    finish(place({**scope, "subprotocols": offered}, receive, cast(Any, send)))
    assert sent == [
        {"type": "websocket.accept", "subprotocol": chosen},
        {"type": "websocket.close", "code": GONE},
    ]


class Told:
    """A supervisor that keeps what a place tells it."""

    token = "p1.secret"

    def __init__(self) -> None:
        self.tabs: list[int] = []
        self.has_none = asyncio.Event()

    def tell(self, kind: str, **facts: Any) -> None:
        if kind == "tabs":
            self.tabs.append(facts["count"])
            if facts["count"] == 0:
                self.has_none.set()


TAB = {
    "type": "websocket",
    "path": "/_stcore/stream",
    "query_string": b"",
    "headers": [(b"cookie", b"place=p1.secret"), (b"host", b"localhost")],
}


async def accept_until_closed(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def test_a_browser_that_never_signs_in_holds_no_place_by_its_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def open_and_close() -> tuple[list[int], list[str]]:
        supervisor, sent = Told(), list[str]()
        coming = iter(["websocket.connect", "websocket.disconnect"])

        async def receive() -> dict[str, Any]:
            return {"type": next(coming), "code": 1000}

        async def send(message: Any) -> None:
            sent.append(message["type"])
            await asyncio.sleep(0)

        place = PlaceAccessMiddleware(
            RequestGuard(cast(Any, accept_until_closed)), cast(Any, supervisor)
        )
        await place(dict(TAB), receive, cast(Any, send))
        if supervisor.tabs:
            await supervisor.has_none.wait()
        return supervisor.tabs, sent

    monkeypatch.setenv(sign_in.SIGN_IN_VARIABLE, "")
    assert finish(open_and_close()) == ([1, 0], ["websocket.accept"])
    monkeypatch.setenv(sign_in.SIGN_IN_VARIABLE, "1")
    assert finish(open_and_close()) == ([], ["websocket.close"])


def test_a_tab_whose_sign_in_has_ended_holds_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenancy, "SIGN_IN_CHECK_SECONDS", 0.0)

    async def stay() -> list[int]:
        supervisor, is_held = Told(), asyncio.Event()
        users = iter([True, None, True, False])

        def user_of_request(_cookies: dict[str, str]) -> sign_in.RequestUser:
            is_admitted = next(users)
            if is_admitted is None:
                raise PermissionError("the secrets are being written")
            return sign_in.RequestUser("ann", is_admitted)

        monkeypatch.setattr(sign_in, "user_of_request", user_of_request)

        async def receive() -> dict[str, Any]:
            if is_held.is_set():
                await supervisor.has_none.wait()  # though it is never closed
                assert supervisor.tabs == [1, 0]
                return {"type": "websocket.disconnect", "code": 1000}
            is_held.set()
            return {"type": "websocket.connect"}

        async def send(_message: Any) -> None:
            """Take it."""

        place = PlaceAccessMiddleware(accept_until_closed, cast(Any, supervisor))
        await place(dict(TAB), receive, cast(Any, send))
        return supervisor.tabs

    assert finish(asyncio.wait_for(stay(), 60.0)) == [1, 0]
