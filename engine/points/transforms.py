"""Transforms: how a column of numbers is bent before it is scaled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.message import NOTHING, Message
from engine.core.registry import Registry
from engine.core.typing import Values

PLAIN = "none"
"""The transform that leaves numbers as they are."""

POWERS = np.round(np.arange(-20, 21) / 10, 1)
"""Powers that Box and Cox's likelihood chooses from."""


@dataclass(frozen=True)
class TransformInfo:
    """A transform's name and meaning."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transform:
    """A transform with its figures settled for one column.

    Attributes
    ----------
    id : str
    shift : float
        Added to every value before its logarithm or power is taken.
    power : float
        Of Box and Cox; 0 for the logarithm.
    """

    id: str = PLAIN
    shift: float = 0.0
    power: float = 1.0

    def __call__(self, values: Values) -> Values:
        """Return transformed values; NaN where there is none.

        Values that the shift does not make positive, which only others than those of
        the table can be, count as the smallest positive number.
        """
        if self.id == PLAIN:
            return values
        return _power(_positive(values + self.shift), self.power)

    def back(self, values: Values) -> Values:
        """Return the values that were transformed into these."""
        if self.id == PLAIN:
            return values
        if self.power == 0.0:
            return np.asarray(np.exp(values) - self.shift)
        base = np.maximum(self.power * values + 1.0, 0.0)
        return np.asarray(base ** (1.0 / self.power) - self.shift)

    def said(self, name: str) -> Message:
        """Return a sentence that says what became of a column; nothing if nothing."""
        if self.id == PLAIN:
            return NOTHING
        inner = Message("{name}", name=name)
        if self.shift:
            inner = Message("{name} + {shift:g}", name=name, shift=self.shift)
        if self.power == 0.0:
            return Message(
                "Records are grouped by log({inner}); released values are in the "
                "column's own units.",
                inner=inner,
            )
        return Message(
            "Records are grouped by ({inner}) to the power of {power:g} (Box-Cox); "
            "released values are in the column's own units.",
            inner=inner,
            power=self.power,
        )


def _positive(values: Values) -> Values:
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.where(np.isnan(values), values, np.maximum(values, tiny)))


def _power(values: Values, power: float) -> Values:
    if power == 0.0:
        return np.asarray(np.log(values))
    return np.asarray((values**power - 1.0) / power)


Settle = Callable[[Values], Transform]
"""``settle(values)`` gives the transform with its figures for a column's values."""

transforms: Registry[TransformInfo, Settle] = Registry(Message("transform"))
"""All transforms, by identifier."""


@transforms.register(
    TransformInfo(PLAIN, "None", "Values as they are, on the scale that is chosen.")
)
def _plain(values: Values) -> Transform:
    return Transform()


@transforms.register(
    TransformInfo(
        "log",
        "Logarithm",
        "Ratios count instead of differences: 1,000 and 2,000 are as far apart as "
        "10,000 and 20,000.",
    )
)
def _log(values: Values) -> Transform:
    return Transform("log", shift_for(float(values.min())), 0.0)


@transforms.register(
    TransformInfo(
        "box-cox",
        "Box-Cox",
        "The power that makes the values most like a normal distribution.",
        aliases=("boxcox",),
    )
)
def _box_cox(values: Values) -> Transform:
    """Return the most likely of :data:`POWERS`.

    References
    ----------
    Box & Cox (1964), https://doi.org/10.1111/j.2517-6161.1964.tb00553.x, eq. 9
    """
    shift = shift_for(float(values.min()))
    positive = values + shift
    mean = float(np.log(positive).mean())
    some = relative(positive, mean)
    with np.errstate(over="ignore", invalid="ignore"):
        variances = [_power(some, float(power)).var() for power in POWERS]
    return Transform("box-cox", shift, most_likely(np.array(variances)))


def relative(positive: Values, mean_log: float) -> Values:
    """Return values relative to their geometric mean, so that no power overflows."""
    return np.asarray(positive / np.exp(mean_log))


def all_powers(values: Values) -> Values:
    """Return values to each of :data:`POWERS`, shape (n_records, n_powers)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.column_stack([_power(values, float(power)) for power in POWERS])


def most_likely(variances: Values) -> float:
    """Return the one of :data:`POWERS` that Box and Cox's likelihood is largest for.

    Parameters
    ----------
    variances : ndarray of float64, shape (n_powers,)
        Of values relative to their geometric mean, to each power: their logs add to 0.
    """
    possible = (variances > 0.0) & (variances < np.inf)
    if not possible.any():
        return 1.0
    return float(POWERS[np.argmin(np.where(possible, variances, np.inf))])


def shift_for(least: float) -> float:
    """Return what makes all values positive: 0 if they are, else up to 1."""
    return 0.0 if least > 0.0 else 1.0 - least
