"""A browser tab without a browser: it asks as one does, and draws nothing."""

import asyncio
import time
import urllib.request
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http.cookiejar import CookieJar
from typing import Any, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Times = dict[str, list[float]]

V = TypeVar("V", bound="Visitor")

SECONDS = 300.0
"""After which a visitor gives up on what was asked."""


class Visitor:
    """A tab that is connected, and what it has been told.

    Attributes
    ----------
    times : dict of str to list of float
        Seconds until a page was complete, by what was asked.
    exceptions : list of str
        Mistakes of the program.
    errors : list of str
        What boxes say that went wrong.
    elements : list
        Those of the page that came last.
    progress : str
        What the bar of a run said last.
    ended : Event
        Set when the server says no more.
    """

    def __init__(
        self, talk: ClientConnection, address: str, cookies: dict[str, str]
    ) -> None:
        self._talk, self._address, self._cookies = talk, address, cookies
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._fragment_run = False
        self._wait: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wait.set_result(None)
        self.session = ""
        self.pages: dict[str, str] = {}
        self.page = ""
        self.widgets: dict[tuple[str, str], Any] = {}
        self.looks_again: dict[str, tuple[float, float]] = {}
        self.times: Times = defaultdict(list)
        self.exceptions: list[str] = []
        self.errors: list[str] = []
        self.elements: list[Any] = []
        self.progress = ""
        self.ended = asyncio.Event()

    def request(self, fragment: str = "") -> BackMsg:
        """Return a message that asks for this page, or a part of it."""
        message = BackMsg()
        script = message.rerun_script
        script.page_script_hash = self.page
        script.fragment_id = fragment
        script.is_auto_rerun = bool(fragment)
        script.context_info.locale = "en-GB"
        return message

    async def do(self, what: str, message: BackMsg | None = None) -> None:
        """Ask for something and wait until the page is complete."""
        self._wait = asyncio.get_running_loop().create_future()
        clock = time.perf_counter()
        await self.send(message or self.request())
        await asyncio.wait_for(self._wait, SECONDS)
        self.times[what].append(time.perf_counter() - clock)

    async def send(self, message: BackMsg) -> None:
        """Send a message and wait for nothing."""
        await self._talk.send(message.SerializeToString())

    async def turn_to(self, page: str) -> None:
        """Change the page; the first one is called by no name."""
        self.page = self.pages[page]
        await self.do(f"page: {page or 'data'}")

    async def set(self, kind: str, label: str, what: str = "", **value: Any) -> None:
        """Set a widget's value and wait for the page."""
        message = self.request()
        state = message.rerun_script.widget_states.widgets.add()
        state.CopyFrom(WidgetState(id=self.widget(kind, label).id, **value))
        await self.do(what or "a choice", message)

    def widget(self, kind: str, start: str) -> Any:
        """Return the widget of this label, or one whose label starts like this."""
        if (kind, start) in self.widgets:
            return self.widgets[kind, start]
        for (name, label), candidate in self.widgets.items():
            if name == kind and label.startswith(start):
                return candidate
        raise LookupError(f"there is no {kind} called {start!r}")

    async def upload(self, label: str, name: str, content: bytes, what: str) -> None:
        """Give a file to an uploader; its time is counted until the page is there."""
        clock = time.perf_counter()
        uploader = self.widget("file_uploader", label)
        urls_request = BackMsg()
        urls_request.file_urls_request.request_id = name
        urls_request.file_urls_request.file_names.append(name)
        urls_request.file_urls_request.session_id = self.session
        answer = self._answers[name] = asyncio.get_running_loop().create_future()
        await self.send(urls_request)
        urls = (await asyncio.wait_for(answer, SECONDS)).file_urls[0]
        await asyncio.to_thread(self.put, urls.upload_url, name, content)
        message = self.request()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = uploader.id
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(content), urls.file_id
        info.file_urls.CopyFrom(urls)
        await self.do(f"{what}, page", message)
        self.times[what].append(time.perf_counter() - clock)

    def put(self, place: str, name: str, content: bytes) -> None:
        """Send a file to the place that the server has named for it."""
        edge = "coterie-visitor"
        body = (
            f"--{edge}\r\nContent-Disposition: form-data; name={name}; "
            f"filename={name}\r\n\r\n"
        ).encode()
        request = urllib.request.Request(
            self._address + place,
            body + content + f"\r\n--{edge}--\r\n".encode(),
            {
                "Content-Type": f"multipart/form-data; boundary={edge}",
                "X-Xsrftoken": self._cookies["_streamlit_xsrf"],
                **_as_header(self._cookies),
            },
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            assert answer.status in (200, 204)

    async def until(self, done: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait for something that parts of the page which look again will bring."""
        limit = time.monotonic() + seconds
        while not done():
            if time.monotonic() > limit:
                raise TimeoutError
            await asyncio.sleep(0.05)

    def texts(self) -> list[str]:
        """Return what the page says in words."""
        contents = [getattr(part, part.WhichOneof("type")) for part in self.elements]
        return [str(getattr(part, "body", "")) for part in contents]

    @property
    def is_anything_running(self) -> bool:
        """Whether a part of the page looks again, but the notice of a restart."""
        return len(self.looks_again) > 1

    async def poll(self) -> None:
        """Ask again for the parts of the page that look again by themselves."""
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(0.1)
                now = time.monotonic()
                for fragment, (due, seconds) in tuple(self.looks_again.items()):
                    if now >= due:
                        self.looks_again[fragment] = now + seconds, seconds
                        await self.send(self.request(fragment))

    async def hear(self) -> None:
        """Take what the server says, until it says no more."""
        with suppress(ConnectionClosed):
            async for data in self._talk:
                message = ForwardMsg()
                message.ParseFromString(bytes(data))
                try:
                    self._take(message)
                except Exception as error:  # or whoever waits would wait for ever
                    self._wait.set_exception(error)
                    raise
        self.ended.set()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
            self._fragment_run = bool(message.metadata.run.fragment_ids)
            if not self._fragment_run:
                self.looks_again.clear()
                self.elements.clear()
        elif kind == "navigation":
            for page in message.navigation.app_pages:
                name = "" if page.is_default else page.url_pathname
                self.pages[name] = page.page_script_hash
        elif kind == "auto_rerun":
            seconds = message.auto_rerun.interval
            due = time.monotonic() + seconds
            self.looks_again[message.auto_rerun.fragment_id] = due, seconds
        elif kind == "delta":
            self._draw(message.delta.new_element)
        elif kind == "file_urls_response":
            response = message.file_urls_response
            self._answers.pop(response.response_id).set_result(response)
        elif kind == "script_finished" and not self._fragment_run:
            early = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
            if message.script_finished != early and not self._wait.done():
                self._wait.set_result(None)

    def _draw(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind is None:
            return
        self.elements.append(element)
        content = getattr(element, kind)
        if kind == "progress":
            self.progress = content.text
        elif kind == "exception":
            self.exceptions.append(f"{content.type}: {content.message}")
        elif kind == "alert" and content.format == content.ERROR:
            self.errors.append(content.body)
        elif getattr(content, "id", "") and hasattr(content, "label"):
            self.widgets[kind, content.label] = content


def new_cookies(address: str) -> dict[str, str]:
    """Return the cookies of a browser that has not been there before."""
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    for path in ("coterie-tab.js", "_stcore/health"):
        opener.open(f"{address}/{path}", timeout=60).close()
    return {cookie.name: str(cookie.value) for cookie in jar}


def _as_header(cookies: dict[str, str]) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


@asynccontextmanager
async def visit(
    port: int, kind: type[V], cookies: dict[str, str] | None = None
) -> AsyncIterator[V]:
    """Open a tab on a server of this machine; close it at the end.

    It is one of a new browser, unless another one's cookies are given.
    """
    address = f"http://127.0.0.1:{port}"
    cookies = cookies or await asyncio.to_thread(new_cookies, address)
    async with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        subprotocols=["streamlit"],
        additional_headers=_as_header(cookies),
        max_size=None,
        ping_interval=None,
        open_timeout=60,
    ) as talk:
        visitor = kind(talk, address, cookies)
        tasks = [asyncio.create_task(each) for each in (visitor.hear(), visitor.poll())]
        try:
            yield visitor
        finally:
            for task in tasks:
                task.cancel()
