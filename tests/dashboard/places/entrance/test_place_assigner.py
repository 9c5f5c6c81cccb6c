"""Whoever comes gets a ticket, then a place, in turn; or is told why there is none."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from websockets.asyncio.client import unix_connect
from websockets.typing import Subprotocol

from dashboard.places.entrance import place_assigner as door_module
from dashboard.places.entrance.assigner_server import (
    format_http_reply,
    parse_request_head,
    start_http_server,
)
from dashboard.places.entrance.place_assigner import (
    FATES,
    Fate,
    HttpReply,
    HttpRequest,
    PlaceAssigner,
    resolve_client_address_or_network,
)
from dashboard.places.settings import SocketAddress
from dashboard.server.browsers import GONE
from dashboard.server.sign_in import sign_out_token
from tests.asynchronous import finish


class House:
    """Places without processes."""

    def __init__(self, count: int) -> None:
        self.free = [f"p{number}.secret{number}" for number in range(1, count + 1)]
        self.owners: dict[str, str] = {}
        self.door = PlaceAssigner(count, "/coterie", self.take, self.owners.get)

    def take(self, ticket: str) -> str | None:
        if not self.free:
            return None
        token = self.free.pop(0)
        self.owners[token] = ticket
        return token

    def leave(self, token: str, fate: Fate = "left") -> None:
        del self.owners[token]
        self.door.note_end(token, fate)
        self.free.append(token + "+")

    def ask(
        self, cookie: str = "", target: str = "/coterie/", **more: str
    ) -> HttpReply:
        headers = {"cookie": f"other=1; place={cookie}"} if cookie else {}
        return self.door.answer(HttpRequest("GET", target, {**headers, **more}))

    def ticket(self) -> str:
        return cookie_of(self.ask())


def cookie_of(reply: HttpReply) -> str:
    """Return the value that a reply gives the browser."""
    (set_cookie,) = [value for name, value in reply.headers if name == "Set-Cookie"]
    assert "HttpOnly" in set_cookie
    assert "Path=/coterie" in set_cookie
    return set_cookie.partition("=")[2].partition(";")[0]


@pytest.fixture
def house() -> House:
    return House(2)


def test_who_brings_the_ticket_back_gets_a_place(house: House) -> None:
    ticket = house.ticket()
    reply = house.ask(ticket, "/coterie/learn?a=1")
    assert reply.status == 303
    assert ("Location", "/coterie/learn?a=1") in reply.headers
    assert house.owners[cookie_of(reply)] == ticket


def test_who_keeps_no_cookies_takes_no_place(house: House) -> None:
    assert {house.ask().status for _ in range(9)} == {200}
    assert len(house.free) == 2


def test_two_tabs_of_one_browser_get_one_place(house: House) -> None:
    ticket = house.ticket()
    assert cookie_of(house.ask(ticket)) == cookie_of(house.ask(ticket))
    assert len(house.free) == 1


def test_people_are_let_in_as_they_came(house: House) -> None:
    house.free.clear()
    house.owners["p1.x"] = "somebody"
    first, second = house.ticket(), house.ticket()
    for ticket, before in ((first, 0), (second, 1)):
        reply = house.ask(ticket)
        assert reply.status == 503
        assert f"before you: {before}." in reply.body
        assert ("Refresh", "3") in reply.headers
    house.leave("p1.x")
    assert house.ask(second).status == 503
    assert house.ask(first).status == 303
    house.free.append("p2.y")
    assert house.ask(second).status == 303


def test_many_tickets_of_one_address_keep_nobody_else_out(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_module, "MAX_WAITING_PER_ADDRESS", 5)
    many = {"x-forwarded-for": "10.9.9.9"}
    place_cookies = [cookie_of(house.ask(house.ticket(), **many)) for _ in range(2)]
    tickets = [house.ticket() for _ in range(8)]
    for place, ticket in enumerate(tickets):
        assert f"before you: {min(place, 5)}." in house.ask(ticket, **many).body
    ann, ben = house.ticket(), house.ticket()
    assert "before you: 0." in house.ask(ann, **{"x-forwarded-for": "10.1.1.1"}).body
    assert "before you: 1." in house.ask(ben, **{"x-forwarded-for": "10.2.2.2"}).body
    assert "before you: 2." in house.ask(tickets[0], **many).body
    house.leave(place_cookies[0])
    assert house.ask(tickets[0], **many).status == 503
    assert house.ask(ann, **{"x-forwarded-for": "10.1.1.1"}).status == 303
    house.free.append("p3.x")
    assert house.ask(ben, **{"x-forwarded-for": "10.2.2.2"}).status == 303
    house.free.append("p4.y")
    assert house.ask(tickets[1], **many).status == 503
    assert house.ask(tickets[0], **many).status == 303


TRUSTED = ("127.0.0.0/8", "::1/128", "10.0.0.7")


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("", ""),
        ("192.0.2.1", "192.0.2.1"),
        ("198.51.100.1, 192.0.2.1", "192.0.2.1"),
        ("198.51.100.1, 192.0.2.1, 10.0.0.7, 127.0.0.1", "192.0.2.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("unknown, 127.0.0.1", "127.0.0.1"),
        ("unknown", ""),
        ("2001:db8::1:2", "2001:db8::/64"),
        ("2001:db8::9, ::1", "2001:db8::/64"),
        (", " * 100_000 + "192.0.2.1", "192.0.2.1"),
    ],
)
def test_where_somebody_comes_from_is_what_trusted_proxies_say(
    forwarded: str, address: str
) -> None:
    assert resolve_client_address_or_network(forwarded, TRUSTED) == address


def test_who_has_signed_in_comes_before_all_others(house: House) -> None:
    for _ in range(2):
        house.ask(house.ticket())
    first, ann, ben = (house.ticket() for _ in range(3))
    cookies = {"_streamlit_user": "signed"}
    house.door.note_sign_in(sign_out_token(cookies), "us ann")
    header_template = {"cookie": "place={}; _streamlit_user=signed"}

    def look(ticket: str, **more: str) -> str:
        headers = {"cookie": f"place={ticket}", **more}
        return house.door.answer(HttpRequest("GET", "/coterie/", headers)).body

    assert "before you: 0." in look(first)
    assert "before you: 1." in look(ben)
    hers = {"cookie": header_template["cookie"].format(ann)}
    assert "before you: 0." in look(ann, **hers)
    assert "before you: 1." in look(first)
    house.door.note_sign_out("us ann")
    assert "before you: 2." in look(ann, **hers)
    assert "before you: 0." in look(first)


def test_who_waits_no_longer_keeps_nobody_waiting(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(door_module.time, "monotonic", lambda: now[0])
    house.free.clear()
    assert house.ask(house.ticket()).status == 503
    house.free.append("p1.x")
    late = house.ticket()
    assert house.ask(late).status == 503
    now[0] = door_module.TICKET_SECONDS + 1.0
    assert house.ask(late).status == 303


@pytest.mark.parametrize("fate", FATES)
def test_what_became_of_a_place_is_told_once(house: House, fate: Fate) -> None:
    token = cookie_of(house.ask(house.ticket()))
    house.leave(token, fate)
    reply = house.ask(token)
    assert (reply.status, cookie_of(reply)) == (410, "")
    assert FATES[fate].split(",")[0] in reply.body
    # What runs in the page is told as well, and leaves the cookie to the page.
    reply = house.ask(token, "/coterie/a.js", accept="*/*")
    assert reply.status == 410
    assert reply.body == FATES[fate]
    assert not any(name == "Set-Cookie" for name, _ in reply.headers)
    # It asks these before it connects: then it loads the page again.
    for ping in ("health", "host-config"):
        reply = house.ask(token, f"/coterie/_stcore/{ping}", accept="*/*")
        assert (reply.status, type(json.loads(reply.body))) == (
            200,
            str if ping == "health" else dict,
        )


def test_before_a_restart_nobody_is_let_in(house: House) -> None:
    ticket, other = house.ticket(), house.ticket()
    inside = cookie_of(house.ask(ticket))
    house.door.close()
    reply = house.ask(other)
    assert reply.status == 503
    assert "about to be restarted" in reply.body
    assert ("Retry-After", "30") in reply.headers
    assert house.ask("", "/coterie/_stcore/health").status == 503
    assert house.owners[inside] == ticket
    house.leave(inside, "died")
    assert house.ask(inside).status == 410


def test_who_left_begins_anew_without_a_word(house: House) -> None:
    token = cookie_of(house.ask(house.ticket()))
    house.leave(token)
    reply = house.ask(token)
    assert (reply.status, cookie_of(reply)[:5]) == (200, "door.")


def test_a_proxy_without_sticky_cookies_is_told_from_a_process_that_died(
    house: House,
) -> None:
    token = cookie_of(house.ask(house.ticket()))
    reply = house.ask(token)
    assert reply.status == 421
    assert "Another process has your session; the administrator must" in reply.body


@pytest.mark.parametrize("target", ["/coterie/_stcore/stream", "/coterie/a.js"])
def test_only_pages_are_given_places(house: House, target: str) -> None:
    assert house.ask(target=target).status == 409


@pytest.mark.parametrize("target", ["//evil.test/", "/\\evil.test/", "///evil.test/"])
def test_nobody_is_sent_elsewhere(house: House, target: str) -> None:
    reply = house.ask(house.ticket(), target)
    assert dict(reply.headers)["Location"] == "/evil.test" + target.partition("test")[2]


def test_behind_https_the_cookie_is_for_https_only(house: House) -> None:
    reply = house.ask(**{"x-forwarded-proto": "https"})
    assert "; Secure" in dict(reply.headers)["Set-Cookie"]


def test_pages_are_in_the_browsers_language(house: House) -> None:
    assert 'lang="zh"' in house.ask(**{"accept-language": "zh-CN,en"}).body


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET http://elsewhere/ HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01 / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_none(head: bytes) -> None:
    assert parse_request_head(head) is None


def test_a_head_is_read_and_an_answer_written() -> None:
    head = b"HEAD /a?b=1 HTTP/1.1\r\nCookie: place=p1.x\r\nodd\r\n\r\n"
    arrival = parse_request_head(head)
    assert arrival is not None
    assert (arrival.method, arrival.target, arrival.cookie) == (
        "HEAD",
        "/a?b=1",
        "p1.x",
    )
    written = format_http_reply(
        HttpReply(503, "wait é", [("Refresh", "3")]), is_head=False
    )
    assert written.startswith(b"HTTP/1.1 503 Service Unavailable\r\nRefresh: 3\r\n")
    assert b"Content-Length: 7\r\n" in written
    assert written.endswith("wait é".encode())


@pytest.mark.posix("no server runs there")
def test_a_short_body_is_read_where_it_is_asked_for(tmp_path: Path) -> None:
    requests: list[HttpRequest] = []

    def answer(request: HttpRequest) -> HttpReply:
        requests.append(request)
        return HttpReply(200, "")

    async def talk() -> list[bytes]:
        assert sys.platform != "win32"
        where = SocketAddress(tmp_path / "door")
        server = await start_http_server(
            where, answer, lambda http_request: http_request.is_post_to("out")
        )
        replies = []
        for path, size in (("/x/out", "3"), ("/x/outer", "3"), ("/out", "two")):
            reader, writer = await asyncio.open_unix_connection(where.path)
            head = f"POST {path} HTTP/1.1\r\nContent-Length: {size}\r\n\r\n"
            writer.write(head.encode() + b"abc")
            replies.append(await reader.read())
            writer.close()
        server.close()
        return replies

    replies = finish(talk())
    assert all(reply.startswith(b"HTTP/1.1 200 OK") for reply in replies)
    assert [request.body for request in requests] == [b"abc", b"", b""]


@pytest.mark.posix("no server runs there")
def test_a_page_whose_place_is_no_more_is_told_by_its_websocket(
    house: House, tmp_path: Path
) -> None:
    token = cookie_of(house.ask(house.ticket()))
    house.leave(token, "restarted")

    async def talk() -> int:
        where = SocketAddress(tmp_path / "door")
        server = await start_http_server(where, house.door.answer)
        async with unix_connect(
            str(where.path),
            "ws://localhost/coterie/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": f"place={token}"},
        ) as connection:
            await connection.wait_closed()
            server.close()
            return connection.close_code or 0

    assert finish(talk()) == GONE
    assert house.ask(token).status == 410


def test_places_of_the_older_server_are_not_taken_from_those_who_have_them(
    house: House,
) -> None:
    house.door.older_tokens = {"p7.secret", "p8.secret"}
    reply = house.ask("p7.secret")
    assert reply.status == 421
    assert not [value for name, value in reply.headers if name == "Set-Cookie"]
    house.door.note_end("p7.secret", "restarted")
    house.door.note_end("p8.secret", "left")
    assert "started anew" in house.ask("p7.secret").body
    assert cookie_of(house.ask("p8.secret")).startswith("door.")
