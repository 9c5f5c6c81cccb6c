"""``coterie attack``: its JSON, how records are matched, and mistakes in one line."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.cli.attack import FLAGS, merge_group_file_options
from engine.cli.parsing.parser import _build_parser, main


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    rng = np.random.default_rng(3)
    n = 60
    frame = pd.DataFrame(
        {
            "id": np.arange(n) + 100,
            "staff": rng.integers(1, 5000, n),
            "sales": rng.lognormal(10, 1, n).round(2),
            "branch": rng.choice(["a", "b", "c"], n),
        }
    )
    frame.to_csv(folder / "original.csv", index=False)
    for k in (3, 4):
        words = ["run", folder / "original.csv", "--quasi-identifiers", "staff,sales"]
        words += ["--k", k, "--output", folder / f"r{k}.csv"]
        words += ["--groups", folder / f"g{k}.csv"]
        assert main([str(word) for word in words]) == 0
    return folder


@pytest.fixture
def files(tmp_path: Path, released: Path) -> Path:
    return shutil.copytree(released, tmp_path, dirs_exist_ok=True)


def line(folder: Path, *words: object) -> list[str]:
    choices = ["--quasi-identifiers", "staff,sales", "--json", folder / "attack.json"]
    return [str(word) for word in ("attack", folder / "original.csv", *words, *choices)]


def attacked(folder: Path, *words: object) -> dict[str, Any]:
    assert main(line(folder, *words)) == 0
    answer: dict[str, Any] = json.loads((folder / "attack.json").read_text())
    return answer


def test_one_object_per_attack_and_the_composition(files: Path) -> None:
    answer = attacked(files, files / "r3.csv", files / "r4.csv")
    ids = [entry["id"] for entry in answer["attacks"]]
    assert len(ids) == len(set(ids)) == 12
    for entry in answer["attacks"]:
        assert {"rate", "interval", "control", "verdict"} <= set(entry)
        if entry["rate"] is not None:
            low, high = entry["interval"]
            assert 0 <= low <= entry["rate"] <= high <= 1
    composition = answer["composition"]
    assert composition["releases"] == 2
    assert composition["recovered"] > 0
    assert sum(composition[entry] for entry in ("recovered", "bounded", "safe")) == 60


def test_groups_say_the_same_as_equal_values(files: Path) -> None:
    releases = files / "r3.csv", files / "r4.csv"
    by_values = attacked(files, *releases)["composition"]
    groups = "--groups", files / "g3.csv", files / "g4.csv"
    assert attacked(files, *releases, *groups)["composition"] == by_values


@pytest.mark.parametrize(
    "order",
    [
        "o a b -g ga gb",
        "o a b -g ga -g gb",
        "-g ga gb o a b",
        "-g ga -g gb o a b",
        "o -g ga a -g gb b",
        "-g ga o a b -g gb",
        "o -g=ga -g=gb a b",
        "o a -q x b -g ga gb",
        "-g ga gb -q x o a b",
        "-g ga gb -- o a b",
        "--grou ga --g gb o a b",
    ],
)
def test_group_files_stand_anywhere(order: str) -> None:
    words = re.sub(r"(^| )-g", r"\1--groups", order)
    words = words.replace("-q", "--quasi-identifiers")
    arguments = merge_group_file_options(["attack", *words.split()])
    options = _build_parser(["attack"]).parse_args(arguments)
    assert [str(options.file), *map(str, options.releases)] == ["o", "a", "b"]
    assert list(map(str, options.group_files)) == ["ga", "gb"]


def test_every_option_but_the_named_ones_takes_one_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What separates group files has to know which words are values."""
    with pytest.raises(SystemExit):
        main(["attack", "--help"])
    usage = capsys.readouterr().out.partition("\n\n")[0]
    flags = re.findall(r"\[(--?[\w-]+)\]|\| (--[\w-]+)\]", usage)
    assert {flag or other for flag, other in flags} | {"--help"} == {*FLAGS}


ORDERLESS = {
    "disclosed-attributes",
    "inference",
    "linkability",
    "minimality",
    "singling-out",
}


def shuffle(folder: Path, name: str, into: str) -> Path:
    mixed = pd.read_csv(folder / name).sample(frac=1.0, random_state=1)
    mixed.to_csv(folder / into, index=False)
    return folder / into


def rates_of(found: dict[str, Any]) -> dict[str, float | None]:
    return {attack["id"]: attack["rate"] for attack in found["attacks"]}


def test_of_a_shuffled_release_what_needs_no_order_is_judged(files: Path) -> None:
    """Whose record is found would be anybody's guess, and so is "no better"."""
    mixed = shuffle(files, "r4.csv", "mixed.csv")
    secret = "--confidential", "branch"
    answer, rates = attacked(files, mixed, *secret), {}
    assert answer["composition"] is None
    assert answer["releases"][0]["matching"] == "values"
    assert answer["releases"][0]["smallest"] == 4
    for attack in answer["attacks"]:
        orderless = attack["id"] in ORDERLESS and attack["id"] != "minimality"
        assert (attack["rate"] is not None) == orderless, attack["id"]
        if attack["id"] not in ORDERLESS:
            assert attack["verdict"].startswith("Cannot be judged: the records were")
    rates = rates_of(attacked(files, files / "r4.csv", *secret))
    for name in ORDERLESS - {"singling-out"}:  # which describes other records
        assert rates_of(answer)[name] == rates[name], name
    both = attacked(files, files / "r3.csv", mixed)
    assert both["composition"]["releases"] == 1
    outside = attacked(files, mixed, "--control", files / "original.csv")
    assert rates_of(outside)["membership"] is not None


