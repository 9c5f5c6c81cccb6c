"""Addresses that people come from, as far as a proxy that is trusted names them."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable

from starlette.requests import HTTPConnection

from engine.core.errors import ParameterError

TRUSTED_VARIABLE = "COTERIE_TRUSTED_PROXIES"
"""Environment variable: addresses and networks of proxies whose headers are believed,
with commas between."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return the networks of proxies.

    Raises
    ------
    ParameterError
        If one is none.
    """
    networks = []
    for text in texts:
        try:
            networks.append(ipaddress.ip_network(text))
        except ValueError:
            raise ParameterError(
                "{address!r} is no address of a proxy: write one such as 10.0.0.5, or "
                "a network such as 10.0.0.0/24.",
                address=text,
            ) from None
    return tuple(networks)


def trust_proxies(texts: Iterable[str]) -> None:
    """Believe some proxies, in this process and those that it starts.

    Raises
    ------
    ParameterError
        If one is none.
    """
    os.environ[TRUSTED_VARIABLE] = ",".join(map(str, parse_networks(texts)))


def _is_trusted(address: str) -> bool:
    trusted = parse_networks(
        filter(None, os.environ.get(TRUSTED_VARIABLE, "").split(","))
    )
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in trusted)


def client_address(connection: HTTPConnection) -> str:
    """Return the address that a request comes from.

    That of who is connected, or, where that is a proxy that is trusted, the last one in
    ``X-Forwarded-For`` that is no such proxy.
    """
    address = connection.client.host if connection.client else ""
    named = ",".join(connection.headers.getlist("x-forwarded-for")).split(",")
    while named and _is_trusted(address):
        following = named.pop().strip()
        try:
            address = str(ipaddress.ip_address(following))
        except ValueError:
            break
    return address


def is_encrypted(connection: HTTPConnection) -> bool:
    """Return whether a request came by HTTPS, to us or to a proxy that is trusted."""
    if connection.url.scheme in ("https", "wss"):
        return True
    client, named = connection.client, connection.headers.get("x-forwarded-proto")
    return named == "https" and client is not None and _is_trusted(client.host)
