"""Judge figures relative to a baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

Sign = Literal["good", "watch", "bad", "open"]
"""As it should be; worse than its baseline; much worse; nothing to judge it by."""


@dataclass(frozen=True)
class BaselineJudge:
    """A baseline, and the limits of good and grave figures relative to it.

    Attributes
    ----------
    against : str
        What the figure stands beside, as the end of "2 times ...".
    good, watch : float
        Times the baseline up to which a figure is good, and worth a look.
    small : float
        Up to here a figure is good whatever its baseline: nobody is helped or harmed
        by less, in the measure's unit.
    """

    against: str
    good: float
    watch: float
    small: float = 0.0

    def verdict(
        self, value: float, baseline: float | None, is_lower_better: bool
    ) -> Sign:
        """Return the verdict on a figure relative to its baseline.

        Parameters
        ----------
        value : float
        baseline : float or None
        is_lower_better : bool
            Whether lower is better; otherwise a figure is good from the baseline
            divided by `good` on, and nothing is small.
        """
        if baseline is None or math.isnan(value) or math.isnan(baseline):
            return "open"
        if is_lower_better:
            good = max(_multiply_safely(self.good, baseline), self.small)
            watch = _multiply_safely(self.watch, baseline)
        else:
            value, good, watch = -value, -baseline / self.good, -baseline / self.watch
        slack = 1e-9
        if value <= good + slack:
            return "good"
        return "watch" if value <= watch + slack else "bad"


def _multiply_safely(factor: float, baseline: float) -> float:
    """Return the product; infinite for an infinite factor, also times 0."""
    return math.inf if math.isinf(factor) else factor * baseline


CHANCE_JUDGE = BaselineJudge("what chance gives", 1.1, 2.0, small=1.0)
"""A guess without the release, in per cent."""

UNPROTECTED_JUDGE = BaselineJudge("the table before protection", 0.5, 1.0)
"""The same figure without any protection: half of it is something."""

TOLERANT_CHANCE_JUDGE = replace(CHANCE_JUDGE, watch=math.inf)
"""For risks that useful releases have as well: what harms is judged elsewhere."""

PERCENT_RISK_JUDGE = replace(UNPROTECTED_JUDGE, small=1.0)
"""As :data:`UNPROTECTED_JUDGE`, of a risk in per cent."""

PROMISE_JUDGE = BaselineJudge("what was asked for", 1.0, 1.0)
"""What the plan promises."""

LOWER_BOUND_JUDGE = BaselineJudge("the least possible", 1.25, math.inf)
"""What no groups of k can stay below.

As of every loss, no figure is bad: how much may be lost is for the verdict to say.
"""

PERCENT_LOSS_JUDGE = replace(LOWER_BOUND_JUDGE, small=2.0)
"""As :data:`LOWER_BOUND_JUDGE`, of a loss in per cent."""

SINGLE_GROUP_JUDGE = BaselineJudge("that of a single group", 0.25, math.inf)
"""All records as one group, the most that can be lost."""


def sampling_judge(small: float) -> BaselineJudge:
    """Return the judge of changes relative to a sample's standard error.

    Parameters
    ----------
    small : float
        As of :class:`BaselineJudge`: with many records every change is many times the
        error.
    """
    return BaselineJudge("the sampling error", 1.0, math.inf, small)
