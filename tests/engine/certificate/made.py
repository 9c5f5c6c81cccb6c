"""Certificates of small tables, with all that a certificate can hold."""

import dataclasses
import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd

from engine.bounds.nearest_neighbour_bound import nearest_bound
from engine.certificate.certify import examine
from engine.certificate.write import build_certificate
from engine.core.typing import Values
from engine.data.table import Table
from engine.files import ReadOptions, read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

Made = dict[str, tuple[bytes, bytes]]
"""Certificates and files, by kind."""

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
    "gaps kept",
    "gaps filled",
    "gaps of all ways",
)

CLOSED = (
    "tree",
    "categories",
    "strata of groups",
    "left out",
    "gaps kept",
    "gaps filled",
)
"""Kinds that are proven best possible."""

EITHER = ("groups", "weights")
"""Kinds that may be, by chance: it depends on the solver."""

WAYS: dict[str, dict[str, Any]] = {
    "gaps kept": {"missing": "keep"},
    "gaps filled": {"missing": "median", "missing_columns": {"b": "mode"}},
    "gaps of all ways": {
        "missing": "keep-or-fill",
        "missing_columns": {"a": "median", "d": "drop"},
        "only": "e < 1",
        "suppress": 1,
        "strata": "s",
        "weights": "w",
        "scaling": "range",
        "attribute_weights": {"c": 2.5},
    },
}
"""Choices of kinds with gaps."""


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
    if kind == "gaps of all ways":
        frame["d"], frame["e"] = rng.integers(10, size=n), np.arange(n) // (n - 1)
        roles |= {"d": "quasi-identifier", "e": "other"}
        kinds |= {"d": "continuous"}
    if kind in ("categories", "gaps of all ways"):
        frame["c"] = np.array(['red, "dark"', "blue", "vert é"])[
            rng.integers(3, size=n)
        ]
        roles["c"], kinds["c"] = "quasi-identifier", "nominal"
    if kind.startswith("strata") or kind == "gaps of all ways":
        frame["s"], roles["s"] = np.where(np.arange(n) % 5 < 2, "x", "y"), "other"
    if kind in ("weights", "gaps of all ways"):
        frame["w"], roles["w"] = np.round(rng.uniform(1.0, 3.0, n), 1), "weight"
    if kind in WAYS:
        frame = with_gaps(frame, kind, rng)
    text = frame.to_csv(index=False).encode()
    codes = ReadOptions(missing={"a": [str(NO_VALUE)]} if kind in WAYS else None)
    table = read_table(text, name="table.csv", options=codes)
    return table.assign(roles=roles, kinds=kinds), text


NO_VALUE = -99.0
"""Stands for no value in column a, as an empty cell does."""


def with_gaps(frame: pd.DataFrame, kind: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table in which some cells hold no value."""
    n, gappy_frame = len(frame), frame.astype({"a": "float64", "b": "float64"})
    if kind == "gaps kept":
        gappy_frame.loc[np.arange(n) % 3 == 1, "b"] = np.nan
        return gappy_frame
    gappy_frame.loc[rng.permutation(n)[: n // 6], "a"] = np.nan
    gappy_frame.loc[rng.permutation(n)[: n // 8], "a"] = NO_VALUE
    gappy_frame.loc[rng.permutation(n)[: n // 6], "b"] = np.nan
    if kind == "gaps of all ways":
        gappy_frame["c"] = gappy_frame["c"].astype(object)
        gappy_frame.loc[np.arange(n) % 4 == 3, "c"] = np.nan
        gappy_frame["d"] = gappy_frame["d"].astype("Int64")
        gappy_frame.loc[1, "d"] = pd.NA
    return gappy_frame


def outcome_of(table: Table, kind: str, k: int = 3, **choices: Any) -> Outcome:
    """Return a run whose bound is proven in one of these ways."""
    choices = WAYS.get(kind, {}) | choices
    if kind.startswith("strata"):
        choices["strata"] = "s"
    if kind == "weights":
        choices["weights"] = "w"
    if kind == "left out":
        choices["suppress"] = 2
    if kind in CLOSED + EITHER:
        parameters = {"iterations": 60, "gap": 0.0}
        return run(Plan(method="optimal", k=k, parameters=parameters, **choices), table)
    outcome = run(Plan(method="mdav", k=k, **choices), table)
    if kind == "nearest":
        from engine.pipeline.grouping.prepare import PreparationCache

        X = PreparationCache(table).get(outcome.plan).points.X
        return dataclasses.replace(outcome, bound=nearest_bound(X, k))
    return outcome


def made(values: Values, kind: str, k: int = 3, **choices: Any) -> tuple[bytes, bytes]:
    """Return a certificate and its file."""
    table, text = table_of(values, kind)
    outcome = outcome_of(table, kind, k, **choices)
    seconds = 60.0 if kind in CLOSED else 0.0
    return build_certificate(outcome, table, seconds=seconds).text, text


def sealed(content: dict[str, Any]) -> bytes:
    """Return a certificate with the digest that its text has."""
    content = {**content, "digest": "0" * 64}
    text = json.dumps(content, ensure_ascii=False).encode()
    return text.replace(b"0" * 64, hashlib.sha256(text).hexdigest().encode(), 1)


def certify(certificate: bytes, file: bytes) -> list[str]:
    """Return in words what a certificate proves of a file."""
    return examine(certificate, file)[0]


def made_of_people(knows: str, n: int = 24, people: int = 6) -> tuple[bytes, bytes]:
    """Return a certificate of a panel and its file; one column is constant.

    The nearest records of most are their own, and the last ones are of nobody.
    """
    person = np.arange(n) % people
    frame = pd.DataFrame(0.05 * values_of(n, 6), columns=["a", "b"]).round(2)
    frame["a"] += 3.0 * person
    frame["c"] = 2.0 * (person % 4)
    frame["id"] = [f"p{each}" for each in person]
    frame.loc[n - 2 :, "id"] = ""
    text = frame.to_csv(index=False).encode()
    roles = {**dict.fromkeys("abc", "quasi-identifier"), "id": "identifier"}
    table = read_table(text, name="table.csv", roles=roles)
    plan = Plan(method="mdav", k=3, person="id", identifiers=("id",))
    if knows != "one":
        plan = plan.replace(intruder_knows="all", counts=knows == "counts")
    outcome = run(plan, table)
    return build_certificate(outcome, table, seconds=0.0).text, text


def spoil_people(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Change who records are about, what classes share, or what people pay."""
    persons, proof = content["persons"], content["proof"][0]
    i, way = int(rng.integers(len(persons["of"]))), int(rng.integers(7))
    if way == 0:
        persons["of"][i] = int(rng.integers(-2, 7))
    elif way == 1:
        proof["total"] = str(int(proof["total"]) + int(rng.integers(-2, 3)))
    elif way == 2:
        persons["constant"] = [None, ["a"], ["z"], "a", [], 1][int(rng.integers(6))]
    elif way == 3:
        content["labels"][i] = int(rng.integers(-1, max(content["labels"]) + 1))
    elif way == 4:
        del persons[["of", "constant", "columns"][int(rng.integers(3))]]
    elif way == 5:
        persons["counts"] = [True, False, 1, 0, "yes", None][int(rng.integers(6))]
    else:
        proof["kind"] = ["pairs", "groups", "persons", "x"][int(rng.integers(4))]
