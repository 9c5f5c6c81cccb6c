"""Configurations and programs of proxies that route people's requests to places.

nginx as Debian has it keeps no person with a place by itself, and a proxy that would
(HAProxy, Traefik) also chooses the place: two people who come at once could be sent to
the same. So the door chooses, and a proxy goes by the cookie that the door sets.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from dashboard.places.launch import ServerOptions
from dashboard.places.settings import (
    COOKIE,
    PlaceSettings,
    ProxyRouting,
    SocketAddress,
    consecutive_ports_routing,
)
from engine.core.errors import ParameterError

UNITS = Path(__file__).parents[1] / "server" / "deploy"

_EXEC_START = re.compile(r"(?<=coterie serve )((?:.*\\\n)*.*)")
"""The options in the unit for systemd."""

ERASING_VARIABLE = "GLIBC_TUNABLES"

ERASING_TUNABLES = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
"""Have the system's library overwrite what a process frees, as mallopt(3) says."""

ERASING_OPTION = "-dMno-cache"
"""HAProxy option: erase free buffers, which would keep what went through them."""


def haproxy_config(routing: ProxyRouting, own_socket: Path | None = None) -> str:
    """Return HAProxy's configuration for a routing, as text.

    Parameters
    ----------
    routing : ProxyRouting
    own_socket : Path, optional
        At which no other proxy answers, even one that serves the same address.
    """
    lines = [
        "global",
        "    maxconn 4096",
        "defaults",
        "    mode http",
        "    option http-server-close",
        "    timeout http-request 20s",
        "    timeout connect 5s",
        "    timeout client 2m",
        "    timeout server 15m",
        "    timeout tunnel 24h",
        "    retries 5",
        "    # While a place is replaced.",
        '    http-error status 503 content-type "text/plain; charset=utf-8" string '
        '"This place is being made ready: load the page again." hdr Refresh 2',
        "frontend coterie",
        f"    bind {_host(routing)}:{routing.port}",
        *([f"    bind unix@{own_socket}"] if own_socket else []),
        f"    acl trusted src {' '.join(routing.trusted)}",
        "    http-request del-header X-Forwarded-For unless trusted",
        "    # One line: of several, programs hear the last, which names a proxy.",
        "    acl forwarded req.hdr(X-Forwarded-For) -m found",
        '    http-request set-header X-Forwarded-For "%[req.fhdr(X-Forwarded-For)], '
        '%[src]" if forwarded',
        "    http-request set-header X-Forwarded-For %[src] unless forwarded",
        "    http-request del-header X-Forwarded-Proto unless trusted",
        "    http-request set-header X-Forwarded-Proto https if { ssl_fc }",
        # By name: a cookie could say one of another program behind the same proxy.
        f"    http-request set-var(txn.coterie_place) req.cook({COOKIE}),field(1,.)",
        *(
            f"    use_backend {name} if {{ var(txn.coterie_place) -m str {name} }}"
            for name in (*routing.older, *routing.places)
        ),
        "    default_backend door",
    ]
    door = _server_address(routing.door, "unix@")
    for name, address in {"door": routing.door, **routing.places}.items():
        where = _server_address(address, "unix@")
        lines += [f"backend {name}", f"    server {name} {where}"]
    for name, address in routing.older.items():
        # Where the place has ended, the door says what became of it.
        lines += [
            f"backend {name}",
            "    option redispatch 1",
            f"    server {name} {_server_address(address)} check inter 2s fall 3 "
            "observe layer4 error-limit 1 on-error mark-down",
            f"    server door {door} backup",
        ]
    return "\n".join(lines) + "\n"


