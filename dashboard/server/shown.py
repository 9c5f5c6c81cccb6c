"""Shown: what a browser keeps of the messages that it had, and may be told by name.

Streamlit sends a message that a browser says it has as a name only. Browsers forget
what was not shown for some runs; one that is asked for what it has forgotten since it
spoke ends there, and its page is running for ever. The server sends all, in order, and
so knows what they cannot have forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LATELY = 20
"""Runs within which a message was shown that goes by its name: half of those after
which it is forgotten (``maxCachedMessageAge``), as there are runs under way."""


class Shown:
    """What one browser was sent, by the run in which it was last shown."""

    def __init__(self) -> None:
        self._runs = 0
        self._last: dict[str, int] = {}

    def add(self, message: ForwardMsg) -> None:
        """Note a message that is sent, after all those before it."""
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            self._last[message.ref_hash] = self._runs
        elif message.metadata.cacheable:
            self._last[message.hash] = self._runs
        elif kind == "script_finished":
            early = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
            self._runs += message.script_finished != early
            oldest = self._runs - LATELY
            kept = {name: run for name, run in self._last.items() if run >= oldest}
            self._last = kept

    def known(self, names: Iterable[str]) -> list[str]:
        """Return those of some messages that the browser keeps for some runs more."""
        return [name for name in names if name in self._last]
