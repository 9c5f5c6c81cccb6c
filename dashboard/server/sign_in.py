"""Sign-in by an identity provider (OpenID Connect), if it is configured."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import streamlit as st
from starlette.requests import HTTPConnection

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import _
from dashboard.server.adapter.access import USER_COOKIE, verified_user_cookie_bytes

SIGN_IN_VARIABLE = "COTERIE_SIGN_IN"
"""Variable set where people must sign in, whatever else is found."""

SERVER_BEGUN = "COTERIE_BEGUN"
"""Variable of a server of several processes: when the first began, in seconds."""


def is_sign_in_required() -> bool:
    """Return whether people must sign in to use the dashboard."""
    return bool(os.environ.get(SIGN_IN_VARIABLE) or _auth_settings())


def stop_unless_signed_in() -> None:
    """Stop this tab's script, with a message, unless its person may use the dashboard.

    Others get no connection, but :mod:`.sign_in_page` in its place; here the pages see
    to it themselves.
    """
    if not is_sign_in_required():
        return
    has_settings = bool(_auth_settings())
    # Without a word from the server about it, nobody has signed in.
    if (
        has_settings
        and st.user.get("is_logged_in") is True
        and is_user_allowed(st.user)
    ):
        return
    st.header("Coterie", anchor=False)
    why = text.SIGN_IN_FIRST if has_settings else text.NO_SIGN_IN
    st.error(_(why), icon=":material/lock:")
    st.stop()


def signed_in_person_id() -> str:
    """Return the identifier of this tab's signed-in person; empty if nobody is."""
    return person_id_of(st.user) if is_sign_in_required() else ""


def person_id_of(user: Mapping[str, Any]) -> str:
    """Return a user's issuer and subject as one identifier; empty if not signed in."""
    if user.get("is_logged_in") is not True:
        return ""
    return f"{user.get('iss', '')} {user.get('sub') or user.get('email', '')}"


@dataclass(frozen=True)
class RequestUser:
    """Person who sends a request, whether they are admitted, and their sign-out token.

    Attributes
    ----------
    person : str
        As the identity provider knows them; empty where nobody has signed in.
    admitted : bool
        Whether they may use the dashboard.
    sign_out_token : str
        What their own page says to sign them out, and no other can know.
    """

    person: str
    admitted: bool
    sign_out_token: str = ""


def user_of_request(cookies: dict[str, str]) -> RequestUser:
    """Return the user named by verified sign-in cookies, and if they are admitted."""
    if not is_sign_in_required():
        return RequestUser("", True)
    user = _verified_claims(cookies)
    person = person_id_of(user)
    if not person:
        return RequestUser("", False)
    return RequestUser(person, is_user_allowed(user), sign_out_token(cookies))


def user_of_connection(connection: HTTPConnection) -> RequestUser:
    """Return the user of a connection; verify its cookie the first time only."""
    if "coterie.user" not in connection.scope:
        connection.scope["coterie.user"] = user_of_request(connection.cookies)
    user: RequestUser = connection.scope["coterie.user"]
    return user


def sign_out_token(cookies: Mapping[str, str]) -> str:
    """Return the secret of a sign-out form, computed from the sign-in cookies."""
    signed = "; ".join(sorted(select_sign_in_cookies(cookies).values()))
    return _digest(b"sign out " + signed.encode()).hex()


def _verified_claims(cookies: dict[str, str]) -> Mapping[str, Any]:
    """Return the identity provider's claims, if our signature is under them."""
    signed = verified_user_cookie_bytes(cookies)
    if not signed or _digest(signed).hex() in _signed_out:
        return {}
    begin_time = int(float(os.environ.get(SERVER_BEGUN) or _IMPORTED))
    if _signature_time(cookies[USER_COOKIE]) < begin_time:
        return {}
    try:
        claims = json.loads(signed)
    except ValueError:
        return {}
    if not (isinstance(claims, dict) and _is_fresh(claims)):
        return {}
    session = " ".join(map(str, (claims.get("iss"), "sid", claims.get("sid"))))
    limit = max(_signed_out.get(each, 0.0) for each in (person_id_of(claims), session))
    return {} if claims["iat"] <= limit else claims


MAX_SIGN_IN_MINUTES = 720.0
"""Minutes somebody is signed in unless the settings say less: a working day."""

MAX_CLOCK_SECONDS = 600.0
"""Seconds by which the clock of an identity provider may be ahead of ours."""

