"""Methods of two stages: a first method, and a second stage on its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels, members_by_group
from engine.methods.base import Microaggregator
from engine.points.base import Points

FIRST_STAGE_SHARE = 0.8
"""Share of the progress that the first stage takes."""


class SecondStage(Protocol):
    """Interface of second stages, which turn groups into other groups of at least k."""

    def __call__(
        self, points: Points, labels: Labels, k: int, ctx: RunContext, stage: str
    ) -> Labels:
        """Return the new groups, numbered in order of creation.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_records,)
            Groups of the first stage, numbered in order of creation.
        stage : str
            What progress is reported as.
        """


class TwoStages(Microaggregator):
    """A method that combines a first method and a second stage.

    Attributes
    ----------
    first : type of Microaggregator
        The method that makes the first groups, with its defaults.
    second : SecondStage
    """

    first: ClassVar[type[Microaggregator]]
    second: ClassVar[SecondStage]

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        method = self.first(k, seed=self.seed)
        labels = method.partition(points, ctx.subcontext(0.0, FIRST_STAGE_SHARE)).labels
        rest = ctx.subcontext(FIRST_STAGE_SHARE, 1.0)
        return self._second_stage()(points, labels, k, rest, self.info.title)

    def _second_stage(self) -> SecondStage:
        """Return the second stage; a method with a choice of stages overrides this."""
        return self.second


@dataclass(frozen=True)
class SplitLargeStage:
    """Second stage: split every group of 2k records or more by a method.

    The parts of a group are numbered one after the other, in its place.

    Parameters
    ----------
    method : type of Microaggregator
    """

    method: type[Microaggregator]

    def __call__(
        self, points: Points, labels: Labels, k: int, ctx: RunContext, stage: str
    ) -> Labels:
        """Return the groups, with the large ones split."""
        new_labels = np.empty_like(labels)
        groups, done = 0, 0
        for records in members_by_group(labels):
            share = ctx.subcontext(
                done / labels.size, (done + records.size) / labels.size
            )
            if records.size >= 2 * k:
                part = self.method(k).partition(points.subset(records), share)
                new_labels[records] = groups + part.labels
                groups += part.n_groups
            else:
                new_labels[records] = groups
                groups += 1
            done += records.size
        return new_labels
