"""The door: assigner of places (processes) to people; HTTP requests and replies.

Whoever comes without a place gets a ticket, as a cookie. Who brings the ticket back is
given a place, in the order in which tickets were first brought: a program that keeps no
cookies takes none. Where people wait, those who have signed in come first, and then the
address with the fewest places: whoever brings many tickets takes only their own
address's turns.
"""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any, Literal

from dashboard.i18n.language import preferred_language, translate_into
from dashboard.places.settings import COOKIE
from dashboard.server import sign_in_page
from dashboard.server.sign_in import sign_out_token
from engine.core.message import Message

TICKET_SECONDS = 20.0
"""Seconds after which who waits and does not ask again is forgotten."""

MAX_WAITING = 10_000

MAX_WAITING_PER_ADDRESS = 1_000
"""More come into the line when others of their address have a place."""

MAX_SIGNED_IN = 10_000
"""Browsers in which somebody has signed in, as far as they are remembered."""

MAX_FORWARDS = 20
"""Proxies, one behind the other, that are heard of where somebody comes from."""

LOOK_SECONDS = 3
"""Seconds after which a page of somebody who waits asks again."""

_TICKET = re.compile(r"door\.[A-Za-z0-9_-]{16,64}")

DOOR_HEADERS = (
    "cookie",
    "accept",
    "accept-language",
    "upgrade",
    "x-forwarded-for",
    "x-forwarded-proto",
)
"""Names of the headers on which the door's answers depend."""

Fate = Literal["died", "idle", "erased", "administrator", "restarted", "left"]
"""Why a place is no more."""

FATES: Mapping[Fate, Message] = {
    "died": Message(
        "The process that had your session has ended unexpectedly, and what was open "
        "in it is gone; nobody else's is. Load the page again to begin anew."
    ),
    "idle": Message(
        "Nothing was done here for longer than the administrator allows, and what was "
        "open has been erased. Load the page again to begin anew."
    ),
    "administrator": Message(
        "The administrator has ended your session, and what was open in it has been "
        "erased. Load the page again to begin anew."
    ),
    "restarted": Message(
        "This server was started anew, and what was open here has been erased. Load "
        "the page again to begin anew."
    ),
    "erased": Message(
        "Everything that you brought here has been erased. Load the page again to "
        "begin anew."
    ),
}
"""What a person is told whose place is no more, where something of theirs is."""

NOT_STICKY = Message(
    "Another process has your session; the administrator must switch on sticky "
    "cookies, as the command coterie serve --print shows."
)

RESTARTING = Message(
    "This server is about to be restarted and lets nobody in until then: this page "
    "tries again by itself."
)

_PING_ANSWERS: Mapping[str, str] = {
    "health": '"ok"',
    "host-config": '{"allowedOrigins": [], "useExternalAuthToken": false}',
}
"""What is said to Streamlit's page before it connects, by the last part of the path."""

COOKIES_NEEDED = Message(
    "One moment: a place is looked for. If this stays, allow cookies for this address."
)


def _all_taken(count: int, before: int) -> Message:
    return Message(
        "All places of this server are taken ({count}). People who wait before you: "
        "{before}. This page lets you in when a place is free: leave it open.",
        count=count,
        before=before,
    )


@dataclass(frozen=True)
class HttpRequest:
    """HTTP request: method, target, headers and body.

    Attributes
    ----------
    method, target : str
        As the browser sent them.
    headers : mapping of str to str
        By names in small letters.
    body : bytes
        Where it is asked for.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def cookies(self) -> dict[str, str]:
        """All cookies by name; the first one of a repeated name."""
        parts = self.headers.get("cookie", "").split(";")
        pairs = [part.strip().partition("=") for part in parts]
        return {name: value for name, _, value in reversed(pairs)}

    @property
    def cookie(self) -> str:
        """Value of the place's cookie; empty if the request has none."""
        return self.cookies.get(COOKIE, "")

    def is_post_to(self, path: str) -> bool:
        """Return whether this is a POST to a path of the application."""
        target_path = self.target.partition("?")[0]
        return self.method == "POST" and target_path.endswith(f"/{path}")

    @property
    def is_page(self) -> bool:
        """Whether the request is for a page that a person will see."""
        accepts = self.headers.get("accept") or "*/*"
        path = self.target.partition("?")[0]
        return (
            self.method in ("GET", "HEAD")
            and ("text/html" in accepts or accepts == "*/*")
            and "/_stcore/" not in path
            and "." not in path.rpartition("/")[2]
            and not self.is_websocket
        )

    @property
    def is_websocket(self) -> bool:
        """Whether the request opens a websocket."""
        return self.headers.get("upgrade", "").lower() == "websocket"


