"""Opens the dashboard: what ``coterie`` does without a command."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
from pathlib import Path

from engine.errors import ParameterError

APP = Path(__file__).with_name("app.py")

FIRST_PORT = 8501
_PORTS = 100


def launch(host: str = "127.0.0.1", port: int | None = None) -> int:
    """Serve the dashboard until it is stopped, and open a browser on it.

    Where there is no display, the address is only printed. All other settings are in
    ``.streamlit/config.toml`` beside the app.

    Parameters
    ----------
    host : str
        Address to serve on.
    port : int, optional
        Default: the first free one from 8501.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    ParameterError
        If the address is not this machine's or the port is taken.
    """
    port = _free_port(host) if port is None else _checked_port(host, port)
    url = f"http://{_shown(host)}:{port}"
    # For whoever watches the terminal; Streamlit's own words are switched off.
    sys.stdout.write(f"Coterie is at {url} (Ctrl-C stops it)\n")
    sys.stdout.flush()
    flags = ["--server.address", host, "--server.port", str(port)]
    if not _is_loopback(host) and "STREAMLIT_SERVER_ALLOWED_HOSTS" not in os.environ:
        flags += ["--server.allowedHosts", "*"]
    # Imported here, because `coterie run` must not wait for it.
    from streamlit.web.cli import main

    try:
        main(["run", str(APP), *flags], standalone_mode=False)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    """Return the host as it is written in an address."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _free_port(host: str) -> int:
    for port in range(FIRST_PORT, FIRST_PORT + _PORTS):
        if not _is_taken(host, port):
            return port
    raise ParameterError(
        f"Ports {FIRST_PORT} to {FIRST_PORT + _PORTS - 1} are all taken: choose "
        "another one with --port."
    )


def _checked_port(host: str, port: int) -> int:
    if not 1 <= port <= 65535:
        raise ParameterError(f"Port {port} does not exist: choose one from 1 to 65535.")
    if _is_taken(host, port):
        raise ParameterError(
            f"Port {port} is taken by another program: stop that program, choose "
            "another port with --port, or leave --port out."
        )
    return port


def _is_taken(host: str, port: int) -> bool:
    """Return whether somebody listens there already.

    Raises
    ------
    ParameterError
        If nothing can be served at this address and port at all.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except PermissionError:
            raise ParameterError(
                f"Port {port} may only be used by the administrator: choose one "
                "above 1023."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise ParameterError(
                f"Nothing can be served at {host!r} ({error.strerror}): use an "
                "address of this machine, such as 127.0.0.1."
            ) from None
    return False
