"""Requests of an administrator, by the control socket or from a page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from dashboard.audit import events
from dashboard.audit.chain import parse_facts
from dashboard.places.admin.control import ADMINISTRATOR_HEADER, ServerStatus
from dashboard.places.entrance.place_assigner import HttpReply, HttpRequest
from dashboard.places.sharing.shared_runs import PlaceRunScheduler
from dashboard.places.supervision.place_keeper import PlaceKeeper
from dashboard.places.supervision.place_table import Place, PlacesByName
from dashboard.places.supervision.server_status import StatusCollector

N_EVENTS = 20
"""Last lines of the audit log that are shown."""

_TAIL_BYTES = 2**16

AskOlder = Callable[[str, str], Awaitable[dict[str, Any] | None]]
"""Asks the server that is taken over, by method and target; None without one."""


class Administrator:
    """Handler of administrators' requests: status, events, end places or runs, drain.

    * ``GET /places``: :class:`ServerStatus`; ``GET /events``: the last audit lines.
    * ``POST /places/NAME/end`` ends a place, ``POST /places/NAME/end-runs`` its runs,
      ``POST /people/WHO/erase`` all places of a person; 409 where nobody has one, or
        202 where other servers are told of the person.
    * ``POST /drain`` lets nobody in any more.

    Parameters
    ----------
    places : PlacesByName
    status : StatusCollector
    runs : PlaceRunScheduler
    keeper : PlaceKeeper
    drain : callable
    audit : Path or None
        File of the audit log.
    ask_older : callable
    """

    def __init__(
        self,
        places: PlacesByName,
        status: StatusCollector,
        runs: PlaceRunScheduler,
        keeper: PlaceKeeper,
        drain: Callable[[], None],
        audit: Path | None,
        ask_older: AskOlder,
    ) -> None:
        self._places, self._status, self._runs = places, status, runs
        self._keeper, self._drain = keeper, drain
        self._audit, self._ask_older = audit, ask_older
        self.tell_erasure: Callable[[str], bool] = lambda person: False

    async def answer(self, request: HttpRequest) -> HttpReply:
        """Return the reply to a request."""
        content: Any = {}
        code, method, target = 200, request.method, request.target
        match (method, target.strip("/").split("/")):
            case ("GET", ["places"]):
                content = (await self._collect_status()).to_json()
            case ("GET", ["events"]):
                content = await asyncio.to_thread(self._read_events)
            case ("POST", ["drain"]):
                await self._log(request, "drain")
                self._drain()
            case ("POST", ["places", name, ("end" | "end-runs") as act]):
                code = await self._act(request, act, [self._places.get(name)])
            case ("POST", ["people", who, "erase"]):
                person = unquote(who)
                places = self._places.find_places_of(person)
                code = await self._act(request, "erase", places)
                if self.tell_erasure(person) and code != 200:
                    await self._log(request, "erase")
                    code = 202  # other servers do what there is to do
            case _:
                code = 404
        headers = [("Cache-Control", "no-store"), ("Content-Type", "application/json")]
        return HttpReply(code, json.dumps(content), headers)

    async def _act(
        self, request: HttpRequest, act: str, places: Sequence[Place | None]
    ) -> int:
        """End places or their runs, here and in the older server; return the status."""
        taken_places = [each for each in places if each and each.state == "taken"]
        for place in taken_places:
            await self._log(request, act, place=place.name)
            if act == "end-runs":
                self._runs.cancel_runs(place.token)
            else:
                self._keeper.end(place, "administrator")
        older = await self._ask_older("POST", request.target)
        return 200 if taken_places or (older and older["status"] == 200) else 409

    async def _log(self, request: HttpRequest, act: str, **facts: str) -> None:
        who = request.headers.get(ADMINISTRATOR_HEADER, "")
        await asyncio.to_thread(
            events.log_event_ignoring_failure, "administer", who, act=act, **facts
        )

    async def _collect_status(self) -> ServerStatus:
        status = self._status.collect_status()
        older = await self._ask_older("GET", "/places")
        if older is None:
            return status
        return status.with_older_server(
            ServerStatus.from_json(json.loads(older["body"]))
        )

    def _read_events(self) -> list[dict[str, Any]]:
        """Return the last events of the audit log, the latest first."""
        if self._audit is None or not self._audit.exists():
            return []
        with self._audit.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read().splitlines()[1 if size > _TAIL_BYTES else 0 :]
        latest = map(parse_facts, lines[: -N_EVENTS - 1 : -1])
        return [facts for facts in latest if facts is not None]  # some may be bent