@dataclass(frozen=True)
class HttpReply:
    """Status, body and headers of the HTTP reply to a request.

    Attributes
    ----------
    status : int
    headers : list of tuple
        Names and values.
    body : str
    """

    status: int
    body: str
    headers: list[tuple[str, str]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON types, for a place."""
        return {"status": self.status, "headers": self.headers, "body": self.body}


class PlaceAssigner:
    """Assigner of places to people who wait: the signed-in first, then by address.

    Parameters
    ----------
    count : int
        Number of places.
    base : str
        Path of the application, without a slash at its end.
    take : callable
        Takes a free place for a ticket and returns its secret; None where none is free.
    owner : callable
        Returns the ticket by which a place that is alive was taken, by its secret; None
        where there is no such place.
    trusted : sequence of str
        Addresses and networks of proxies that say where people come from.

    Attributes
    ----------
    is_open : bool
        Whether places are still given.
    older_tokens : set of str
        Secrets of places that people have of a server that is taken over.
    """

    def __init__(
        self,
        count: int,
        base: str,
        take: Callable[[str], str | None],
        owner: Callable[[str], str | None],
        trusted: Sequence[str] = (),
    ) -> None:
        self._count, self._base = count, base
        self._take, self._owner, self._trusted = take, owner, trusted
        # When a ticket was last brought, or its place's secret, and from which address;
        # and whether somebody has signed in there.
        self._waiting: dict[str, tuple[float, str, bool]] = {}
        self._signed_in: dict[str, str] = {}
        self._given: dict[str, tuple[str, str]] = {}
        self._fates: dict[str, Fate] = {}
        self.older_tokens: set[str] = set()
        self.is_open = True

    @property
    def n_waiting(self) -> int:
        """Number of people who wait for a place."""
        now = time.monotonic()
        entries = list(self._waiting.values())
        return sum(now - each <= TICKET_SECONDS for each, *_ in entries)

    def close(self) -> None:
        """Stop giving places and forget who waits: the server is about to restart."""
        self.is_open = False
        self._waiting.clear()

    def note_sign_in(self, cookie_token: str, person: str) -> None:
        """Record the person signed in with a cookie, by its sign-out token."""
        self._signed_in[cookie_token] = person
        while len(self._signed_in) > MAX_SIGNED_IN:
            del self._signed_in[next(iter(self._signed_in))]

    def note_sign_out(self, person: str) -> None:
        """Forget the sign-in of a person who has signed out."""
        for token, who in list(self._signed_in.items()):
            if who == person:
                del self._signed_in[token]

    def note_end(self, token: str, fate: Fate) -> None:
        """Record why a place has ended, for its person's next request."""
        self.older_tokens.discard(token)
        for ticket, (place_token, _) in list(self._given.items()):
            if place_token == token:
                del self._given[ticket]
        if fate != "left":
            self._fates[token] = fate
            while len(self._fates) > MAX_WAITING:
                del self._fates[next(iter(self._fates))]

    def answer(self, arrival: HttpRequest) -> HttpReply:
        """Return the reply to a request that the proxy sent to no place."""
        cookie = arrival.cookie
        if self._owner(cookie) is not None or cookie in self.older_tokens:
            return self._say(arrival, 421, NOT_STICKY)
        answer = _PING_ANSWERS.get(arrival.target.partition("?")[0].rpartition("/")[2])
        if answer and (self.is_open or cookie in self._fates):
            # A page asks this before it connects again, and then hears what has become
            # of its place.
            return HttpReply(200, answer, [("Content-Type", "application/json")])
        if (fate := self._fates.get(cookie)) is not None:
            forget = [("Set-Cookie", self._set_cookie("", arrival))]
            # Of what asks for no page, the page that asked is told; it loads again.
            headers = forget if arrival.is_page else []
            return self._say(arrival, 410, FATES[fate], headers)
        if not self.is_open:
            headers = [("Retry-After", "30"), ("Refresh", "30")]
            return self._say(arrival, 503, RESTARTING, headers)
        if not arrival.is_page:
            words = Message("Load the page first: there is no place for this browser.")
            return self._say(arrival, 409, words)
        return self._receive(arrival, cookie if _TICKET.fullmatch(cookie) else "")

    def _receive(self, arrival: HttpRequest, ticket: str) -> HttpReply:
        """Give a ticket, a place, or the page of those who wait."""
        if not ticket:
            ticket = f"door.{secrets.token_urlsafe(24)}"
            headers = [
                ("Set-Cookie", self._set_cookie(ticket, arrival)),
                ("Refresh", "0"),
            ]
            return self._say(arrival, 200, COOKIES_NEEDED, headers)
        forwarded = arrival.headers.get("x-forwarded-for", "")
        address = resolve_client_address_or_network(forwarded, self._trusted)
        is_signed_in = sign_out_token(arrival.cookies) in self._signed_in
        token, _ = self._given.get(ticket) or (
            self._find_place(ticket, address, is_signed_in),
            "",
        )
        if token is not None:
            return HttpReply(
                303,
                "",
                [
                    ("Set-Cookie", self._set_cookie(token, arrival)),
                    ("Location", "/" + arrival.target.lstrip("/\\")),
                    ("Cache-Control", "no-store"),
                ],
            )
        turns = self._turns_by_ticket()
        own_turn = turns.get(ticket, (True, MAX_WAITING, 0))
        words = _all_taken(self._count, sum(turn < own_turn for turn in turns.values()))
        headers = [("Refresh", str(LOOK_SECONDS)), ("Retry-After", str(LOOK_SECONDS))]
        return self._say(arrival, 503, words, headers)

    def _find_place(self, ticket: str, address: str, is_signed_in: bool) -> str | None:
        """Take a place, if one is free and it is nobody else's turn."""
        now = time.monotonic()
        for other, (last_look, *_) in list(self._waiting.items()):
            if now - last_look > TICKET_SECONDS:
                del self._waiting[other]
        n_same = sum(each == address for _, each, _ in self._waiting.values())
        has_room = len(self._waiting) < MAX_WAITING and n_same < MAX_WAITING_PER_ADDRESS
        if ticket in self._waiting or has_room:
            self._waiting[ticket] = now, address, is_signed_in
        turns = self._turns_by_ticket()
        first = min(turns, key=turns.__getitem__, default=ticket)
        token = self._take(ticket) if first == ticket else None
        if token is not None:
            self._waiting.pop(ticket, None)
            self._given[ticket] = token, address
        return token

    def _turns_by_ticket(self) -> dict[str, tuple[bool, int, int]]:
        """Return the order of those who wait, by ticket: the least comes first.

        Who has signed in before all others; each address's first before any address's
        second; and then as they came.
        """
        before = Counter(address for _, address in self._given.values())
        turns = {}
        for position, (ticket, waiting) in enumerate(self._waiting.items()):
            _, address, is_signed_in = waiting
            turns[ticket] = not is_signed_in, before[address], position
            before[address] += 1
        return turns

    def _say(
        self,
        arrival: HttpRequest,
        status: int,
        words: Message,
        headers: list[tuple[str, str]] | None = None,
    ) -> HttpReply:
        """Answer with one sentence: as a page, or as it is."""
        fields = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        accept_language = arrival.headers.get("accept-language", "")
        if not arrival.is_page:
            text = translate_into(preferred_language(accept_language), words)
            return HttpReply(
                status, text, [*fields, ("Content-Type", "text/plain; charset=utf-8")]
            )
        fields += [
            ("Content-Type", "text/html; charset=utf-8"),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'",
            ),
        ]
        page = sign_in_page.refusal_page_html(words, accept_language)
        return HttpReply(status, page, [*fields, *(headers or [])])

    def _set_cookie(self, value: str, arrival: HttpRequest) -> str:
        flags = "; HttpOnly; SameSite=Lax"
        if not value:
            flags += "; Max-Age=0"
        if arrival.headers.get("x-forwarded-proto", "") == "https":
            flags += "; Secure"
        return f"{COOKIE}={value}; Path={self._base or '/'}{flags}"


def resolve_client_address_or_network(
    forwarded_for: str, trusted_proxies: Sequence[str]
) -> str:
    """Return the client's address or IPv6 /64 network by ``X-Forwarded-For``, or "".

    Parameters
    ----------
    forwarded_for : str
        What ``X-Forwarded-For`` says; the last proxy has written its end.
    trusted_proxies : sequence of str
        Addresses and networks of proxies.

    Returns
    -------
    str
        An address, or of IPv6 the network of a customer (64 bits); empty if unknown.
    """
    networks = [ip_network(each, strict=False) for each in trusted_proxies]
    client = ""
    for hop in reversed(forwarded_for.split(",")[-MAX_FORWARDS:]):
        try:
            address = ip_address(hop.strip())
        except ValueError:
            break
        client = str(address)
        if address.version == 6:
            client = str(ip_network((int(address), 64), strict=False))
        if not any(address in network for network in networks):
            break
    return client


def is_health_path(request_target: str) -> bool:
    """Return whether the path of a request target ends with ``/_stcore/health``."""
    return request_target.partition("?")[0].endswith("/_stcore/health")
