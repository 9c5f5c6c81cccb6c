"""Launch of the dashboard: options, checks, warnings, port and Streamlit's settings."""

from __future__ import annotations

import argparse
import atexit
import errno
import ipaddress
import os
import re
import socket
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dashboard.audit import events
from dashboard.jobs.workers.environment import ineffective_variable_warnings
from dashboard.jobs.workers.resource_limits import TEAM_VARIABLE
from dashboard.places import running
from dashboard.places.entrance.sign_in_file import require_sign_in_and_make_settings
from dashboard.places.temp_folder import use_private_temp_folder
from dashboard.server.adapter import private_names
from engine.core.errors import ParameterError
from engine.core.platform.limits import forbid_core_files

SERVED_SCRIPT = "dashboard.serve"
"""Module of the served application, imported by name as it imports this floor."""

FIRST_PORT = 8501
_N_PORTS = 100

_BACKLOG = 2048
"""Connections that wait while the server is busy."""

OPEN_TO_ALL_WARNING = (
    "Everybody who reaches this address can use Coterie: have them sign in with "
    "--sign-in FILE, as the manual says under Serving a team."
)
"""Warning printed where others than the people at this machine may come."""

Settings = dict[str, Any]
"""Streamlit's settings, by name."""


_TRUSTED_VARIABLE = "FORWARDED_ALLOW_IPS"
"""Environment variable by which uvicorn knows the proxies that it believes."""


@dataclass(frozen=True)
class ServerOptions:
    """Options for serving the dashboard: address, limits, sign-in and audit log.

    Attributes
    ----------
    host : str
        Address to serve on.
    port : int or None
        None for the first free one from 8501.
    base_path : str
        Where a reverse proxy has put it, such as ``/coterie``; may be empty.
    names : sequence of str
        Names of this server in the addresses that people type, beside its own.
    trusted_proxies : sequence of str
        Addresses and networks of proxies whose headers are believed.
    upload_limit : int or None
        Megabytes that a file may have; None for the limit in ``config.toml``.
    sign_in : Path or None
        File of secrets with a section ``[auth]``, by which people sign in.
    audit : Path or None
        File to log in who does what.
    audit_head : Path or None
        File for the head of its chain; None for one beside it.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    base_path: str = ""
    names: Sequence[str] = ()
    trusted_proxies: Sequence[str] = ()
    upload_limit: int | None = None
    sign_in: Path | None = None
    audit: Path | None = None
    audit_head: Path | None = None

    @classmethod
    def from_options(cls, options: argparse.Namespace) -> ServerOptions:
        """Return the options of a parsed command line, which have the same names."""
        return cls(**{each.name: getattr(options, each.name) for each in fields(cls)})

    @property
    def is_default(self) -> bool:
        """Whether all options have their defaults."""
        names, proxies = tuple(self.names), tuple(self.trusted_proxies)
        return replace(self, names=names, trusted_proxies=proxies) == ServerOptions()


def launch_dashboard(options: ServerOptions, until_closed: bool = False) -> int:
    """Serve the dashboard until stopped, or open a running one; return exit code.

    Where there is no display, the address is only printed. All other settings are in
    ``.streamlit/config.toml`` beside the app. Without any option, a dashboard of this
    user and installation that is served already is opened instead.

    Parameters
    ----------
    options : ServerOptions
    until_closed : bool
        Whether it ends once its last tab has been closed.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    ParameterError
        If the address is not this machine's, the port is taken, a path or a limit
        cannot be, nobody could sign in as the file of secrets stands, or Streamlit is
        not the one that keeps people apart.
    """
    settings = check_options_and_make_settings(options)
    is_default = options.is_default
    if is_default and (served := running.find_running_dashboard()) is not None:
        print(f"Coterie is open already, at {served}", flush=True)
        running.open_in_browser_unless_headless(served)
        return 0
    host = options.host
    port = choose_port(options)
    settings |= {"server.address": host, "server.port": port}
    if is_default:
        running.write_dashboard_note(dashboard_url(options, port))
    # For whoever watches the terminal; Streamlit's own words are switched off.
    words = [f"Coterie is at {dashboard_url(options, port)} (Ctrl-C stops it)"]
    sys.stdout.write(
        "".join(f"{line}\n" for line in [*words, *server_warnings(options)])
    )
    sys.stdout.flush()
    if options.sign_in or options.names or not _is_loopback(host):
        os.environ[TEAM_VARIABLE] = "1"
    if until_closed:
        os.environ[running.UNTIL_CLOSED_VARIABLE] = "1"
    configure_server_process()
    use_private_temp_folder()
    events.log_event("start", "", version=version("coterie"))
    atexit.register(events.log_server_end)
    running.open_in_browser_once_served(dashboard_url(options, port))
    return run_app_until_stopped(settings)


def check_options_and_make_settings(
    options: ServerOptions, opens_log: bool = True
) -> Settings:
    """Check and apply options of sign-in, proxies, log; return Streamlit's settings.

    Parameters
    ----------
    options : ServerOptions
    opens_log : bool
        Whether the audit log is opened; not while another server writes it.

    Raises
    ------
    ParameterError
        As for :func:`launch_dashboard`, but for the address and the port.
    """
    path = normalise_base_path(options.base_path)
    settings = _upload_limit_flags(options.upload_limit) | _name_flags(options)
    if options.sign_in is not None:
        settings |= require_sign_in_and_make_settings(options.sign_in)
    set_trusted_proxies(options.trusted_proxies)
    private_names.check_private_names_and_list_warnings()
    if options.audit is not None and opens_log:
        events.start_audit_log(options.audit, options.audit_head)
    elif options.audit is not None:
        events.set_audit_log_variable(options.audit)
    return settings | ({"server.baseUrlPath": path} if path else {})


def set_trusted_proxies(proxy_addresses: Iterable[str]) -> None:
    """Set the only proxies that this process and its children trust.

    A request then comes from the last address in ``X-Forwarded-For`` that is no such
    proxy, and by the scheme in ``X-Forwarded-Proto``.

    Raises
    ------
    ParameterError
        If one is neither an address nor a network.
    """
    networks = []
    for text in proxy_addresses:
        try:
            networks.append(str(ipaddress.ip_network(text)))
        except ValueError:
            raise ParameterError(
                "{address!r} is no address of a proxy: write one such as 10.0.0.5, or "
                "a network such as 10.0.0.0/24.",
                address=text,
            ) from None
    os.environ[_TRUSTED_VARIABLE] = ",".join(networks)


def choose_port(options: ServerOptions) -> int:
    """Return the port to serve on: the requested one, or a free one.

    Raises
    ------
    ParameterError
        If it is taken, or nothing can be served there.
    """
    if options.port is None:
        return _free_port(options.host)
    return _check_port(options.host, options.port)


def dashboard_url(options: ServerOptions, port: int) -> str:
    """Return the dashboard's HTTP address: host, port and base path."""
    path = normalise_base_path(options.base_path)
    return "/".join(
        filter(None, [f"http://{_host_in_address(options.host)}:{port}", path])
    )