@pytest.mark.parametrize("choices", [[], ["--aggregation", "median"]])
@pytest.mark.parametrize("kept", [["id", "branch"], ["branch"], []])
def test_groups_say_whose_class_is_whose_in_any_order(
    kept: list[str], choices: list[str], files: Path
) -> None:
    words = ["run", files / "original.csv", "--quasi-identifiers", "staff,sales"]
    words += ["--k", "4", "--output", files / "r.csv", "--groups", files / "g.csv"]
    assert main([*map(str, words), *choices]) == 0
    columns = ["staff", "sales", *kept]
    pd.read_csv(files / "r.csv")[columns].to_csv(files / "r.csv", index=False)
    groups = "--groups", files / "g.csv"
    extra_words = ["--confidential", "branch"] if "branch" in kept else []
    extra_words += ["--about", "30"] if kept else []
    by_order = attacked(files, files / "r.csv", *groups, *extra_words)
    answer = attacked(
        files, shuffle(files, "r.csv", "mixed.csv"), *groups, *extra_words
    )
    assert answer["releases"][0]["matching"] == "records"
    assert answer["composition"] == by_order["composition"]
    for attack, expected in zip(answer["attacks"], by_order["attacks"], strict=True):
        assert attack["attempts"] == expected["attempts"]
        if "linkage" in attack["id"] and not kept:
            assert attack["rate"] == pytest.approx(expected["rate"])
        assert not attack["verdict"].startswith("Cannot be judged")


def shuffled_by_match(files: Path, name: str) -> list[object]:
    return [shuffle(files, name, "mixed.csv"), "--match", "id"]


