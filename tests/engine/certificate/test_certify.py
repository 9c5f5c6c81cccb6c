"""Certificates hold, are checked by one file alone, and are refused once spoilt."""

from __future__ import annotations

import ast
import copy
import csv
import hashlib
import io
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.bounds.linear_programme import branching, column_search
from engine.bounds.linear_programme.cuts import PricedCuts
from engine.certificate import certify as checker
from engine.certificate.certificate_conditions import reason_not_certifiable
from engine.certificate.certify import Refused
from engine.certificate.verify_claim import (
    can_prove_no_group_gains,
    loss_and_claimed_bound,
)
from engine.certificate.write import build_certificate
from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.typing import Values
from engine.data.source_file import SourceFile
from engine.files import ReadOptions, read_table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.storage.figures import OutcomeFigures
from tests.engine.certificate.made import (
    CLOSED,
    EITHER,
    KINDS,
    certify,
    made,
    made_of_people,
    outcome_of,
    sealed,
    table_of,
    values_of,
)
from tests.engine.certificate.spoils import (
    PEOPLE_SPOILS,
    SPOILS,
    homes,
    proven_anew,
)
from tests.engine.certificate.truth import least_loss
from tests.reference.column_generation import all_groups, gain
from tests.reference.persons import least_loss as least_loss_of_people

