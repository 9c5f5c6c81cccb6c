"""Configurations as the proxies themselves take them."""

import contextlib
import itertools
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import psutil
import pytest

from dashboard.places.__main__ import main
from dashboard.places.launch import ServerOptions
from dashboard.places.proxies import (
    ERASING_OPTION,
    ERASING_TUNABLES,
    ERASING_VARIABLE,
    ProxyProgram,
    choose_proxy_to_start,
    format_config,
    haproxy_config,
    standalone_nginx_config,
)
from dashboard.places.settings import (
    PlaceSettings,
    ProxyRouting,
    SocketAddress,
    consecutive_ports_routing,
)
from engine.cli.parsing.answer import CommandParser
from engine.cli.serving import add_team_options
from engine.core.errors import ParameterError
from tests.browser.conftest import free_port
from tests.browser.places.memory import (
    MAX_PROXY_VALUES,
    NAMES,
    NUMBERS,
    find_in_process,
)
from tests.dashboard.places.servers import (
    is_listening,
    need_proxy,
    wait_until,
)


def fronts(folder: Path) -> list[ProxyRouting]:
    """Return fronts by ports and by sockets, of one place and of many."""
    places = {
        f"p{number}": SocketAddress(folder / f"p{number}") for number in range(1, 30)
    }
    door = SocketAddress(folder / "door")
    older = {"p40": SocketAddress(port=8650)}
    return [
        consecutive_ports_routing(ServerOptions(port=8600), PlaceSettings(1)),
        ProxyRouting("::1", 8700, door, places),
        ProxyRouting("127.0.0.1", 8701, door, places, older=older),
    ]


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_the_proxy_takes_what_is_written(name: str, tmp_path: Path) -> None:
    need_proxy(name)
    proxy = choose_proxy_to_start(name)
    assert proxy is not None
    for front in fronts(tmp_path):
        path = tmp_path / "configuration"
        path.write_text(proxy.write(front, tmp_path))
        done = subprocess.run(
            [proxy.program, *proxy.check, str(path)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


TABLE = "\n".join(
    f"{name},{number:.6f}" for name, number in zip(NAMES, NUMBERS, strict=True)
).encode()
"""36 KB with what is looked for in each line."""


class Echo(BaseHTTPRequestHandler):
    """Takes a table, and sends it back."""

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        assert content == TABLE
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def find_after_transfer(
    proxy: ProxyProgram, folder: Path, environment: dict[str, str]
) -> set[bytes]:
    """Return what a proxy's processes still have of a table that went through."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as upstream:
        Thread(target=upstream.serve_forever, daemon=True).start()
        door, front = SocketAddress(port=upstream.server_port), free_port()
        path = folder / f"{proxy.name}.conf"
        # Not its socket, which would have a long name.
        routing = ProxyRouting("127.0.0.1", front, door, {})
        text = proxy.write(routing, folder).splitlines()
        path.write_text("\n".join(each for each in text if "unix" not in each) + "\n")
        words = [proxy.program, *proxy.start, str(path)]
        with subprocess.Popen(words, env=os.environ | environment) as process:
            try:
                wait_until(lambda: is_listening(front), "the proxy does not listen")
                for _ in range(10):
                    client = HTTPConnection("127.0.0.1", front)
                    client.request("PUT", "/", TABLE, {"Connection": "close"})
                    assert client.getresponse().read() == TABLE
                    client.close()
                remnants: set[bytes] = set()
                parent = psutil.Process(process.pid)
                for each in (parent, *parent.children()):
                    remnants |= find_in_process(each.pid)
                return remnants
            finally:
                process.terminate()
                upstream.shutdown()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")
@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_proxies_keep_nothing_of_what_went_through(name: str, tmp_path: Path) -> None:
    need_proxy(name)
    proxy = choose_proxy_to_start(name)
    assert proxy is not None
    erasing = {ERASING_VARIABLE: ERASING_TUNABLES}
    # A proxy that is started without has it.
    plain = tuple(word for word in proxy.start if word != ERASING_OPTION)
    assert len(find_after_transfer(replace(proxy, start=plain), tmp_path, {})) > 100
    assert len(find_after_transfer(proxy, tmp_path, erasing)) <= MAX_PROXY_VALUES


OTHERS = {
    "haproxy": "backend payroll\n    server payroll 127.0.0.1:{port}\n",
    "nginx": "upstream payroll {{ server 127.0.0.1:{port}; }}\n",
}
"""Another program behind the same proxy."""


class Named(BaseHTTPRequestHandler):
    """Says at which port it was reached."""

    def do_GET(self) -> None:
        content = str(self.server.server_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_a_cookie_leads_to_no_other_program_behind_the_proxy(
    name: str, tmp_path: Path
) -> None:
    need_proxy(name)
    proxy = choose_proxy_to_start(name)
    assert proxy is not None
    with contextlib.ExitStack() as stack:
        ports = {}
        for program in ("door", "p1", "p2", "payroll"):
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Named))
            stack.callback(server.shutdown)
            Thread(target=server.serve_forever, daemon=True).start()
            ports[program] = server.server_port
        places = {place: SocketAddress(port=ports[place]) for place in ("p1", "p2")}
        front, door = free_port(), SocketAddress(port=ports["door"])
        text = proxy.write(ProxyRouting("127.0.0.1", front, door, places), tmp_path)
        lines = [each for each in text.splitlines() if "unix" not in each]
        lines.insert(
            -1 if name == "nginx" else len(lines),
            OTHERS[name].format(port=ports["payroll"]),
        )
        path = tmp_path / f"{name}.conf"
        path.write_text("\n".join(lines) + "\n")
        words = [proxy.program, *proxy.start, str(path)]
        process = stack.enter_context(subprocess.Popen(words))
        stack.callback(process.terminate)
        wait_until(lambda: is_listening(front), "the proxy does not listen")

        def reach(cookie: str) -> str:
            client = HTTPConnection("127.0.0.1", front)
            client.request("GET", "/", headers={"Cookie": cookie} if cookie else {})
            port = int(client.getresponse().read())
            client.close()
            return next(each for each in ports if ports[each] == port)

        for cookie, reached in {
            "": "door",
            "place=p1.secret": "p1",
            "other=1; place=p2.secret": "p2",
            "place=door.ticket": "door",
            "place=p3.secret": "door",
            "place=payroll.": "door",
            "place=payroll": "door",
        }.items():
            assert reach(cookie) == reached, cookie
        for first, second in itertools.permutations(("p1.secret", "payroll."), 2):
            assert reach(f"place={first}; place={second}") != "payroll"


def test_every_place_has_its_way(tmp_path: Path) -> None:
    _, front, _ = fronts(tmp_path)
    for text in (haproxy_config(front), standalone_nginx_config(front, tmp_path)):
        for address in (front.door, *front.places.values()):
            assert f"{address.path}" in text


@pytest.mark.parametrize("kind", ["haproxy", "nginx", "traefik"])
@pytest.mark.posix("no server runs there")
def test_a_configuration_is_printed(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--print", kind, "--processes", "3", "--port", "8600"]
    words += ["--server-name", "data.example", "--base-path", "/tables"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    first, second, third, *_ = printed.splitlines()
    assert (ERASING_OPTION in third) is (kind == "haproxy")
    assert (ERASING_TUNABLES in third) is (kind != "traefik")
    assert second.startswith("#") is (kind != "traefik")
    assert first == "# Before: coterie serve --proxy none --processes 3 --port 8600"
    for port in (8600, 8601, 8602, 8603):
        assert f"127.0.0.1:{port}" in printed


@pytest.mark.posix("no server runs there")
def test_a_unit_serves_with_all_options_that_are_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = CommandParser(prog="coterie serve")
    add_team_options(parser)
    words = [
        "--processes=3",
        "--server-name",
        "a.example",
        "--server-name",
        "b.example",
    ]
    words += ["--metrics", "127.0.0.1:9100", "--idle-minutes", "30", "--leave-seconds"]
    words += ["7", "--audit", "/data/100 % $HOME.log", "--upload-limit", "9"]
    assert main(["--print", "systemd", *words]) == 0
    unit = capsys.readouterr().out.replace("\\\n", " ")
    (line,) = [piece for piece in unit.splitlines() if piece.startswith("ExecStart=")]
    served = [
        piece.replace("%%", "%").replace("$$", "$") for piece in shlex.split(line)
    ]
    assert served[:2] == ["ExecStart=/opt/coterie/bin/coterie", "serve"]
    unit_options = vars(parser.parse_args(served[2:]))
    chosen_options = vars(parser.parse_args(words))
    unasked = vars(parser.parse_args([]))
    for name in chosen_options:
        if chosen_options[name] != unasked[name]:
            assert unit_options[name] == chosen_options[name], name
    # What nobody asked otherwise is as in the unit.
    assert unit_options["take_over"]
    assert unit_options["base_path"] == "/coterie"
    assert str(unit_options["sign_in"]) == "${CREDENTIALS_DIRECTORY}/secrets.toml"


def test_places_go_by_the_cookie_in_traefik() -> None:
    text = format_config("traefik", ServerOptions(), PlaceSettings(2))
    assert r"HeaderRegexp(`Cookie`, `(^|; *)place=p2\\.`)" in text


@pytest.mark.posix("no server runs there")
def test_without_a_proxy_the_line_that_installs_one_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    assert main([]) == 2
    error_text = capsys.readouterr().err
    assert error_text == (
        "coterie: No HAProxy or nginx is installed, but the server needs one: sudo "
        "apt-get install haproxy\n"
    )
    assert main(["--proxy", "nginx"]) == 2
    assert "sudo apt-get install nginx-light\n" in capsys.readouterr().err


@pytest.mark.parametrize("processes", [0, -1, 1001])
def test_as_many_places_as_cannot_be_are_refused(processes: int) -> None:
    with pytest.raises(ParameterError, match="choose from 1 to 1000"):
        consecutive_ports_routing(ServerOptions(), PlaceSettings(processes))


def test_ports_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match="choose a lower one"):
        consecutive_ports_routing(ServerOptions(port=65500), PlaceSettings(100))


@pytest.mark.posix("no server runs there")
def test_a_time_that_cannot_be_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--leave-seconds", "--idle-minutes"):
        for value in ("-1", "nan", "inf"):
            assert main([f"{option}={value}"]) == 2
            assert f"{option} cannot be" in capsys.readouterr().err
