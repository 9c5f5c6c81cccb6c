"""Bridges of a graph: edges whose removal disconnects it.

Tarjan 1974, doi:10.1016/0020-0190(74)90003-9, without recursion.
"""

from __future__ import annotations

import numpy as np

from engine.core.typing import Booleans, Integers
from engine.kernels._jit import kernel


@kernel
def find_bridges(tail: Integers, head: Integers, n_nodes: int) -> Booleans:
    """Return which edges lie on no cycle, shape (n_edges,).

    Parameters
    ----------
    tail, head : ndarray of int64, shape (n_edges,)
        Different nodes. Two edges between the same nodes are a cycle.
    n_nodes : int
    """
    n_edges = tail.size
    start = np.zeros(n_nodes + 1, dtype=np.int64)
    for edge in range(n_edges):
        start[tail[edge] + 1] += 1
        start[head[edge] + 1] += 1
    for node in range(n_nodes):
        start[node + 1] += start[node]
    place = start[:-1].copy()
    at = np.empty(2 * n_edges, dtype=np.int64)
    for edge in range(n_edges):
        at[place[tail[edge]]] = edge
        place[tail[edge]] += 1
        at[place[head[edge]]] = edge
        place[head[edge]] += 1
    place[:] = start[:-1]
    number = np.full(n_nodes, -1, dtype=np.int64)
    low = np.empty(n_nodes, dtype=np.int64)
    entered = np.full(n_nodes, -1, dtype=np.int64)
    path = np.empty(n_nodes, dtype=np.int64)
    bridge = np.zeros(n_edges, dtype=np.bool_)
    found = 0
    for root in range(n_nodes):
        if number[root] >= 0:
            continue
        number[root] = low[root] = found
        found += 1
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if place[node] < start[node + 1]:
                edge = at[place[node]]
                place[node] += 1
                if edge == entered[node]:
                    continue
                other = tail[edge] + head[edge] - node
                if number[other] >= 0:
                    low[node] = min(low[node], number[other])
                else:
                    number[other] = low[other] = found
                    found += 1
                    entered[other] = edge
                    path[depth] = other
                    depth += 1
            else:
                depth -= 1
                if depth > 0:
                    above = path[depth - 1]
                    low[above] = min(low[above], low[node])
                    # Nothing below reaches above: the edge is the only way.
                    if low[node] > number[above]:
                        bridge[entered[node]] = True
    return bridge
