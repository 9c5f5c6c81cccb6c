"""The proxy before the places, as a process: checked, started, and started anew."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dashboard.places.proxies import Proxy
from dashboard.places.settings import ProxyRouting
from dashboard.places.supervision.terminal import describe_exit, say
from engine.core.errors import ParameterError

MAX_PROXY_STARTS = 3
"""How often in a minute a proxy that ends is started anew."""


class ProxyProcess:
    """Process of a proxy, which the forkserver starts.

    Parameters
    ----------
    proxy : Proxy
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
        proxy: Proxy,
        folder: Path,
        routing: ProxyRouting,
        order: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._proxy, self._folder = proxy, folder
        self._routing, self._order = routing, order
        self._n_tries = self.n_ends = 0

    async def start(self) -> None:
        """Start it, and wait until it answers.

        Raises
        ------
        ParameterError
            If it does not take its configuration.
        """
        proxy = self._proxy
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{proxy.name}.conf"
        path.write_text(proxy.write(self._routing, self._folder), encoding="utf-8")
        checking = await asyncio.create_subprocess_exec(
            proxy.program,
            *proxy.check,
            str(path),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await checking.communicate()
        if checking.returncode:
            lines = said.decode(errors="replace").strip().splitlines() or [""]
            raise ParameterError(
                "{proxy} does not take its configuration ({reason}): use another "
                "version, or another proxy with --proxy.",
                proxy=proxy.name,
                reason=lines[0],
            )
        words = [proxy.program, *proxy.start, str(path)]
        self._order({"program": proxy.name, "words": words})
        host = self._routing.host
        local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(local, self._routing.port)
                writer.close()
                return
            await asyncio.sleep(0.05)

    async def restart(self, code: int) -> None:
        """Start it anew, as it has ended by itself.

        Raises
        ------
        ParameterError
            If it has ended too often.
        """
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
        """Have it read its configuration again."""
        number = signal.Signals[self._proxy.reload]
        self._order({"signal": self._proxy.name, "number": number})
