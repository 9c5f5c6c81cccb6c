"""A ledger lets no release open what the releases before it keep safe."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine import read_table
from engine.analysis.composition.compose import find_jointly_revealed_records
from engine.analysis.releases.attacked_release import match_release_to_original
from engine.cli.parsing.parser import main

NAMES = ("staff", "sales")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    n = 70
    frame = pd.DataFrame(
        {
            "staff": rng.normal(100, 30, n).round(2),
            "sales": rng.lognormal(5, 1, n).round(2),
        }
    )
    frame.to_csv(tmp_path / "original.csv", index=False)
    return tmp_path


def run(folder: Path, name: str, k: int, *words: str, source: str = "original") -> int:
    line = ["run", folder / f"{source}.csv", "--all-numeric", "--k", k]
    line += ["--output", folder / name, "--ledger", folder / ".coterie-ledger", *words]
    return main([str(word) for word in line])


def recovered(folder: Path, *names: str) -> int:
    original = read_table(folder / "original.csv")
    releases = [
        match_release_to_original(original, read_table(folder / n), n) for n in names
    ]
    return int(find_jointly_revealed_records(original, releases, NAMES).recovered.sum())


def test_a_release_that_would_open_records_is_refused_and_says_how_many(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "a.csv", 3) == 0
    before = (folder / ".coterie-ledger").read_bytes()
    assert run(folder, "b.csv", 4) == 2
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert not (folder / "b.csv").exists()
    assert (folder / ".coterie-ledger").read_bytes() == before
    line = ["run", folder / "original.csv", "--all-numeric", "--k", 4]
    assert main([str(w) for w in [*line, "--output", folder / "b.csv"]]) == 0
    assert f"give back {recovered(folder, 'a.csv', 'b.csv')} of 70 records" in last_line


def test_groups_are_offered_again_only_where_nobody_is_new(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "a.csv", 3) == 0
    assert run(folder, "b.csv", 4) == 2
    assert "--regroup same" in capsys.readouterr().err
    frame = pd.read_csv(folder / "original.csv")
    new = frame.sample(9, random_state=1) + 0.01
    pd.concat([frame, new]).to_csv(folder / "more.csv", index=False)
    assert run(folder, "b.csv", 4, source="more") == 2
    error = capsys.readouterr().err
    assert "--regroup" not in error
    assert "as a table of their own" in error
    assert run(folder, "b.csv", 4, "--regroup", "same", source="more") == 2
    assert "as a table of their own" in capsys.readouterr().err


def test_who_withdraws_is_not_given_back_by_the_difference(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = folder / "groups.csv"
    assert run(folder, "a.csv", 3, "--groups", str(groups)) == 0
    before = (folder / ".coterie-ledger").read_bytes()
    original = pd.read_csv(folder / "original.csv")
    original.drop(index=31).to_csv(folder / "fewer.csv", index=False)
    assert run(folder, "b.csv", 3, source="fewer") == 2
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert "that not all of them have" in last_line
    assert not (folder / "b.csv").exists()
    assert (folder / ".coterie-ledger").read_bytes() == before
    of = pd.read_csv(groups)["group"]
    original[of != of[31]].to_csv(folder / "fewer.csv", index=False)
    assert run(folder, "b.csv", 3, "--regroup", "same", source="fewer") == 0
    remaining_rows = pd.read_csv(folder / "a.csv")[of != of[31]].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_csv(folder / "b.csv"), remaining_rows)


def test_whatever_chain_the_ledger_allows_opens_nothing(folder: Path) -> None:
    allowed = []
    for place, (k, words) in enumerate(
        [
            (3, ()),
            (4, ("--regroup", "coarsen")),
            (5, ("--method", "vmdav")),
            (3, ("--regroup", "same")),
            (6, ("--regroup", "coarsen", "--scaling", "range")),
            (4, ()),
            (3, ("--block", "staff")),
            (9, ("--regroup", "coarsen", "--rounding", "none")),
        ]
    ):
        name = f"r{place}.csv"
        if run(folder, name, k, *words) == 0:
            allowed.append(name)
    assert {"r0.csv", "r1.csv", "r3.csv", "r4.csv", "r7.csv"} <= set(allowed)
    assert recovered(folder, *allowed) == 0


def test_the_ledger_holds_no_value(folder: Path) -> None:
    assert run(folder, "a.csv", 3) == 0
    text = (folder / ".coterie-ledger").read_text()
    content = json.loads(text)
    (release,) = content["releases"]
    assert len(release["records"]) == 70
    assert release["columns"] == list(NAMES)
    frame = pd.read_csv(folder / "original.csv")
    for value in frame.to_numpy().ravel():
        assert str(value) not in text


def test_records_are_known_again_in_another_order_and_among_others(
    folder: Path,
) -> None:
    assert run(folder, "a.csv", 3) == 0
    frame = pd.read_csv(folder / "original.csv")
    mixed = frame.sample(frac=1.0, random_state=1)
    mixed.to_csv(folder / "mixed.csv", index=False)
    assert run(folder, "b.csv", 4, source="mixed") == 2
    # Without one record, its group's sum less the rest gives it back.
    mixed.iloc[1:].to_csv(folder / "fewer.csv", index=False)
    assert run(folder, "c.csv", 4, source="fewer") == 2
    other = frame + 1000.0
    other.to_csv(folder / "other.csv", index=False)
    assert run(folder, "d.csv", 4, source="other") == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--regroup", "same", "--k", "3"], "--ledger"),
        (["--ledger", "bad", "--k", "3"], "no ledger"),
        (["--ledger", "new", "--regroup", "same"], "No earlier release has groups"),
        (["--ledger", "new", "--output", "new"], "the same file"),
    ],
)
def test_mistakes_end_in_one_line(
    words: list[str],
    says: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    Path("bad").write_text('{"format": "coterie-ledger", "version": 1}')
    assert main(["run", "original.csv", "--all-numeric", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert not Path("new").exists()


def test_blocks_cannot_take_groups_of_whole_records(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "a.csv", 3) == 0
    assert run(folder, "b.csv", 3, "--regroup", "same", "--block", "staff") == 2
    assert "blocks" in capsys.readouterr().err
