"""Process that compiles kernels which another one would otherwise compile later.

It is started by ``python -m engine.bounds.compile_ahead`` where nothing is compiled
yet. It ends once that is done, or its standard input closes: the other one has ended.
"""

from __future__ import annotations

import os
import threading

import numpy as np

from engine.bounds.edge_cover import edge_cover_bound
from engine.kernels.compilation.small_tables import prefer_kernels
from engine.kernels.fixed_size.mdav import form_nearest_group
from engine.kernels.index.blocks import allocate_block_index


def compile_ahead() -> None:
    """Compile what groups are formed with last, then what the lower bound takes.

    The process that waits begins with the index, which takes it as long as the first
    of these takes here.
    """
    index = allocate_block_index(np.zeros((2, 1)))
    # Filled by hand: two equal records, one of which is the other's nearest.
    index.records[0, 1] = index.slot[1] = 1
    index.live[0] = index.count[0] = index.count[1] = 2
    index.count[2] = 1
    labels, nearest = np.zeros(2, dtype=np.int64), np.empty(1, dtype=np.int64)
    form_nearest_group(index, 0, 0, labels, nearest, np.empty(1))
    with prefer_kernels():
        edge_cover_bound(np.random.default_rng(0).normal(size=(24, 2)), 3)


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    compile_ahead()
