"""Sign-outs sent by identity providers: OpenID Connect Back-Channel Logout 1.0.

The provider posts a signed statement when somebody's session or rights have ended
there. Sign-ins of theirs from before then let nobody in any more, in no place.
https://openid.net/specs/openid-connect-backchannel-1_0.html
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
import tomllib
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.audit import events
from dashboard.server.browsers import application_path

LOGOUT_PATH = "auth/provider-logout"
"""Where the provider posts, below the application's own path."""

MAX_BODY_BYTES = 2**16

MAX_AGE_SECONDS = 600.0
"""Age of a statement at most, and how far the provider's clock may go wrong."""

KEYS_SECONDS = 60.0
"""Seconds in which a provider's keys are not asked for again, whatever is posted."""

_EVENT = "http://schemas.openid.net/event/backchannel-logout"

_ALGORITHMS = [
    *(f"{family}{size}" for family in ("RS", "PS") for size in (256, 384, 512)),
    *("ES256", "ES384", "ES512", "EdDSA"),
]
"""Algorithms that sign by keys only the provider has."""


@dataclass(frozen=True)
class Provider:
    """Client id and metadata address of an identity provider of the secrets file.

    Attributes
    ----------
    client_id : str
        Who we are there.
    metadata_url : str
        Where it describes itself.
    """

    client_id: str
    metadata_url: str


MAX_LATE_MINUTES = 5.0
"""Minutes within which rights that end at the provider should end here."""


def read_auth_section(secrets_path: Path) -> dict[str, Any]:
    """Return the section ``[auth]`` of an already validated secrets file."""
    section: dict[str, Any] = tomllib.loads(secrets_path.read_text(encoding="utf-8"))[
        "auth"
    ]
    return section


def read_providers(secrets_path: Path) -> list[Provider]:
    """Return the identity providers in an already validated secrets file."""
    section = read_auth_section(secrets_path)
    parts = [section, *(each for each in section.values() if isinstance(each, dict))]
    return [
        Provider(each["client_id"], each["server_metadata_url"])
        for each in parts
        if each.get("client_id") and each.get("server_metadata_url")
    ]


def fetch_json(url: str) -> dict[str, Any]:
    """Return the JSON object that a provider serves at an address.

    Raises
    ------
    OSError, ValueError
        If it does not answer, or with no JSON object.
    """
    with urllib.request.urlopen(url, timeout=10.0) as answer:
        content = json.loads(answer.read(2**20))
    if not isinstance(content, dict):
        raise ValueError("no object")
    return content


def provider_logout_warnings(
    providers: Sequence[Provider],
    sign_in_minutes: float,
    fetch: Callable[[str], Mapping[str, Any]] = fetch_json,
) -> list[str]:
    """Return a sentence for each provider that is silent or whose sign-outs come late.

    Parameters
    ----------
    providers : sequence of Provider
    sign_in_minutes : float
        Time a sign-in holds; if short enough, it is asked for anew in time.
    fetch : callable
        Returns what a provider says at an address.
    """
    sentences = []
    for provider in providers:
        url = provider.metadata_url
        try:
            info = fetch(url)
        except (OSError, ValueError) as error:
            sentences.append(f"signing in: {url} does not answer ({error})")
            continue
        if (
            info.get("backchannel_logout_supported") is not True
            and sign_in_minutes > MAX_LATE_MINUTES
        ):
            sentences.append(
                f"rights that end at {info.get('issuer', url)}: it has no back-channel "
                "logout, and Streamlit keeps no refresh token to ask it with, so "
                f"whoever has signed in stays so here for {sign_in_minutes:g} minutes, "
                "unless sign_in_minutes in the section [auth] says fewer"
            )
    return sentences


