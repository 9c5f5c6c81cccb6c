"""Who pays is told by subgroup, and what is kept is kept within each."""

import numpy as np
import pytest

from engine.analysis.need import ModelFormula
from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.models.slopes import interval_overlap_per_slope
from engine.analysis.need.subgroups import summarise_largest_losses
from engine.core.errors import ParameterError
from tests.engine.analysis.need.cases import answered, frame_of, table_of


def test_subgroups_say_who_pays() -> None:
    answer = answered(["k >= 5"], ["overlap >= 0.2"], subgroups=["g"])
    rows = {row["value"]: row for row in answer.subgroups}
    assert {"yes", "no"} == set(rows)
    assert sum(row["n_records"] for row in rows.values()) == 150
    best = next(t for t in answer.tried if t.plan == answer.plan)
    mean = sum(row["n_records"] * row["loss"] for row in rows.values()) / 150
    assert mean == pytest.approx(best.loss)
    assert answer.largest_losses == ()  # its only column of words was asked for
    unasked = answered(["k >= 5"], ["overlap >= 0.2"])
    (worst,) = unasked.summary()["largest_losses"]
    assert unasked.subgroups == ()
    assert worst["column"] == "g"
    assert worst["n_records"] == (frame_of()["g"] == worst["value"]).sum()


def test_the_value_that_loses_most_is_told_of_columns_with_few_values() -> None:
    frame = frame_of(40).assign(
        s=["x"] * 3 + ["y"] * 17 + ["z"] * 20,
        n=np.repeat([0, 1], 20),
        m=np.arange(40) % 3,
    )
    losses, rows = np.arange(40.0)[::-1].copy(), np.arange(40)
    names = ("a", "s", "n", "m")
    summary_rows = summarise_largest_losses(table_of(frame), names, rows, losses, 5)
    # Three records are too few to be told of, and of numbers only two are classes.
    assert [
        (row["column"], row["value"], row["n_records"]) for row in summary_rows
    ] == [
        ("s", "y", 17),
        ("n", "0", 20),
    ]
    assert summary_rows[0]["loss"] == losses[3:20].mean()


@pytest.mark.slow
def test_what_is_kept_is_kept_within_subgroups_too() -> None:
    """The search goes by the weakest, and the answer tells it as a recomputation."""
    frame = frame_of(240).assign(s=np.where(np.arange(240) % 3, "n", "s"))
    frame.loc[:2, "s"] = "few"
    frame.loc[3:9, "s"] = None
    table = table_of(frame)
    whole, within = (
        answered(
            ["k >= 5"],
            ["overlap >= 0.8", "mean(a) <= 0.5"],
            table=table,
            trials=60,
            models=["y ~ a + b"],
            subgroups=subgroups,
        )
        for subgroups in ([], ["s"])
    )
    assert [keep.asked for keep in within.keeps] == [
        "overlap >= 0.8",
        "mean(a) <= 0.5",
        *(f"{keep} (s = {s})" for s in "ns"
          for keep in ("overlap >= 0.8", "mean(a) <= 0.5")),
    ]  # fmt: skip
    worst = []
    for answer in (whole, within):
        assert answer.outcome is not None
        after = answer.outcome.release.frame
        reached = []
        for s in "ns":
            subgroup_mask = (frame["s"] == s).to_numpy()
            fits = [
                RefittableModel(
                    ModelFormula.parse("y ~ a + b"), each[subgroup_mask]
                ).fit_before
                for each in (frame, after)
            ]
            reached.append(interval_overlap_per_slope(*fits).min())
        worst.append(min(reached))
    assert within.keeps[2].reached == pytest.approx(reached[0])
    assert within.keeps[4].reached == pytest.approx(reached[1])
    assert worst[1] > worst[0]
    assert sum(row["n_records"] for row in within.subgroups) == 240 - 7
    few = next(row for row in within.subgroups if row["value"] == "few")
    assert few["unasked"] == ["overlap >= 0.8", "mean(a) <= 0.5"]
    many = table_of(frame.assign(s=np.arange(240).astype("str")))
    with pytest.raises(ParameterError, match="50 in all are the most"):
        answered(["k >= 5"], [], table=many, subgroups=["s"])
