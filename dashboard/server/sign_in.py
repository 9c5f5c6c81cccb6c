"""Signing in by an identity provider (OpenID Connect): off until it is configured."""

from __future__ import annotations

import os
from collections.abc import Mapping

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import _

REQUIRED = "COTERIE_SIGN_IN"
"""Environment variable: set where people must sign in, whatever else is found."""


def required() -> bool:
    """Return whether people must sign in before they see anything."""
    return bool(os.environ.get(REQUIRED) or _settings())


def admit() -> None:
    """Let this tab's person in, or ask to sign in and show nothing else."""
    if not is_admitted():
        st.stop()


def is_admitted() -> bool:
    """Return whether this tab's person may use the dashboard; else ask to sign in."""
    if not required():
        return True
    settings = _settings()
    if settings and _is_signed_in():
        return True
    st.header("Coterie", anchor=False)
    if not settings:
        st.error(_(text.NO_SIGN_IN), icon=":material/lock:")
        return False
    st.markdown(_(text.SIGN_IN_FIRST))
    for provider in _providers(settings):
        label = _("Sign in with {provider}").format(provider=provider.capitalize())
        if st.button(
            label if provider else _("Sign in"),
            type="primary",
            icon=":material/login:",
        ):
            st.login(provider or None)
    return False


def user_id() -> str:
    """Return who has signed in, as the identity provider knows them; may be empty."""
    if not required() or not _is_signed_in():
        return ""
    return f"{st.user.get('iss', '')} {st.user.get('sub') or st.user.get('email', '')}"


def sign_out_pages() -> list[StreamlitPage]:
    """Return the page that signs out, where somebody has signed in."""
    if not required():
        return []
    return [
        st.Page(st.logout, title=_("Sign out"), url_path="sign-out", icon=_LOGOUT),
    ]


_LOGOUT = ":material/logout:"


def _is_signed_in() -> bool:
    # Without a word from the server about it, nobody is.
    return st.user.get("is_logged_in") is True


def _settings() -> Mapping[str, object]:
    """Return the section [auth] of the secrets, which Streamlit has read."""
    if not st.secrets.load_if_toml_exists():
        return {}
    found: Mapping[str, object] = st.secrets.get("auth", {})
    return found


def _providers(settings: Mapping[str, object]) -> list[str]:
    """Return the names of several identity providers, or one empty name."""
    named = [name for name, value in settings.items() if isinstance(value, Mapping)]
    # What is asked of the provider besides is a table as well, and no provider.
    return [name for name in named if name != "client_kwargs"] or [""]