MAX_SIGN_OUT_SECONDS = 60.0 * MAX_SIGN_IN_MINUTES + MAX_CLOCK_SECONDS
"""Seconds after a sign-out until no cookie can be valid that it is about, whatever the
settings of this server and the next say."""

_IMPORTED = time.time()  # when this server began, if nothing else is said


_signed_out: dict[str, float] = {}
"""Digests of cookies with which somebody has signed out, and when: they are still
signed, and a copy of one would go on letting its holder in. And people and sessions of
whom the provider has said so."""


def select_sign_in_cookies(cookies: Mapping[str, str]) -> dict[str, str]:
    """Return the cookies that belong to a sign-in."""
    return {
        name: value for name, value in cookies.items() if name.startswith(USER_COOKIE)
    }


def _signature_time(cookie: str) -> int:
    """Return when a cookie was signed, whose signature holds; in seconds."""
    stamp = cookie.split(".")[-2]
    return int.from_bytes(base64.urlsafe_b64decode(stamp + "=" * (-len(stamp) % 4)))


def revoke_sign_in(cookies: dict[str, str]) -> None:
    """Refuse these sign-in cookies from now on, and tell the registered listeners."""
    signed = verified_user_cookie_bytes(cookies)
    if signed:
        add_sign_out_revocation(_digest(signed).hex())
        for tell in _told:
            tell(_digest(signed).hex())


_told: list[Callable[[str], None]] = []


def register_sign_out_listener(listener: Callable[[str], None]) -> None:
    """Register a function to call with the digest of each cookie revoked here."""
    _told.append(listener)


def add_sign_out_revocation(sign_out: str) -> None:
    """Record a sign-out, from here or elsewhere, so that its sign-ins are refused.

    Parameters
    ----------
    sign_out : str
        The cookie's digest in hexadecimal; or, for all until then, ``"SECONDS PERSON"``
        or ``"SECONDS ISSUER sid SESSION"``.
    """
    now = time.time()
    for each, since in list(islice(_signed_out.items(), 2)):  # the oldest
        if now - since > MAX_SIGN_OUT_SECONDS:
            _signed_out.pop(each, None)
    when, _space, who = sign_out.partition(" ")
    latest = max(float(when) if who else now, _signed_out.pop(who or when, 0.0))
    _signed_out[who or when] = latest


def _digest(signed: bytes) -> bytes:
    return hashlib.sha256(signed).digest()


def _is_fresh(user: Mapping[str, Any]) -> bool:
    """Return whether somebody has signed in within the time that the settings give."""
    issued = user.get("iat")
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        return False
    minutes: Any = _auth_settings().get("sign_in_minutes", MAX_SIGN_IN_MINUTES)
    seconds = 60.0 * min(float(minutes), MAX_SIGN_IN_MINUTES)
    return -MAX_CLOCK_SECONDS <= time.time() - issued < seconds


def is_user_allowed(
    claims: Mapping[str, Any], setting: str = "allow", default_if_unset: bool = True
) -> bool:
    """Return whether a setting admits a user by their claims.

    ``allow = ["group:stats", "email:ann@stats.example"]`` lets those in who have one of
    these claims; where it says nothing, everybody whom the provider knows.
    """
    allowed = _auth_settings().get(setting)
    if allowed is None:
        return default_if_unset
    if not isinstance(allowed, Sequence) or isinstance(allowed, str):
        return False
    for entry in allowed:
        claim, _colon, value = str(entry).partition(":")
        if claim == "email" and claims.get("email_verified") in (False, "false"):
            continue  # anybody can tell the provider an address
        for name in (claim, f"{claim}s"):  # providers say group, or groups
            claim_value = claims.get(name)
            if value and (
                claim_value == value
                or (isinstance(claim_value, list) and value in claim_value)
            ):
                return True
    return False


def _auth_settings() -> Mapping[str, object]:
    """Return the section [auth] of the secrets, which Streamlit has read."""
    if not st.secrets.load_if_toml_exists():
        return {}
    settings: Mapping[str, object] = st.secrets.get("auth", {})
    return settings


def identity_provider_names() -> list[str]:
    """Return the identity providers' names; an empty one for a single unnamed one."""
    settings = _auth_settings()
    if not settings:
        return []
    named = [name for name, value in settings.items() if isinstance(value, Mapping)]
    # What is asked of the provider besides is a table as well, and no provider.
    return [name for name in named if name != "client_kwargs"] or [""]
