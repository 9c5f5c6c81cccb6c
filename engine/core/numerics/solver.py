"""Interface to the HiGHS solver: growing linear and small integer programmes.

Huangfu and Hall 2018, doi:10.1007/s12532-017-0130-5.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.context import RunContext
from engine.core.typing import Booleans, Values

if TYPE_CHECKING:
    from highspy import Highs
    from scipy.sparse import csr_matrix

_POLL_SECONDS = 0.1
"""Seconds between two looks at whether to go on."""

MAX_INTEGER_NODES = 5_000
"""Branches after which an integer programme gives the best solution that it has."""

MAX_INTEGER_SECONDS = 5.0
"""Time after which a programme is stopped: unbounded integer ones may not end."""


def make_highs_solver() -> Highs:
    """Return a silent, single-threaded HiGHS instance.

    HiGHS is imported at the first call: only runs that use it should pay for that.
    """
    solver = _silent_highs_class()()
    # One and the same number everywhere: a thread in which HiGHS has run refuses
    # another.
    solver.setOptionValue("threads", 1)
    return solver


@cache
def _silent_highs_class() -> type[Highs]:
    from highspy import Highs

    class Silent(Highs):
        """Solver that does not even write who it is."""

        def enableCallbacks(self) -> None:  # noqa: N802
            # The constructor's first call, with which HiGHS 1.16 says who it is.
            self.silent()
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    return Silent


def add_rows(
    solver: Highs,
    row_low: Values,
    row_high: Values,
    entries: csr_matrix,
    first_column: int = 0,
) -> None:
    """Add rows to the solver's model.

    Parameters
    ----------
    solver : Highs
    row_low, row_high : ndarray of float64, shape (n_rows,)
        Bounds of each row.
    entries : csr_matrix of float64, shape (n_rows, n_columns)
    first_column : int
        Column of the model that the first column of `entries` is.
    """
    solver.addRows(
        row_low.size,
        row_low,
        row_high,
        entries.nnz,
        entries.indptr[:-1].astype(np.int32),
        (entries.indices + first_column).astype(np.int32),
        entries.data,
    )


def add_columns(
    solver: Highs, costs: Values, entries: csr_matrix, col_high: float = np.inf
) -> None:
    """Add columns to the solver's model.

    Parameters
    ----------
    solver : Highs
    costs : ndarray of float64, shape (n_columns,)
    entries : csr_matrix of float64, shape (n_columns, n_rows)
        A row for each column of the model.
    col_high : float
        Upper bound of each; the lower bound is 0.
    """
    m = costs.size
    solver.addCols(
        m,
        costs,
        np.zeros(m),
        np.full(m, col_high),
        entries.nnz,
        entries.indptr[:-1].astype(np.int32),
        entries.indices.astype(np.int32),
        entries.data,
    )


def _empty_callback() -> None:
    pass


def solve_unless_stopped(
    solver: Highs,
    ctx: RunContext,
    stage: str,
    on_wait: Callable[[], None] = _empty_callback,
) -> bool:
    """Solve the model with progress and cancellation; return whether it finished.

    Parameters
    ----------
    solver : Highs
        Runs in a thread of its own.
    on_wait : callable
        Called ten times a second while the solver runs.

    Returns
    -------
    bool
        False where `ctx` said that it is enough before the end.

    Raises
    ------
    Cancelled
        From `ctx`; the solver has stopped by then.
    """
    over, end_event = threading.Event(), threading.Event()

    def ask(event: Any) -> None:
        if over.is_set():
            event.interrupt()

    def run() -> None:
        try:
            solver.run()
            solver.resetGlobalScheduler(False)
        finally:
            end_event.set()

    # Not the solver's own threads (`startSolve`): of these only one may run at a time.
    callbacks = solver.cbSimplexInterrupt, solver.cbIpmInterrupt, solver.cbMipInterrupt
    for callback in callbacks:
        callback.subscribe(ask)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while not end_event.wait(_POLL_SECONDS):
            ctx.tick(0.0, 1.0, stage)
            on_wait()
            if ctx.enough():
                return False
    finally:
        over.set()
        thread.join()
        for callback in callbacks:
            callback.unsubscribe(ask)
    return True


def try_solve_to_optimality(solver: Highs, ctx: RunContext, stage: str) -> bool:
    """Solve as :func:`solve_unless_stopped`, with one retry; return whether optimal.

    Returns
    -------
    bool
        False where `ctx` said that it is enough, or the solver failed again.
    """
    for _ in range(2):
        if not solve_unless_stopped(solver, ctx, stage):
            return False
        if solver.modelStatusToString(solver.getModelStatus()) == "Optimal":
            return True
        solver.clearSolver()
    return False


@dataclass(frozen=True, eq=False)
class IntegerProgramme:
    """Linear or integer programme: min cost @ x with bounds on x and on A @ x.

    Attributes
    ----------
    cost, low, high : ndarray of float64, shape (n,)
    A : ndarray of float64, shape (m, n)
    row_low, row_high : ndarray of float64, shape (m,)
    whole : ndarray of bool, shape (n,), optional
        Variables that must be whole numbers.
    """

    cost: Values
    low: Values
    high: Values
    A: Values
    row_low: Values
    row_high: Values
    whole: Booleans | None = None

    def solve(self) -> tuple[Values | None, bool]:
        """Return the best solution or None, and whether infeasibility is proven.

        An integer programme that is not finished after :data:`MAX_INTEGER_NODES`
        branches, or :data:`MAX_INTEGER_SECONDS`, gives the best x that it has by then,
        if any; a linear one gives None.
        """
        import highspy

        solver = make_highs_solver()
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            solver.setOptionValue(name, 1e-9)
        # HiGHS 1.15 can crash where it presolves integer programmes (its issue 2866),
        # and such small ones have no need of it.
        solver.setOptionValue("presolve", "off")
        solver.setOptionValue("parallel", "off")
        solver.setOptionValue("mip_max_nodes", MAX_INTEGER_NODES)
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("time_limit", MAX_INTEGER_SECONDS)
        solver.passModel(self._model(highspy))
        solver.run()
        status = solver.getModelStatus()
        feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
        has_solution = solver.getInfo().primal_solution_status == feasible
        if status == highspy.HighsModelStatus.kOptimal or (
            self.whole is not None and has_solution
        ):
            return np.array(solver.getSolution().col_value), False
        return None, status == highspy.HighsModelStatus.kInfeasible

    def _model(self, highspy: Any) -> Any:
        model = highspy.HighsModel()
        lp = model.lp_
        lp.num_row_, lp.num_col_ = self.A.shape
        lp.col_cost_ = self.cost
        lp.col_lower_, lp.col_upper_ = self.low, self.high
        lp.row_lower_, lp.row_upper_ = self.row_low, self.row_high
        filled = self.A != 0.0
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
        lp.a_matrix_.index_ = np.nonzero(filled)[1]
        lp.a_matrix_.value_ = self.A[filled]
        if self.whole is not None:
            kind = highspy.HighsVarType
            lp.integrality_ = [
                kind.kInteger if whole else kind.kContinuous
                for whole in self.whole.tolist()
            ]
        return model
