"""Run context: progress, cancellation and early stop of a long run.

The engine calls :meth:`RunContext.tick`, and a search that gets better with time also
:meth:`RunContext.enough` and :meth:`RunContext.note`. Whoever starts a run decides
what they do: draw a bar, write a file, raise :class:`~engine.core.errors.Cancelled`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.core.arguments import check_arguments
from engine.core.errors import Cancelled
from engine.core.message import Message
from engine.core.partition import Labels

Report = Callable[[float, str], None]
"""Receives the share done (0 to 1, never falling) and the stage: what is done now."""

Hear = Callable[[str, float], None]
"""Receives the name and the value of a figure that changes while a run goes on."""

Take = Callable[[Labels], None]
"""Receives the group of each record, while a search still improves the groups."""

Look = Callable[[], None]
"""Looks at progress and cancel, within what takes several steps of its own."""

VALUES_PER_LOOK = 20_000_000
"""Values read, about, between two looks at progress and cancel: some 0.05 s."""


def steps_per_look(values_per_step: float = 1.0) -> int:
    """Return how many steps go between two looks at progress and cancel: one or more.

    Parameters
    ----------
    values_per_step : float
        Values that a step reads at most, about: what it takes grows with the table,
        and what goes between two looks must not.
    """
    return max(1, int(VALUES_PER_LOOK / max(1.0, values_per_step)))


def look_at_nothing() -> None:
    """Do nothing, where nobody waits for progress or wants to cancel."""


@check_arguments
class RunContext:
    """Progress reports and cancellation of a run; silent by default.

    Parameters
    ----------
    report : callable, optional
        Called as ``report(share, stage)``; `share` rises from 0 to 1.
    cancelled : callable, optional
        Called often. If it returns True, the run stops without an outcome.
    enough : callable, optional
        Called between steps of a search. If it returns True, the search ends and
        returns its best groups.
    hear : callable, optional
        Called as ``hear(name, value)`` with the figures of a search: First ``"sst"``,
        then ``"sse"`` of the best groups so far and their lower ``"bound"``; all in the
        unit of SSE. Without ``"sst"`` the figures are those
        of a part of the records, of no use to a listener. ``"distances"`` says that so
        many more distances were measured: cost without a clock, to be added up.
    take : callable, optional
        Called as ``take(labels)`` with the groups that a search begins with, where
        making them better takes much longer.

    Raises
    ------
    Cancelled
        From :meth:`tick`, once `cancelled` answers True.
    """

    def __init__(
        self,
        report: Report | None = None,
        cancelled: Callable[[], bool] | None = None,
        enough: Callable[[], bool] | None = None,
        hear: Hear | None = None,
        take: Take | None = None,
    ) -> None:
        self._report = report
        self._cancelled = cancelled
        self._enough = enough
        self._hear = hear
        self._take = take
        self._share = 0.0

    def tick(self, done: float, total: float, stage: str) -> None:
        """Report that `done` of `total` is done, and raise if the run was cancelled."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("The run was cancelled; nothing was written.")
        share = min(1.0, done / total) if total > 0 else 1.0
        self._share = max(self._share, share)
        if self._report is not None:
            self._report(self._share, stage)

    def report_share(self, share: float, stage: str) -> None:
        """Report which share is done: what a part of the run reports to."""
        self.tick(share, 1.0, stage)

    def iterate_ranges(
        self, count: int, size: int, stage: str
    ) -> Iterator[tuple[int, int]]:
        """Yield begin and end of ranges of up to `size` steps; tick before each."""
        for first in range(0, count, size):
            self.tick(first, count, stage)
            yield first, min(first + size, count)

    def enough(self) -> bool:
        """Return whether a search should end now and return its best result so far."""
        return self._enough is not None and self._enough()

    def note(self, name: str, value: float) -> None:
        """Report the current value of a named figure, for a live chart."""
        if self._hear is not None:
            self._hear(name, value)

    def offer(self, labels: Labels) -> None:
        """Report the current group labels of all records."""
        if self._take is not None:
            self._take(labels)

    def with_labels_callback(self, callback: Take | None) -> RunContext:
        """Return the context with another callback for current labels, or none.

        None, for instance, where a method has only some of the records.
        """
        return RunContext(
            self.report_share, enough=self._enough, hear=self._hear, take=callback
        )

    def with_listener(self, hear: Hear) -> RunContext:
        """Return the context with one more listener to figures."""

        def both(name: str, value: float) -> None:
            self.note(name, value)
            hear(name, value)

        return RunContext(
            self.report_share, enough=self._enough, hear=both, take=self._take
        )

    def subcontext(self, start: float, stop: float, owner: str = "") -> RunContext:
        """Return a context that reports progress within `start` to `stop` of this one.

        Parameters
        ----------
        start, stop : float
            Where the part begins and ends, as shares of this context.
        owner : str, optional
            Put before every stage the part reports, for instance a method's name.
        """

        def report(share: float, stage: str) -> None:
            if owner:
                stage = Message("{owner}: {stage}", owner=owner, stage=stage)
            self.tick(start + share * (stop - start), 1.0, stage)

        # Each report asks whether to stop.
        return RunContext(report, enough=self._enough, hear=self._hear, take=self._take)


class SilentContext(RunContext):
    """A run context that reports nothing and never stops a run."""

    def tick(self, done: float, total: float, stage: str) -> None:
        """Do nothing."""

    def subcontext(self, start: float, stop: float, owner: str = "") -> RunContext:
        """Return itself."""
        return self


SILENT = SilentContext()
