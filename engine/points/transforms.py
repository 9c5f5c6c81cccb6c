"""Transforms of numeric columns before scaling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.message import NO_MESSAGE, Message
from engine.core.registry import Registry
from engine.core.typing import Values

NO_TRANSFORM = "none"
"""The transform that leaves numbers as they are."""

BOX_COX_POWERS = np.round(np.arange(-20, 21) / 10, 1)
"""Powers among which the Box-Cox likelihood chooses."""


@dataclass(frozen=True)
class TransformInfo:
    """Identifier, title and meaning of a transform."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class FittedTransform:
    """A transform with its parameters fitted to one column.

    Attributes
    ----------
    id : str
    shift : float
        Added to every value before its logarithm or power is taken.
    power : float
        Power of Box and Cox; 0 for the logarithm.
    """

    id: str = NO_TRANSFORM
    shift: float = 0.0
    power: float = 1.0

    def __call__(self, values: Values) -> Values:
        """Return transformed values; NaN stays NaN.

        Values that the shift does not make positive, which only other columns have,
        count as the smallest positive number.
        """
        if self.id == NO_TRANSFORM:
            return values
        return _power_transform(_shift_to_positive(values + self.shift), self.power)

    def invert(self, values: Values) -> Values:
        """Return the original values for transformed ones."""
        if self.id == NO_TRANSFORM:
            return values
        if self.power == 0.0:
            return np.asarray(np.exp(values) - self.shift)
        base = np.maximum(self.power * values + 1.0, 0.0)
        return np.asarray(base ** (1.0 / self.power) - self.shift)

    def to_message(self, name: str) -> Message:
        """Return the transform of a column in words; empty for the identity."""
        if self.id == NO_TRANSFORM:
            return NO_MESSAGE
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


def _shift_to_positive(values: Values) -> Values:
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.where(np.isnan(values), values, np.maximum(values, tiny)))


def _power_transform(values: Values, power: float) -> Values:
    if power == 0.0:
        return np.asarray(np.log(values))
    return np.asarray((values**power - 1.0) / power)


Settle = Callable[[Values], FittedTransform]
"""``settle(values)`` gives the transform, fitted to a column's values."""

transforms: Registry[TransformInfo, Settle] = Registry(Message("transform"))
"""All transforms, by identifier."""


@transforms.register(
    TransformInfo(
        NO_TRANSFORM, "None", "Values as they are, on the scale that is chosen."
    )
)
def _identity(values: Values) -> FittedTransform:
    return FittedTransform()


@transforms.register(
    TransformInfo(
        "log",
        "Logarithm",
        "Ratios count instead of differences: 1,000 and 2,000 are as far apart as "
        "10,000 and 20,000.",
    )
)
def _log(values: Values) -> FittedTransform:
    return FittedTransform("log", shift_to_positive_values(float(values.min())), 0.0)


@transforms.register(
    TransformInfo(
        "box-cox",
        "Box-Cox",
        "The power that makes the values most like a normal distribution.",
        aliases=("boxcox",),
    )
)
def _fit_box_cox(values: Values) -> FittedTransform:
    """Return the most likely of :data:`BOX_COX_POWERS`.

    References
    ----------
    Box & Cox (1964), https://doi.org/10.1111/j.2517-6161.1964.tb00553.x, eq. 9
    """
    shift = shift_to_positive_values(float(values.min()))
    positive = values + shift
    mean = float(np.log(positive).mean())
    some = divide_by_geometric_mean(positive, mean)
    with np.errstate(over="ignore", invalid="ignore"):
        variances = [
            _power_transform(some, float(power)).var() for power in BOX_COX_POWERS
        ]
    return FittedTransform(
        "box-cox", shift, most_likely_box_cox_power(np.array(variances))
    )


def divide_by_geometric_mean(positive: Values, mean_log: float) -> Values:
    """Return positive values divided by their geometric mean, to avoid overflow."""
    return np.asarray(positive / np.exp(mean_log))


def box_cox_transforms_of_all_powers(values: Values) -> Values:
    """Return values transformed by each Box-Cox power, shape (n_records, n_powers)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.column_stack(
            [_power_transform(values, float(power)) for power in BOX_COX_POWERS]
        )


def most_likely_box_cox_power(variances: Values) -> float:
    """Return the power of :data:`BOX_COX_POWERS` with the largest likelihood, or 1.

    Parameters
    ----------
    variances : ndarray of float64, shape (n_powers,)
        Of values relative to their geometric mean, to each power: their logs add to 0.
    """
    possible = (variances > 0.0) & (variances < np.inf)
    if not possible.any():
        return 1.0
    return float(BOX_COX_POWERS[np.argmin(np.where(possible, variances, np.inf))])


def shift_to_positive_values(min_value: float) -> float:
    """Return the shift that makes values positive: 0, or what makes the minimum 1."""
    return 0.0 if min_value > 0.0 else 1.0 - min_value
