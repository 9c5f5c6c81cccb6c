"""Missing values are certified as the run counts them, whatever becomes of them."""

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.certificate import certify as checker
from engine.certificate.certify import Refused
from engine.certificate.write import build_certificate
from engine.files import read_table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.certificate.made import (
    WAYS,
    certify,
    made,
    outcome_of,
    sealed,
    table_of,
    values_of,
)
from tests.engine.certificate.truth import least_loss


@pytest.mark.parametrize("kind", WAYS)
def test_a_cell_that_is_emptied_or_filled_in_the_file_is_noticed(
    kind: str,
) -> None:
    certificate, text = made(values_of(24, 6), kind)
    content = json.loads(certificate)
    header, *lines = text.decode().splitlines()
    names = header.split(",")
    labels, changed = content["labels"], 0
    for number, line in enumerate(lines):
        for column in content["columns"]:
            at, cells = names.index(column["name"]), line.split(",")
            if '"' in line or labels[number] == -2:
                continue
            cells[at] = "1" if cells[at] in ("", "-99.0") else ""
            file = "\n".join([header, *lines[:number], ",".join(cells)])
            file = "\n".join([file, *lines[number + 1 :]])
            content["file"]["sha256"] = hashlib.sha256(file.encode()).hexdigest()
            with pytest.raises(Refused, match=f"record {number + 1} has"):
                certify(sealed(content), file.encode())
            changed += 1
    assert changed > 20


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
def test_what_gaps_become_is_what_the_run_made_of_them(scaling: str, seed: int) -> None:
    """Loss is the product's, and no groups that brute force finds are better."""
    rng, ways = np.random.default_rng(seed), ("median", "mode", "keep-or-fill")
    frame = pd.DataFrame(rng.integers(0, 6, (10, 2)), columns=["a", "b"]).astype(float)
    frame["c"] = np.array(["x", "y", "z"], dtype=object)[rng.integers(3, size=10)]
    for name in frame:
        frame.loc[rng.permutation(10)[: rng.integers(5)], name] = np.nan
    text = frame.to_csv(index=False).encode()
    table = read_table(text, name="t.csv").assign(
        roles=dict.fromkeys("abc", "quasi-identifier"),
        kinds={"a": "continuous", "b": "continuous", "c": "nominal"},
    )
    choices: dict[str, Any] = {"k": 2, "scaling": scaling}
    choices["missing_columns"] = {name: str(rng.choice(ways)) for name in "ab"}
    choices["missing"] = str(rng.choice(["keep-or-fill", "mode", "drop"]))
    outcome = run(Plan(method="mdav", **choices), table)
    certificate = build_certificate(outcome, table, seconds=60.0)
    certify(certificate.text, text)
    assert float(certificate.loss) == pytest.approx(outcome.information_loss, rel=1e-12)
    truth = least_loss(PreparationCache(table).get(outcome.plan), 2)
    assert float(certificate.bound) <= truth * (1.0 + 1e-9)
    assert truth <= float(certificate.loss) * (1.0 + 1e-9)


@pytest.mark.parametrize(
    ("values", "median", "mode"),
    [
        ([4, 1, 9, 1, 4], 4, 1),
        ([2, 8, 4, 6], 5, 2),
        ([-3, -3, 5, 5, 7, -9], 1, -3),
        ([10**30, 2, 10**30 + 2, 2], 5 * 10**29 + 1, 2),
    ],
)
def test_fillings_are_worked_out_from_the_other_cells(
    values: list[int], median: int, mode: int
) -> None:
    column = {"values": [*map(str, values), "median", "mode", None], "weight": "1"}
    column |= {"denominator": "1", "categories": None, "branches": None}
    ((filled_values, _),) = checker.split_column(column, "zscore")
    assert filled_values == [*values, median, mode, None]


def test_medians_between_two_numbers_are_exact() -> None:
    column = {"values": [1, 2, "median"], "weight": "1", "denominator": "1"}
    with pytest.raises(Refused, match="median"):
        checker.split_column(column | {"categories": None}, "none")
    text = b"a,b\n0.1,1\n0.2,2\n,3\n0.2,4\n0.1,9\n0.7,5\n0.1,\n"
    table = read_table(text, name="t.csv").assign(
        roles=dict.fromkeys("ab", "quasi-identifier"),
        kinds=dict.fromkeys("ab", "continuous"),
    )
    outcome = run(Plan(method="mdav", k=3, missing="median"), table)
    certificate = build_certificate(outcome, table)
    certify(certificate.text, text)
    a, b = json.loads(certificate.text)["columns"]
    assert (a["denominator"], a["values"][2]) == ("100", "median")
    assert (b["denominator"], b["values"][6]) == ("10", "median")
    assert checker.split_column(a, "none")[0][0][2] == 15
    assert checker.split_column(b, "none")[0][0][6] == 35


@pytest.mark.parametrize("kind", ["tree", "gaps filled"])
def test_numbers_far_from_0_are_certified_as_the_checker_sees_them(kind: str) -> None:
    values = values_of(24, 6)
    values[:, 0] += 1e9
    certificate, text = made(values, kind)
    certify(certificate, text)


def test_gaps_of_a_budget_count_as_the_run_counts_them() -> None:
    """Cells that stay missing add nothing to SST, whoever is left out."""
    values = values_of(24, 6)
    values[1] *= 40.0  # worth leaving out: it moves the mean of all records
    choices = {"suppress": 2, "attribute_weights": {"a": 3.0}}
    table, text = table_of(values, "gaps kept")
    for scaling in ("zscore", "none"):
        outcome = outcome_of(table, "gaps kept", **choices, scaling=scaling)
        certificate = build_certificate(outcome, table, seconds=0.0)
        certify(certificate.text, text)
        assert outcome.suppressed == 2
        assert float(certificate.loss) == pytest.approx(
            outcome.information_loss, rel=1e-12
        )


def test_records_that_are_dropped_are_seen_to_lack_a_value() -> None:
    table, text = table_of(values_of(24, 6), "gaps filled")
    outcome = run(Plan(method="mdav", k=3, missing="drop"), table)
    certificate = build_certificate(outcome, table)
    answer = " ".join(certify(certificate.text, text))
    assert "not the file: nothing." in answer
    lacking = int(table.frame[["a", "b"]].isna().any(axis=1).sum())
    assert f"{24 - lacking} of 24 records are in" in answer
    assert f"{lacking} count for nothing" in answer
    # As if a condition had left one of them out whose cells are all there.
    whole = text.replace(b"-99.0", b"1.0", 1)
    content = json.loads(certificate.text)
    content["file"]["sha256"] = hashlib.sha256(whole).hexdigest()
    answer = " ".join(certify(sealed(content), whole))
    assert "Not covered, as the certificate alone says so: 1." in answer
