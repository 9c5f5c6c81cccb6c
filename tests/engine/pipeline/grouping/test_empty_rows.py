"""Rows without a value in any column are no records, whatever file they stand in."""

import csv
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import protect
from engine.certificate.certify import examine
from engine.certificate.write import build_certificate
from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.data.table import Table
from engine.files import read_table
from engine.measures.classes import smallest_class_size
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions

QUASI = ("age", "income", "region")


def people(n: int, seed: int, gaps: float = 0.1) -> pd.DataFrame:
    """Return records of which some lack an amount, all with a region."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(8.0, 0.4, n).round(1)
    income[rng.random(n) < gaps] = np.nan
    return pd.DataFrame(
        {
            "name": [f"Person {i:03}" for i in rng.permutation(n)],
            "age": rng.integers(18, 90, n),
            "income": income,
            "region": rng.choice(["north", "south", "west"], n),
            "ill": rng.choice(["yes", "no"], n),
        }
    )


def with_empty_rows(frame: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, list[int]]:
    """Return a frame with rows of nothing among its own, and the places of these."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(len(frame), 6))
    rows = [i for i in range(len(frame)) for _ in range(1 + int((places == i).sum()))]
    rows.append(len(frame) - 1)  # one trails them
    is_empty = pd.Series(rows).duplicated().to_numpy()
    mixed = frame.iloc[rows].reset_index(drop=True).astype(object)
    mixed.loc[is_empty, :] = None
    return mixed, np.flatnonzero(~is_empty).tolist()


def to_file(frame: pd.DataFrame, form: str) -> bytes:
    """Return a frame as a file of a format, cells without a value empty."""
    if form == "xlsx":
        stream = BytesIO()
        frame.to_excel(stream, index=False)
        return stream.getvalue()
    if form == "parquet":
        stream = BytesIO()
        frame.convert_dtypes().to_parquet(stream)
        return stream.getvalue()
    return frame.to_csv(index=False, sep=";").encode()


def read(frame: pd.DataFrame, form: str) -> Table:
    if form == "frame":
        return read_table(frame)
    return read_table(to_file(frame, form), name=f"people.{form}")


@pytest.mark.parametrize(
    ("form", "seed"), [("csv", 1), ("xlsx", 2), ("parquet", 1), ("frame", 2)]
)
def test_a_protected_table_is_that_of_the_file_without_them(
    form: str, seed: int
) -> None:
    frame = people(60, seed)
    mixed, rows = with_empty_rows(frame, seed)
    plain = frame.astype(object).where(frame.notna(), None)
    without, mixed_protection = (
        protect(read(some, form), shuffle_seed=4) for some in (plain, mixed)
    )
    assert mixed_protection.roles == without.roles
    assert mixed_protection.questions == without.questions
    assert mixed_protection.verdict.summary() == without.verdict.summary()
    labels = without.outcome.partition.labels.tolist()
    assert mixed_protection.outcome.partition.labels.tolist() == labels
    assert mixed_protection.outcome.summary()["n_records"] == 60
    assert mixed_protection.outcome.release.rows.tolist() == rows
    n_rows = mixed_protection.table.n_records
    assert n_rows >= len(mixed) - 1  # a workbook's sheet ends with its last value
    groups = mixed_protection.outcome.groups(n_rows)
    assert [groups[i] for i in rows] == labels
    assert sum(one is None for one in groups) == n_rows - 60
    warning_text = " ".join(str(one) for one in mixed_protection.outcome.warnings)
    assert f"{n_rows - 60} rows have no value in any column" in warning_text
    assert not mixed_protection.release.isna().all(axis=1).any()


@pytest.mark.parametrize("missing", ["drop", "median", "keep", "keep-or-fill"])
@pytest.mark.parametrize("only", [None, "age >= 30"])
def test_every_way_with_gaps_groups_the_same_records(
    missing: str, only: str | None
) -> None:
    frame = people(80, 3)
    mixed, rows = with_empty_rows(frame, 3)
    plan = Plan(
        method="mdav",
        k=4,
        quasi_identifiers=QUASI,
        identifiers=("name",),
        missing=missing,
        missing_columns={"region": "refuse"},
        only=only,
    )
    without, mixed_outcome = (run(plan, read(some, "csv")) for some in (frame, mixed))
    assert mixed_outcome.partition.labels.tolist() == without.partition.labels.tolist()
    assert mixed_outcome.release.rows.tolist() == [
        rows[i] for i in without.release.rows
    ]
    assert mixed_outcome.information_loss == without.information_loss


def test_the_written_file_and_its_certificate_are_about_the_records() -> None:
    mixed, rows = with_empty_rows(people(60, 5), 5)
    table = read(mixed, "csv")
    plan = Plan(
        method="mdav",
        k=5,
        quasi_identifiers=QUASI,
        identifiers=("name",),
        confidential=("ill",),
        missing="keep-or-fill",
    )
    outcome = run(plan, table)
    written = release_bytes_and_checks(outcome, table, WritingOptions("csv"))
    assert all(one.passed for one in written.checks)
    text = written.content.decode().splitlines()
    released = list(csv.DictReader(text, delimiter=";" if ";" in text[0] else ","))
    assert [one["ill"] for one in released] == [mixed["ill"][i] for i in rows]
    assert smallest_class_size(pd.DataFrame(released), QUASI) >= 5
    lines, uncovered, n = examine(
        build_certificate(outcome, table, seconds=0.0).text, to_file(mixed, "csv")
    )
    assert (uncovered, n) == (0, 60)
    assert f"Other lines {len(mixed) - 60} in the table: of empty cells." in lines


