"""Split points between blocks: a k-d tree grown from a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.index.routing import assign_leaves

SAMPLED_RECORDS_PER_BLOCK = 256
"""Sampled records per block: sizes then vary by 6 % (standard deviation)."""

_SPLITMIX_STEP = np.uint64(0x9E3779B97F4A7C15)
_SPLITMIX_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_SPLITMIX_FACTOR_2 = np.uint64(0x94D049BB133111EB)


class BernoulliHashSample:
    """Random sample of records, each taken with a fixed chance by a hash of its number.

    A record is chosen if a hash of its number and the seed is small (SplitMix64: Steele
    et al. 2014, doi:10.1145/2660193.2660195), so that neither batches nor what the
    records hold have a say.

    Parameters
    ----------
    share : float
        Chance of each record; all are chosen from 1 on.
    seed : int
    """

    def __init__(self, share: float, seed: int) -> None:
        self._most = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
        self._start = splitmix64(np.array([seed], dtype=np.uint64))[0]
        self._all = share >= 1.0
        self._values: list[Values] = []
        self._numbers: list[Integers] = []

    def add_records(self, values: Values, numbers: Integers) -> None:
        """Add the records that the hash selects.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
        numbers : ndarray of int64, shape (n_records,)
        """
        chosen = np.ones(numbers.size, dtype=np.bool_)
        if not self._all:
            chosen = splitmix64(numbers.astype(np.uint64) + self._start) < self._most
        self._values.append(values[chosen])
        self._numbers.append(numbers[chosen])

    def chosen_records(self) -> tuple[Values, Integers]:
        """Return values and numbers of the chosen records."""
        return np.concatenate(self._values), np.concatenate(self._numbers)


def splitmix64(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the SplitMix64 hash of each number; distinct for distinct numbers."""
    z = (numbers + np.uint64(1)) * _SPLITMIX_STEP
    z = (z ^ (z >> np.uint64(30))) * _SPLITMIX_FACTOR_1
    z = (z ^ (z >> np.uint64(27))) * _SPLITMIX_FACTOR_2
    return np.asarray(z ^ (z >> np.uint64(31)), dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class SplitTree:
    """Tree of split points that assigns each record to a leaf.

    Attributes
    ----------
    attribute, number : ndarray of int64, shape (n_leaves - 1,)
        Attribute of each split, and number of its first record on the right.
    value : ndarray of float64, shape (n_leaves - 1,)
        That record's value; records are ordered by value and then by number.
    children : ndarray of int64, shape (n_leaves - 1, 2)
        Splits on the left and right, or leaves: -1 less the leaf's number.
    """

    attribute: Integers
    value: Values
    number: Integers
    children: Integers

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.attribute.size) + 1

    def leaves_of(self, values: Values, numbers: Integers) -> Integers:
        """Return the leaf number of each record; adjacent leaves are near in space.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
        numbers : ndarray of int64, shape (n_records,)
        """
        out = np.zeros(numbers.size, dtype=np.int64)
        if self.n_leaves > 1:
            assign_leaves(
                np.ascontiguousarray(values),
                numbers,
                self.attribute,
                self.value,
                self.number,
                self.children,
                out,
            )
        return out

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain values, ready for JSON."""
        return {name: column.tolist() for name, column in vars(self).items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> SplitTree:
        """Return the tree that :meth:`to_json` wrote, bit for bit."""
        return cls(
            np.array(content["attribute"], dtype=np.int64),
            np.array(content["value"], dtype=np.float64),
            np.array(content["number"], dtype=np.int64),
            np.array(content["children"], dtype=np.int64).reshape(-1, 2),
        )


def grow_split_tree(
    values: Values, numbers: Integers, comparable_values: Values, n_leaves: int
) -> SplitTree:
    """Return a split tree whose leaves hold nearly equal numbers of sampled records.

    The sample is parted at the median of its widest attribute, each side at that of its
    own, and so on; where the leaves of a side are odd in number, at the share that
    gives each leaf the same. Records are ordered by value and then by number, so that
    they part evenly however many are equal.

    Parameters
    ----------
    values : ndarray of float64, shape (n_sampled, n_attributes)
        In the columns' own units; categories as their places in the hierarchy.
    numbers : ndarray of int64, shape (n_sampled,)
        Their record numbers, all different.
    comparable_values : ndarray of float64, shape (n_sampled, n_attributes)
        The same on scales that can be compared: what widths are taken of.
    n_leaves : int
        At least 1, at most n_sampled.
    """
    attribute, value, number = [], [], []
    children: list[list[int]] = []
    grown = 0
    # (sampled records, leaves, node above, side of it); the left side first, so that
    # leaves are numbered from left to right.
    waiting = [(np.arange(numbers.size), n_leaves, -1, 0)]
    while waiting:
        records, count, above, side = waiting.pop()
        node = len(children)
        if count == 1:
            node, grown = -1 - grown, grown + 1
        else:
            widest = int(np.argmax(np.ptp(comparable_values[records], axis=0)))
            order = np.lexsort((numbers[records], values[records, widest]))
            place = records.size * (count // 2) // count
            first = records[order[place]]
            attribute.append(widest)
            value.append(values[first, widest])
            number.append(numbers[first])
            children.append([0, 0])
            right, left = records[order[place:]], records[order[:place]]
            waiting += [
                (right, count - count // 2, node, 1),
                (left, count // 2, node, 0),
            ]
        if above >= 0:
            children[above][side] = node
    return SplitTree(
        np.array(attribute, dtype=np.int64),
        np.array(value, dtype=np.float64),
        np.array(number, dtype=np.int64),
        np.array(children, dtype=np.int64).reshape(-1, 2),
    )


def leaves_of_each_block(
    leaf_sizes: Integers, k: int, persons_per_leaf: Sequence[Set[int]] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return each block's leaves; leaves below k records or persons are joined.

    A leaf of fewer than k records, or persons, is joined with those that follow until
    there are k, and what is left at the end with the last block. This happens only
    where a sample has misled, or few persons have most records of a leaf.

    Parameters
    ----------
    leaf_sizes : ndarray of int64, shape (n_leaves,)
        Together at least k.
    persons_per_leaf : sequence of set of int, length n_leaves, optional
        Where k counts persons: those of each leaf, or k of them.
    """

    def size(leaves: tuple[int, ...]) -> int:
        if persons_per_leaf is None:
            return int(leaf_sizes[list(leaves)].sum())
        return len(set().union(*(persons_per_leaf[leaf] for leaf in leaves)))

    blocks: list[tuple[int, ...]] = []
    some: tuple[int, ...] = ()
    for leaf in range(leaf_sizes.size):
        some = (*some, leaf)
        if size(some) >= k:
            blocks.append(some)
            some = ()
    if some:
        blocks[-1:] = [(*blocks[-1], *some)] if blocks else [some]
    return tuple(blocks)
