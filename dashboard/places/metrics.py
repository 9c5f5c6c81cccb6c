"""Metrics for Prometheus, and whether the server is well and ready: no names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.places.door import Arrival, Reply
from dashboard.places.settings import Address
from engine.core.errors import ParameterError

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Of the text format of Prometheus."""


@dataclass(frozen=True)
class Metric:
    """One metric, with its value for each label.

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
    """Return metrics in the text format of Prometheus."""
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


def answer_metrics(
    arrival: Arrival,
    collect: Callable[[], Iterable[Metric]],
    is_ready: Callable[[], bool],
) -> Reply:
    """Answer who asks for metrics, or whether the server is well or ready."""
    headers = [("Cache-Control", "no-store"), ("Content-Type", CONTENT_TYPE)]
    if arrival.method not in ("GET", "HEAD"):
        return Reply(405, "", headers)
    match arrival.target.partition("?")[0]:
        case "/metrics":
            return Reply(200, format_metrics(collect()), headers)
        case "/health":
            return Reply(200, "ok\n", headers)
        case "/ready":
            ready = is_ready()
            return Reply(200 if ready else 503, "ok\n" if ready else "no\n", headers)
    return Reply(404, "", headers)


def parse_address(text: str) -> Address:
    """Return where metrics are served, from a host and a port.

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
    return Address(port=int(port), host=host)


def memory_by_role(roles: Mapping[int, str]) -> Counter[str]:
    """Return the bytes of memory of this process and all below it.

    Pages that processes share count once, in equal parts (PSS in proc(5)); on Linux.

    Parameters
    ----------
    roles : mapping of int to str
        What processes are, by their numbers; those below them are the same.
    """
    found: Counter[str] = Counter()
    waiting = [(os.getpid(), "server")]
    while waiting:
        pid, role = waiting.pop()
        role = roles.get(pid, role)
        found[role] += _proportional_bytes(pid)
        waiting += [(child, role) for child in _children(pid)]
    return found


def _proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # ended, or another system
        return 0
    sizes = (line.split()[1] for line in lines if line.startswith("Pss:"))
    return 1024 * int(next(sizes, 0))


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from map(int, task.read_text().split())
        except OSError:
            continue