class LogoutVerifier:
    """Verifier of the logout tokens that providers post.

    Parameters
    ----------
    providers : sequence of Provider
    fetch : callable
        Returns what a provider says at an address.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        fetch: Callable[[str], dict[str, Any]] = fetch_json,
    ) -> None:
        self._providers, self._fetch = providers, fetch
        self._known: dict[Provider, tuple[float, str, dict[str, Any]]] = {}

    def read_sign_out(self, body: bytes) -> str:
        """Return the sign-out in a posted form, for `sign_in.add_sign_out_revocation`.

        Parameters
        ----------
        body : bytes
            The form that was posted.

        Raises
        ------
        ValueError, LookupError
            If it is not what a provider has said just now, to us.
        """
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        (token,) = parse_qs(body.decode("ascii"), max_num_fields=9)["logout_token"]
        issuer = _unverified_claims(token).get("iss")
        for provider in self._providers:
            own_issuer, keys = self._describe(provider)
            if own_issuer != issuer:
                continue
            try:
                verified = jwt.decode(
                    token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS
                )
            except JoseError as error:
                raise ValueError("no signature") from error
            return _sign_out_of_claims(verified.claims, provider)
        raise ValueError("no provider of ours")

    def _describe(self, provider: Provider) -> tuple[str, Any]:
        """Return a provider's name and keys."""
        fetch_time, issuer, keys = self._known.get(provider, (-KEYS_SECONDS, "", {}))
        if time.monotonic() - fetch_time >= KEYS_SECONDS:
            try:
                metadata = self._fetch(provider.metadata_url)
                issuer, keys = metadata["issuer"], self._fetch(metadata["jwks_uri"])
            except (OSError, LookupError) as error:
                raise ValueError("the provider does not answer") from error
            finally:
                self._known[provider] = time.monotonic(), issuer, keys
        return issuer, keys


def _unverified_claims(token: str) -> dict[str, Any]:
    """Return what a statement says, whoever has signed it."""
    part = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    if not isinstance(claims, dict):
        raise ValueError("no claims")
    return claims


def _sign_out_of_claims(claims: Mapping[str, Any], provider: Provider) -> str:
    """Return the sign-out in a verified statement (section 2.6 of the standard)."""
    audience, now = claims.get("aud"), time.time()
    issued: Any = claims.get("iat")
    expires: Any = claims.get("exp", now)
    numbers = all(
        isinstance(each, int | float) and not isinstance(each, bool)
        for each in (issued, expires)
    )
    if (
        provider.client_id
        not in (audience if isinstance(audience, list) else [audience])
        or not numbers
        or abs(now - issued) > MAX_AGE_SECONDS
        or now - expires > MAX_AGE_SECONDS
        or not isinstance(claims.get("events"), dict)
        or not isinstance(claims["events"].get(_EVENT), dict)
        or "nonce" in claims
    ):
        raise ValueError("no logout of ours")
    subject, session = claims.get("sub"), claims.get("sid")
    if isinstance(subject, str) and subject:
        return f"{issued} {claims['iss']} {subject}"
    if isinstance(session, str) and session:
        return f"{issued} {claims['iss']} sid {session}"
    raise ValueError("nobody is named")


class ProviderLogoutMiddleware:
    """Middleware that takes providers' sign-outs on a server without places.

    Parameters
    ----------
    app : ASGIApp
    verifier : LogoutVerifier
    revoke_sign_ins : callable
        Takes a sign-out, and refuses the sign-ins that it ends.
    """

    def __init__(
        self,
        app: ASGIApp,
        verifier: LogoutVerifier,
        revoke_sign_ins: Callable[[str], None],
    ) -> None:
        self._app, self._verifier = app, verifier
        self._revoke_sign_ins = revoke_sign_ins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hold one connection."""
        if scope["type"] != "http" or application_path(scope) != LOGOUT_PATH:
            await self._app(scope, receive, send)
            return
        body = b""
        try:
            async for chunk in Request(scope, receive).stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    break
        except ClientDisconnect:
            return
        status = await asyncio.to_thread(
            apply_posted_sign_out, body, self._verifier, self._revoke_sign_ins
        )
        await Response(status_code=status)(scope, receive, send)


def apply_posted_sign_out(
    body: bytes, verifier: LogoutVerifier, revoke_sign_ins: Callable[[str], None]
) -> int:
    """Apply and log a posted sign-out; return HTTP status 200, or 400 if refused."""
    try:
        sign_out = verifier.read_sign_out(body)
    except (ValueError, LookupError, TypeError, RecursionError):
        events.count_refusal("", "provider logout")
        return 400
    revoke_sign_ins(sign_out)
    who = sign_out.partition(" ")[2]
    events.log_event_ignoring_failure("sign-out", who, address="provider")
    return 200
