"""Group sizes under probabilistic k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from engine.core.message import Message
from engine.core.text.json_types import ArrayAsList
from engine.core.typing import Integers, Values


@dataclass(frozen=True, eq=False)
class ProbabilisticSizes:
    """Sizes of randomly drawn groups: mean over all draws, and in this draw.

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
    expected: Annotated[Values, ArrayAsList(float)]
    realised: Annotated[Integers, ArrayAsList(Annotated[int, Field(ge=0)])]
    n_blocks: Annotated[int, Field(ge=1)] = 1

    @property
    def mean_expected_size(self) -> float:
        """Mean expected size of all groups that could be drawn."""
        return float(self.realised.sum() / self.n_centres)

    @property
    def share_below(self) -> float:
        """Share of the records in groups of fewer than k, 0 to 1.

        The mean over the blocks, where there are several.
        """
        small = self.realised[self.realised < self.k]
        return float(small.sum() / self.realised.sum())

    @property
    def kind_message(self) -> Message:
        """Kind of protection, in words."""
        return Message(
            "probabilistic: expected group size {size:.3g}",
            size=self.mean_expected_size,
        )

    @property
    def sizes_message(self) -> Message:
        """Expected and realised group sizes, in words."""
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
        """Warning that randomly drawn groups guarantee no size."""
        return Message(
            "Groups were drawn at random, so no group size is promised ({words}). In "
            "this draw {sizes} A record alone in its group can keep values close to "
            "its own.",
            words=self.kind_message,
            sizes=self.sizes_message,
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return {
            "words": self.kind_message,
            "expected_group_size": self.mean_expected_size,
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
