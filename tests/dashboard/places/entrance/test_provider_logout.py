"""Rights that end at the provider end here, by what it has signed just now, to us."""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dashboard.places.entrance.provider_logout import (
    LOGOUT_PATH,
    MAX_BODY_BYTES,
    LogoutVerifier,
    Provider,
    ProviderLogoutMiddleware,
    provider_logout_warnings,
    read_providers,
)
from dashboard.server import sign_in
from tests.asynchronous import finish
from tests.dashboard.people import require_sign_in

pytest.importorskip("joserfc")

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

ISSUER = "https://login.example"
US = Provider("us", f"{ISSUER}/about")
EVENT = {"http://schemas.openid.net/event/backchannel-logout": {}}


class Issuer:
    """A provider: what it says at its addresses, and how it signs."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "only", "use": "sig"})
        self.asked: list[str] = []

    def fetch(self, url: str) -> dict[str, Any]:
        self.asked.append(url)
        if url == US.metadata_url:
            return {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"}
        assert url == f"{ISSUER}/keys"
        return dict(KeySet([self.key]).as_dict(private=False))

    def form(self, key: Any = None, algorithm: str = "RS256", **changed: Any) -> bytes:
        """Return what it posts; None for what it leaves out."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": "us", "sub": "ann", "iat": now, "jti": "1"}
        claims |= {"exp": now + 120, "events": EVENT} | changed
        payload = {name: value for name, value in claims.items() if value is not None}
        head = {"alg": algorithm, "kid": "only", "typ": "logout+jwt"}
        token = jwt.encode(head, payload, key or self.key, algorithms=[algorithm])
        return urlencode({"logout_token": token}).encode()


ISSUER_OF_TESTS = Issuer()


@pytest.fixture
def issuer() -> Issuer:
    ISSUER_OF_TESTS.asked.clear()
    return ISSUER_OF_TESTS


@pytest.fixture
def cookie_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Have people sign in; return what gives the cookies of one who has."""
    require_sign_in(monkeypatch)
    monkeypatch.setattr(sign_in, "_signed_out", {})

    def cookie(**claims: Any) -> dict[str, str]:
        default_claims = {"is_logged_in": True, "iss": ISSUER, "sub": "ann"}
        text = json.dumps(default_claims | {"iat": int(time.time()) - 9} | claims)
        return {
            USER_COOKIE_NAME: create_signed_value(
                "long", USER_COOKIE_NAME, text
            ).decode()
        }

    return cookie


def is_in(cookies: dict[str, str]) -> bool:
    return sign_in.user_of_request(cookies).admitted


def test_who_is_signed_out_there_is_signed_out_here_and_nobody_else(
    issuer: Issuer, cookie_of: Callable[..., dict[str, str]]
) -> None:
    ann, ben = cookie_of(), cookie_of(sub="ben")
    foreign_cookies = cookie_of(iss="https://other.example")
    assert is_in(ann)
    verifier = LogoutVerifier([US], issuer.fetch)
    sign_in.add_sign_out_revocation(verifier.read_sign_out(issuer.form()))
    assert not is_in(ann)
    assert is_in(ben)
    assert is_in(foreign_cookies)
    assert is_in(cookie_of(iat=int(time.time()) + 1))  # who has signed in again


def test_one_session_is_signed_out_where_only_that_is_named(
    issuer: Issuer, cookie_of: Callable[..., dict[str, str]]
) -> None:
    at_work, at_home = cookie_of(sid="w"), cookie_of(sid="h")
    verifier = LogoutVerifier([US], issuer.fetch)
    form = issuer.form(sub=None, sid="w", aud=["them", "us"])
    sign_in.add_sign_out_revocation(verifier.read_sign_out(form))
    assert not is_in(at_work)
    assert is_in(at_home)


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://other.example"},
        {"aud": "them"},
        {"aud": None},
        {"iat": int(time.time()) - 3600},
        {"iat": int(time.time()) + 3600},
        {"iat": None},
        {"iat": "now"},
        {"iat": True},
        {"exp": int(time.time()) - 3600},
        {"events": None},
        {"events": {"other": {}}},
        {"events": "http://schemas.openid.net/event/backchannel-logout"},
        {"nonce": "n"},
        {"sub": None},
        {"sub": 7},
        {"key": RSAKey.generate_key(2048, {"kid": "only"})},
    ],
)
def test_what_the_provider_has_not_said_so_signs_nobody_out(
    changed: dict[str, Any], issuer: Issuer
) -> None:
    with pytest.raises(ValueError, match=r"."):
        LogoutVerifier([US], issuer.fetch).read_sign_out(issuer.form(**changed))


@pytest.mark.parametrize(
    "body",
    [b"", b"x", b"logout_token=", b"logout_token=a.b.c", b"logout_token=\xff"],
)
def test_what_is_no_statement_is_refused(body: bytes, issuer: Issuer) -> None:
    with pytest.raises((ValueError, LookupError)):
        LogoutVerifier([US], issuer.fetch).read_sign_out(body)


def test_the_provider_is_not_asked_whenever_somebody_posts(issuer: Issuer) -> None:
    verifier = LogoutVerifier([US], issuer.fetch)
    other = RSAKey.generate_key(2048, {"kid": "only"})
    for _ in range(9):
        with pytest.raises(ValueError, match="no signature"):
            verifier.read_sign_out(issuer.form(other))
    assert len(issuer.asked) == 2


def test_a_server_without_places_takes_sign_outs(issuer: Issuer) -> None:
    refused: list[str] = []
    inner = PlainTextResponse("not here", 404)
    verifier = LogoutVerifier([US], issuer.fetch)
    app = ProviderLogoutMiddleware(inner, verifier, refused.append)

    def post(path: str, body: bytes) -> int:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "path": path, "method": "POST", "headers": []}
        finish(app(scope, receive, send))
        return int(sent[0]["status"])

    assert post(f"/{LOGOUT_PATH}", b"x" * (2 * MAX_BODY_BYTES)) == 400
    nested = base64.urlsafe_b64encode(b"[" * 45_000).decode().rstrip("=")
    assert post(f"/{LOGOUT_PATH}", f"logout_token=a.{nested}.b".encode()) == 400
    assert post("/auth/other", issuer.form()) == 404
    assert refused == []
    assert post(f"/{LOGOUT_PATH}", issuer.form()) == 200
    (sign_out,) = refused
    assert sign_out.partition(" ")[2] == f"{ISSUER} ann"


def test_providers_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text(
        '[auth]\ncookie_secret = "x"\n[auth.a]\nclient_id = "u"\n'
        'server_metadata_url = "https://a"\n[auth.client_kwargs]\nscope = "x"\n'
    )
    assert read_providers(path) == [Provider("u", "https://a")]


def test_a_provider_that_would_tell_nothing_is_told_of() -> None:
    def answer(url: str) -> dict[str, Any]:
        if url == "down":
            raise OSError("nobody")
        return {"issuer": url, "backchannel_logout_supported": url == "good"}

    providers = [Provider("us", url) for url in ("good", "poor", "down")]
    poor, down = provider_logout_warnings(providers, 720.0, answer)
    assert "poor: it has no back-channel logout" in poor
    assert "stays so here for 720 minutes, unless sign_in_minutes" in poor
    assert "down does not answer (nobody)" in down
    assert provider_logout_warnings(providers, 5.0, answer) == [down]
