"""Small files of one difficulty each: page, command and Python agree on them."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from dashboard.ui.table.table_health import TableInspection
from engine.analysis.protect import protect
from engine.cli.parsing.parser import main
from engine.data.kinds import Role
from engine.files import read_table

N = 60
RNG = np.random.default_rng(12)
AGE = RNG.integers(18, 90, N)
PAY = RNG.lognormal(8, 0.4, N).round(2)
DAY = [
    f"{d:02}.{m:02}.{y}"
    for d, m, y in zip(
        RNG.integers(1, 29, N),
        RNG.integers(1, 13, N),
        RNG.integers(1940, 2004, N),
        strict=True,
    )
]
FIRST = ["Anna", "Maria", "Peter", "Hans", "Ute", "Karl"]
FAMILY = ["Schmidt", "Meier", "Huber", "Lang", "Wolf", "Koch", "Bauer"]
NAMES = [f"{FAMILY[i % 7]}, {FIRST[i % 6]}" for i in range(N)]


def german(amounts: np.ndarray) -> list[str]:
    return [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in amounts]


FILES: dict[str, tuple[list[str], list[list[object]]]] = {
    "a sentinel": (["visits", "pay"], [[999, 4, 7, 2, 5, 3] * 10, [*PAY]]),
    "a code list": (
        ["occupation code", "age"],
        [[2411, 5223, 9333, 7115] * 15, [*AGE]],
    ),
    "a name twice": (["x", "x"], [[*AGE], [*PAY]]),
    "German numbers": (["Alter", "Gehalt"], [[*AGE], german(PAY)]),
    "dates in parts": (
        ["day", "born", "pay"],
        [DAY, [int(x[-4:]) for x in DAY], [*PAY]],
    ),
    "answers on a scale": (
        ["q1", "q2", "q3", "age"],
        [*([*RNG.integers(1, 6, N)] for _ in "123"), [*AGE]],
    ),
    "weights": (["weight", "age"], [[*RNG.uniform(0.5, 3, N).round(3)], [*AGE]]),
    "names": (["Name, Vorname", "age", "pay"], [NAMES, [*AGE], [*PAY]]),
    "rows of nothing": (
        ["age", "pay"],
        [[*AGE[:30], "", *AGE[30:], ""], [*PAY[:30], "", *PAY[30:], ""]],
    ),
    "a row number": (["no", "age", "pay"], [[*range(1, N + 1)], [*AGE], [*PAY]]),
    "a total": (
        ["net", "tax", "gross"],
        [[*AGE], [*range(N)], [int(x) + i for i, x in enumerate(AGE)]],
    ),
    "levels": (["sex", "smokes", "age"], [["m", "f"] * 30, [0, 1, 1] * 20, [*AGE]]),
    "addresses of mail": (["mail", "age"], [[f"p{i}@a.org" for i in range(N)], [*AGE]]),
    "remarks": (
        ["remark", "age"],
        [[f"came on day {i} and said that it was fine" for i in range(N)], [*AGE]],
    ),
    "leading zeros": (["plz", "age"], [["01067", "80331", "10115"] * 20, [*AGE]]),
    "none as a level": (["airbag", "age"], [["none", "front", "all"] * 20, [*AGE]]),
    "money with a sign": (["pay", "age"], [[f"{x:.2f} EUR" for x in PAY], [*AGE]]),
    "true and false": (["member", "age"], [["true", "false"] * 30, [*AGE]]),
    "visits of patients": (
        ["patient_id", "visit", "pay"],
        [[i // 4 for i in range(N)], [i % 4 for i in range(N)], [*PAY]],
    ),
    "a copy": (["age", "age in days", "pay"], [[*AGE], [*(AGE * 365)], [*PAY]]),
    "a secret": (["age", "disease"], [[*AGE], ["flu", "none", "asthma"] * 20]),
    "a column of nothing": (["age", "void", "pay"], [[*AGE], [""] * N, [*PAY]]),
}


@pytest.mark.parametrize("kind", FILES)
def test_three_ways_agree(kind: str, tmp_path: Path) -> None:
    names, columns = FILES[kind]
    path, out, json_path = (tmp_path / x for x in ("in.csv", "out.csv", "out.json"))
    with path.open("w", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream, delimiter=";")
        lines.writerow(names)
        lines.writerows(zip(*columns, strict=True))
    answer = protect(path, shuffle_seed=3)
    line = ["protect", str(path), "--output", str(out), "--json", str(json_path)]
    code = main([*line, "--shuffle-seed", "3"])
    assert code == (3 if answer.verdict.colour == "red" else 0)
    content = json.loads(json_path.read_bytes())
    assert content["roles"] == answer.roles
    assert [entry["column"] for entry in content["left_out"]] == [
        entry.column for entry in answer.left_out
    ]
    assert content["verdict"]["colour"] == answer.verdict.colour
    assert content["n_records"] == len(answer.release) == N
    if code == 0:
        with out.open(encoding="utf-8", newline="") as stream:
            header = next(csv.reader(stream, delimiter=";"))
        assert header == [str(name) for name in answer.release]
    if kind == "a name twice":
        return  # the page numbers the names once it was asked to
    table = read_table(path)
    page = TableInspection(table).suggestions_for(table.schema.names)
    for name, entry in page.items():
        proposed = entry.column.role
        assert proposed is table.schema[name].role
        if proposed is Role.IDENTIFIER:
            assert answer.roles[name] == "identifier"
        elif answer.roles[name] in ("confidential", "weight", "other"):
            assert proposed == answer.roles[name]  # nothing leaves as it is unproposed
