"""Streamlit's page as this application sends it."""

from __future__ import annotations

from html import escape

from dashboard.i18n.language import preferred_language, translate_into
from dashboard.i18n.text_session import OLD_BROWSER

_ROOT = b'<div id="root">'
"""Where the page is drawn: what stands there before is removed then."""

_OLD_BROWSER_HTML = """
<style>
@supports selector(:has(*)) {{ #coterie-old-browser {{ display: none }} }}
</style>
<p id="coterie-old-browser" lang="{language}">{words}</p>
"""
"""Seen by browsers that do not know the selector, until they have drawn the page."""


def adapt_page_html(page: bytes, script_address: str, accept_language: str) -> bytes:
    """Return Streamlit's page with our script, and a sentence for old browsers.

    Parameters
    ----------
    page : bytes
    script_address : str
        Of the script that takes the place of the first that stands in the page.
    accept_language : str
        Languages that the browser asks for.
    """
    language = preferred_language(accept_language)
    words = escape(translate_into(language, OLD_BROWSER))
    notice = _OLD_BROWSER_HTML.format(language=language, words=words).encode()
    page = page.replace(_ROOT, _ROOT + notice, 1)
    start, closing = page.find(b"<script>"), b"</script>"
    if start < 0:
        return page
    end = page.find(closing, start) + len(closing)
    script_tag = f'<script src="{script_address}"></script>'.encode()
    return page[:start] + script_tag + page[end:]