def server_warnings(options: ServerOptions) -> list[str]:
    """Return warnings for whoever starts the server.

    They are about private names, variables that set nothing, and no sign-in.
    """
    words = [*private_names.check_private_names_and_list_warnings()]
    words += map(str, ineffective_variable_warnings())
    if options.sign_in is None and (options.names or not _is_loopback(options.host)):
        words.append(OPEN_TO_ALL_WARNING)
    return words


def configure_server_process() -> None:
    """Set OpenBLAS threads to 1 unless set, a private umask, and no core files."""
    # For runs too: see :func:`engine.cli.main`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.umask(0o077)  # whatever is written here holds what people have brought
    forbid_core_files()  # and so does memory


def run_app_until_stopped(settings: Settings) -> int:
    """Serve the application until it is stopped; return the exit code.

    Parameters
    ----------
    settings : dict
        Streamlit's, which say where among other things.

    Raises
    ------
    ParameterError
        If another program has taken the port meanwhile.
    """
    # Here, because `coterie run` must not wait for it.
    app = import_module(SERVED_SCRIPT).app
    from dashboard.places.asgi_server import serve_app_until_stopped

    try:
        with _listen(settings["server.address"], settings["server.port"]) as listener:
            serve_app_until_stopped(app, settings, listener)
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:  # Ctrl-C: served until then, and all is closed
        return 0
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError:
        raise _port_taken_error(port) from None


def _name_flags(serving: ServerOptions) -> Settings:
    """Return the settings that say under which names the server may be asked."""
    if serving.names:
        hosts = ["localhost", "127.0.0.1", "::1", serving.host]
        return {"server.allowedHosts": list(dict.fromkeys([*hosts, *serving.names]))}
    if _is_loopback(serving.host):
        return {}
    return {"server.allowedHosts": ["*"]}


def _upload_limit_flags(megabytes: int | None) -> Settings:
    """Return the settings for the largest file that may be uploaded."""
    if megabytes is None:
        return {}
    if megabytes < 1:
        raise ParameterError(
            "An upload limit of {megabytes} MB lets no file in: choose at least 1.",
            megabytes=megabytes,
        )
    return {"server.maxUploadSize": megabytes}


def normalise_base_path(path: str) -> str:
    """Return a base path without slashes around it; raise if it cannot be one."""
    base = path.strip("/")
    if base and not re.fullmatch(r"[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*", base):
        raise ParameterError(
            "{path!r} cannot be a base path: write letters, digits and hyphens, such "
            "as /coterie.",
            path=path,
        )
    return base


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _host_in_address(host: str) -> str:
    """Return the host as it is written in an address."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _free_port(host: str) -> int:
    for port in range(FIRST_PORT, FIRST_PORT + _N_PORTS):
        if not _is_taken(host, port):
            return port
    raise ParameterError(
        "Ports {first} to {last} are all taken: choose another one with --port.",
        first=FIRST_PORT,
        last=FIRST_PORT + _N_PORTS - 1,
    )


def _check_port(host: str, port: int) -> int:
    if not 1 <= port <= 65535:
        raise ParameterError(
            "Port {port} does not exist: choose one from 1 to 65535.", port=port
        )
    if _is_taken(host, port):
        raise _port_taken_error(port)
    return port


def _port_taken_error(port: int) -> ParameterError:
    return ParameterError(
        "Port {port} is taken by another program: stop that program, choose "
        "another port with --port, or leave --port out.",
        port=port,
    )


def _is_taken(host: str, port: int) -> bool:
    """Return whether somebody listens there already.

    Raises
    ------
    ParameterError
        If nothing can be served at this address and port at all.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        if sys.platform == "win32":  # where reuse would take a port from its owner
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except PermissionError:
            if sys.platform == "win32":  # what another one holds for itself
                return True
            raise ParameterError(
                "Port {port} may only be used by the administrator: choose one "
                "above 1023.",
                port=port,
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise ParameterError(
                "Nothing can be served at {host!r} ({reason}): use an address of this "
                "machine, such as 127.0.0.1.",
                host=host,
                reason=error.strerror,
            ) from None
    return False
