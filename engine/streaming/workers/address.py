"""Validation of cluster addresses: started here, TCP on this machine, or TLS."""

from __future__ import annotations

import ipaddress
from importlib.util import find_spec

from engine.core.errors import ParameterError

LOCAL_CLUSTER = "local"
"""A cluster that is started for the run, and ends with it."""


def check_cluster_address(address: str) -> None:
    """Raise if a cluster address is malformed or insecure, or dask is not installed.

    Parameters
    ----------
    address : str
        ``"local"``, ``"tls://host:port"``, or ``"tcp://host:port"`` of this machine.

    Raises
    ------
    ParameterError
    """
    if find_spec("distributed") is None:
        raise ParameterError(
            "dask.distributed is not installed: run pip install 'coterie[dask]'."
        )
    if address == LOCAL_CLUSTER:
        return
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("tcp", "tls") or not host or not port.isdecimal():
        raise ParameterError(
            "--dask is {address!r}, but must be local or the address of a scheduler, "
            "as in tls://scheduler:8786.",
            address=address,
        )
    if scheme == "tcp" and not _is_loopback(host.strip("[]")):
        raise ParameterError(
            "The scheduler {address} is on another machine, and by tcp:// anybody in "
            "between could read the records: use tls://, or an address of this "
            "machine.",
            address=address,
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
