"""Whoever gets no tab is told why, in their language."""

from typing import Any

import pytest

from dashboard.server.adapter.runtime import OwnedRuntime, SessionOwner
from dashboard.server.browsers import COOKIE
from dashboard.server.guard import RequestGuard
from dashboard.server.quotas import MAX_TABS
from dashboard.server.sign_in_page import refusal_page_html
from engine.core.message import Message
from tests.asynchronous import finish


def answer(language: str) -> tuple[int, str]:
    runtime = object.__new__(OwnedRuntime)
    owner, runtime.media = SessionOwner("browser", ""), None  # type: ignore[assignment]
    runtime.owners = {str(number): owner for number in range(MAX_TABS)}

    async def app(*_: object) -> None:
        raise AssertionError("the page was sent")

    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        raise AssertionError("a page has no body")

    headers = {
        "host": "localhost:8501",
        "accept-language": language,
        "cookie": f"{COOKIE}=browser",
    }
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "client": ("10.0.0.7", 5),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    finish(RequestGuard(app, lambda: runtime)(scope, receive, send))
    start, body = messages
    response_headers = dict(start["headers"])
    assert response_headers[b"retry-after"] == b"120"
    assert response_headers[b"content-type"].startswith(b"text/html")
    assert response_headers[b"cache-control"] == b"no-store"
    return start["status"], body["body"].decode()


@pytest.mark.parametrize(
    ("language", "told", "words"),
    [
        ("en-GB,en;q=0.9", "en", "You have 60 tabs of Coterie here"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh", "标签页"),
        ("fr-FR, zh;q=0.5", "zh", "标签页"),
        ("", "en", "You have 60 tabs"),
        ("x" * 100_000, "en", "You have 60 tabs"),
    ],
)
def test_a_tab_too_many_is_told_why(language: str, told: str, words: str) -> None:
    status, text = answer(language)
    assert status == 503
    assert f'<html lang="{told}">' in text
    assert words in text


def test_what_is_told_is_text() -> None:
    page = refusal_page_html(Message("{count} tabs of <b>Coterie</b>.", count=60), "en")
    assert "60 tabs of &lt;b&gt;Coterie" in page
