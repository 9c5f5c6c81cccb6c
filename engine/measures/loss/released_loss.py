"""IL of the values as they are written: what rounding adds to that of the groups."""

from __future__ import annotations

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.loss.information_loss import loss_of


@measures.register(
    MeasureInfo(
        id="released-loss",
        title="Information loss as written (IL)",
        family="loss",
        summary=(
            "The information loss of the values as they stand in the file, after "
            "rounding to whole numbers or to a column's decimals."
        ),
        formula="IL = 100 * SSE / SST, of rounded values",
        direction="lower is better",
        unit="%",
        reference=(
            "Domingo-Ferrer & Mateo-Sanz 2002, https://doi.org/10.1109/69.979982"
        ),
    )
)
def released_loss(protected: Protected) -> Score:
    """Return IL in per cent of the values as written."""
    written = protected.released if protected.rounded is None else protected.rounded
    return loss_of(protected, written, "released-loss")
