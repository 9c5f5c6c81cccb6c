"""Metrics say how the server is, in the format of Prometheus, and nobody's name."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from dashboard.places.admin.metrics import (
    Metric,
    format_metrics,
    memory_bytes_by_role,
    parse_metrics_address,
    reply_to_metrics_request,
)
from dashboard.places.entrance.place_assigner import HttpReply, HttpRequest
from dashboard.places.settings import SocketAddress
from engine.core.errors import ParameterError
from tests.dashboard.places.admin.metrics_reader import parse_metrics

METRICS = [
    Metric("coterie_tabs", "Tabs", {"": 3}),
    Metric("coterie_memory_bytes", "Memory", {"places": 2.0**40, "server": 0}, "of"),
    Metric("coterie_ends_total", "Ends", {"": 10_000_019}, kind="counter"),
]


def test_what_is_written_is_read_back() -> None:
    assert parse_metrics(format_metrics(METRICS)) == {
        "coterie_tabs": {"": 3},
        "coterie_memory_bytes": {'of="places"': 2.0**40, 'of="server"': 0},
        "coterie_ends_total": {"": 10_000_019},
    }


def ask(target: str, method: str = "GET", is_ready: bool = True) -> HttpReply:
    arrival = HttpRequest(method, target, {})
    return reply_to_metrics_request(arrival, lambda: METRICS, lambda: is_ready)


@pytest.mark.parametrize(
    ("target", "method", "is_ready", "status"),
    [
        ("/metrics", "GET", False, 200),
        ("/metrics?all=1", "HEAD", True, 200),
        ("/health", "GET", False, 200),
        ("/ready", "GET", True, 200),
        ("/ready", "GET", False, 503),
        ("/", "GET", True, 404),
        ("/metrics", "POST", True, 405),
    ],
)
def test_health_and_readiness_are_asked_apart(
    target: str, method: str, is_ready: bool, status: int
) -> None:
    assert ask(target, method, is_ready).status == status


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9464", SocketAddress(port=9464)),
        ("[::1]:9464", SocketAddress(port=9464, host="::1")),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, address: SocketAddress) -> None:
    assert parse_metrics_address(text) == address


@pytest.mark.parametrize(
    "text", ["9464", ":9464", "host:", "host:0", "host:65536", "host:" + "9" * 5_000]
)
def test_what_is_no_address_is_said(text: str) -> None:
    with pytest.raises(ParameterError, match="is no address for metrics"):
        parse_metrics_address(text)


@pytest.fixture
def child() -> Iterator[int]:
    """Start a process that has 64 MB of its own."""
    code = "x = b'x' * 2**26; print(len(x), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")
def test_memory_is_that_of_all_processes_below(child: int) -> None:
    bytes_by_role = memory_bytes_by_role({child: "places"})
    assert 2**26 < bytes_by_role["places"] < 2**27
    assert bytes_by_role["server"] > 2**20
    assert memory_bytes_by_role({})["server"] > 2**26
