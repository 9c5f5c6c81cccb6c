"""Each measure says what its formula says, and the registry describes each."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import ParameterError
from engine.core.partition import Partition
from engine.measures import MeasuredRelease, measures
from engine.measures.classes import record_classes, smallest_class_size
from engine.points.base import Points


def protect(X: np.ndarray, labels: list[int], k: int = 2) -> MeasuredRelease:
    partition = Partition(np.array(labels), k)
    means = np.array(
        [X[partition.members(g)].mean(axis=0) for g in range(partition.n_groups)]
    )
    released = means[partition.labels]
    frame = pd.DataFrame(released, columns=[f"x{j}" for j in range(X.shape[1])])
    return MeasuredRelease(Points.from_array(X), released, partition, frame)


def test_every_measure_explains_itself() -> None:
    for info in measures.infos():
        assert info.summary.endswith(".")
        assert info.formula
        assert "https://doi.org/" in info.reference
        assert info.direction in ("lower is better", "higher is better")


def test_a_table_without_variation_loses_nothing() -> None:
    X = np.full((4, 2), 7.0)
    assert measures.get("il")(protect(X, [0, 0, 1, 1])).value == 0.0


def test_k_as_released_counts_groups_that_share_their_values() -> None:
    X = np.array([[1.0], [3.0], [0.0], [4.0], [9.0], [9.0]])
    score = measures.get("k-anonymity")(protect(X, [0, 0, 1, 1, 2, 2]))
    assert score.value == 2  # two groups of mean 2 are one class of four
    classes = record_classes(protect(X, [0, 0, 1, 1, 2, 2]).frame, ("x0",))
    np.testing.assert_array_equal(classes, [0, 0, 0, 0, 1, 1])


@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, np.nan]), st.sampled_from("abc")),
        min_size=1,
        max_size=20,
    )
)
def test_classes_equal_a_plain_count(rows: list[tuple[float, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["number", "letter"])
    keys = [("missing" if np.isnan(x) else x, letter) for x, letter in rows]
    names = ("number", "letter")
    assert record_classes(frame, names).tolist() == [
        list(dict.fromkeys(keys)).index(key) for key in keys
    ]
    assert smallest_class_size(frame, names) == min(map(keys.count, keys))


def test_classes_refuse_no_column_and_an_unknown_one() -> None:
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(ParameterError, match="no quasi-identifier"):
        record_classes(frame, ())
    with pytest.raises(ParameterError, match="'b'"):
        smallest_class_size(frame, ("b",))
