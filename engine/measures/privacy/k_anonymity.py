"""k-anonymity, counted on released values."""

from __future__ import annotations

from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import PROMISE_JUDGE


@measures.register(
    MeasureInfo(
        id="k-anonymity",
        title="k as released",
        family="privacy",
        summary=(
            "The smallest number of records that share all quasi-identifiers in "
            "the release. If k counts people, the measure counts different people "
            "instead of records. An intruder who knows only quasi-identifiers "
            "cannot distinguish these records."
        ),
        formula="k = min over records of |{records with the same quasi-identifiers}|",
        direction="higher is better",
        unit="records",
        reference="Samarati 2001, https://doi.org/10.1109/69.971193",
        baseline="The k that was asked for.",
        judge=PROMISE_JUDGE,
    )
)
def k_anonymity(protected: MeasuredRelease) -> Score:
    """Return the k that the released values attain."""
    return Score(
        "k-anonymity",
        float(protected.min_class_size(protected.classes())),
        baseline=float(protected.partition.k),
    )
