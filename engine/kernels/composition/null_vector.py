"""Steps of modular Lanczos' method, by which callers find null vectors of group sums.

Lanczos' method as LaMacchia and Odlyzko use it, doi:10.1007/3-540-38424-3_8.
"""

from __future__ import annotations

from engine.core.typing import Integers
from engine.kernels.compilation._jit import kernel

MERSENNE_PRIME = 2**31 - 1
"""A Mersenne prime: the product of two residues fits into 64 bits."""

GOING, DONE, FAILED = 0, 1, 2


@kernel
def _reduce_modulo(x: int) -> int:
    """Return a number from 0 to 2^62 modulo the prime."""
    x = (x & 2147483647) + (x >> 31)
    x = (x & 2147483647) + (x >> 31)
    return x - 2147483647 if x >= 2147483647 else x


@kernel
def _modular_inverse(x: int) -> int:
    """Return x^(p - 2), Fermat's inverse."""
    product, power, exponent = 1, x, 2147483645
    while exponent > 0:
        if exponent & 1:
            product = _reduce_modulo(product * power)
        power = _reduce_modulo(power * power)
        exponent >>= 1
    return product


@kernel
def _modular_dot(x: Integers, y: Integers) -> int:
    total = 0
    for i in range(x.size):
        total += _reduce_modulo(x[i] * y[i])
    return total % 2147483647


@kernel
def multiply_normal_matrix(
    groups: Integers, scale: Integers, x: Integers, sums: Integers, out: Integers
) -> None:
    """Write A' D A x modulo a prime to `out`: A sums x by group, and D is diagonal.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_releases, n_records)
        Which sum each record is part of in each release; -1 for none.
    scale : ndarray of int64, shape (n_groups,)
    x, out : ndarray of int64, shape (n_records,)
    sums : ndarray of int64, shape (n_groups,)
        Receives D A x.
    """
    sums[:] = 0
    for r in range(groups.shape[0]):
        for i in range(x.size):
            if groups[r, i] >= 0:
                sums[groups[r, i]] += x[i]
    for g in range(sums.size):
        sums[g] = _reduce_modulo(_reduce_modulo(sums[g]) * scale[g])
    out[:] = 0
    for r in range(groups.shape[0]):
        for i in range(x.size):
            if groups[r, i] >= 0:
                out[i] += sums[groups[r, i]]
    for i in range(x.size):
        out[i] = _reduce_modulo(out[i])


@kernel
def run_lanczos_steps(
    groups: Integers,
    scale: Integers,
    target: Integers,
    direction: Integers,
    previous_direction: Integers,
    solution: Integers,
    norm: Integers,
    sums: Integers,
    v: Integers,
    max_steps: int,
) -> int:
    """Run modular Lanczos steps in place; return 0 (unfinished), 1 (done), 2 (failed).

    Parameters
    ----------
    groups, scale, sums : ndarray of int64
        As in :func:`multiply_normal_matrix`.
    target : ndarray of int64, shape (n_records,)
        In the image of the matrix.
    direction, previous_direction : ndarray of int64, shape (n_records,)
        The last two directions: `target` and zeros to begin with.
    solution : ndarray of int64, shape (n_records,)
        Zeros to begin with.
    norm : ndarray of int64, shape (1,)
        b' A' D A b with b the direction `previous_direction`; 1 to begin with.
    v : ndarray of int64, shape (n_records,)
        Scratch.
    max_steps : int

    Returns
    -------
    int
        GOING, DONE, or FAILED where a direction is orthogonal to itself.
    """
    for _ in range(max_steps):
        if not direction.any():
            return 1
        multiply_normal_matrix(groups, scale, direction, sums, v)
        direction_norm = _modular_dot(direction, v)
        if direction_norm == 0:
            return 2
        inverse = _modular_inverse(direction_norm)
        along = _reduce_modulo(_modular_dot(direction, target) * inverse)
        first = _reduce_modulo(_modular_dot(v, v) * inverse)
        # <v_{i+1}, v_i> is <w_i, v_{i+1}>, as directions are conjugate.
        second = _reduce_modulo(direction_norm * _modular_inverse(norm[0]))
        for i in range(direction.size):
            solution[i] = _reduce_modulo(
                solution[i] + _reduce_modulo(along * direction[i])
            )
            less = _reduce_modulo(first * direction[i]) + _reduce_modulo(
                second * previous_direction[i]
            )
            previous_direction[i] = direction[i]
            direction[i] = _reduce_modulo(v[i] + 2 * 2147483647 - less)
        norm[0] = direction_norm
    return 0