def nginx_config(routing: ProxyRouting, own_socket: Path | None = None) -> str:
    """Return nginx's configuration for a routing, for its section http, as text.

    Parameters
    ----------
    routing : ProxyRouting
    own_socket : Path, optional
        As in :func:`haproxy_config`.
    """
    lines = [f"map $cookie_{COOKIE} $coterie_place {{", "    default door;"]
    names = (*routing.older, *routing.places)
    lines += [f'    "~^{name}\\." {name};' for name in names]
    lines += ["}", "geo $coterie_trusted {", "    default 0;"]
    lines += [f"    {network} 1;" for network in routing.trusted]
    lines += ["}", 'map "$coterie_trusted:$http_x_forwarded_proto" $coterie_scheme {']
    lines += ["    default $scheme;", '    "1:https" https;']
    lines += ["}", "map $http_upgrade $coterie_connection {", "    default upgrade;"]
    lines += ['    "" "";', "}"]
    door = _server_address(routing.door, "unix:")
    for name, address in {"door": routing.door, **routing.places}.items():
        where = _server_address(address, "unix:")
        lines.append(f"upstream {name} {{ server {where} max_fails=0; }}")
    for name, address in routing.older.items():
        # Where the place has ended, the door says what became of it.
        lines.append(
            f"upstream {name} {{ server {_server_address(address)} max_fails=0; "
            f"server {door} backup; }}"
        )
    # A proxy that takes over listens beside the one before it.
    beside = f" reuseport;\n    listen unix:{own_socket}" if own_socket else ""
    lines.append(
        f"""\
server {{
    listen {_host(routing)}:{routing.port}{beside};
    client_max_body_size 0;
    client_header_timeout 20s;
    large_client_header_buffers 8 32k;
    location / {{
        proxy_pass http://$coterie_place;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $coterie_connection;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $coterie_scheme;
        proxy_read_timeout 1d;
        proxy_send_timeout 15m;
        proxy_buffering off;
        proxy_request_buffering off;
    }}
    # While a place is replaced.
    error_page 502 504 =503 @replaced;
    location @replaced {{
        default_type text/plain;
        add_header Refresh 2 always;
        return 503 "This place is being made ready: load the page again.";
    }}
}}"""
    )
    return "\n".join(lines) + "\n"


def standalone_nginx_config(routing: ProxyRouting, folder: Path) -> str:
    """Return a complete nginx configuration with its files in and beside a folder."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    # What the administrator starts changes to an account that cannot reach sockets.
    user = ""
    if sys.platform != "win32" and os.geteuid() == 0:
        user = f"user {psutil.Process().username()};\n"
    return (
        f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr warn;\n"
        f"worker_processes 1;\nevents {{ worker_connections 4096; }}\n"
        f"http {{\naccess_log off;\nserver_tokens off;\n{paths}\n"
        f"{nginx_config(routing, started_proxy_socket_path(folder))}}}\n"
    )


def started_proxy_socket_path(folder: Path) -> Path:
    """Return the path of a started proxy's own socket: ``front``, beside its folder."""
    return folder.with_name("front")


def _server_address(address: SocketAddress, unix: str = "") -> str:
    """Return an address as a proxy writes it, with its prefix for Unix sockets."""
    if address.path is not None:
        return f"{unix}{address.path}"
    return f"127.0.0.1:{address.port}"


def traefik_config(routing: ProxyRouting) -> str:
    """Return Traefik's configuration for its file provider, as text."""
    routers, services = ["http:", "  routers:"], ["  services:"]
    places = {"door": routing.door, **routing.older, **routing.places}
    for name, address in places.items():
        rule = "PathPrefix(`/`)"
        if name != "door":
            rule = f"HeaderRegexp(`Cookie`, `(^|; *){COOKIE}={name}\\\\.`)"
        routers += [
            f"    coterie-{name}:",
            f'      rule: "{rule}"',
            f"      priority: {1 if name == 'door' else 2}",
            f"      service: coterie-{name}",
        ]
        services += [
            f"    coterie-{name}:",
            "      loadBalancer:",
            "        servers:",
            f'          - url: "http://127.0.0.1:{address.port}"',
        ]
    return "\n".join(routers + services) + "\n"


def format_systemd_unit(serve_options: Sequence[str]) -> str:
    """Return a systemd unit that serves with these options, as text.

    Parameters
    ----------
    serve_options : sequence of str
        Words of the command line, ``--print`` among them. What they leave open is as in
        the unit beside the other files for servers.
    """
    unit = (UNITS / "coterie.service").read_text(encoding="utf-8")
    begin, options, end = _EXEC_START.split(unit, maxsplit=1)
    new_options = [
        each
        for each in _group_options(serve_options)
        if not "--print".startswith(each[0])
    ]
    names = {each[0] for each in new_options}
    usual = _group_options(options.replace("\\\n", " ").split())
    option_lines = [" ".join(each) for each in usual if each[0] not in names]
    option_lines += [" ".join(map(_quote_for_systemd, each)) for each in new_options]
    return begin + " \\\n    ".join(option_lines) + end


