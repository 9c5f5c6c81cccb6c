"""Proxies that are trusted to say who asks, and whether by HTTPS."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable

from engine.core.errors import ParameterError

_TRUSTED_VARIABLE = "FORWARDED_ALLOW_IPS"
"""Environment variable by which uvicorn knows the proxies that it believes."""


def trust_proxies(texts: Iterable[str]) -> None:
    """Believe some proxies, in this process and those that it starts, and no others.

    A request then comes from the last address in ``X-Forwarded-For`` that is no such
    proxy, and by the scheme in ``X-Forwarded-Proto``.

    Raises
    ------
    ParameterError
        If one is neither an address nor a network.
    """
    networks = []
    for text in texts:
        try:
            networks.append(str(ipaddress.ip_network(text)))
        except ValueError:
            raise ParameterError(
                "{address!r} is no address of a proxy: write one such as 10.0.0.5, or "
                "a network such as 10.0.0.0/24.",
                address=text,
            ) from None
    os.environ[_TRUSTED_VARIABLE] = ",".join(networks)
