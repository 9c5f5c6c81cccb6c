"""Information loss of the released values, after rounding."""

from __future__ import annotations

from dataclasses import replace

from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import LOWER_BOUND_JUDGE
from engine.measures.loss.information_loss import CategoryCentre, loss_of_values
from engine.measures.sources import INFORMATION_LOSS_REFERENCE


@measures.register(
    MeasureInfo(
        id="released-loss",
        title="Information loss as written (IL)",
        family="loss",
        summary=(
            "The information loss of the values in the file. Numbers are rounded "
            "there, and each category is replaced by the group's mode or common "
            "ancestor."
        ),
        formula="IL = 100 * SSE / SST as above, z' of what is written",
        unit="%",
        reference=INFORMATION_LOSS_REFERENCE,
        baseline="What grouping alone loses, before values are written.",
        judge=replace(LOWER_BOUND_JUDGE, against="that of grouping alone"),
    )
)
def released_loss(protected: MeasuredRelease) -> Score:
    """Return the IL in per cent of the values as released, after rounding.

    A category is as far from an ancestor as there are edges between them, so that a
    coarse release loses more than a fine one, and a star at least all that varies.
    """
    grouped = loss_of_values(protected, protected.released, "released-loss").value
    score = loss_of_values(
        protected, protected.as_written, "released-loss", CategoryCentre.WRITTEN
    )
    return replace(score, baseline=grouped)
