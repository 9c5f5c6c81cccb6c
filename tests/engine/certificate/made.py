"""Certificates to check and to spoil, of small tables."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from engine.bounds.nearest import nearest_bound
from engine.certificate.write import certificate
from engine.core.typing import Values
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

KINDS = (
    "nearest",
    "edge-cover",
    "groups",
    "tree",
    "categories",
    "strata of pairs",
    "strata of groups",
    "weights",
    "left out",
)

CLOSED = "tree", "categories", "strata of groups", "left out"
"""Kinds that are proven best possible."""


def values_of(n: int, seed: int) -> Values:
    """Return records with two decimals, shape (n, 2)."""
    return np.round(np.random.default_rng(seed).lognormal(size=(n, 2)), 2)


def table_of(values: Values, kind: str = "") -> tuple[Table, bytes]:
    """Return a table of continuous quasi-identifiers, and its file.

    Where the kind says so, the last of them are categories, strata or weights.
    """
    names = list("abcdefgh"[: values.shape[1]])
    frame = pd.DataFrame(values, columns=names)
    roles: dict[str, str] = dict.fromkeys(names, "quasi-identifier")
    kinds = dict.fromkeys(names, "continuous")
    n, rng = len(values), np.random.default_rng(len(values))
    if kind == "categories":
        frame["c"] = np.array(['red, "dark"', "blue", "vert é"])[
            rng.integers(3, size=n)
        ]
        roles["c"], kinds["c"] = "quasi-identifier", "nominal"
    if kind.startswith("strata"):
        frame["s"], roles["s"] = np.where(np.arange(n) % 5 < 2, "x", "y"), "other"
    if kind == "weights":
        frame["w"], roles["w"] = np.round(rng.uniform(1.0, 3.0, n), 1), "weight"
    text = frame.to_csv(index=False).encode()
    table = read_table(text, name="table.csv")
    return table.assign(roles=roles, kinds=kinds), text


def outcome_of(table: Table, kind: str, k: int = 3, **choices: Any) -> Outcome:
    """Return a run whose bound is proven in one of these ways."""
    if kind.startswith("strata"):
        choices["strata"] = "s"
    if kind == "weights":
        choices["weights"] = "w"
    if kind == "left out":
        choices["suppress"] = 2
    if kind in CLOSED or kind in ("groups", "weights"):
        parameters = {"iterations": 60, "gap": 0.0}
        return run(Plan(method="optimal", k=k, parameters=parameters, **choices), table)
    outcome = run(Plan(method="mdav", k=k, **choices), table)
    if kind == "nearest":
        from engine.pipeline.prepare import Preparations

        X = Preparations(table).of(outcome.plan).points.X
        return dataclasses.replace(outcome, bound=nearest_bound(X, k))
    return outcome


def made(values: Values, kind: str, k: int = 3, **choices: Any) -> tuple[bytes, bytes]:
    """Return a certificate and its file."""
    table, text = table_of(values, kind)
    outcome = outcome_of(table, kind, k, **choices)
    seconds = 60.0 if kind in CLOSED else 0.0
    return certificate(outcome, table, seconds=seconds).text, text


def sealed(content: dict[str, Any]) -> bytes:
    """Return a certificate with the digest that its text has."""
    content = {**content, "digest": "0" * 64}
    text = json.dumps(content, ensure_ascii=False).encode()
    return text.replace(b"0" * 64, hashlib.sha256(text).hexdigest().encode(), 1)


Spoil = Callable[[dict[str, Any], np.random.Generator], None]


def _moved_label(content: dict[str, Any], rng: np.random.Generator) -> None:
    labels = content["labels"]
    i = int(rng.integers(len(labels)))
    others = sorted({*labels} - {labels[i]})
    labels[i] = others[int(rng.integers(len(others)))]


def _raised_price(content: dict[str, Any], rng: np.random.Generator) -> None:
    node = _some_prices(_some_proof(content, rng), rng)
    i = int(rng.integers(len(node["prices"])))
    mean = sum(map(int, node["prices"])) // len(node["prices"])
    node["prices"][i] = str(int(node["prices"][i]) + mean // int(rng.integers(1, 6)))


def _some_proof(content: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the proof, or that of a stratum."""
    proof = content["proof"]
    return proof[int(rng.integers(len(proof)))] if isinstance(proof, list) else proof


