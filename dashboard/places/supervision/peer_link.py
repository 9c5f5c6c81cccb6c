"""Connection of two supervisors: notices, questions and answers as lines of JSON."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

Answer = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Returns the answer to what is asked, and with which facts."""

Heed = Callable[[str, dict[str, Any]], None]
"""Takes what is told, and with which facts."""


class SupervisorPeerLink:
    """One supervisor's end of the connection to another supervisor.

    Parameters
    ----------
    reader, writer
        Of the connection.
    answer : callable
    heed : callable
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        answer: Answer,
        heed: Heed,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._answer, self._heed = answer, heed
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.is_gone = False

    def tell(self, message_kind: str, **facts: Any) -> None:
        """Send a notice to the other end, if it is still connected."""
        if not self.is_gone:
            self._send({"tell": message_kind, "facts": facts})

    async def ask(self, question_kind: str, **facts: Any) -> dict[str, Any]:
        """Send a question to the other end; return its answer.

        Raises
        ------
        ConnectionError
            If it is gone.
        """
        if self.is_gone:
            raise ConnectionResetError("the other server has ended")
        number = next(self._numbers)
        future: asyncio.Future[dict[str, Any]]
        future = self._asked[number] = asyncio.get_running_loop().create_future()
        self._send({"ask": question_kind, "number": number, "facts": facts})
        return await future

    def _send(self, line: dict[str, Any]) -> None:
        self._writer.write(json.dumps(line).encode() + b"\n")

    async def listen(self) -> None:
        """Process messages of the other end until it disconnects."""
        answering: set[asyncio.Task[None]] = set()
        try:
            while line := await self._reader.readline():
                message = json.loads(line)
                if "answer" in message:
                    self._asked.pop(message["number"]).set_result(message["answer"])
                elif "ask" in message:
                    task = asyncio.create_task(self._reply(message))
                    answering.add(task)
                    task.add_done_callback(answering.discard)
                else:
                    self._heed(message["tell"], message["facts"])
        except ConnectionError:
            pass
        finally:
            self.is_gone = True
            self._writer.close()
            for future in self._asked.values():
                future.set_exception(ConnectionResetError("the other server has ended"))

    async def _reply(self, message: dict[str, Any]) -> None:
        answer = await self._answer(message["ask"], message["facts"])
        self._send({"answer": answer, "number": message["number"]})
