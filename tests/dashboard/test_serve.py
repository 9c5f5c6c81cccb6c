"""Pages from elsewhere get no connection, and no page can send data elsewhere."""

import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from plotly.offline import get_plotlyjs
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send
from streamlit import error_util

from dashboard.charts import plotly_script
from dashboard.places.entrance.sign_in_rate_limit import RateLimitMiddleware
from dashboard.serve import _add_provider_logout, app
from dashboard.server.guard import RequestGuard, is_cross_origin
from dashboard.server.security_headers import CONTENT_POLICY
from tests.asynchronous import finish
from tests.imports import ROOT, imports


@pytest.mark.parametrize(
    ("origin", "host", "foreign"),
    [
        ("http://127.0.0.1:8501", "127.0.0.1:8501", False),
        ("https://stats.example", "stats.example", False),
        (None, "127.0.0.1:8501", False),  # no page at all
        ("http://elsewhere.test", "127.0.0.1:8501", True),
        ("http://127.0.0.1:9999", "127.0.0.1:8501", True),
        ("http://localhost:8501", "127.0.0.1:8501", True),
        ("null", "127.0.0.1:8501", True),
        ("http://127.0.0.1:8501", None, True),
    ],
)
def test_only_pages_that_came_from_here_are_at_home(
    origin: str | None, host: str | None, foreign: bool
) -> None:
    header_values = {"origin": origin, "host": host}
    headers = Headers({name: value for name, value in header_values.items() if value})
    assert is_cross_origin(headers) == foreign


def test_what_a_page_s_error_says_is_not_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An error may quote a value of the table: its kind and place are enough."""
    try:
        int("4711 of a patient")
    except ValueError as error:
        error_util._log_uncaught_app_exception(error)
    assert re.fullmatch(
        r"coterie: a page failed: ValueError, test_serve\.py:\d+\n",
        capsys.readouterr().err,
    )


def conversation(
    kind: str, origin: str, path: str = "/a.b", query: str = ""
) -> tuple[list[Message], list[str]]:
    """Return what is sent back, and which requests got through to the app."""
    sent: list[Message] = []
    reached: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    names = {b"host": b"127.0.0.1:8501", b"origin": origin.encode()}
    scope = {
        "type": kind,
        "headers": list(names.items()),
        "path": path,
        "method": "GET",
    }
    scope |= {"scheme": "http", "query_string": query.encode()}
    scope |= {"server": ("127.0.0.1", 8501)}
    finish(RequestGuard(inner)(scope, receive, send))
    return sent, reached


def test_a_page_from_elsewhere_is_turned_away_before_anything_is_looked_up() -> None:
    sent, reached = conversation("websocket", "http://elsewhere.test")
    assert reached == []
    assert sent == [{"type": "websocket.close", "code": 1008}]
    assert conversation("websocket", "http://127.0.0.1:8501")[1] == ["websocket"]


def test_the_first_page_is_found_by_its_name_as_well() -> None:
    (start, _body), reached = conversation(
        "http", "http://127.0.0.1:8501", "/data", "lang=zh"
    )
    assert reached == []
    assert start["status"] == 307
    assert (b"location", b"/?lang=zh") in start["headers"]


def test_every_answer_binds_the_page() -> None:
    (start,), reached = conversation("http", "http://127.0.0.1:8501")
    assert reached == ["http"]
    assert (b"content-security-policy", CONTENT_POLICY.encode()) in start["headers"]
    for source in CONTENT_POLICY.split():
        assert not source.startswith(("http", "ws", "*"))


@pytest.mark.parametrize("coding", ["gzip, br", "identity"])
def test_charts_are_drawn_by_the_script_of_the_package(coding: str) -> None:
    answer = plotly_script.respond_with_plotly_script(
        Headers({"accept-encoding": coding})
    )
    packed = answer.headers.get("content-encoding") == "gzip"
    assert packed == ("gzip" in coding)
    body = gzip.decompress(answer.body) if packed else bytes(answer.body)
    first_line, _, script = body.decode().partition("\n")
    assert first_line.startswith("//#")
    assert script == get_plotlyjs()


class Taking:
    """A runtime that takes whatever is not too much."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def may_upload(self, session_id: str, owner: object) -> bool:
        return session_id == "mine"

    def held_bytes(self) -> int:
        return 0

    def refuse(self, session_id: str, why: str) -> None:
        self.refused.append(why)

    @contextmanager
    def arriving(self, size: int) -> Iterator[None]:
        yield


@pytest.mark.parametrize(
    ("session", "length", "status"),
    [
        ("mine", None, 411),  # nobody knows how much is to come
        ("mine", b"", 411),
        ("mine", b"-5", 411),
        ("mine", b"1e9", 411),
        ("mine", "²".encode(), 411),
        ("mine", b"9" * 400, 413),
        ("mine", b"101", 413),
        ("mine", b"100", 200),
        ("another", b"100", 400),
        ("..%2fmine", b"100", 400),
        ("../mine", b"100", 400),
    ],
)
def test_an_upload_says_how_long_it_is(
    session: str, length: bytes | None, status: int
) -> None:
    sent: list[Message] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8501")]
    if length is not None:
        headers.append((b"content-length", length))
    scope = {
        "type": "http",
        "method": "PUT",
        "scheme": "http",
        "server": ("127.0.0.1", 8501),
        "path": f"/_stcore/upload_file/{session}/file",
        "query_string": b"",
        "headers": headers,
    }
    runtime = Taking()
    guard = RequestGuard(inner, lambda: cast(Any, runtime), 100)
    finish(guard(scope, receive, send))
    assert sent[0]["status"] == status
    assert len(runtime.refused) == (status == 413)


def test_the_app_is_guarded() -> None:
    assert [each.cls for each in app._user_middleware] == [
        RequestGuard,
        RateLimitMiddleware,
        _add_provider_logout,
    ]


def test_what_the_first_page_imports_is_loaded_before_it_is_asked_for() -> None:
    scripts = [ROOT / "dashboard/app.py", ROOT / "dashboard/app_pages/data/view.py"]
    named = [
        module_import.name for script in scripts for module_import in imports(script)
    ]
    modules = {
        name
        for full in named
        for name in (full, full.rpartition(".")[0])
        if (ROOT / name.replace(".", "/")).with_suffix(".py").exists()
    }
    assert "dashboard.ui.header.page_header" in modules
    code = (
        "import sys\nfrom dashboard.serve import import_first_pages\n"
        f"import_first_pages()\nprint([name for name in {sorted(modules)} "
        "if name not in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n", done.stderr
