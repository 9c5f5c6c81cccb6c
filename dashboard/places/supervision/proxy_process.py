"""Process of the proxy in front of the places: check, start, reload, restart."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dashboard.places import proxies
from dashboard.places.settings import ProxyRouting
from dashboard.places.supervision.terminal import describe_exit, say
from engine.core.errors import ParameterError

MAX_PROXY_STARTS = 3
"""How often in a minute a proxy that ends is started anew."""


class ProxyProcess:
    """Handle of a proxy's process, which the forkserver starts.

    Parameters
    ----------
    proxy : ProxyProgram
    folder : Path
        For its configuration and its own files.
    routing : ProxyRouting
    order : callable
        Gives the forkserver an order.

    Attributes
    ----------
    n_ends : int
        How often it has ended by itself.
    """

    def __init__(
        self,
        proxy: proxies.ProxyProgram,
        folder: Path,
        routing: ProxyRouting,
        order: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._proxy, self._folder = proxy, folder
        self._routing, self._order = routing, order
        self._n_tries = self.n_ends = 0
        self._is_retired = False

    async def start(self) -> None:
        """Start the proxy, and wait until it answers.

        Raises
        ------
        ParameterError
            If it does not take its configuration.
        """
        proxy = self._proxy
        path = self._write()
        checking = await asyncio.create_subprocess_exec(
            proxy.program,
            *proxy.check,
            str(path),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, error_output = await checking.communicate()
        if checking.returncode:
            lines = error_output.decode(errors="replace").strip().splitlines() or [""]
            raise ParameterError(
                "{proxy} does not take its configuration ({reason}): use another "
                "version, or another proxy with --proxy.",
                proxy=proxy.name,
                reason=lines[0],
            )
        own_socket = proxies.started_proxy_socket_path(self._folder)
        own_socket.unlink(missing_ok=True)  # of one that was killed
        words = [proxy.program, *proxy.start, str(path)]
        environment = {proxies.ERASING_VARIABLE: proxies.ERASING_TUNABLES}
        self._order({"program": proxy.name, "words": words, "environment": environment})
        if sys.platform == "win32":  # where no proxy is started
            return
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_unix_connection(own_socket)
                writer.close()
                return
            await asyncio.sleep(0.05)

    async def read_version(self) -> tuple[str, str]:
        """Return the proxy's name and version; the version is empty if unknown."""
        pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        process = await asyncio.create_subprocess_exec(
            self._proxy.program, "-v", stdout=pipe, stderr=both
        )
        numbers = re.search(rb"\d+(\.\d+)+", (await process.communicate())[0])
        return self._proxy.name, numbers.group().decode() if numbers else ""

    def _write(self) -> Path:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{self._proxy.name}.conf"
        text = self._proxy.write(self._routing, self._folder)
        path.write_text(text, encoding="utf-8")
        return path

    def change_routing(self, routing: ProxyRouting) -> None:
        """Write the configuration of a new routing, and have the proxy use it."""
        self._routing = routing
        self._write()
        self.reload()

    async def restart(self, code: int) -> None:
        """Start the proxy again after it has ended by itself, unless it is retired.

        Raises
        ------
        ParameterError
            If it has ended too often.
        """
        if self._is_retired:
            return
        self._n_tries += 1
        self.n_ends += 1
        if self._n_tries > MAX_PROXY_STARTS:
            raise ParameterError(
                "{proxy} does not keep running ({reason}): what it says is above.",
                proxy=self._proxy.name,
                reason=describe_exit(code),
            )
        say(f"{self._proxy.name} has ended ({describe_exit(code)}); it starts anew")
        await asyncio.sleep(0.1 * 4**self._n_tries)
        await self.start()
        asyncio.get_running_loop().call_later(60.0, self._forgive)

    def _forgive(self) -> None:
        self._n_tries = 0

    def reload(self) -> None:
        """Have the proxy read its configuration again."""
        self._signal(self._proxy.reload)

    def retire(self) -> None:
        """Have the proxy accept no new connections, and end with its last one."""
        self._is_retired = True
        self._signal(self._proxy.retire)

    def _signal(self, name: str) -> None:
        self._order({"signal": self._proxy.name, "number": signal.Signals[name]})
