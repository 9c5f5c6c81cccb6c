"""Metrics in Prometheus's format, health and readiness by HTTP, and memory by role."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import psutil

from dashboard.places.entrance.assigner_server import start_http_server
from dashboard.places.entrance.place_assigner import HttpReply, HttpRequest
from dashboard.places.settings import SocketAddress
from engine.core.errors import ParameterError

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Content type of the text format of Prometheus."""


@dataclass(frozen=True)
class Metric:
    """Name, help, kind and values by label of one Prometheus metric.

    Attributes
    ----------
    name : str
        With its unit, if it has one.
    help : str
        What it is, in English.
    values : mapping of str to number
        By the label's value; by an empty text where there is no label.
    label : str
        The label's name.
    kind : str
        "gauge", or "counter" for what only grows.
    """

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""
    kind: str = "gauge"


def format_metrics(metrics: Iterable[Metric]) -> str:
    """Return metrics in Prometheus's text format."""
    lines = []
    for metric in metrics:
        lines += [
            f"# HELP {metric.name} {metric.help}",
            f"# TYPE {metric.name} {metric.kind}",
        ]
        for value, number in metric.values.items():
            label = f'{{{metric.label}="{value}"}}' if metric.label else ""
            lines.append(f"{metric.name}{label} {number:.15g}")
    return "\n".join(lines) + "\n"


def reply_to_metrics_request(
    request: HttpRequest,
    collect_metrics: Callable[[], Iterable[Metric]],
    is_ready: Callable[[], bool],
) -> HttpReply:
    """Return the reply to a request: metrics, health, readiness, or 404 or 405."""
    headers = [("Cache-Control", "no-store"), ("Content-Type", CONTENT_TYPE)]
    if request.method not in ("GET", "HEAD"):
        return HttpReply(405, "", headers)
    match request.target.partition("?")[0]:
        case "/metrics":
            return HttpReply(200, format_metrics(collect_metrics()), headers)
        case "/health":
            return HttpReply(200, "ok\n", headers)
        case "/ready":
            ready = is_ready()
            return HttpReply(
                200 if ready else 503, "ok\n" if ready else "no\n", headers
            )
    return HttpReply(404, "", headers)


async def serve_metrics(
    address: SocketAddress,
    collect_metrics: Callable[[], Iterable[Metric]],
    is_ready: Callable[[], bool],
) -> asyncio.Server:
    """Start to serve metrics, health and readiness at an address; return the server.

    Raises
    ------
    ParameterError
        If nothing can be served there.
    """

    def answer(request: HttpRequest) -> HttpReply:
        return reply_to_metrics_request(request, collect_metrics, is_ready)

    try:
        return await start_http_server(address, answer)
    except OSError as error:
        raise ParameterError(
            "Metrics cannot be served at {host} and port {port} ({reason}): choose "
            "another address with --metrics.",
            host=address.host,
            port=address.port,
            reason=error.strerror,
        ) from None


def parse_metrics_address(text: str) -> SocketAddress:
    """Return the address in text such as ``127.0.0.1:9464``; raise if malformed.

    Raises
    ------
    ParameterError
        If it is no such address.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 1 <= int(port[:6]) <= 65535:
        raise ParameterError(
            "{address!r} is no address for metrics: write one such as 127.0.0.1:9464.",
            address=text,
        )
    return SocketAddress(port=int(port), host=host)


def memory_bytes_by_role(roles_by_pid: Mapping[int, str]) -> Counter[str]:
    """Return bytes of memory of this process and its descendants, by role, on Linux.

    Pages that processes share count once, in equal parts (PSS in proc(5)); on Linux.

    Parameters
    ----------
    roles_by_pid : mapping of int to str
        What processes are, by their numbers; those below them are the same.
    """
    bytes_by_role: Counter[str] = Counter()
    roles: dict[int, str] = {}
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):  # parents come first
        with contextlib.suppress(psutil.Error):  # it has ended, or is not ours
            inherited = roles.get(process.ppid(), "server")
            role = roles[process.pid] = roles_by_pid.get(process.pid, inherited)
            bytes_by_role[role] += getattr(process.memory_full_info(), "pss", 0)
    return bytes_by_role
