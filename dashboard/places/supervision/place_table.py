"""Table of people's server processes (places) in the supervisor: state and person."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from dashboard.audit import events
from dashboard.places.entrance.place_assigner import Fate

State = Literal["starting", "free", "taken", "ending"]


@dataclass(eq=False)
class Place:
    """One place: its process, its state, and its person.

    Attributes
    ----------
    name : str
    port : int
        Of the loopback address.
    folder : Path
        For its temporary files.
    token : str
        The secret of its process: that of the person who has it.
    state : str
    ticket : str
        Of the person who has it.
    tabs : int
        Tabs that are connected.
    taken, left, active : float
        When it was given to its person, when their last tab was closed, and when
        something was done.
    failures : int
        How often in a row its process has not come up.
    fate : str
        Why it ends, or "died" while it does not.
    started : float
        When its process was started.
    link : asyncio.StreamWriter or None
        Connection to its process.
    who : str
        The person who has it, as events name them; empty where nobody signs in.
    pid : int
        Identifier of its process.
    runs : dict of str to dict
        What is told of the end of each of its runs, by the run's name.
    """

    name: str
    port: int
    folder: Path
    token: str = ""
    state: State = "ending"
    ticket: str = ""
    tabs: int = 0
    taken: float = 0.0
    left: float = 0.0
    active: float = 0.0
    failures: int = 0
    fate: Fate = "died"
    started: float = 0.0
    link: asyncio.StreamWriter | None = None
    who: str = ""
    pid: int = 0
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def tell(self, message_kind: str, **facts: Any) -> None:
        """Send a message to the place's process."""
        if self.link is not None:
            self.link.write(
                json.dumps({"tell": message_kind, **facts}).encode() + b"\n"
            )

    def begin(self) -> None:
        """Reset the place, with a new secret, for a new process."""
        self.token = f"{self.name}.{secrets.token_urlsafe(24)}"
        self.state, self.fate, self.ticket = "starting", "died", ""
        self.tabs, self.started = 0, time.monotonic()
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def log_end(self) -> None:
        """Log the end of the place's runs and the erasure of its person's data."""
        for facts in self.runs.values():
            events.log_event_ignoring_failure(
                "run-ended", self.who, place=self.name, state="ended", **facts
            )
        events.log_event_ignoring_failure(
            "erase", self.who, place=self.name, why=self.fate
        )
        self.who = ""
        self.runs.clear()


class PlacesByName(dict[str, Place]):
    """Dictionary of a server's places by name, to find, take, count and tell them."""

    def find(self, token: str) -> Place | None:
        """Return the place with a secret token; None if there is none."""
        place = self.get(token.partition(".")[0])
        if place is None or not secrets.compare_digest(
            place.token.encode(), token.encode()
        ):
            return None
        return place

    def take(self, ticket: str) -> str | None:
        """Give a free place to a ticket's holder; return its secret, or None."""
        for place in self.values():
            if place.state == "free":
                place.state, place.ticket = "taken", ticket
                place.taken = place.left = place.active = time.monotonic()
                return place.token
        return None

    def find_owner(self, token: str) -> str | None:
        """Return the ticket of the holder of the place with this secret, or None."""
        place = self.find(token)
        return place.ticket if place is not None and place.state == "taken" else None

    @property
    def taken(self) -> list[Place]:
        """Places that have a person."""
        return [place for place in self.values() if place.state == "taken"]

    def find_places_of(self, person: str) -> list[Place]:
        """Return the places of somebody who has signed in."""
        return [place for place in self.taken if place.who and place.who == person]

    def count_states(self) -> Counter[str]:
        """Return the number of places in each state."""
        states: Counter[str] = Counter(dict.fromkeys(get_args(State), 0))
        states.update(place.state for place in self.values())
        return states

    def tell(
        self, message_kind: str, *, but: Place | None = None, **facts: Any
    ) -> None:
        """Send a message to the processes of all places, or of all but one."""
        for place in self.values():
            if place is not but:
                place.tell(message_kind, **facts)