Made = dict[str, tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def certificates() -> Made:
    return {kind: made(values_of(24, 6), kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_run_proves_is_certified(kind: str) -> None:
    table, text = table_of(values_of(24, 6), kind)
    outcome = outcome_of(table, kind)
    found = build_certificate(outcome, table, seconds=60.0 * (kind in CLOSED))
    content = json.loads(found.text)
    assert float(content["loss"]) == pytest.approx(outcome.information_loss)
    # What an integer programme adds needs a tree; with a budget, the run's bound is of
    # any choice of records.
    if kind not in EITHER:
        assert float(content["bound"]) >= outcome.bound.per_cent * (1.0 - 1e-9)
    if len(content["proof"]) == 1:
        assert (content["proof"][0].get("tree") is not None) == (kind in CLOSED)
    said, ways = " ".join(certify(found.text, text)), kind == "gaps of all ways"
    assert found.best == ("these are the best" in said)
    assert kind in EITHER or found.best == (kind in CLOSED)
    assert ("within strata of 's'" in said) == (kind.startswith("strata") or ways)
    assert ("records weighted by 'w'" in said) == (kind == "weights" or ways)
    assert ("with the same gaps" in said) == (kind == "gaps kept" or ways)
    # One record of "gaps filled" has no value at all, and is none.
    stay = {"left out": 22, "gaps filled": 23, "gaps of all ways": 21}.get(kind, 24)
    assert f"{stay} of 24 records are in" in said
    assert ("the hierarchy of 'c'" in said) == (kind == "categories" or ways)
    alone = "Not covered, as the certificate alone says so: 1."  # by a condition
    assert (alone in said) == ways
    assert ("'-99.0': 3" in said) == (kind == "gaps filled" or ways)


@pytest.mark.parametrize("kind", ["groups", "tree"])
def test_what_is_written_is_what_the_checker_finds(
    kind: str, certificates: Made
) -> None:
    content = json.loads(certificates[kind][0])
    assert loss_and_claimed_bound(content) == checker.check_proofs(content)


@pytest.mark.parametrize("rise", [0.0, 1e-6, 1.0])
def test_prices_are_written_only_if_no_group_gains(rise: float) -> None:
    table, _ = table_of(values_of(24, 6))
    outcome = outcome_of(table, "groups")
    proof, X = outcome.bound.proof, PreparationCache(table).get(outcome.plan).points.X
    assert proof is not None
    raised = replace(proof, prices=(proof.prices - 1e-9) * (1.0 + rise))
    every = all_groups(24, 3, 5)
    cuts = PricedCuts(raised.cuts_as_sets, raised.cut_prices)
    gains = max(gain(X, group, raised.prices, cuts) for group in every)
    if gains > 0.0:
        with pytest.raises(Refused, match="a group gains"):
            can_prove_no_group_gains(raised, X, 3, RunContext())
    else:
        assert can_prove_no_group_gains(raised, X, 3, RunContext())
    assert (gains > 0.0) == (rise > 0.0)


@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
def test_scalings_and_weights_are_those_of_the_run(scaling: str) -> None:
    values = values_of(12, 1)
    choices = {"scaling": scaling, "attribute_weights": {"a": 2.5}}
    table, _ = table_of(values)
    outcome = outcome_of(table, "edge-cover", **choices)
    content = json.loads(build_certificate(outcome, table).text)
    assert float(content["loss"]) == pytest.approx(outcome.information_loss)


def test_the_checker_is_one_short_file_that_needs_nothing(
    certificates: Made, tmp_path: Path
) -> None:
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert source.count("\n") < 720
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names
    (tmp_path / "certify.py").write_text(source, encoding="utf-8")
    found, text = certificates["tree"]
    (tmp_path / "c.json").write_bytes(found)
    (tmp_path / "f.csv").write_bytes(text)
    words = [sys.executable, "-I", "certify.py", "c.json", "f.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "these are the best" in done.stdout
    (tmp_path / "f.csv").write_bytes(text.replace(b"1", b"2", 1))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("Does not hold: the file is not the one")
    (tmp_path / "f.csv").unlink()
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("count", [320, pytest.param(3_000, marks=pytest.mark.slow)])
def test_every_spoilt_certificate_is_refused(certificates: Made, count: int) -> None:
    rng = np.random.default_rng(7)
    names = list(SPOILS)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        name = names[number // len(KINDS) % len(names)]
        found, text = certificates[kind]
        content = json.loads(found)
        SPOILS[name](content, rng)
        spoilt = sealed(content)
        with pytest.raises(Refused):
            certify(spoilt, text)


def test_every_changed_byte_and_cell_is_noticed(certificates: Made) -> None:
    rng = np.random.default_rng(8)
    found, text = certificates["groups"]
    for place in rng.integers(len(found), size=200).tolist():
        changed = bytearray(found)
        changed[place] ^= int(rng.integers(1, 256))
        with pytest.raises(Refused):
            certify(bytes(changed), text)
    digits = [place for place, one in enumerate(text) if chr(one).isdigit()]
    for place in rng.choice(digits, 50).tolist():
        file = bytearray(text)
        file[place] = ord("1") if file[place] != ord("1") else ord("2")
        with pytest.raises(Refused, match="not the one"):
            certify(found, bytes(file))
        content = json.loads(found)
        content["file"]["sha256"] = checker.sha256(bytes(file)).hexdigest()
        with pytest.raises(Refused, match="record"):
            certify(sealed(content), bytes(file))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_prices_prove_more_than_is_true(k: int, kind: str) -> None:
    """Whatever an adversary writes into the proof: what is proven stays true."""
    values = values_of(8, k)
    truth = _truth(values, kind, k)
    content = json.loads(made(values, kind, k)[0])
    rng = np.random.default_rng(k)
    held = 0
    for _ in range(100):
        spoilt = copy.deepcopy(content)
        _disturb(spoilt, float(rng.choice([1e-6, 1e-3, 0.1])), rng)
        try:
            bound = checker.check_proofs(spoilt)[1]
        except Refused:
            continue
        held += 1
        assert bound <= Fraction(truth) * (1 + Fraction(1, 10**9))
    assert held > 2


def test_a_tree_proves_no_more_than_its_target(certificates: Made) -> None:
    """Below prices of which no group is left, any prices hold."""
    found, text = certificates["edge-cover"]
    content = json.loads(found)
    records, none = checker.Records.of(content), ["0"] * 23
    groups = [[i for i in range(24) if content["labels"][i] == g] for g in range(8)]
    sse = records.sse(groups)[0]
    cost = str(math.floor(2 * math.lcm(3, 4, 5) * records.unit * sse))
    leaf = {"prices": [cost, *none], "cuts": [], "total": cost, "tree": None}
    branches = {"pair": [0, 1], "together": leaf, "apart": leaf}
    root = {"kind": "groups", "prices": ["0", *none], "cuts": [], "total": "0"}
    content["bound"] = content["loss"]
    for proof in root | branches, root | {"tree": None} | branches:
        with pytest.raises(Refused):
            certify(sealed(content | {"proof": [proof | {"target": "0"}]}), text)
    content["proof"] = [root | {"target": "0", "tree": branches}]
    assert checker.check_proofs(content)[1] == 0


@pytest.mark.parametrize("seed", range(12))
def test_all_groups_that_gain_are_found_where_cuts_count_records_again(
    seed: int,
) -> None:
    rng, n, k = np.random.default_rng(seed), 10, 2 + seed % 3
    columns = [{"name": "a", "values": rng.integers(0, 60, n).tolist(), "weight": "1"}]
    content = {"columns": columns, "unit": 1, "scaling": "none", "weights": None}
    columns[0] |= {"denominator": "1", "categories": None, "branches": None}
    records = checker.Records.of(content)
    W = 2 * math.lcm(*range(k, 2 * k))
    sizes = rng.integers(2, 14, 8).tolist()
    sets = [rng.integers(n, size=size).tolist() for size in sizes]
    cuts = [[T, int(rng.integers(2, 6)), int(rng.integers(200 * W))] for T in sets]
    price = (rng.integers(0, 900, n) * W).tolist()
    total = sum(price) - sum(len(T) // v * q for T, v, q in cuts)
    prices = checker.Prices({"prices": price, "cuts": cuts, "total": total}, n)
    order = sorted(range(n), key=lambda i: -price[i])
    for s in range(k, 2 * k):
        gains = {}
        for group in combinations(range(n), s):
            pairs = sum(records.row(i)[j] for i, j in combinations(group, 2))
            paid = sum(sum(i in group for i in T) // v * q for T, v, q in cuts)
            gains[group] = sum(price[i] for i in group) - paid - W // s * pairs
        floor = sorted(gains.values())[-40]
        found = set()
        for first in range(n):
            some = order[first:]
            for group, cost in prices.groups(records, s, W // s, some, floor):
                found.add(tuple(sorted(group)))
                assert prices.gain(group, cost) == gains[tuple(sorted(group))]
        assert found == {group for group, gain in gains.items() if gain > floor}


def _truth(values: Values, kind: str, k: int) -> float:
    """Return what the best groups lose, by brute force, in per cent."""
    table, _ = table_of(values, kind)
    return least_loss(PreparationCache(table).get(outcome_of(table, kind, k).plan), k)


def _disturb(content: dict[str, Any], by: float, rng: np.random.Generator) -> None:
    """Move prices, and sometimes give a cut a price, with sums that are right."""
    of = homes(content)
    for proof, home in zip(
        content["proof"], dict.fromkeys(filter(None, of)), strict=True
    ):
        some = [i for i, one in enumerate(of) if one == home]
        _disturb_one(content, proof, some, by, rng)


def _disturb_one(
    content: dict[str, Any],
    proof: dict[str, Any],
    records: list[int],
    by: float,
    rng: np.random.Generator,
) -> None:
    for node in filter(None, (proof, proof.get("tree"))):
        if "pair" in node:
            continue
        prices = [int(price) for price in node["prices"]]
        size = max(map(abs, prices)) + 1
        moved = (rng.standard_normal(len(prices)) - 0.5) * by
        node["prices"] = [
            str(price + int(size * move))
            for price, move in zip(prices, moved.tolist(), strict=True)
        ]
        if proof["kind"] == "pairs":
            node["prices"] = [price.lstrip("-") for price in node["prices"]]
            known = checker.Records.of(content).within(records)
            some = list(map(int, node["prices"]))
            node["excess"] = str(known.excess(some, 1))
            continue
        if rng.random() < 0.5:
            cut = rng.integers(len(prices), size=int(rng.integers(2, 8))).tolist()
            divisor = int(rng.integers(2, 4))
            node["cuts"].append([cut, divisor, str(int(size * by * rng.random()))])
        paid = sum(len(some) // v * int(q) for some, v, q in node["cuts"])
        node["total"] = str(sum(map(int, node["prices"])) - paid)
        if node is proof and (proof["tree"] is None or rng.random() < 0.5):
            proof["target"] = str(max(int(proof["target"]), int(proof["total"])))


def test_numbers_that_cannot_be_read_are_said_to_be_taken() -> None:
    table, text = table_of(values_of(12, 2))
    outcome = outcome_of(table, "edge-cover")
    file = text.replace(b",", b";").replace(b".", b"'")
    table = replace(table, carried=SourceFile.from_bytes("table.csv", file))
    said = " ".join(certify(build_certificate(outcome, table).text, file))
    assert "Taken from the certificate, not the file: 'a', 'b'." in said


def test_runs_that_cannot_be_certified_are_refused() -> None:
    table, _ = table_of(values_of(24, 6))
    for choices in (
        {"transforms": {"a": "log"}},
        {"method": "individual-ranking"},
        {"blocks": (("a",), ("b",))},
    ):
        outcome = run(Plan(**{"method": "mdav", "k": 3, **choices}), table)
        with pytest.raises(ParameterError, match="No certificate can be written"):
            build_certificate(outcome, table)
    outcome = outcome_of(table, "edge-cover")
    with pytest.raises(ParameterError, match="comes from no file"):
        build_certificate(outcome, replace(table, carried=None))


def hidden(lines: list[str], **choices: Any) -> tuple[bytes, bytes]:
    """Return the certificate of a file that is read so, and the file."""
    file = "\n".join(lines).encode(choices.get("encoding", "utf-8"))
    table = read_table(file, name="t.csv", options=ReadOptions(**choices))
    roles = {"a": "quasi-identifier", "b": "quasi-identifier"}
    kinds = dict.fromkeys(roles, "continuous")
    table = table.assign(roles=roles, kinds=kinds)
    outcome = run(Plan(method="mdav", k=3, missing="drop"), table)
    return build_certificate(outcome, table).text, file


ROWS = [f"{i},{i * i % 7}" for i in range(12)]

ROWS_WITH_LETTER = [f"{row},ä" for row in ROWS]
"""A letter that each encoding of a file has, other than ASCII."""

HIDDEN: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "a value called missing": (
        ["a,b", *ROWS, "99999,5"],
        {"missing": {"a": ["99999"]}},
        "Not covered, as 'a' = '99999' is called missing: 1.",
    ),
    "two values called missing": (
        ["a,b", "3,88888", *ROWS, "99999,5", "99999,6"],
        {"missing": {"a": ["99999"], "b": ["88888"]}},
        "Not covered, as 'a' = '99999' is called missing: 2.",
    ),
    "every value called missing": (
        ["a,b", *ROWS, "99999,88888"],
        {"missing": {"a": ["99999"], "b": ["88888"]}},
        "Not covered, as every cell is called missing: 1.",
    ),
    "a record above the header": (
        ["99999,5", "a,b", *ROWS],
        {"header_row": "2"},
        "Not covered, as a line above the header is as full as the header: 1.",
    ),
    "a record below the table": (
        ["a,b", *ROWS, "99999,5"],
        {"footer_rows": 1},
        "Not covered, as a line below the table is as full as the header: 1.",
    ),
}


@pytest.mark.parametrize("way", HIDDEN)
def test_what_hides_a_record_is_counted_and_refused(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, choices, reason = HIDDEN[way]
    text, file = hidden(lines, **choices)
    (tmp_path / "c.json").write_bytes(text)
    (tmp_path / "f.csv").write_bytes(file)
    words = [str(tmp_path / "c.json"), str(tmp_path / "f.csv")]
    out = len(lines) - 1 - len(ROWS)
    assert checker.main(words) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"Covers 12 of {12 + out} records.")
    assert reason in said
    assert f"Does not hold of all: {out} of {12 + out} records are not covered." in said
    for allowed, code in ALLOWED.items():
        count = allowed.replace("out", f"{out}").replace("fewer", f"{out - 1}")
        assert checker.main([*words, f"--allow-left-out={count}"]) == code, count
        assert checker.main([*words, "--allow-left-out", count]) == code, count
        said = capsys.readouterr()
        assert said.err.count("--allow-left-out takes") == code // 2 * 2


ALLOWED = {
    **dict.fromkeys(["out", "30%", "99.5%", "100%", "0" * 9 + "out", "12"], 0),
    **dict.fromkeys(["fewer", "0", "0%", "1%", "0.000000001%"], 1),
    **dict.fromkeys(
        ["-1", "many", "1%%", "", "\u0661", "1e3", "nan", "inf", "5 %", " 5", "2.5"], 2
    ),
    **dict.fromkeys(["101%", "100.1%", "999999999%", "-5%", "%", "1000000000"], 2),
    **dict.fromkeys(["1" * 400, "0x1", "+3", "1_0", "3\n"], 2),
}
"""What may be left out, and the exit code: 2 of what cannot be."""


def test_lines_that_are_no_records_are_counted_and_allowed() -> None:
    text, file = hidden(
        ["Title,", "a,b", *ROWS, "Total,"], header_row="2", footer_rows=1
    )
    lines, out, n = checker.examine(text, file)
    assert (out, n) == (0, 12)
    assert "Other lines 1 above the header: [['Title', '']]." in lines
    assert "Other lines 1 below the table: [['Total', '']]." in lines


@pytest.mark.parametrize("encoding", checker.ENCODINGS)
def test_a_file_is_read_in_its_encoding(encoding: str) -> None:
    _, out, n = checker.examine(
        *hidden(["a,b,ä", *ROWS_WITH_LETTER], encoding=encoding)
    )
    assert (out, n) == (0, 12)


def test_declared_suppression_has_to_be_allowed(certificates: Made) -> None:
    lines, out, n = checker.examine(*certificates["left out"])
    assert (out, n) == (2, 24)
    assert "Not covered, as the run was allowed to leave them out: 2." in lines


def test_called_as_a_function_errors_go_to_stderr(
    certificates: Made, tmp_path: Path
) -> None:
    for name, content in zip(("c.json", "f.csv"), certificates["groups"], strict=True):
        (tmp_path / name).write_bytes(content)
    words = [str(tmp_path / name) for name in ("c.json", "f.csv")]
    for arguments, code in (
        (words, 0),
        (words[::-1], 2),
        (words[:1], 2),
        ([*words, "--allow-left-out", "x"], 2),
        ([words[0], str(tmp_path / "none")], 2),
    ):
        answer, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(answer), redirect_stderr(errors):
            assert checker.main(arguments) == code
        assert bool(errors.getvalue()) == (code == 2) != bool(answer.getvalue())


def test_equal_records_and_ties_are_the_best_possible_too() -> None:
    values = np.repeat(values_of(6, 3), 4, axis=0)
    found, text = made(values, "tree", 4)
    assert "these are the best" in " ".join(certify(found, text))


def test_stored_results_are_certified_too_whatever_their_prices() -> None:
    table, text = table_of(values_of(24, 6))
    outcome = outcome_of(table, "groups")
    stored = OutcomeFigures.from_json(
        json.loads(json.dumps(OutcomeFigures.from_outcome(outcome).to_json()))
    )
    again = stored.to_outcome(outcome.partition, outcome.release)
    assert (
        build_certificate(again, table).text == build_certificate(outcome, table).text
    )
    assert again.bound.proof is not None
    raised = replace(again.bound.proof, prices=again.bound.proof.prices + 1.0)
    short = replace(again.bound.proof, prices=again.bound.proof.prices[:9])
    for wrong in raised, short, None:
        spoilt = replace(again, bound=replace(again.bound, proof=wrong))
        found = build_certificate(spoilt, table)
        assert json.loads(found.text)["proof"][0]["kind"] == "pairs"
        certify(found.text, text)


@pytest.mark.parametrize(
    "asked", [3, *(pytest.param(asked, marks=pytest.mark.slow) for asked in (5, 8, 12))]
)
def test_what_is_proven_when_time_is_over_holds(asked: int) -> None:
    table, text = table_of(values_of(60, 4))
    outcome = outcome_of(table, "groups")
    left = iter([False] * asked)
    ctx = RunContext(enough=lambda: next(left, True))
    content = build_certificate(outcome, table, ctx=ctx).text
    certify(content, text)


@pytest.mark.parametrize("whole", [True, False])
def test_branches_are_certified_whether_or_not_all_are_closed(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without cuts, which close small tables, there is something left to divide.
    for module in (branching, column_search):
        monkeypatch.setattr(module, "separate_cuts", lambda *_: [])
    grow, ended = branching.BranchAndBound.expand, []

    def once(tree: branching.BranchAndBound, ctx: RunContext) -> bool:
        ended.append(grow(tree, ctx))
        return ended[-1] and whole

    table, text = table_of(values_of(24, 3))
    outcome = outcome_of(table, "groups")
    monkeypatch.setattr(branching.BranchAndBound, "expand", once)
    found = build_certificate(outcome, table, seconds=60.0)
    assert len(ended) > 1 or not whole
    assert b'"pair"' in found.text
    said = " ".join(certify(found.text, text))
    assert ("these are the best" in said) == found.best == whole


ODD: dict[str, Callable[[str], str]] = {
    "a name twice": lambda text: text.replace('"k": 3', '"k": 4, "k": 3'),
    "an exponent": lambda text: text.replace('"k": 3', '"k": 0.3e1'),
    "an enormous exponent": lambda text: text.replace('"k": 3', '"k": 1e999999'),
    "NaN": lambda text: text.replace('"k": 3', '"k": NaN'),
    "NaN as text": lambda text: text.replace('"k": 3', '"k": "NaN"'),
    "a truth for a number": lambda text: text.replace('"k": 3', '"k": true'),
    "a million digits": lambda text: text.replace('"k": 3', '"k": 3' + "0" * 10**6),
    "other digits": lambda text: text.replace('"unit": "1', '"unit": "\u0661'),
    "a huge share": lambda text: text.replace(
        '"weight": "1"', '"weight": "1e99999999"', 1
    ),
    "a divided share": lambda text: text.replace('"weight": "1"', '"weight": "1/0"', 1),
    "many levels": lambda text: text.replace(
        '"strata": null', '"strata": ' + "[" * 10**5 + "]" * 10**5
    ),
    "spaces": lambda text: text.replace(", ", ",  ", 1),
    "half of a sign": lambda text: text.replace('"name": "a"', '"name": "\\ud800"'),
    "a delimiter that is a digit": lambda text: text.replace(
        '"delimiter": ","', '"delimiter": "1"'
    ),
    "an encoding that computes": lambda text: text.replace('"utf-8"', '"punycode"'),
    "half a digest": lambda text: text[:40],
    "nothing": lambda text: "",
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_texts_are_refused_in_a_sentence(odd: str, certificates: Made) -> None:
    found, file = certificates["groups"]
    text = ODD[odd](found.decode())
    assert text != found.decode()
    text = text.replace(text[12:76], "0" * 64, 1) if len(text) > 76 else text
    digest = hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(Refused):
        certify(text.replace("0" * 64, digest, 1).encode(), file)


def test_a_certificate_of_people_says_so_and_counts_them() -> None:
    values = values_of(24, 6)
    frame = pd.DataFrame(values, columns=["a", "b"]).assign(id=np.arange(24) % 8)
    text = frame.to_csv(index=False).encode()
    roles = {"a": "quasi-identifier", "b": "quasi-identifier", "id": "identifier"}
    table = read_table(text, name="table.csv", roles=roles)
    plan = Plan(method="mdav", k=3, person="id", identifiers=("id",))
    outcome = run(plan, table)
    made = build_certificate(outcome, table).text
    said = " ".join(certify(made, text))
    assert "at least k = 3 people of 'id'" in said
    assert "who records are about." in said
    content = json.loads(made)
    assert content["persons"]["of"] == (np.arange(24) % 8).tolist()
    content["persons"]["of"] = [0] * 24
    with pytest.raises(checker.Refused, match="1 persons"):
        checker.check_proofs(content)


@pytest.mark.parametrize("knows", ["one", "all"])
def test_what_people_pay_is_proven_and_no_more_than_the_best_groups_lose(
    knows: str,
) -> None:
    found, file = made_of_people(knows, n=8, people=4)
    lines = certify(found, file)
    assert "no groups of at least k people" in lines[-1]
    assert ("same groups" in " ".join(lines)) == (knows == "all")
    content = json.loads(found)
    assert [one["kind"] for one in content["proof"]] == ["persons"]
    assert content["persons"]["constant"] == (["c"] if knows == "all" else None)
    table = read_table(
        file, name="table.csv", roles=dict.fromkeys("abc", "quasi-identifier")
    )
    X = table.frame[list("abc")].to_numpy(dtype=np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    persons = np.array(content["persons"]["of"])
    least = 100.0 * least_loss_of_people(X, persons, 3, knows) / (X**2).sum()
    assert 0.0 < float(content["bound"]) <= least <= float(content["loss"]) + 1e-9


@pytest.mark.parametrize("knows", ["one", "all"])
def test_a_certificate_of_people_says_what_the_run_says(knows: str) -> None:
    found, file = made_of_people(knows)
    table = read_table(
        file, name="table.csv", roles=dict.fromkeys("abc", "quasi-identifier")
    )
    plan = Plan(method="mdav", k=3, person="id", intruder_knows=knows)
    outcome = run(plan.replace(identifiers=("id",)), table)
    content = json.loads(found)
    assert float(content["loss"]) == pytest.approx(outcome.information_loss, rel=1e-12)
    assert outcome.bound.kind == "persons"
    assert float(content["bound"]) >= outcome.bound.per_cent * (1.0 - 1e-9)
    content["persons"]["constant"] = ["a"]
    with pytest.raises(checker.Refused):
        certify(sealed(content), file)


@pytest.mark.parametrize("way", PEOPLE_SPOILS)
@pytest.mark.parametrize("knows", ["one", "all"])
def test_who_tampers_with_people_is_refused_or_said_to_be_taken_at_his_word(
    way: str, knows: str
) -> None:
    rng, outcomes = np.random.default_rng(9), set()
    found, file = made_of_people(knows)
    for _ in range(20):
        content = json.loads(found)
        PEOPLE_SPOILS[way](content, rng)
        try:
            said = certify(sealed(proven_anew(content)), file)[0]
        except Refused:
            outcomes.add("refused")
            continue
        is_taken = "not the file: who records are about." in said
        outcomes.add("taken" if is_taken else "holds")
    if way == "sets of groups split" and knows == "one":
        assert "holds" in outcomes, "of one record known, sets do not matter"
    else:
        assert "holds" not in outcomes


@pytest.mark.parametrize("knows", ["one", "all"])
def test_a_file_that_names_other_people_is_said_to(knows: str) -> None:
    found, file = made_of_people(knows)
    content = json.loads(found)
    for old, new in ((b",p1\n", b",p2\n"), (b",p3\n", b",\n")):
        other = file.replace(old, new, 1)
        content["file"]["sha256"] = hashlib.sha256(other).hexdigest()
        with pytest.raises(Refused, match="the file names other people"):
            certify(sealed(content), other)
    numbers = re.sub(rb",p(\d)\n", rb",\1\n", file)
    for text in numbers, numbers.replace(b",1\n", b",1.0\n", 1):
        roles = {**dict.fromkeys("abc", "quasi-identifier"), "id": "identifier"}
        table = read_table(text, name="table.csv", roles=roles)
        plan = Plan(method="mdav", k=3, person="id", intruder_knows=knows)
        outcome = run(plan.replace(identifiers=("id",)), table)
        lines = certify(build_certificate(outcome, table, seconds=0.0).text, text)
        assert ("who records are about" in lines[0]) == (text != numbers)
        assert ("who records are about" in lines[2]) == (text == numbers)


def test_equal_values_of_two_strata_and_a_column_of_one_value_are_certified() -> None:
    person = np.repeat(np.arange(16), 2)
    frame = pd.DataFrame({"a": person // 2 % 4, "b": np.tile([0, 5], 16)})
    frame = frame.assign(c="x", id=person, s=np.where(person < 8, "n", "p"))
    file = frame.to_csv(index=False).encode()
    roles = dict.fromkeys("abc", "quasi-identifier")
    table = read_table(file, name="table.csv", roles=roles)
    plan = Plan(method="mdav", k=4, person="id", intruder_knows="all", strata="s")
    outcome = run(plan.replace(identifiers=("id",)), table)
    assert frame["s"].groupby(outcome.partition.labels).nunique().max() == 2
    found = build_certificate(outcome, table)
    assert float(found.loss) == pytest.approx(outcome.information_loss)
    certify(found.text, file)


def test_records_in_other_groups_than_those_of_others_are_no_class() -> None:
    content = json.loads(made_of_people("all")[0])
    labels = content["labels"]
    i = next(i for i, x in enumerate(labels) if labels.count(x) > 3)
    labels[i] = next(x for x in labels if x != labels[i])
    with pytest.raises(checker.Refused, match=r"other groups|persons"):
        checker.check_proofs(content)


def test_merged_groups_of_histories_are_not_certified() -> None:
    plan = Plan(quasi_identifiers=("a",), person="id", intruder_knows="all")
    table = read_table(pd.DataFrame({"a": [1.0, 2.0] * 6, "id": [*range(6)] * 2}))
    plan = plan.replace(k_map=20, sampling_fraction=0.1)
    assert "history" in str(reason_not_certifiable(resolve_plan(plan, table), table))


def test_a_cell_longer_than_the_csv_module_reads_unasked_is_read() -> None:
    values = np.round(np.random.default_rng(3).lognormal(size=(12, 2)), 2)
    lines = [f"{a},{b},{'x' * 140_000 if a == values[0][0] else ''}" for a, b in values]
    file = "\n".join(["a,b,text", *lines, ""]).encode()
    roles = {"a": "quasi-identifier", "b": "quasi-identifier", "text": "other"}
    table = read_table(file, name="table.csv", roles=roles)
    outcome = run(Plan(method="mdav", k=3, quasi_identifiers=("a", "b")), table)
    limit = csv.field_size_limit()
    certify(build_certificate(outcome, table).text, file)
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("wrong", [r'"\ud800"', "9" * 5000, "[" * 5000 + "]" * 5000])
def test_damage_is_one_short_sentence_that_repeats_nothing(wrong: str) -> None:
    found, file = made(values_of(12, 3), "")
    text = found.decode().replace('"k": 3', f'"k": {wrong}')
    text = text[:12] + "0" * 64 + text[76:]
    digest = hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(
        checker.InvalidCertificate, match="the certificate is damaged"
    ) as error:
        certify((text[:12] + digest + text[76:]).encode(), file)
    assert len(str(error.value)) < 250
    assert '"labels"' not in str(error.value)


def test_a_text_without_names_of_columns_is_told_by_its_digest_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plain.csv"
    rows = [f"{i},{i * i % 11}.5,{i * 3 % 7}" for i in range(1, 13)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    table = read_table(path, options=ReadOptions(header=False))
    plan = Plan(method="mdav", k=3, quasi_identifiers=table.schema.names)
    text = build_certificate(run(plan, table), table).text
    lines, _out, n = checker.examine(text, path.read_bytes())
    assert n == 12
    assert "Compared with it: nothing." in "\n".join(lines)
