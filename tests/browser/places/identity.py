"""An identity provider for tests: OpenID Connect on the loopback address.

Whoever comes is signed in at once as the person that the test has named.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT = "coterie"


class Provider(ThreadingHTTPServer):
    """The server; `person` is who signs in next, with `claims` besides.

    What it says wrongly is in `lies`, by name, and how it signs is `sign`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.person = "ann"
        self.claims: dict[str, Any] = {}
        self.lies: dict[str, Any] = {}
        self.key = RSAKey.generate_key(2048, {"kid": "only", "use": "sig"})
        self.codes: dict[str, dict[str, str]] = {}
        self.sign: Callable[[dict[str, Any]], str] = self.signed

    def signed(self, claims: dict[str, Any]) -> str:
        """Return a statement as this provider signs it."""
        return jwt.encode({"alg": "RS256", "kid": "only"}, claims, self.key)

    def identity(self, code: str) -> str:
        """Return the signed statement who has come with a code; it counts once."""
        request = self.codes.pop(code)
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": self.person,
            "email": f"{self.person}@stats.example",
            "iat": now,
            "exp": now + 600,
            **self.claims,
        }
        if "nonce" in request:
            claims["nonce"] = request["nonce"]
        claims |= self.lies
        return self.sign(
            {name: claim for name, claim in claims.items() if claim is not None}
        )


class _Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        url = self.server.url
        if parts.path == "/.well-known/openid-configuration":
            self._say(
                {
                    "issuer": url,
                    "authorization_endpoint": f"{url}/authorize",
                    "token_endpoint": f"{url}/token",
                    "jwks_uri": f"{url}/keys",
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif parts.path == "/keys":
            self._say(KeySet([self.server.key]).as_dict(private=False))
        elif parts.path == "/authorize":
            parameters = {
                name: values[0] for name, values in parse_qs(parts.query).items()
            }
            code = secrets.token_urlsafe()
            self.server.codes[code] = parameters
            query = urlencode({"code": code, "state": parameters["state"]})
            self.send_response(302)
            self.send_header("Location", f"{parameters['redirect_uri']}?{query}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        form = parse_qs(self.rfile.read(length).decode())
        self._say(
            {
                "access_token": secrets.token_urlsafe(),
                "token_type": "Bearer",
                "expires_in": 600,
                "id_token": self.server.identity(form["code"][0]),
            }
        )

    def _say(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def provider() -> Iterator[Provider]:
    """Have an identity provider until the end of the block."""
    with Provider() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()
