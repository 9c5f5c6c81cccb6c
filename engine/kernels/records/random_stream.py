"""Random numbers drawn one at a time within kernels (SplitMix64).

SplitMix64: Steele GL, Lea D, Flood CH (2014), doi 10.1145/2660193.2660195. Whole-number
arithmetic alone, and all of its state is the caller's: the same state gives the same
numbers on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compilation._jit import kernel

State = NDArray[np.uint64]

_SPLITMIX_STEP = np.uint64(0x9E3779B97F4A7C15)
_SPLITMIX_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_SPLITMIX_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_R27, _R30, _R31, _R32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_R11 = np.uint64(11)


@kernel
def draw_bits(state: State) -> np.uint64:
    """Return 64 random bits and advance the state, shape (1,)."""
    state[0] += _SPLITMIX_STEP
    z: np.uint64 = state[0]
    z = (z ^ (z >> _R30)) * _SPLITMIX_FACTOR_1
    z = (z ^ (z >> _R27)) * _SPLITMIX_FACTOR_2
    return z ^ (z >> _R31)


@kernel
def draw_below(state: State, n: int) -> int:
    """Return a random integer from 0 to n - 1, n below 2**32; bias below 2**-32."""
    return int(((draw_bits(state) >> _R32) * np.uint64(n)) >> _R32)


@kernel
def draw_positive_uniform(state: State) -> float:
    """Return a uniform random number in (0, 1], in steps of 2**-53."""
    return (float(draw_bits(state) >> _R11) + 1.0) * 2.0**-53
