"""Whatever the table and the choices are, a command answers or says why not.

Tables are small, mixed, with gaps and ties, and choices are drawn without looking at
them: most runs are refused. What runs holds k for a stranger who reads the file back.
"""

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.parsing.parser import main
from engine.methods.base import methods

TIRING = {"genetic", "iterated", "mdav-genetic", "optimal"}
"""Methods that search for as long as they may."""

IDS = [info.id for info in methods.infos() if info.id not in TIRING]

CELLS: dict[str, Callable[[random.Random], str]] = {
    "number": lambda draw: f"{draw.gauss(50, 20):.2f}",
    "whole": lambda draw: str(draw.randint(0, 9)),
    "extreme": lambda draw: draw.choice(["1e300", "-1e300", "1e-300", "0"]),
    "constant": lambda _: "7",
    "letter": lambda draw: draw.choice("abc"),
    "postcode": lambda draw: f"{draw.randint(1000, 99999):05d}",
    "day": lambda draw: f"{draw.randint(1, 28):02d}.0{draw.randint(1, 9)}.1970",
    "name": lambda draw: draw.choice(["Ann Lee", "Bob Ray", "=1+1", "<b>x</b>"]),
    "flag": lambda draw: draw.choice(["TRUE", "FALSE"]),
    "odd": lambda draw: draw.choice(["1", "2", "x", "n/a", "?", "3,5"]),
    "empty": lambda _: "",
    "endless": lambda draw: draw.choice(["1", "2", "inf", "-inf", "nan"]),
    "long": lambda draw: str(draw.randint(10**11, 10**12)),
    "hour": lambda draw: f"{draw.randint(0, 23):02d}:{draw.randint(0, 59):02d}",
    "range": lambda draw: draw.choice(["0-9", "10-19", "20-29", "90+"]),
    "euro": lambda draw: f"{draw.randint(1, 999)}.{draw.randint(0, 999):03d},50 €",
    "sign": lambda draw: draw.choice(["é", "e\u0301", "😀", " ", ".", "-"]),
}


def table(draw: random.Random, path: Path) -> list[str]:
    """Write a table and return the names of its columns."""
    kinds = draw.choices(list(CELLS), k=draw.randint(1, 6))
    gaps = draw.choice([0.0, 0.1, 0.5])
    rows = [
        ["" if draw.random() < gaps else CELLS[kind](draw) for kind in kinds]
        for _ in range(draw.choice([1, 2, 5, 10, 20, 60]))
    ]
    if draw.random() < 0.3:
        rows = draw.choices(rows[: max(1, len(rows) // 3)], k=len(rows))
    names = [f"{kind} {place}" for place, kind in enumerate(kinds)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=draw.choice(",;\t"))
        writer.writerows([names, *rows])
    return names


def choices(draw: random.Random, known: list[str], others: list[str]) -> list[str]:
    """Return options, whether they fit or not."""
    missing = ["keep-or-fill", "drop", "median", "mode", "keep", "refuse"]
    line = ["--missing", draw.choice(missing)]
    option_values = {
        "--scaling": ["zscore", "range", "none"],
        "--suppress": ["1%", "10%", "50%"],
        "--attribute-weights": [f"{known[0]}={weight}" for weight in ("2", "0", "-1")],
        "--constraint": [f"{known[0]} >= 0"],
        "--aggregation": ["mean", "median", "mode", "interval", "generalise"],
        "--seeds": ["3"],
        **{name: others for name in ("--confidential", "--strata", "--identifiers")},
        "--weights": others,
    }
    for option, values in option_values.items():
        if values and draw.random() < 0.2:
            line += [option, draw.choice(values)]
    return line


def count_records(path: Path) -> int:
    """Count the lines below the header, whatever their delimiter is."""
    with path.open(newline="", encoding="utf-8") as file:
        return sum(1 for cells in csv.reader(file) if cells) - 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_commands_end_in_a_sentence(
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def call(*words: object) -> int:
        code = main([str(word) for word in words])
        output = capsys.readouterr()
        assert code in (0, 1, 2)
        assert code != 2 or output.err.count("coterie: ") == 1
        return code

    monkeypatch.chdir(tmp_path)
    draw = random.Random(seed)
    names = table(draw, tmp_path / "t.csv")
    quasi_identifiers = draw.sample(names, draw.randint(1, len(names)))
    others = [name for name in names if name not in quasi_identifiers]
    columns, k = (
        ("--quasi-identifiers", ",".join(quasi_identifiers)),
        draw.choice([2, 3, 5]),
    )
    line = choices(draw, quasi_identifiers, others)
    assert call("propose", "t.csv") == 0
    three = ",".join(draw.sample(IDS, 3))
    call("compare", "t.csv", *columns, "--methods", three, *line)
    method = draw.choice(IDS)
    files = ("--output", "p.csv", "--groups", "g.csv", "--json", "o.json")
    run = ("run", "t.csv", *columns, "--k", k, "--method", method, *line, *files)
    if call(*run) != 0:
        assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
        return
    check_code = call("check", "p.csv", *columns, "--k", k)
    assert check_code == 0 or not methods.info(method).traits.guarantees_k
    finite = [name for name in others if "endless" not in name]
    secret = ("--confidential", finite[0]) if finite else ()
    attack = ("attack", "t.csv", "p.csv", "--groups", "g.csv", *columns, *secret)
    assert call(*attack, "--json", "a.json") == 0
    call(*run, "--report", "r.md", "--external-report", "e.html", "--guide", "g.md")
    if call(*run, "--certificate", "c.json") == 0:
        out = count_records(tmp_path / "t.csv") - count_records(tmp_path / "p.csv")
        certify = ("certify", "c.json", "t.csv")
        assert call(*certify) == (1 if out else 0)
        assert call(*certify, "--allow-left-out", out) == 0
        assert not out or call(*certify, "--allow-left-out", out - 1) == 1
