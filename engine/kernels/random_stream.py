"""A stream of random numbers for kernels that must draw them one at a time.

SplitMix64: Steele GL, Lea D, Flood CH (2014), doi 10.1145/2660193.2660195. Whole-number
arithmetic alone, and all of its state is the caller's: the same state gives the same
numbers on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel

State = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_R27, _R30, _R31, _R32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_R11 = np.uint64(11)


@kernel
def draw(state: State) -> np.uint64:
    """Return 64 random bits and move the state, shape (1,), on."""
    state[0] += _STEP
    z: np.uint64 = state[0]
    z = (z ^ (z >> _R30)) * _FIRST
    z = (z ^ (z >> _R27)) * _SECOND
    return z ^ (z >> _R31)


@kernel
def draw_below(state: State, n: int) -> int:
    """Return a whole number from 0 to n - 1, n below 2**32; no two differ by 2**-32."""
    return int(((draw(state) >> _R32) * np.uint64(n)) >> _R32)


@kernel
def draw_share(state: State) -> float:
    """Return a number above 0 and up to 1, in steps of 2**-53."""
    return (float(draw(state) >> _R11) + 1.0) * 2.0**-53
