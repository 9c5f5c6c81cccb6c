"""Supervisor's handling of messages from people's server processes (places)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.places.admin.control import ADMINISTRATOR_HEADER
from dashboard.places.entrance.place_assigner import (
    Fate,
    HttpReply,
    HttpRequest,
    PlaceAssigner,
)
from dashboard.places.entrance.sign_in_rate_limit import SignInRateLimiter
from dashboard.places.sharing.shared_readings import SharedReadingQueue
from dashboard.places.sharing.shared_runs import PlaceRunScheduler
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.server.sign_in import MAX_SIGN_OUT_SECONDS
from engine.core.message import message_to_json


class PlaceMessages:
    """Supervisor's end of the connections to all places: takes and answers messages.

    Parameters
    ----------
    places : PlacesByName
    door : PlaceAssigner
    runs : PlaceRunScheduler
    readings : SharedReadingQueue
    end_place : callable
        Ends a place, with what became of it.
    note_start : callable
        Told of a place whose process has connected.
    pass_on : callable
        Takes the digest of a cookie with which somebody has signed out here, for other
        servers.

    Attributes
    ----------
    administer : callable
        Answers a request of a person who is an administrator, as their place says.
    signed_out : dict of str to float
        Sign-outs, for :func:`dashboard.server.sign_in.add_sign_out_revocation`, and
        when each was first told, in seconds; none that no cookie can be about any more.
    """

    def __init__(
        self,
        places: PlacesByName,
        door: PlaceAssigner,
        runs: PlaceRunScheduler,
        readings: SharedReadingQueue,
        end_place: Callable[[Place, Fate], None],
        note_start: Callable[[Place], None],
        pass_on: Callable[[str], None],
    ) -> None:
        self._places, self._door = places, door
        self._runs, self._readings = runs, readings
        self._end_place, self._note_start = end_place, note_start
        self._pass_on, self._limiter = pass_on, SignInRateLimiter()
        self.administer: Callable[[HttpRequest], Awaitable[HttpReply]]
        self.signed_out: dict[str, float] = {}

    def note_sign_out(
        self, sign_out: str, place: Place | None = None, seconds: float | None = None
    ) -> bool:
        """Tell all places, but the one it came from, to honour a sign-out.

        Parameters
        ----------
        seconds : float, optional
            When it was first told, in seconds; now unless said. A person's sign-out
            says itself when it was.

        Returns
        -------
        bool
            Whether it is new, and a cookie can still be valid that it is about.
        """
        now = time.time()
        when, _space, who = sign_out.partition(" ")
        since = float(when) if who else now if seconds is None else seconds
        if sign_out in self.signed_out or now - since > MAX_SIGN_OUT_SECONDS:
            return False
        for each, at in list(islice(self.signed_out.items(), 2)):  # the oldest
            if now - at > MAX_SIGN_OUT_SECONDS:
                del self.signed_out[each]
        self._door.note_sign_out(who)
        self.signed_out[sign_out] = since
        self._places.tell("signed out", but=place, digest=sign_out)
        return True

    async def serve_place(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Process the messages of a place until its process ends."""
        # Cancelled is what it is when serving ends.
        with contextlib.suppress(ConnectionError, ValueError, asyncio.CancelledError):
            message = json.loads(await reader.readline())
            place = self._places.find(message["token"])
            if place is not None and message["tell"] == "here":
                place.link, place.pid = writer, message["pid"]
                self._note_start(place)
                while line := await reader.readline():
                    await self._take(place, json.loads(line), writer)
        writer.close()

    async def _take(
        self, place: Place, message: dict[str, Any], writer: asyncio.StreamWriter
    ) -> None:
        if "ask" not in message:
            self._heed(place, message)
            return
        if message["ask"] == "audit":
            answer = await asyncio.to_thread(_log_event, place, message)
        elif message["ask"] == "administer":
            headers = {ADMINISTRATOR_HEADER: message["who"]}
            request = HttpRequest(message["method"], message["target"], headers)
            answer = (await self.administer(request)).to_json()
        else:
            answer = self._answer(place, message)
        answer["number"] = message["number"]
        writer.write(json.dumps(answer).encode() + b"\n")

    def _heed(self, place: Place, message: dict[str, Any]) -> None:
        """Take what a place tells."""
        now = time.monotonic()
        match message["tell"]:
            case "tabs":
                place.tabs, place.left = message["count"], now
            case "active":
                place.active = now
            case "person":
                place.who = message["who"]
                if message["cookie"]:
                    self._door.note_sign_in(message["cookie"], message["who"])
            case "read":
                self._readings.take(place.token, message["order"])
            case "spent":
                self._runs.note_spent(message["person"], message["seconds"])
            case "signed out":
                if self.note_sign_out(message["digest"], place):
                    self._pass_on(message["digest"])
            case "refused":
                events.count_refusal(
                    message["address"], message["reason"], message["who"]
                )
            case "leave" if place.state == "taken":
                if message["why"] == "left":  # by signing out
                    self._door.note_sign_out(place.who)
                self._end_place(place, message["why"])

    def _answer(self, place: Place, message: dict[str, Any]) -> dict[str, Any]:
        """Answer what a place asks."""
        token, runs = place.token, self._runs
        answer: dict[str, Any] = {}
        match message["ask"]:
            case "answer":
                request = HttpRequest(
                    message["method"], message["target"], message["headers"]
                )
                answer = self._door.answer(request).to_json()
            case "signed out":
                answer = {"digests": list(self.signed_out)}
            case "turns":
                answer = runs.take_turns(token, message["jobs"])
            case "quota":
                answer = runs.explain_denial(token, message["person"], message["jobs"])
            case "sign-in":
                seconds = self._limiter.count(message["address"], message["person"])
                answer = {"seconds": seconds}
            case "worker":
                answer = runs.hand_worker(token)
            case "order":
                answer = runs.send_job(token, message["worker"], message["folder"])
            case "end worker":
                answer = runs.end_worker(token, message["worker"])
        return answer


def _log_event(place: Place, message: dict[str, Any]) -> dict[str, Any]:
    """Log an event of a place; return why it could not be."""
    event, who, facts = message["event"], message["who"], message["facts"]
    try:
        events.log_event(event, who, place=place.name, **facts)
    except AuditError as error:
        return {"why": message_to_json(error.message)}
    place.who = who or place.who
    if event == "run-begun":
        place.runs[facts["run"]] = {
            name: facts[name] for name in ("run", "kind", "plans")
        }
    elif event == "run-ended":
        place.runs.pop(facts["run"], None)
    return {"why": None}