def _some_prices(proof: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the proof itself, or a leaf of its tree."""
    node = proof
    while rng.random() < 0.7 and (below := node.get("tree")):
        node = below
        while "pair" in node:
            node = node["together" if rng.random() < 0.5 else "apart"]
    return node


def _dropped_record(content: dict[str, Any], rng: np.random.Generator) -> None:
    i = int(rng.integers(len(content["labels"])))
    proof, labels = content["proof"], content["labels"]
    place = i - labels[:i].count(-1)
    if content["strata"] is not None:
        of = content["strata"]["of"]
        proof, place = proof[of[i]], of[:i].count(of[i])
        del of[i]
    if labels.pop(i) != -1:
        del proof["prices"][place]
    for column in filter(None, [*content["columns"], content["weights"]]):
        del column["values"][i]


def _changed_number(content: dict[str, Any], rng: np.random.Generator) -> None:
    columns = [x for x in [*content["columns"], content["weights"]] if x]
    column = columns[int(rng.integers(len(columns)))]
    i = int(rng.integers(len(column["values"])))
    column["values"][i] += int(rng.integers(1, 100))


def _wrong_cut(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Price a cut without right: negative, of divisor 1, or on no record there is."""
    proof = _some_proof(content, rng)
    n, price = len(proof["prices"]), proof["prices"][0]
    cut = rng.permutation(n)[:3].tolist()
    wrong = [
        [cut, 2, f"-{price}"],
        [[], 2, price],
        [[cut[0], cut[1], n], 2, price],
        [cut, 1, price],
        [[-1, *cut[:2]], 2, price],
    ]
    proof.setdefault("cuts", []).append(wrong[int(rng.integers(5))])
    if proof["kind"] == "pairs":  # which have no cuts at all
        proof["kind"] = "groups"
        proof["tree"] = None


def _claimed(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Claim a smaller loss, a larger bound, or another k."""
    which = ("loss", "bound", "k", "scaling", "unit")[int(rng.integers(5))]
    if which == "k":
        content["k"] = int(rng.choice([0, 1, content["k"] + 1, len(content["labels"])]))
    elif which == "scaling":
        content["scaling"] = "range" if content["scaling"] == "zscore" else "zscore"
    elif which == "unit":
        content["unit"] = str(int(content["unit"]) * 2 // 3)
    else:
        places = int(rng.integers(4, 15))
        sign = -1 if which == "loss" else 1
        whole = int(content[which].replace(".", "")) + sign * 10**places
        text = str(max(whole, 0)).rjust(19, "0")
        content[which] = f"{text[:-18]}.{text[-18:]}"


def _lost_entry(content: dict[str, Any], rng: np.random.Generator) -> None:
    some = content if rng.random() < 0.5 else _some_proof(content, rng)
    needed = [
        name
        for name in some
        if name not in ("digest", "method", "versions", "neighbours")
    ]
    name = needed[int(rng.integers(len(needed)))]
    wrong = (None, -1, "x", {})[int(rng.integers(4))]
    if rng.random() < 0.5 or some[name] is wrong:
        del some[name]
    else:
        some[name] = wrong
    if name == "tree":
        some["tree"] = {"prices": []}


def _changed_column(content: dict[str, Any], rng: np.random.Generator) -> None:
    column = content["columns"][int(rng.integers(len(content["columns"])))]
    name = ("name", "weight", "denominator")[int(rng.integers(3))]
    column[name] = {"name": "elsewhere", "weight": "3/2", "denominator": "1000"}[name]


def _other_part(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Change what categories, strata, weights or a tree are, or another number."""
    column, strata = content["columns"][-1], content["strata"]
    proof = _some_proof(content, rng)
    if column["categories"] is not None:
        branch = column["branches"][int(rng.integers(len(column["branches"])))]
        others = sorted({*range(len(column["categories"]))} - {*branch[1]})
        branch[1].append(others[int(rng.integers(len(others)))])
    elif strata is not None:
        i = int(rng.integers(len(strata["of"])))
        strata["of"][i] = 1 - strata["of"][i]
    elif content["weights"] is not None:
        content["weights"]["values"] = [1] * len(content["labels"])
    elif proof["kind"] == "groups":
        proof["target"] = str(int(proof["target"]) * 9 // 10)
    else:
        proof["excess"] = str(int(proof["excess"]) + int(rng.integers(1, 9)))


SPOILS: dict[str, Spoil] = {
    "a label moved": _moved_label,
    "a price raised": _raised_price,
    "a record dropped": _dropped_record,
    "a number changed": _changed_number,
    "a cut that does not hold": _wrong_cut,
    "another claim": _claimed,
    "an entry lost": _lost_entry,
    "another column": _changed_column,
    "another part": _other_part,
}


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**53 - 1, "0", "1", "-1", "01", "10", "1/2"),
    *("1/0", "NaN", "1e9", "7" * 300, "\u0661", "", "a", ".", ",", ";", "utf-16"),
    *(
        "latin-1",
        "pairs",
        "groups",
        "none",
        [],
        {},
        [[]],
        [0],
        [0, 1],
        {"pair": [0, 1]},
    ),
)


def odd(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Put something odd somewhere, or take something away."""
    place: Any = content
    while True:
        some = list(place) if isinstance(place, dict) else range(len(place))
        key = some[int(rng.integers(len(some)))]
        if not isinstance(place[key], (dict, list)) or not place[key]:
            break
        if rng.random() < 0.1:
            break
        place = place[key]
    value = ODD[int(rng.integers(len(ODD)))]
    if rng.random() < 0.1:
        del place[key]
    else:
        place[key] = value