def test_a_record_that_is_only_left_out_is_not_taken_for_an_empty_row() -> None:
    """The checker looks for itself: a record that holds something is uncovered."""
    mixed, _ = with_empty_rows(people(60, 5, gaps=0.0), 5)
    plan = Plan(method="mdav", k=5, quasi_identifiers=QUASI, only="age > 30")
    table = read(mixed, "csv")
    outcome = run(plan, table)
    text = build_certificate(outcome, table, seconds=0.0).text
    _, uncovered, n = examine(text, to_file(mixed, "csv"))
    assert (uncovered, n) == (60 - len(outcome.release.rows), 60)


def test_fewer_records_than_k_are_refused_whatever_rows_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mixed, _ = with_empty_rows(people(8, 7), 7)
    path, out = tmp_path / "few.csv", tmp_path / "out.csv"
    path.write_bytes(to_file(mixed, "csv"))
    assert main(["protect", str(path), "--output", str(out), "--k", "9"]) == 2
    assert "There are 8 records, fewer than k = 9" in capsys.readouterr().err
    assert not out.exists()


def test_a_gap_of_a_record_is_refused_as_before() -> None:
    mixed, _ = with_empty_rows(people(60, 5), 5)
    plan = Plan(method="mdav", k=5, quasi_identifiers=QUASI)
    with pytest.raises(InputError, match="Missing values in quasi-identifiers"):
        run(plan, read(mixed, "csv"))
    whole, rows = with_empty_rows(people(60, 5, gaps=0.0), 5)
    assert run(plan, read(whole, "csv")).release.rows.tolist() == rows


def test_of_a_single_column_an_empty_cell_is_a_gap() -> None:
    table = read_table(pd.DataFrame({"x": [1.0, None, 3.0, 4.0]}))
    assert table.record_rows.tolist() == [0, 1, 2, 3]
    with pytest.raises(InputError, match="Missing values"):
        run(Plan(method="mdav", k=2, quasi_identifiers=("x",)), table)


def test_a_table_of_nothing_is_refused() -> None:
    table = read_table(
        pd.DataFrame({"x": [None] * 4, "y": [None] * 4}, dtype="float64")
    )
    with pytest.raises(InputError, match="No row has a value in any column"):
        run(Plan(method="mdav", k=2, quasi_identifiers=("x",)), table)


def test_a_total_and_its_parts_are_found_beside_empty_rows() -> None:
    frame = people(60, 9, gaps=0.0).drop(columns=["name", "region"])
    frame["tax"] = np.random.default_rng(9).integers(1, 400, 60)
    frame["net"] = np.random.default_rng(8).integers(900, 4000, 60)
    frame["gross"] = frame["net"] + frame["tax"]
    mixed, _ = with_empty_rows(frame, 9)
    without, mixed_protection = (
        protect(read(some, "csv"), shuffle_seed=4) for some in (frame, mixed)
    )
    assert without.plan.constraints
    assert mixed_protection.plan == without.plan


def test_a_group_whose_other_rows_have_a_number_alone_is_not_green() -> None:
    frame = people(40, 11, gaps=0.0).drop(columns=["name", "ill"])
    frame.insert(0, "row", np.arange(1, 41))
    frame = frame.astype(object)
    frame.loc[::16, ["age", "income", "region"]] = None
    protection = protect(read(frame, "csv"), k=4, shuffle_seed=4)
    line = protection.verdict.line("found")
    known_mask = frame["age"].notna().to_numpy()
    sizes = np.bincount(protection.outcome.partition.labels[known_mask])
    smallest_size = sizes[sizes > 0].min()
    assert protection.outcome.partition.n_records == 40
    assert (line.colour == "amber") == (smallest_size < 4)
    assert smallest_size < 4  # else nothing is tried here
    assert "3 records have no protected value in the file" in str(line.says)


def test_check_and_attack_see_the_same_file_without_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = people(60, 7, gaps=0.0)
    mixed, _ = with_empty_rows(frame, 7)
    outputs = []
    for name, some in (("plain", frame), ("mixed", mixed)):
        folder = tmp_path / name
        folder.mkdir()
        path, out = folder / "people.csv", folder / "out.csv"
        path.write_bytes(to_file(some, "csv"))
        column_options = ["--quasi-identifiers", "age,region"]
        (folder / "c.json").touch()
        main(["check", str(path), *column_options, "--json", str(folder / "c.json")])
        outputs.append(capsys.readouterr().out)
        line = ["run", str(path), *column_options, "--k", "3", "--identifiers", "name"]
        groups = str(folder / "groups.csv")
        assert main([*line, "--output", str(out), "--groups", groups]) == 0
        capsys.readouterr()
        for more in ([], ["--groups", groups]):
            assert main(["attack", str(path), str(out), *column_options, *more]) == 0
            outputs.append(capsys.readouterr().out)
    assert "in 60 records" in outputs[0]
    assert outputs[:3] == outputs[3:]
