"""Follows what a page and the server say to each other: whether all was answered.

How long a click takes to be seen is nobody's guess: every request of the page for a
run of the script must be followed by a run that began after the server had it, and by
that run's end. Streamlit gives requests no numbers, so a flag that is of no use here
(run when a source file changes, and none is watched) is turned over before each
request. The server tells every turn at once and in order, and so it is known of each
run which requests it has heard of.
"""

import time
from dataclasses import dataclass

from playwright.sync_api import Page, Request, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TURN_FLAG = """
(() => {
    const send = WebSocket.prototype.send;
    const RERUN = 0x5a, FLAG = 0x30;   // fields 11 and 6 of a BackMsg
    WebSocket.prototype.send = function (data) {
        if (this.url.includes('_stcore/stream') && data[0] === RERUN) {
            this.turned = !this.turned;
            send.call(this, new Uint8Array([FLAG, this.turned ? 1 : 0]));
        }
        return send.call(this, data);
    };
})()
"""
"""Put into every page before its own scripts."""

DEBOUNCE = 300
"""Milliseconds in which a widget of Streamlit's sends what was done to it: 250."""

DROPPED = 5.0
"""Seconds after which a part of the page that is no longer there will not answer."""


@dataclass
class _Request:
    number: int
    fragment: str
    sent: float


class Follower:
    """The state of one page's conversation with the server.

    Attributes
    ----------
    sent : int
        Requests for a run since the page was loaded.
    runs : int
        Runs that have begun since then.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._forget()
        page.add_init_script(TURN_FLAG)
        page.on("websocket", self._open)
        page.on("request", self._leave)

    def _forget(self) -> None:
        self.sent = 0
        self.runs = 0
        self._turns_heard = 0
        self._flag = False
        self._running = False
        self._open_requests: list[_Request] = []

    def _leave(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            self._forget()

    def _open(self, socket: WebSocket) -> None:
        if "_stcore/stream" in socket.url:
            self._forget()
            socket.on("framesent", self._said)
            socket.on("framereceived", self._heard)

    def _said(self, frame: bytes | str) -> None:
        message = BackMsg()
        message.ParseFromString(_bytes(frame))
        if message.WhichOneof("type") != "rerun_script":
            return
        self.sent += 1
        state = message.rerun_script
        # A part that looks again by itself goes on doing so for ever.
        if not state.is_auto_rerun:
            request = _Request(self.sent, state.fragment_id, time.monotonic())
            self._open_requests.append(request)

    def _heard(self, frame: bytes | str) -> None:
        message = ForwardMsg()
        message.ParseFromString(_bytes(frame))
        kind = message.WhichOneof("type")
        if kind == "session_status_changed":
            self._hear_flag(message.session_status_changed.run_on_save)
        elif kind == "new_session":
            self._hear_flag(message.new_session.initialize.session_status.run_on_save)
            self._begin(set(message.metadata.run.fragment_ids))
        elif kind == "script_finished":
            # A run that ended early is followed by another one.
            self._running = (
                message.script_finished
                == ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
            )

    def _hear_flag(self, flag: bool) -> None:
        self._turns_heard += flag != self._flag
        self._flag = flag

    def _begin(self, fragments: set[str]) -> None:
        self.runs += 1
        self._running = True
        self._open_requests = [
            request
            for request in self._open_requests
            if request.number > self._turns_heard
            or (fragments and request.fragment not in fragments)
        ]

    @property
    def answered(self) -> bool:
        """Whether every request has been answered by a run that has ended."""
        now = time.monotonic()
        self._open_requests = [
            request
            for request in self._open_requests
            if not request.fragment or now - request.sent < DROPPED
        ]
        return self.runs > 0 and not self._running and not self._open_requests

    def settle(self, seconds: float) -> None:
        """Wait until all is answered, and drawn.

        Raises
        ------
        AssertionError
            If that takes longer than `seconds`.
        """
        limit = time.monotonic() + seconds
        while True:
            # The page's clock, not ours: what it has still to send is due earlier.
            self.page.evaluate(
                "limit => new Promise(done => setTimeout(done, limit))", DEBOUNCE
            )
            sent = self.sent
            while not self.answered:
                assert time.monotonic() < limit, self
                self.page.wait_for_timeout(20)
            self.page.evaluate(_DRAWN, max(1.0, limit - time.monotonic()))
            if self.answered and self.sent == sent:
                return
            assert time.monotonic() < limit, self

    def __repr__(self) -> str:
        return (
            f"<{self.sent} requests, {self.runs} runs, running: {self._running}, "
            f"open: {self._open_requests}, flag turned {self._turns_heard} times>"
        )


_DRAWN = """
seconds => new Promise((done, fail) => {
    let still = 0;
    const limit = performance.now() + 1000 * seconds;
    const look = () => {
        const app = document.querySelector('[data-testid=stApp]');
        const state = app && app.getAttribute('data-test-script-state');
        const stale = document.querySelector('[data-stale=true]');
        still = state === 'notRunning' && !stale ? still + 1 : 0;
        if (still === 3) return done();
        if (performance.now() > limit) {
            const what = stale ? stale.outerHTML.slice(0, 200) : 'nothing';
            return fail(new Error(`the page is ${state}, and ${what} is stale`));
        }
        requestAnimationFrame(look);
    };
    look();
})
"""


def _bytes(frame: bytes | str) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


_followers: dict[Page, Follower] = {}


def follow(page: Page) -> None:
    """Follow a page that has not been opened yet, until it is closed."""
    _followers[page] = Follower(page)
    page.on("close", lambda page: _followers.pop(page))


def follower(page: Page) -> Follower:
    """Return the follower of a page that is followed."""
    return _followers[page]