def _group_options(words: Sequence[str]) -> list[list[str]]:
    """Return each option with its values."""
    groups: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            name, sign, value = word.partition("=")
            groups.append([name, value] if sign else [name])
        else:
            groups[-1].append(word)
    return groups


def _quote_for_systemd(word: str) -> str:
    """Return a word so that systemd takes it as it is."""
    return shlex.quote(word).replace("%", "%%").replace("$", "$$")


def format_config(
    proxy_name: str,
    server_options: ServerOptions,
    place_settings: PlaceSettings,
    older_sockets: Mapping[str, SocketAddress] | None = None,
) -> str:
    """Return the proxy configuration that ``--print`` prints, as text.

    Parameters
    ----------
    proxy_name : str
    older_sockets : mapping of str to SocketAddress, optional
        As in :class:`ProxyRouting`.

    Raises
    ------
    ParameterError
        If there cannot be so many places.
    """
    front = consecutive_ports_routing(server_options, place_settings, older_sockets)
    words = f"coterie serve --proxy none --processes {place_settings.processes}"
    if older_sockets:
        words += " --take-over"
    head = f"# Before: {words} --port {front.port}\n"
    if proxy_name in _KNOWN:
        option = f" {ERASING_OPTION}" if proxy_name == "haproxy" else ""
        head += "# So that it keeps nothing of what went through it, start it as\n"
        head += f"# {ERASING_VARIABLE}={ERASING_TUNABLES} {proxy_name}{option}\n"
    outside = replace(front, host=server_options.host, port=80)
    written = {
        "haproxy": haproxy_config,
        "nginx": nginx_config,
        "traefik": traefik_config,
    }
    return head + written[proxy_name](outside)


def _host(front: ProxyRouting) -> str:
    return f"[{front.host}]" if ":" in front.host else front.host


@dataclass(frozen=True)
class ProxyProgram:
    """A proxy's program, check and start arguments, signals and configuration writer.

    Attributes
    ----------
    name : str
    program : str
        Its path.
    write : callable
        Returns the configuration, for a folder that it may write into.
    check, start : tuple of str
        Words after the program's name, and before the configuration's path.
    reload : str
        Name of the signal at which it reads its configuration again.
    retire : str
        Name of the signal at which it takes no more connections, and ends with the
        last that it has.
    """

    name: str
    program: str
    write: Callable[[ProxyRouting, Path], str]
    check: tuple[str, ...]
    start: tuple[str, ...]
    reload: str
    retire: str


_KNOWN: Mapping[str, Callable[[str], ProxyProgram]] = {
    "haproxy": lambda program: ProxyProgram(
        "haproxy",
        program,
        lambda front, folder: haproxy_config(front, started_proxy_socket_path(folder)),
        ("-c", "-q", "-f"),
        ("-W", "-db", "-q", ERASING_OPTION, "-f"),
        "SIGUSR2",
        "SIGUSR1",
    ),
    "nginx": lambda program: ProxyProgram(
        "nginx",
        program,
        standalone_nginx_config,
        ("-e", "stderr", "-t", "-q", "-c"),
        ("-e", "stderr", "-c"),
        "SIGHUP",
        "SIGQUIT",
    ),
}


def choose_proxy_to_start(program_name: str | None) -> ProxyProgram | None:
    """Return the installed proxy to start; None for ``none``; raise if there is none.

    Parameters
    ----------
    program_name : str or None
        As in :class:`PlaceSettings`.

    Raises
    ------
    ParameterError
        If none is installed.
    """
    if program_name == "none":
        return None
    for name in [program_name] if program_name else _KNOWN:
        # Debian has them where only the administrator looks.
        for where in (None, "/usr/sbin:/usr/local/sbin:/opt/homebrew/bin"):
            if (program := shutil.which(name, path=where)) is not None:
                return _KNOWN[name](program)
    packages = {"haproxy": "haproxy", "nginx": "nginx-light"}
    raise ParameterError(
        "No {proxy} is installed, but the server needs one: sudo apt-get install "
        "{package}",
        proxy=program_name or "HAProxy or nginx",
        package=packages[program_name or "haproxy"],
    )
