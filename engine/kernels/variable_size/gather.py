"""Maximum flow from the centres of r-gather to records near them."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers
from engine.kernels.compilation._jit import kernel


@kernel
def give_each_centre_k_records(
    starts: Integers, near: Integers, k: int, centre_of: Integers
) -> bool:
    """Write the centre of k records for each centre; False if there is no such flow.

    Centres take a record at a time. Where all records near a centre are taken, the
    shortest chain of exchanges with other centres gives it one: the augmenting path of
    Edmonds and Karp.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_centres + 1,)
        Where the records of each centre begin in `near`.
    near : ndarray of int64
        The records that each centre may take, the preferred first.
    centre_of : ndarray of int64, shape (n_records,)
        -1 everywhere; receives centres.
    """
    n_centres = starts.size - 1
    offered_to = np.empty(centre_of.size, dtype=np.int64)
    given_up = np.empty(n_centres, dtype=np.int64)
    queue = np.empty(n_centres, dtype=np.int64)
    for centre in range(n_centres):
        for _ in range(k):
            if not _give_record(
                centre, starts, near, centre_of, offered_to, given_up, queue
            ):
                return False
    return True


@kernel
def _give_record(
    centre: int,
    starts: Integers,
    near: Integers,
    centre_of: Integers,
    offered_to: Integers,
    given_up: Integers,
    queue: Integers,
) -> bool:
    """Give a centre one more record, by exchanges if need be; False if impossible."""
    offered_to[:] = -1
    given_up[:] = -1
    given_up[centre] = -2  # it is asked already
    queue[0], n_asked, waiting = centre, 0, 1
    while n_asked < waiting:
        taker = queue[n_asked]
        n_asked += 1
        for place in range(starts[taker], starts[taker + 1]):
            record = near[place]
            if offered_to[record] >= 0:
                continue
            offered_to[record] = taker
            owner = centre_of[record]
            if owner < 0:
                while True:
                    new_owner = offered_to[record]
                    centre_of[record] = new_owner
                    if new_owner == centre:
                        return True
                    record = given_up[new_owner]
            if given_up[owner] == -1:
                given_up[owner] = record
                queue[waiting] = owner
                waiting += 1
    return False
