"""HTML pages on which people sign in, or read why they are refused."""

from __future__ import annotations

from functools import partial
from html import escape
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import preferred_language, translate_into
from dashboard.server import sign_in
from dashboard.server.adapter.access import encode_sign_in_provider
from dashboard.server.browsers import base_path
from engine.core.message import Message

SIGN_IN_PATH, SIGN_OUT_PATH = "sign-in", "auth/logout"

_PAGE_TEMPLATE = """<!DOCTYPE html>
<html lang="{language}">
<head><meta charset="utf-8"><title>Coterie</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 sans-serif }}
main {{ max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }}
a, button {{ display: inline-block; margin: .5rem 1rem .5rem 0; padding: .5rem 1rem;
     border: 0; border-radius: .5rem; background: #0072b2; color: white;
     font: inherit; cursor: pointer; text-decoration: none }}
</style></head>
<body><main><h1>Coterie</h1><p>{words}</p>{ways}</main></body>
</html>
"""


def sign_in_page_html(user: sign_in.RequestUser, accept_language: str) -> str:
    """Return the HTML page on which people sign in, or read why they are refused.

    Parameters
    ----------
    user : RequestUser
        Who asks: nobody, or somebody who may not come in.
    accept_language : str
        Languages that the browser asks for.
    """
    language = preferred_language(accept_language)
    translate = partial(translate_into, language)
    providers = sign_in.identity_provider_names()
    words = text.SIGN_IN_FIRST if providers else text.NO_SIGN_IN
    ways = "".join(
        _address_link(
            f"{base_path()}/{SIGN_IN_PATH}?provider={quote(provider)}",
            translate(text.SIGN_IN_WITH).format(provider=provider.capitalize())
            if provider
            else translate(text.SIGN_IN),
        )
        for provider in providers
    )
    if user.person:
        words = text.NOT_ALLOWED
        ways = sign_out_form(user, translate("Sign out"))
    return _PAGE_TEMPLATE.format(language=language, words=translate(words), ways=ways)


def refusal_page_html(reason: Message, accept_language: str) -> str:
    """Return an HTML page that gives the reason of a refusal."""
    language = preferred_language(accept_language)
    words = escape(translate_into(language, reason))
    return _PAGE_TEMPLATE.format(language=language, words=words, ways="")


def refusal_response(
    reason: Message, connection: HTTPConnection, status: int
) -> HTMLResponse:
    """Return the page of a refusal as the response to a request, in its language."""
    language = connection.headers.get("accept-language", "")
    return HTMLResponse(refusal_page_html(reason, language), status)


def sign_out_form(user: sign_in.RequestUser, label: str) -> str:
    """Return an HTML form with one button, which signs a user out."""
    address = f"{base_path()}/{SIGN_OUT_PATH}?token={user.sign_out_token}"
    return f'<form method="post" action="{address}"><button>{label}</button></form>'


def sign_in_address(provider: str) -> str:
    """Return the address that starts sign-in at a provider; the root if unknown."""
    if provider not in sign_in.identity_provider_names():
        return f"{base_path()}/"
    token = encode_sign_in_provider(provider or "default")
    return f"{base_path()}/auth/login?provider={quote(token)}"


def _address_link(address: str, label: str) -> str:
    return f'<a role="button" href="{escape(address)}">{escape(label)}</a>'
