"""What is known of group sizes where every record draws its group at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Probabilistic:
    """Group sizes as they were expected, and as they came.

    Attributes
    ----------
    k : int
        Group size asked for.
    n_centres : int
        Groups that could be drawn, whether anybody drew them or not.
    expected : ndarray of float64, shape (n_groups,)
        Size of each group that somebody drew, on average over all draws.
    realised : ndarray of int64, shape (n_groups,)
        Size of the same groups in this draw.
    """

    k: int
    n_centres: int
    expected: NDArray[np.float64]
    realised: NDArray[np.int64]

    @property
    def expected_size(self) -> float:
        """Records per group that could be drawn: the mean of all expected sizes."""
        return float(self.realised.sum() / self.n_centres)

    @property
    def share_below(self) -> float:
        """Share of the records, 0 to 1, that are in groups of fewer than k."""
        small = self.realised[self.realised < self.k]
        return float(small.sum() / self.realised.sum())

    @property
    def words(self) -> str:
        """What kind of protection this is, for people."""
        return f"probabilistic: expected group size {self.expected_size:.3g}"

    @property
    def sizes_in_words(self) -> str:
        """How the sizes came out, for people."""
        return (
            f"{100 * self.share_below:.1f} % of the records are in groups of fewer "
            f"than {self.k}. Groups have {self.realised.min()} to "
            f"{self.realised.max()} records; {self.expected.min():.1f} to "
            f"{self.expected.max():.1f} were expected."
        )

    @property
    def warning(self) -> str:
        """What whoever releases such groups should know."""
        return (
            f"Groups were drawn at random, so no group size is promised "
            f"({self.words}). In this draw {self.sizes_in_words} A record alone in its "
            "group can keep values close to its own."
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return {
            "words": self.words,
            "expected_group_size": self.expected_size,
            "n_centres": self.n_centres,
            "expected_size": _spread(self.expected),
            "realised_size": _spread(self.realised),
            "share_below_k": self.share_below,
        }

    def to_json(self) -> dict[str, Any]:
        """Return all that :meth:`from_json` needs."""
        return {
            "k": self.k,
            "n_centres": self.n_centres,
            "expected": self.expected.tolist(),
            "realised": self.realised.tolist(),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Probabilistic:
        """Return what :meth:`to_json` described."""
        return cls(
            int(content["k"]),
            int(content["n_centres"]),
            np.array(content["expected"], dtype=np.float64),
            np.array(content["realised"], dtype=np.int64),
        )


def _spread(sizes: NDArray[np.float64] | NDArray[np.int64]) -> dict[str, float]:
    return {
        "min": sizes.min().item(),
        "mean": float(sizes.mean()),
        "max": sizes.max().item(),
    }
