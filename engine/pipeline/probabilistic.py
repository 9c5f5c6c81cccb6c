"""What is known of group sizes where every record draws its group at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from engine.core.json_types import Listed
from engine.core.message import Message
from engine.core.typing import Integers, Values


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
    n_blocks : int
        Blocks of columns that were drawn apart, the groups of one after those of
        another.
    """

    k: Annotated[int, Field(ge=0)]
    n_centres: Annotated[int, Field(ge=1)]
    expected: Annotated[Values, Listed(float)]
    realised: Annotated[Integers, Listed(Annotated[int, Field(ge=0)])]
    n_blocks: Annotated[int, Field(ge=1)] = 1

    @property
    def expected_size(self) -> float:
        """Records per group that could be drawn: the mean of all expected sizes."""
        return float(self.realised.sum() / self.n_centres)

    @property
    def share_below(self) -> float:
        """Share of the records, 0 to 1, that are in groups of fewer than k.

        The mean over the blocks, where there are several.
        """
        small = self.realised[self.realised < self.k]
        return float(small.sum() / self.realised.sum())

    @property
    def words(self) -> Message:
        """What kind of protection this is, for people."""
        return Message(
            "probabilistic: expected group size {size:.3g}", size=self.expected_size
        )

    @property
    def sizes_in_words(self) -> Message:
        """How the sizes came out, for people."""
        sizes = Message(
            "{share:.1f} % of the records are in groups of fewer than {k}. Groups have "
            "{least} to {most} records; {low:.1f} to {high:.1f} were expected.",
            share=100 * self.share_below,
            k=self.k,
            least=self.realised.min(),
            most=self.realised.max(),
            low=self.expected.min(),
            high=self.expected.max(),
        )
        if self.n_blocks == 1:
            return sizes
        return Message(
            "{blocks} blocks of columns were drawn apart. On average over them, "
            "{sizes}",
            blocks=self.n_blocks,
            sizes=sizes,
        )

    @property
    def warning(self) -> Message:
        """What whoever releases such groups should know."""
        return Message(
            "Groups were drawn at random, so no group size is promised ({words}). In "
            "this draw {sizes} A record alone in its group can keep values close to "
            "its own.",
            words=self.words,
            sizes=self.sizes_in_words,
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return {
            "words": self.words,
            "expected_group_size": self.expected_size,
            "n_centres": self.n_centres,
            "n_blocks": self.n_blocks,
            "expected_size": _spread(self.expected),
            "realised_size": _spread(self.realised),
            "share_below_k": self.share_below,
        }


def _spread(sizes: Values | Integers) -> dict[str, float]:
    return {
        "min": sizes.min().item(),
        "mean": float(sizes.mean()),
        "max": sizes.max().item(),
    }