@pytest.mark.parametrize(
    "given",
    [
        lambda files: [files / "r3.csv"],
        lambda files: [shuffle(files, "r3.csv", "mixed.csv")],
        lambda files: shuffled_by_match(files, "r3.csv"),
    ],
)
@pytest.mark.parametrize(
    "other", ["g4.csv", "same sizes", "finer", "rolled", "of none"]
)
def test_groups_of_another_release_are_told(
    given: Any, other: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    group_numbers = pd.read_csv(files / "g3.csv")["group"]
    frame = pd.read_csv(files / "original.csv")
    if other == "same sizes":
        group_numbers = pd.Series(
            group_numbers.to_numpy()[np.argsort(frame["branch"].to_numpy())]
        )
    elif other == "finer":  # of a release from which this one was coarsened
        group_numbers = (
            frame["sales"].rank(method="first").sub(1).floordiv(3).astype(int)
        )
        coarse = frame.assign(of=group_numbers // 4)
        means = coarse.groupby("of")[["staff", "sales"]].transform("mean").round(2)
        frame.assign(**means).to_csv(files / "r3.csv", index=False)
    elif other == "of none":
        frame.to_csv(files / "r3.csv", index=False)
    elif other == "rolled":
        group_numbers = pd.Series(np.roll(group_numbers, 1))
    if other != "g4.csv":
        group_numbers.to_frame("group").to_csv(files / "other.csv", index=False)
        other = "other.csv"
    capsys.readouterr()
    assert main(line(files, *given(files), "--groups", files / other)) == 2
    error = capsys.readouterr().err
    assert "are not its own, as" in error
    assert error.count("\n") == 1
    assert not (files / "attack.json").exists()


@pytest.mark.parametrize(
    "choices",
    [
        ["--aggregation", "interval"],
        ["--method", "individual-ranking"],
        ["--rounding", "precision"],
        ["--suppress", "3"],
        ["--person", "id", "--intruder-knows", "all"],
        ["--block", "staff"],
        ["--aggregation", "geometric-mean"],
        ["--constraint", "staff >= 1"],
        ["--weights", "id"],
    ],
)
def test_a_release_takes_its_own_groups_in_any_order(
    choices: list[str], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", files / "original.csv", "--quasi-identifiers", "staff,sales"]
    words += ["--k", "4", "--output", files / "r.csv", "--groups", files / "g.csv"]
    assert main([*map(str, words), *choices]) == 0
    for release in files / "r.csv", shuffle(files, "r.csv", "mixed.csv"):
        assert main(line(files, release, "--groups", files / "g.csv")) == 0


def test_the_original_alone_has_a_layout_or_lines_above_its_header(
    files: Path,
) -> None:
    expected = attacked(files, files / "r3.csv", "--groups", files / "g3.csv")
    lines = (files / "original.csv").read_text().splitlines()
    above = "\n".join(["A survey", "of firms", *lines, "Source: nobody"])
    (files / "original.csv").write_text(above)
    words = [files / "r3.csv", "--groups", files / "g3.csv"]
    read = ["--header-row", "3", "--footer-rows", "1"]
    assert attacked(files, *words, *read) == expected
    fixed = [
        "".join(cell.rjust(12) for cell in record_line.split(","))
        for record_line in lines[1:]
    ]
    (files / "original.fwf").write_text("\n".join(fixed))
    layout = "id 1-12, staff 13-24, sales 25-36, branch 37-48"
    command_line = line(files, *words, "--layout", layout)
    command_line[command_line.index(str(files / "original.csv"))] = str(
        files / "original.fwf"
    )
    assert main(command_line) == 0
    assert json.loads((files / "attack.json").read_text()) == expected


def test_without_any_column_that_stays_another_order_is_noticed(files: Path) -> None:
    release = pd.read_csv(files / "r3.csv")[["staff", "sales"]]
    release.to_csv(files / "bare.csv", index=False)
    assert attacked(files, files / "bare.csv")["releases"][0]["matching"] == "records"
    answer = attacked(files, shuffle(files, "bare.csv", "mixed.csv"))
    assert answer["releases"][0]["matching"] == "values"


def test_records_in_another_order_are_matched_by_columns(files: Path) -> None:
    by_order = attacked(files, files / "r3.csv", files / "r4.csv")["composition"]
    mixed = pd.read_csv(files / "r4.csv").sample(frac=1.0, random_state=1)
    mixed.to_csv(files / "mixed.csv", index=False)
    answer = attacked(files, files / "r3.csv", files / "mixed.csv", "--match", "id")
    assert answer["composition"]["recovered"] == by_order["recovered"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["r3.csv", "nowhere.csv"], "nowhere.csv"),
        (["r3.csv", "--groups", "g3.csv", "g4.csv"], "Group files: 2; releases: 1."),
        (["r3.csv", "--groups", "original.csv"], "no column 'group'"),
        (["--groups", "g3.csv", "r3.csv", "r4.csv"], "Group files: 1; releases: 2."),
        (["short.csv"], "cannot be matched by order"),
        (["short.csv", "--match", "branch"], "are not told apart"),
        (["r3.csv", "--match", "name"], "name"),
        (["r3.csv", "--known", "age"], "age"),
        (["r3.csv", "--known", "branch,id", "--about", "0"], "--about"),
        (["r3.csv", "--confidential", "age"], "age"),
        (["r3.csv", "--control", "nobody.csv"], "nobody.csv"),
        (["odd.csv"], "none of the columns"),
    ],
)
def test_mistakes_end_in_one_line_and_write_nothing(
    words: list[str], says: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = pd.read_csv(files / "r3.csv")
    release.iloc[:50].to_csv(files / "short.csv", index=False)
    release[["branch"]].to_csv(files / "odd.csv", index=False)
    named = [files / word if word.endswith(".csv") else word for word in words]
    capsys.readouterr()
    assert main(line(files, *named)) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert not (files / "attack.json").exists()


def test_rows_in_another_order_are_noticed(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = pd.read_csv(files / "r3.csv")
    release.sample(frac=1.0, random_state=1).to_csv(files / "mixed.csv", index=False)
    attacked(files, files / "r3.csv", files / "mixed.csv")
    (note,) = capsys.readouterr().err.splitlines()
    assert "mixed.csv seems to be in another order" in note
    attacked(files, files / "r3.csv", files / "mixed.csv", "--match", "id")
    assert not capsys.readouterr().err


def test_gaps_are_values_like_others(files: Path) -> None:
    original = pd.read_csv(files / "original.csv").astype({"branch": object})
    original.loc[::7, "branch"] = None
    original.loc[::5, "sales"] = None
    original.to_csv(files / "original.csv", index=False)
    release = original.assign(staff=original["staff"].median(), sales=None)
    release.to_csv(files / "gaps.csv", index=False)
    answer = attacked(files, files / "gaps.csv", "--confidential", "branch")
    by_id = {attack["id"]: attack for attack in answer["attacks"]}
    # All are alike, so that the frequent branch is all that anybody guesses.
    assert by_id["minimality"]["rate"] is None
    assert by_id["inference"]["rate"] <= by_id["inference"]["control"]


@pytest.mark.parametrize("sales", [1e308, np.inf])
def test_the_largest_numbers_are_far_from_all(files: Path, sales: float) -> None:
    release = pd.read_csv(files / "r3.csv").assign(sales=sales)
    release.to_csv(files / "far.csv", index=False)
    answer = attacked(files, files / "far.csv", "--known", "sales")
    rates = {attack["id"]: attack["rate"] for attack in answer["attacks"]}
    assert rates["record-linkage-distance"] == pytest.approx(1 / 60, abs=0.01)


def test_a_release_is_never_written_over(files: Path) -> None:
    before = (files / "r3.csv").read_bytes()
    words = ["attack", files / "original.csv", files / "r3.csv"]
    words += ["--quasi-identifiers", "staff,sales", "--json", files / "r3.csv"]
    assert main([str(word) for word in words]) == 2
    assert (files / "r3.csv").read_bytes() == before
