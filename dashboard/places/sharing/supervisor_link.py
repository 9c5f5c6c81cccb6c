"""Connection of a place to its supervisor: lines of JSON over a Unix socket.

A place says who it is by its secret, tells what happens (``{"tell": ..., ...}``), and
asks (``{"ask": ..., "number": n, ...}``), which is answered with the same number. The
supervisor tells places what others have to know. Where it is gone, the place ends.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NoReturn

from dashboard.places.settings import SUPERVISOR, TOKEN

Listener = Callable[[dict[str, Any]], None]
"""Takes what the supervisor tells; on the thread that listens."""

MAX_LINE_BYTES = 2**20
"""Bytes told at once; nothing that pages bring goes over the connection."""


class SupervisorLink:
    """A place's connection to its supervisor: sends, asks and listens.

    Parameters
    ----------
    path : str
        The supervisor's socket.
    token : str
        The place's secret.

    Attributes
    ----------
    token : str
        The place's secret.
    """

    def __init__(self, path: str, token: str) -> None:
        self.token = token
        self._socket = connect_unix_socket(path)
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._asked: dict[int, SimpleQueue[dict[str, Any]]] = {}
        self._listeners: dict[str, Listener] = {}
        self.tell("here", token=token, pid=os.getpid())
        threading.Thread(target=self._listen, name="supervisor", daemon=True).start()

    def register_listener(self, message_kind: str, listener: Listener) -> None:
        """Register the function that takes the supervisor's messages of one kind."""
        self._listeners[message_kind] = listener

    def tell(self, message_kind: str, **facts: Any) -> None:
        """Send a message to the supervisor."""
        self._send({"tell": message_kind, **facts})

    def ask(self, question_kind: str, **facts: Any) -> dict[str, Any]:
        """Send a question to the supervisor; return its answer."""
        number = next(self._numbers)
        answer = self._asked[number] = SimpleQueue[dict[str, Any]]()
        self._send({"ask": question_kind, "number": number, **facts})
        return answer.get()

    def _send(self, line: dict[str, Any]) -> None:
        with self._lock, contextlib.suppress(OSError):  # gone: who listens ends us
            self._socket.sendall(json.dumps(line).encode() + b"\n")

    def _listen(self) -> NoReturn:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                message = json.loads(line)
                if "number" in message:
                    self._asked.pop(message.pop("number")).put(message)
                elif (
                    listener := self._listeners.get(message.get("tell", ""))
                ) is not None:
                    listener(message)
        os._exit(0)


def connect_unix_socket(path: str) -> socket.socket:
    """Return a socket connected to the Unix socket at a path.

    Raises
    ------
    OSError
        If nobody listens there, and on Windows.
    """
    if sys.platform == "win32":
        raise OSError("there are no sockets with paths")
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.connect(path)
    except OSError:
        connected.close()
        raise
    return connected


_link: SupervisorLink | None = None


def supervisor_link() -> SupervisorLink | None:
    """Return this process's connection to the supervisor; None outside a place."""
    global _link
    path, token = os.environ.get(SUPERVISOR), os.environ.get(TOKEN)
    if _link is None and path and token:
        _link = SupervisorLink(path, token)
    return _link
