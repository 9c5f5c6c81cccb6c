"""Plotly's script, taken from its Python package and served by this application."""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files

from plotly.offline import get_plotlyjs_version
from starlette.datastructures import Headers
from starlette.responses import Response

SCRIPT_PATH = f"static/plotly-{get_plotlyjs_version()}.min.js"
"""Where it is asked for; another version has another address."""

_AT_ONCE = b"//# allFunctionsCalledOnLoad\n"
"""Has browsers that know it compile all of a script beside the page, before it is run.

Others, and this one without it, compile what Plotly begins with while the page stands
still: seven tenths of a second.
"""

_CACHE_HEADERS = {
    "Cache-Control": "max-age=31536000,immutable",
    "Vary": "Accept-Encoding",
}


@cache
def gzipped_plotly_script() -> bytes:
    """Return the bytes of Plotly's script compressed by gzip; compressed once only."""
    return gzip.compress(_plain_script(), 6)


def _plain_script() -> bytes:
    script = files("plotly") / "package_data" / "plotly.min.js"
    return _AT_ONCE + script.read_bytes()


def respond_with_plotly_script(request_headers: Headers) -> Response:
    """Return the HTTP response with Plotly's script, compressed if accepted."""
    script, coding = _plain_script, {}
    if "gzip" in request_headers.get("accept-encoding", ""):
        script, coding = gzipped_plotly_script, {"Content-Encoding": "gzip"}
    sent = {**_CACHE_HEADERS, **coding}
    return Response(script(), headers=sent, media_type="text/javascript")
