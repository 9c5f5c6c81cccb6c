"""The linear solver, run so that progress and cancel do not wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.core.context import RunContext

if TYPE_CHECKING:
    from highspy import Highs

_POLL = 0.1
"""Seconds between two looks at whether to go on."""


def make_solver() -> Highs:
    """Return a HiGHS instance that prints nothing and uses one thread.

    Imported here because only runs that ask for it should pay for loading it.
    """
    from highspy import Highs

    solver = Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.HandleUserInterrupt = True
    return solver


def _nothing() -> None:
    pass


def solve(
    solver: Highs,
    ctx: RunContext,
    share: float,
    stage: str,
    look: Callable[[], None] = _nothing,
) -> bool:
    """Solve, in a thread of its own, what the solver holds.

    Parameters
    ----------
    solver : Highs
    ctx : RunContext
    share : float
        Progress that is told meanwhile.
    stage : str
    look : callable
        Called now and then.

    Returns
    -------
    bool
        False where `ctx` said that it is enough before the end.

    Raises
    ------
    Cancelled
        From `ctx`; the solver has stopped by then.
    """
    thread = solver.startSolve()
    try:
        while not solver.wait(_POLL)[0]:
            ctx.tick(share, 1.0, stage)
            look()
            if ctx.enough():
                return False
    finally:
        # Means nothing where it has ended.
        solver.cancelSolve()  # type: ignore[no-untyped-call]
        thread.join()
    return True
