"""Records that are unique over all released columns, protected or not."""

from __future__ import annotations

import pandas as pd

from engine.core.typing import Integers
from engine.data.persons import count_persons
from engine.measures.base import (
    MeasuredRelease,
    RiskAgainstOriginalInfo,
    Score,
    measures,
)
from engine.measures.reidentification.uniqueness import count_unique, unique_per_column


@measures.register(
    RiskAgainstOriginalInfo(
        id="uniqueness",
        title="Unique over all that leaves",
        summary=(
            "The share of records with values that no other record has. All released "
            "columns count, except confidential columns. Anybody who knows these "
            "values finds the record. If k counts people, this is a share of people."
        ),
        formula=(
            "100 * |{records whose class has size 1}| / n, classes by all that leaves "
            "but confidential columns"
        ),
        reference=(
            "Sweeney 2000, Simple Demographics Often Identify People Uniquely, "
            "https://doi.org/10.1184/R1/6625769.v1"
        ),
        aliases=("sample-uniques",),
    )
)
def share_of_unique_records(protected: MeasuredRelease) -> Score:
    """Return the percentage of records (or persons) that are unique in the release.

    ``per_column`` has the same for each column alone.
    """
    secret = {column.name for column in protected.confidential}
    frame, original = protected.frame, protected.original
    columns = [str(name) for name in frame.columns if name not in secret]
    persons = protected.persons
    counted = len(frame) if persons is None else count_persons(persons)
    unique_counts = unique_per_column(frame, columns, persons)
    baseline = None
    if original is not None:  # ends of intervals are columns of the release alone
        before = [name for name in columns if name in original]
        baseline = _share(original, before, persons)
    return Score(
        "uniqueness",
        _share(frame, columns, persons),
        {name: 100.0 * count / counted for name, count in unique_counts.items()},
        baseline=baseline,
    )


def _share(frame: pd.DataFrame, columns: list[str], persons: Integers | None) -> float:
    uniqueness = count_unique(frame, columns, 2, columns, persons)
    return 100.0 * uniqueness.unique / uniqueness.n_counted
