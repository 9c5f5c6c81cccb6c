"""A place serves its own person, and tells everybody else what has become of theirs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.places.entrance.tenancy import TenancyMiddleware
from dashboard.server.browsers import GONE
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

    place = TenancyMiddleware(nobody, cast(Any, SimpleNamespace(token="p1.new")))
    headers = [(b"cookie", b"place=p1.old")]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    finish(place({**scope, "subprotocols": offered}, receive, cast(Any, send)))
    assert sent == [
        {"type": "websocket.accept", "subprotocol": chosen},
        {"type": "websocket.close", "code": GONE},
    ]
