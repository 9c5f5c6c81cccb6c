"""Small programmes for HiGHS: linear and integer ones.

Huangfu and Hall 2018, doi:10.1007/s12532-017-0130-5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values

NODES = 5_000
"""Branches after which an integer programme is content with what it has."""

SECONDS = 5.0
"""Time after which one is given up: some, over unbounded whole numbers, never end."""


@dataclass(frozen=True, eq=False)
class Programme:
    """min cost @ x, low <= x <= high, row_low <= A @ x <= row_high.

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
    whole: NDArray[np.bool_] | None = None


def solve(programme: Programme) -> tuple[Values | None, bool]:
    """Return a best x, or None, and whether it is certain that there is none.

    An integer programme that is not finished after :data:`NODES` branches gives the
    best x that it has found by then; so does any programme after :data:`SECONDS`.
    """
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        solver.setOptionValue(name, 1e-9)
    # HiGHS 1.15 can crash where it presolves integer programmes (its issue 2866), and
    # such small ones have no need of it.
    solver.setOptionValue("presolve", "off")
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("mip_max_nodes", NODES)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("time_limit", SECONDS)
    solver.passModel(_model(highspy, programme))
    solver.run()
    status = solver.getModelStatus()
    feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
    found = solver.getInfo().primal_solution_status == feasible
    if status == highspy.HighsModelStatus.kOptimal or (
        programme.whole is not None and found
    ):
        return np.array(solver.getSolution().col_value), False
    return None, status == highspy.HighsModelStatus.kInfeasible


def _model(highspy: Any, programme: Programme) -> Any:
    model = highspy.HighsModel()
    lp = model.lp_
    m, n = programme.A.shape
    lp.num_col_, lp.num_row_ = n, m
    lp.col_cost_ = programme.cost
    lp.col_lower_, lp.col_upper_ = programme.low, programme.high
    lp.row_lower_, lp.row_upper_ = programme.row_low, programme.row_high
    filled = programme.A != 0.0
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    lp.a_matrix_.index_ = np.nonzero(filled)[1]
    lp.a_matrix_.value_ = programme.A[filled]
    if programme.whole is not None:
        kind = highspy.HighsVarType
        lp.integrality_ = [
            kind.kInteger if whole else kind.kContinuous
            for whole in programme.whole.tolist()
        ]
    return model
