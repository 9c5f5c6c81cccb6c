"""Bound LB2 by column generation: the linear programme over all groups.

Every partition into groups of k to 2k-1 records is a choice of groups that hold each
record once; larger groups split at no loss. Allowing groups in part gives

    min sum SSE(G) z_G   with   sum of z_G over G that hold i = 1,   z >= 0,       (1)

and prices p prove, with the largest gain g_i = sum of prices - SSE of any group whose
anchor is i, or 0,

    no SSE is below   sum p_i - sum g_i.                                           (2)

Groups enter as they gain at the prices of the programme over those known so far. Then
cuts enter that every partition respects and the solution does not, see
:mod:`engine.bounds.linear_programme.cuts`; (2) holds with the sum of the cuts' prices
taken off, and with gains that have paid for the cuts. Only (2), with gains found by
exact search, becomes the bound. Without cuts groups of exactly k are enough; see
:func:`engine.bounds.linear_programme.pricing.safe_dual_bound`.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords, LowerBound
from engine.bounds.linear_programme.column_search import (
    COLUMN_GENERATION_KIND,
    add_violated_cuts,
    generate_columns_in_place,
    start_column_generation,
)
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError

MAX_LB2_RECORDS = 5_000
"""Records whose distances fit into memory."""


def column_generation_bound(
    X: NDArray[np.float64],
    k: int,
    ctx: RunContext = SILENT,
    seconds: float = math.inf,
    use_cuts: bool = True,
) -> LowerBound:
    """Return the column-generation bound LB2, at least as high as edge cover (LB1).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        At most 5,000 records.
    k : int
        Minimum group size, at least 2.
    ctx : RunContext
        Told the bound as it rises, as the figure ``"bound"``; may end the search with
        what is proven (``enough``).
    seconds : float
        Time budget; what is proven by then is returned.
    use_cuts : bool
        Whether cuts that are found quickly raise it above the value of (1).

    Raises
    ------
    InfeasibleError
        If there are too many records.

    Notes
    -----
    Safe against the tolerances of the solver and against rounding: (2) holds for any
    prices, distances are lowered by the largest error that centring and squaring can
    cause, and (2) by that of its additions.

    Prices are kept in a box, and groups looked for at prices between those of the
    programme and the best so far, which steadies both.

    References
    ----------
    du Merle O, Hansen P, Jaumard B, Mladenović N (1999). An interior point algorithm
    for minimum sum-of-squares clustering. SIAM Journal on Scientific Computing 21(4),
    1485-1505. doi:10.1137/S1064827597328327

    Pessoa A, Sadykov R, Uchoa E, Vanderbeck F (2018). Automation and combination of
    linear-programming based stabilization techniques in column generation. INFORMS
    Journal on Computing 30(2), 339-360. doi:10.1287/ijoc.2017.0784
    """
    clock = time.monotonic()
    records = CentredRecords.from_array(X)
    if records.n > MAX_LB2_RECORDS:
        raise InfeasibleError(
            "The column-generation bound takes at most {most_records:,} records, but "
            "there are {n_records:,}: use the edge-cover bound.",
            most_records=MAX_LB2_RECORDS,
            n_records=records.n,
        )
    if records.n < k or records.sst == 0.0:
        return records.lower_bound(COLUMN_GENERATION_KIND, 0.0)
    if records.n < 2 * k:
        return records.lower_bound(
            COLUMN_GENERATION_KIND, single_group_sse_lower_bound(records)
        )
    ctx = context_with_deadline(ctx, seconds - (time.monotonic() - clock))
    search = start_column_generation(records, k, ctx.subcontext(0.0, 0.3))
    generate_columns_in_place(search, ctx.subcontext(0.3, 0.7))
    while use_cuts and not ctx.enough() and add_violated_cuts(search, ctx, 1):
        generate_columns_in_place(search, ctx.subcontext(0.7, 1.0))
    ctx.tick(1, 1, BOUND_STAGE)
    return search.lower_bound


def context_with_deadline(ctx: RunContext, seconds: float) -> RunContext:
    """Return a context that asks to stop early after some seconds."""
    end = time.monotonic() + seconds

    def enough() -> bool:
        return time.monotonic() >= end or ctx.enough()

    return RunContext(ctx.report_share, enough=enough, hear=ctx.note)


def single_group_sse_lower_bound(records: CentredRecords) -> float:
    """Return the SSE of all records as one group, lowered by its rounding error."""
    slack = 4.0 * EPS * (records.n + 8.0) * records.sst
    slack += 4.0 * records.slack * records.n * math.sqrt(records.sst / records.n)
    return max(records.sst * (1.0 - records.relative) - slack, 0.0)
