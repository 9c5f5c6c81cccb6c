"""Headers of all answers: what browsers may do for our pages, and with our cookies."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders

CONTENT_POLICY = "; ".join(
    [
        "default-src 'self'",
        # Figures of very many points are drawn by programs that plotly.js writes.
        "script-src 'self' 'unsafe-eval' blob:",
        # Streamlit's components style themselves as they are drawn.
        "style-src 'self' 'unsafe-inline'",
        "connect-src 'self' data: blob:",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'self'",
        "object-src 'none'",
    ]
)
"""What the browser may do for our pages: nothing comes from elsewhere or goes there."""

_SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def set_security_headers(headers: MutableHeaders, is_secure: bool) -> None:
    """Add the headers that bind a page; restrict its cookies to us, and to HTTPS."""
    headers.update(_SECURITY_HEADERS)
    cookies = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for cookie in cookies:
        flags = cookie.lower()
        if "samesite=" not in flags:
            cookie += "; SameSite=Lax"
        if is_secure and "; secure" not in flags:
            cookie += "; Secure"
        headers.append("set-cookie", cookie)
