"""Means, variances and extremes of streamed records, summed in a fixed order."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values

SUM_RUN_RECORDS = 65_536
"""Records that are summed up at once, however they come in."""


class StreamingColumnMoments:
    """Count, means, sums of squares and extremes of columns of streamed records.

    Values are taken relative to the first record's, so that a large mean costs no
    digits. Runs of :data:`SUM_RUN_RECORDS` records are summed up on their own and
    joined in their order by Chan, Golub & LeVeque (1983,
    doi:10.1080/00031305.1983.10483115), eq. 2.1, and so are parts of the input: the
    same records in the same parts give the same figures to the last bit, whatever the
    batches that they came in, and whoever read the parts.

    Parameters
    ----------
    n_attributes : int
    weighted : bool
        Whether records have weights.

    Attributes
    ----------
    n : int
        Records.
    mean, sums_of_squares : ndarray of float64, shape (n_attributes,)
        Means, and sums of squared distances from them. Every record counts once.
    low, high : ndarray of float64, shape (n_attributes,)
    weighted_sums_of_squares : ndarray of float64, shape (n_attributes,)
        Weighted sums of squared distances from the weighted mean.
    """

    def __init__(self, n_attributes: int, weighted: bool = False) -> None:
        p = n_attributes
        self.low, self.high = np.full(p, np.inf), np.full(p, -np.inf)
        self._plain, self._weighed = _Sums(p), _Sums(p)
        self._weighted = weighted
        self._waiting: Values | None = None
        self._filled = 0
        self._base: Values | None = None

    def add_records(self, values: Values, weights: Values | None = None) -> None:
        """Add records to the sums.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            Without missing values.
        weights : ndarray of float64, shape (n_records,), optional
        """
        done = 0
        if self._waiting is None:
            self._waiting = np.empty((SUM_RUN_RECORDS, values.shape[1] + 1))
        while done < len(values):
            n_added = min(SUM_RUN_RECORDS - self._filled, len(values) - done)
            place = slice(self._filled, self._filled + n_added)
            self._waiting[place, :-1] = values[done : done + n_added]
            if weights is not None:
                self._waiting[place, -1] = weights[done : done + n_added]
            self._filled, done = self._filled + n_added, done + n_added
            if self._filled == SUM_RUN_RECORDS:
                self._fold()

    def finish(self) -> StreamingColumnMoments:
        """Add the buffered records to the sums, and return self."""
        self._fold()
        self._waiting = None
        return self

    def join(self, later: StreamingColumnMoments) -> None:
        """Add the records of a finished object, which follow those of this one."""
        if later._base is None:
            return
        if self._base is None:
            self._base = later._base
        apart = later._base - self._base
        self._plain.join(later._plain, apart)
        self._weighed.join(later._weighed, apart)
        self.low = np.minimum(self.low, later.low)
        self.high = np.maximum(self.high, later.high)

    def _fold(self) -> None:
        if self._waiting is None or not self._filled:
            return
        run, self._filled = self._waiting[: self._filled], 0
        values, weights = run[:, :-1], run[:, -1]
        self.low = np.minimum(self.low, values.min(axis=0))
        self.high = np.maximum(self.high, values.max(axis=0))
        if self._base is None:
            self._base = values[0].copy()
        deviations = values - self._base
        self._plain.join(_Sums.of(deviations, None))
        if self._weighted:
            self._weighed.join(_Sums.of(deviations, weights))

    @property
    def n(self) -> int:
        """Number of records added."""
        return int(self._plain.weight)

    @property
    def mean(self) -> Values:
        """Mean of each attribute."""
        assert self._base is not None
        return np.asarray(self._base + self._plain.mean)

    @property
    def sums_of_squares(self) -> Values:
        """Sum of squared distances from the mean, for each attribute."""
        return self._plain.squares

    @property
    def deviation(self) -> Values:
        """Standard deviation of each attribute."""
        return np.asarray(np.sqrt(self.sums_of_squares / self.n))

    @property
    def weighted_sums_of_squares(self) -> Values:
        """Sum of squared distances from the mean, both weighted if records are."""
        return self._weighed.squares if self._weighted else self._plain.squares


class _Sums:
    """Weight, mean and squares of what has been joined."""

    def __init__(self, p: int) -> None:
        self.weight, self.mean, self.squares = 0.0, np.zeros(p), np.zeros(p)

    @classmethod
    def of(cls, values: Values, weights: Values | None) -> _Sums:
        """Return the sums of a run of records."""
        own = cls(values.shape[1])
        if weights is None:
            own.weight, own.mean = float(len(values)), values.mean(axis=0)
            own.squares = np.square(values - own.mean).sum(axis=0)
        else:
            own.weight = float(weights.sum())
            own.mean = (values * weights[:, np.newaxis]).sum(axis=0) / own.weight
            apart = np.square(values - own.mean) * weights[:, np.newaxis]
            own.squares = apart.sum(axis=0)
        return own

    def join(self, later: _Sums, moved: Values | float = 0.0) -> None:
        """Join sums of values that were taken relative to one `moved` from here."""
        if not later.weight:
            return
        total = self.weight + later.weight
        apart = later.mean + moved - self.mean
        self.squares = (
            self.squares
            + later.squares
            + np.square(apart) * (self.weight * later.weight / total)
        )
        self.mean = self.mean + apart * (later.weight / total)
        self.weight = total
