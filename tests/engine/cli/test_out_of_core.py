"""``coterie run --out-of-core`` from its words to its files."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from engine.cli.out_of_core import UNSUPPORTED_OPTIONS
from engine.measures.classes import smallest_class_size
from tests.engine.cli.lines import run_line
from tests.engine.streaming.tables import content, people, read, written


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(people(2000), tmp_path / "people.parquet")


CHOICES = ["--quasi-identifiers", "height,income", "--identifiers", "key,name"]
CHOICES += ["--person", "none", "--k", "4", "--records-per-block", "500"]


def test_a_file_becomes_a_folder_of_parts(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, figures = tmp_path / "out", tmp_path / "outcome.json"
    words = ["run", "--out-of-core", source, "--output", out, *CHOICES]
    assert run_line(*words, "--memory", "4GB", "--json", figures) == 0
    frame = read(out)
    assert len(frame) == 2000
    assert not {"key", "name"} & set(frame)
    assert smallest_class_size(frame, ("height", "income")) >= 4
    outcome = json.loads(figures.read_text())
    assert outcome["method"] == "blocked"  # the default for what is large
    assert outcome["n_records"] == 2000
    assert outcome["n_groups"] == len(frame[["height", "income"]].drop_duplicates())
    assert outcome["k_verified"] is True
    assert outcome["lower_bound"] is None
    assert outcome["n_blocks"] == len(outcome["blocks"]) == len(content(out)) == 4
    assert outcome["memory"]["limit"] == 4 * 10**9
    assert {"scan", "route", "partition", "verify", "total"} <= set(outcome["seconds"])
    output = capsys.readouterr().out
    assert "in 4 blocks" in output
    assert str(out) in output


def test_people_are_counted_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = people(480)
    names = pa.array([f"P{number % 120}" for number in range(480)])
    source = written(table.set_column(1, "name", names), tmp_path / "in.parquet")
    figures, other_folder = tmp_path / "outcome.json", tmp_path / "shown"
    words = ["run", source, "--out-of-core", "--quasi-identifiers", "height,income"]
    words += ["--k", "4", "--records-per-block", "120", "--json", figures]
    line = [*words, "--identifiers", "name", "--output", tmp_path / "out"]
    assert run_line(*line) == 0  # the named identifier repeats
    outcome = json.loads(figures.read_text())
    assert outcome["person"] == "name"
    assert outcome["n_persons"] == 120
    assert outcome["k_persons"] >= 4
    output = capsys.readouterr()
    assert "480 records of 120 people in" in output.out
    assert "k counts the 120 persons of 'name'" in output.err
    line = [
        *words,
        "--person",
        "name",
        "--identifiers",
        "key",
        "--output",
        other_folder,
    ]
    assert run_line(*line) == 0
    assert "says which records are one person's, by 'name'" in capsys.readouterr().err
    few = [*words, "--person", "level", "--identifiers", "key", "--output"]
    assert run_line(*few, tmp_path / "few") == 2
    assert "3 people, k = 4" in capsys.readouterr().err
    assert not (tmp_path / "few").exists()


def test_categories_weights_and_transforms_are_options_too(
    source: Path, tmp_path: Path
) -> None:
    levels = tmp_path / "levels.csv"
    levels.write_text("a;short;*\nbb;long;*\n")
    out, figures = tmp_path / "out", tmp_path / "outcome.json"
    words = ["run", source, "--out-of-core", "--output", out, "--json", figures]
    words += ["--quasi-identifiers", "income,word,level", "--identifiers", "key,name"]
    words += ["--hierarchy", f"word={levels}", "--missing", "drop", "--k", "4"]
    words += ["--attribute-weights", "word=2,level=0.5", "--transform", "income=log"]
    assert run_line(*words, "--records-per-block", "300") == 0
    frame = read(out)
    assert smallest_class_size(frame, ("income", "word", "level")) >= 4
    assert set(frame["word"]) <= {"a", "bb", "short", "long"}
    assert set(frame["level"]) <= {"low", "middle", "high"}
    losses = json.loads(figures.read_text())["information_loss_per_column"]
    assert losses["word"] < losses["level"]


def test_columns_that_no_option_names_leave_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(people(600), tmp_path / "people.parquet")
    out, in_memory_path = tmp_path / "out", tmp_path / "alone.parquet"
    words = ["run", source, "--quasi-identifiers", "height,income", "--method", "mdav"]
    words += ["--identifiers", "key"]
    assert run_line(*words, "--output", in_memory_path) == 0
    notes = [_leaving(capsys.readouterr().err)]
    assert run_line(*words, "--output", out, "--out-of-core") == 0
    notes.append(_leaving(capsys.readouterr().err))
    assert notes[0] == notes[1]
    assert len(notes[0]) == 2
    assert set(read(out)) == set(pd.read_parquet(in_memory_path))


def _leaving(said: str) -> list[str]:
    words = "as it is, because", "as they are, because", "may say who"
    return [line for line in said.splitlines() if any(word in line for word in words)]


def test_a_plan_alone_is_repeated_byte_for_byte(source: Path, tmp_path: Path) -> None:
    plan, first, second = (tmp_path / name for name in ("p.json", "1", "2"))
    words = ["run", source, "--out-of-core", "--all-numeric", "--k", "4"]
    words += ["--identifiers", "key", "--missing", "drop"]
    assert run_line(*words, "--plan", plan, "--output", first) == 0
    chosen = json.loads(plan.read_text())["quasi_identifiers"]
    assert chosen == ["height", "income", "gaps"]
    words = ["run", source, "--out-of-core", "--plan", plan, "--output", second]
    assert run_line(*words) == 0
    assert content(first) == content(second)


OPTIONS = {
    "groups": ["g.csv"],
    "report": ["r.html"],
    "external_report": ["r.html"],
    "director_page": ["d.html"],
    "tables_by": ["word"],
    "stata_version": ["14"],
    "ledger": ["l.coterie-ledger"],
    "regroup": ["coarsen"],
    "script": ["s.py"],
    "guide": ["g.md"],
    "ddi": ["d.xml"],
    "croissant": ["c.json"],
    "certificate": ["c.json"],
    "shuffle": [],
    "shuffle_seed": ["3"],
    "neutralise_formulas": [],
    "thorough_bound": [],
    "below": ["20"],
    "measure": ["il1s"],
    "sheet": ["one"],
    "layout": ["age 1-3"],
    "sql": ["select 1"],
}


def test_no_option_is_ignored(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(OPTIONS) == set(UNSUPPORTED_OPTIONS)
    for name, value in OPTIONS.items():
        option = f"--{name.replace('_', '-')}"
        words = ["run", source, "--out-of-core", "--output", tmp_path / "out", *CHOICES]
        assert run_line(*words, option, *value) == 2
        error = capsys.readouterr().err
        assert option in error
        assert error.count("\n") == 1
    for option, value in (
        ("--memory", "2GB"),
        ("--records-per-block", "1000"),
        ("--dask", "local"),
    ):
        assert run_line("run", source, "--all-numeric", option, value) == 2
        assert "--out-of-core" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_text_is_read_as_is_said(tmp_path: Path) -> None:
    table = people(600).to_pandas()[["height", "income", "name"]]
    table["height"] = table["height"].map("{:.1f}".format).str.replace(".", ",")
    table.loc[::50, "income"] = -9
    source = tmp_path / "people.csv"
    table.to_csv(source, sep="|", index=False)
    line = ["run", source, "--delimiter", "|", "--decimal", ",", "--person", "none"]
    line += ["--missing-codes", "income=-9", "--missing", "drop", "--method", "mdav"]
    line += ["--all-numeric", "--k", "4"]
    memory, out = tmp_path / "memory.parquet", tmp_path / "out"
    assert run_line(*line, "--identifiers", "name", "--output", memory) == 0
    words = ["--records-per-block", "600", "--output", out]
    words += ["--identifiers", "name", "--out-of-core"]
    assert run_line(*line, *words) == 0
    expected = pd.read_parquet(memory)
    assert len(expected) == 588
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False)


def test_what_means_nothing_for_parquet_is_refused(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["run", source, "--out-of-core", "--output", tmp_path / "out", *CHOICES]
    for option in (
        ["--delimiter", ";"],
        ["--header-row", "2"],
        ["--missing-codes", "income=-9"],
    ):
        assert run_line(*line, *option) == 2
        assert "means nothing for Parquet files" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--strata", "word"], "--strata"),
        (["--memory", "lots"], "2GB"),
        (["--memory", "1MB"], "--memory"),
        (["--dask", "tcp://10.0.0.1:8786"], "tls://"),
        (["--dask", "scheduler"], "tls://"),
        (["--attribute-weights", "height=-1"], "'height'"),
        (["--transform", "height=root"], "--transform"),
        (["--interval-columns"], "--interval-columns"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    words: list[str],
    says: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ["run", source, "--out-of-core", "--output", tmp_path / "out", *CHOICES]
    assert run_line(*line, *words) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == [source]


def test_an_output_is_needed(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line("run", source, "--out-of-core", *CHOICES) == 2
    assert "--output" in capsys.readouterr().err


def test_out_of_core_loses_little_more_than_in_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(8000, 3)), columns=["a", "b", "c"])
    source = tmp_path / "in.parquet"
    frame.to_parquet(source)
    figures = tmp_path / "figures.json"
    words = ["--all-numeric", "--k", "5", "--method", "mdav", "--json", figures]
    losses = []
    for more in ([], ["--out-of-core", "--output", tmp_path / "out"]):
        more = [*more, "--records-per-block", "2000"] if more else more
        assert run_line("run", source, *words, *more) == 0
        losses.append(json.loads(figures.read_text())["information_loss"])
    assert losses[1] < 1.06 * losses[0]


def test_a_release_goes_to_an_address(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = pytest.importorskip("fsspec").filesystem("memory")
    monkeypatch.chdir(tmp_path)
    store.pipe_file("/claims/people.parquet", source.read_bytes())
    words = ["run", "--out-of-core", *CHOICES, "--output"]
    try:
        assert run_line(*words, "memory://protected", "memory://claims") == 0
        names = [path.rpartition("/")[2] for path in store.find("/protected")]
    finally:
        store.store.clear()
    assert "Written and read back: memory://protected" in capsys.readouterr().out
    assert run_line(*words, tmp_path / "out", source) == 0
    assert names == [*content(tmp_path / "out")]


@pytest.mark.parametrize("command", ["run", "check", "protect"])
def test_addresses_are_refused_where_tables_are_in_memory(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [command, "s3://bucket/people.csv", "--output", tmp_path / "out.csv"]
    words = words[:2] if command == "check" else words
    assert run_line(*words) == 2
    assert "only coterie run --out-of-core takes" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
