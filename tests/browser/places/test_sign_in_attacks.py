"""Nobody signs in with what an identity provider has not said just now, to them."""

import base64
import hmac
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.browser.conftest import serving
from tests.browser.places.test_serving import Stranger, signing_in


def part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def statement(algorithm: str, claims: dict[str, Any]) -> str:
    head = {"alg": algorithm, "kid": "only"}
    return f"{part(json.dumps(head).encode())}.{part(json.dumps(claims).encode())}"


def unsigned(claims: dict[str, Any]) -> str:
    return f"{statement('none', claims)}."


def shared(secret: bytes) -> Callable[[dict[str, Any]], str]:
    """Return what signs by something that both sides know, or everybody does."""

    def sign(claims: dict[str, Any]) -> str:
        content = statement("HS256", claims)
        return f"{content}.{part(hmac.digest(secret, content.encode(), 'sha256'))}"

    return sign


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


def callback(stranger: Stranger) -> str:
    """Return where the provider sends somebody back to, who does not go there."""
    cookies = urllib.request.HTTPCookieProcessor(stranger.jar)
    opener = urllib.request.build_opener(cookies, _Stay)
    address = stranger.server.url + "/sign-in?provider="
    while "oauth2callback?" not in address:
        with pytest.raises(urllib.error.HTTPError) as redirect:
            opener.open(address, timeout=60)
        address = urljoin(address, redirect.value.headers["Location"])
        redirect.value.close()
    return address.removeprefix(stranger.server.url)


def test_forged_stale_and_repeated_words_let_nobody_in(tmp_path: Path) -> None:
    inside, now = "/_stcore/host-config", int(time.time())
    with signing_in(tmp_path) as (server, identity):

        def comes_in() -> bool:
            stranger = Stranger(server)
            assert stranger.ask("/sign-in?provider=") in (200, 400, 500)
            return stranger.ask(inside) == 200

        assert comes_in()
        other = RSAKey.generate_key(2048, {"kid": "only"})
        for sign in (
            unsigned,
            lambda claims: jwt.encode({"alg": "RS256", "kid": "only"}, claims, other),
            shared(b"the secret that the provider gave you"),
            shared(identity.key.as_pem(private=False)),
        ):
            identity.sign = sign
            assert not comes_in()
        identity.sign = identity.signed
        for lies in (
            {"exp": now - 3600, "iat": now - 7200},
            {"exp": None},
            {"iat": now + 7200},
            {"iat": now - 13 * 3600},
            {"aud": "another"},
            {"iss": "http://elsewhere.test"},
            {"nonce": "another"},
            {"nonce": None},
            {"sub": None, "email": None},
        ):
            identity.lies = lies
            assert not comes_in(), lies
        identity.lies = {}
        eve, ann = Stranger(server), Stranger(server)
        for made_up in ("/oauth2callback?code=x", "/oauth2callback?code=x&state=y"):
            eve.ask(made_up)
            assert eve.ask(inside) == 401
        back = callback(ann)
        eve.ask(back)  # as a link that ann sends her, or that she has seen
        assert eve.ask(inside) == 401
        ann.ask(back)
        assert ann.ask(inside) == 200
        copied = [*ann.jar]
        for cookie in copied:
            eve.jar.set_cookie(cookie)
        assert eve.ask(inside) == 200  # whoever has it is ann, until she signs out
        ann.ask("/auth/logout")  # as a picture of another page does
        assert (ann.ask(inside), eve.ask(inside)) == (200, 200)
        ann.sign_out()
        assert (ann.ask(inside), eve.ask(inside)) == (401, 401)
        assert " 403 " in eve.connect()
        ann.sign_in()
        assert (ann.ask(inside), eve.ask(inside)) == (200, 401)


def heard(page: ClientConnection, kind: str) -> ForwardMsg:
    """Return the next message of a kind that a page gets."""
    while True:
        message = ForwardMsg.FromString(bytes(page.recv(60)))
        if message.WhichOneof("type") == kind:
            return message


def test_signing_out_ends_pages_elsewhere_and_holds_when_the_server_begins_anew(
    tmp_path: Path,
) -> None:
    draw = BackMsg()
    draw.rerun_script.query_string = ""
    with signing_in(tmp_path) as (server, _identity):
        ann = Stranger(server)
        ann.sign_in()
        assert ann.ask("/coterie-tab.js") == 200
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in ann.jar)
        address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        with connect(
            address,
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": cookies},
            max_size=None,
        ) as page:
            page.send(draw.SerializeToString())
            heard(page, "script_finished")
            later = tmp_path / "later"
            later.mkdir()
            secrets = str(tmp_path / "secrets.toml")
            # Cookies say the second in which they were signed.
            signed = int(time.time())
            while int(time.time()) == signed:
                time.sleep(0.05)
            with serving(later, "--sign-in", secrets) as other_server:
                ann.server = other_server
                assert ann.ask("/_stcore/host-config") == 401
            ann.server = server
            assert ann.ask("/_stcore/host-config") == 200
            ann.sign_out()
            assert heard(page, "auth_redirect").auth_redirect.url == "/"
            page.send(draw.SerializeToString())
            with pytest.raises(TimeoutError):
                page.recv(3)
