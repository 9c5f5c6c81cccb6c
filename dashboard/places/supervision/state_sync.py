"""Exchange of shared state with other servers, in the background."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable

from dashboard.places.sharing.shared_state import (
    SharedServer,
    SharedState,
    SharedStateError,
)
from dashboard.places.supervision.terminal import say

SYNC_SECONDS = 2.0
"""Seconds between two looks at what others have written."""

OVERLAP_SECONDS = 600.0
"""Seconds of sign-outs read again: clocks differ, and writes come late."""

Spent = tuple[str, float]
"""A person, and the processor seconds that a run of theirs has taken."""


_Exchanged = tuple[list[str], dict[str, float], set[tuple[str, float]]]
"""Sign-outs, seconds spent on other servers, and who is erased since when."""


class StateSync:
    """Exchange of sign-outs, erasures, seconds and server status by the shared state.

    While the state cannot be reached, the server goes on alone, and what it has to say
    waits.

    Parameters
    ----------
    state : SharedState
    describe : callable
        Returns what this server says of itself.
    note_sign_out : callable
        Takes a sign-out of another server, maybe again.
    note_spent : callable
        Takes the processor seconds of each person on other servers.
    erase : callable
        Takes a person whose places an administrator of another server ends.

    Attributes
    ----------
    servers : list of SharedServer
        All that share the state, as they were last seen.
    """

    def __init__(
        self,
        state: SharedState,
        describe: Callable[[], SharedServer],
        note_sign_out: Callable[[str], None],
        note_spent: Callable[[dict[str, float]], None],
        erase: Callable[[str], None],
    ) -> None:
        self._state, self._describe, self._erase = state, describe, erase
        self._note_sign_out, self._note_spent = note_sign_out, note_spent
        self._erasures: list[str] = []
        self._known_erasures: set[tuple[str, float]] | None = None
        self._own_erasures: set[tuple[str, float]] = set()
        self._sign_outs: list[str] = []
        self._spent: list[Spent] = []
        self._since = 0.0
        self._is_reached = True
        self._wake, self._lock = asyncio.Event(), threading.Lock()
        self.servers: list[SharedServer] = []

    def tell_sign_out(self, sign_out: str) -> None:
        """Queue a sign-out for the shared state, and start an exchange at once."""
        self._sign_outs.append(sign_out)
        self._wake.set()

    def tell_erasure(self, person: str) -> bool:
        """Queue the end of a person's places on other servers; always return True.

        A server that starts later has nothing of theirs.
        """
        self._erasures.append(person)
        self._wake.set()
        return True

    def tell_spent(self, person: str, seconds: float) -> None:
        """Queue a person's processor seconds for the shared state."""
        self._spent.append((person, seconds))

    async def run(self) -> None:
        """Exchange with the shared state repeatedly, until cancelled."""
        while True:
            await self.exchange()
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), SYNC_SECONDS)
            except TimeoutError:
                continue

    def close(self) -> None:
        """Write the last news to the shared state, and disconnect from it."""
        with contextlib.suppress(SharedStateError):
            self._exchange(self._describe())
        self._state.close()

    async def exchange(self) -> None:
        """Write this server's news to the shared state, and read the others' news."""
        try:
            sign_outs, spent_seconds, erasures = await asyncio.to_thread(
                self._exchange, self._describe()
            )
        except SharedStateError as error:
            if self._is_reached:
                say(f"{error} Until then this server goes on alone.")
            self._is_reached = False
            return
        self._is_reached = True
        for sign_out in sign_outs:
            self._note_sign_out(sign_out)
        # Who was told of them may tell this, too: the state has them.
        sign_out_set = {*sign_outs}
        self._sign_outs = [each for each in self._sign_outs if each not in sign_out_set]
        self._note_spent(spent_seconds)
        if self._known_erasures is not None:
            known_here = self._known_erasures | self._own_erasures
            for person, _at in sorted(erasures - known_here):
                self._erase(person)
        self._known_erasures = erasures

    def _exchange(self, server: SharedServer) -> _Exchanged:
        with self._lock:
            return self._exchange_alone(server, time.time())

    def _exchange_alone(self, server: SharedServer, now: float) -> _Exchanged:
        while self._sign_outs:
            self._state.add_sign_out(self._sign_outs[0], now)
            del self._sign_outs[0]
        while self._erasures:
            self._state.add_erasure(self._erasures[0], now)
            self._own_erasures.add((self._erasures[0], now))
            del self._erasures[0]
        while self._spent:
            self._state.add_spent(server.name, *self._spent[0], now)
            del self._spent[0]
        self._state.store_server(server)
        sign_outs = self._state.list_sign_outs(self._since)
        self._since = now - OVERLAP_SECONDS
        self.servers = self._state.list_servers()
        spent_seconds = self._state.spent_elsewhere(server.name, now)
        return sign_outs, spent_seconds, set(self._state.list_erasures())
