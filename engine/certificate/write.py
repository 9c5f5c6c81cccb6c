"""What a certificate says: a partition, its numbers, and prices that prove a bound."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from engine.bounds import best_bound
from engine.bounds.base import EPS, Prices
from engine.certificate import certify as checker
from engine.certificate.certifiable import uncertifiable
from engine.certificate.claim import claimed, no_group_gains
from engine.certificate.exact import scaled, unit_of, whole_columns
from engine.certificate.tree import Node, close
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.partition import Partition
from engine.core.typing import Values
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.prepare import Preparations

SECONDS = 60.0
"""Time that may be taken to close what the prices leave open, or as long as the groups
took where that was longer."""


def certificate(
    outcome: Outcome,
    table: Table,
    preparations: Preparations | None = None,
    seconds: float | None = None,
    ctx: RunContext = SILENT,
) -> Certificate:
    """Return the certificate of a run, with what its checker finds proven.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected, with the file that it came from.
    preparations : Preparations, optional
        Of the same table, where it was prepared already.
    seconds : float, optional
        Time to prove, at most, that nothing is left between bound and loss.
    ctx : RunContext

    Raises
    ------
    ParameterError
        If the run is one whose bound cannot be certified.
    InputError
        If the file is gone or was changed.
    """
    why = uncertifiable(outcome.plan, table)
    if why is not None:
        raise ParameterError(
            "No certificate can be written of a run with {what}: it would have to say "
            "what this version cannot prove. Leave the certificate out.",
            what=why,
        )
    assert table.carried is not None
    file = table.carried.read()
    prepared = (preparations or Preparations(table)).of(outcome.plan)
    points, k = prepared.points, outcome.plan.k
    if not np.ptp(points.X, axis=0).any():
        raise ParameterError("All records are equal: there is no loss to certify.")
    columns = whole_columns(points)
    unit = unit_of([column.factor(outcome.plan.scaling) for column in columns])
    content: dict[str, Any] = {
        "digest": "0" * 64,
        "format": checker.FORMAT,
        "file": {
            "name": table.origin.name,
            "sha256": table.carried.digest,
        },
        "reading": _reading(table),
        "method": outcome.plan.name,
        "versions": dict(outcome.versions),
        "k": k,
        "scaling": outcome.plan.scaling,
        "columns": [
            {
                "name": column.name,
                "weight": str(column.weight),
                "denominator": str(column.denominator),
                "read": True,
                "values": [_short(x) for x in column.values],
            }
            for column in columns
        ],
        "labels": outcome.partition.labels.tolist(),
        "unit": str(unit),
    }
    for column in content["columns"]:
        column["read"] = _can_be_read(file, content["reading"], column)
    given = outcome.bound.proof
    if seconds is None:
        seconds = max(SECONDS, outcome.seconds["partition"])
    try:
        loss, bound = _proven(content, given, outcome.partition, points.X, seconds, ctx)
    except (checker.Refused, ValueError, IndexError):  # a stored proof may be anything
        found = best_bound(points.X, k, ctx).proof
        loss, bound = _proven(content, found, outcome.partition, points.X, seconds, ctx)
    content["loss"] = checker.decimal(loss, True)
    content["bound"] = checker.decimal(bound, False)
    best = (loss - bound) * 10**9 <= loss
    return Certificate(_sealed(content), content["loss"], content["bound"], best)


@dataclass(frozen=True)
class Certificate:
    """What a run proves.

    Attributes
    ----------
    text : bytes
        JSON, for the checker.
    loss, bound : str
        In per cent, in decimals: rounded up, and rounded down.
    best : bool
        Whether no groups of at least k lose less by a billionth part.
    """

    text: bytes
    loss: str
    bound: str
    best: bool


def _reading(table: Table) -> dict[str, Any] | None:
    """Return how a delimited text is read; None for other files."""
    options: Mapping[str, Any] = table.origin.options
    header = str(options.get("header_row") or 1)
    if table.origin.format != "csv" or not header.isdigit():
        return None
    return {
        "encoding": options["encoding"],
        "delimiter": options["delimiter"],
        "decimal": options["decimal"],
        "header": int(header),
        "footer": int(options.get("footer_rows") or 0),
    }


def _can_be_read(file: bytes, reading: dict[str, Any] | None, column: Any) -> bool:
    """Return whether the checker finds a column's numbers in the file."""
    if reading is None:
        return False
    try:
        checker.read_columns(file, reading, [column])
    except (checker.Refused, ValueError, IndexError):
        return False
    return True


def _short(number: int) -> int | str:
    """Return a number as JSON holds it without loss in every language."""
    return number if abs(number) < 2**53 else str(number)


def _proven(
    content: dict[str, Any],
    given: Prices | None,
    partition: Partition,
    X: Values,
    seconds: float,
    ctx: RunContext,
) -> tuple[Fraction, Fraction]:
    """Write a proof into a certificate; return loss and bound as the checker does."""
    proof = given or best_bound(X, partition.k, ctx).proof or _nothing(len(X))
    if proof.neighbours:
        content["proof"] = _pairs(proof, content)
        return checker.proven(content)
    unit, k = int(content["unit"]), partition.k
    safe = _safe(proof, k)
    searched = no_group_gains(safe, X, k, ctx)
    content["proof"] = _groups(safe, partition, X, unit, seconds, ctx)
    # The checker looks for all groups that gain, which takes it long; the compiled
    # search has looked for them, unless they were too many.
    return claimed(content) if searched else checker.proven(content)


def _safe(proof: Prices, k: int) -> Prices:
    """Return prices of groups, lowered by their rounding."""
    s = 2 * k - 1
    slack = EPS * (s * s + 8.0 * s + 32.0) * 16.0 * s * np.abs(proof.prices)
    slack += 1e-12 * float(np.abs(proof.prices).mean())
    return Prices.with_cuts(proof.prices - slack, proof.sets, proof.cut_prices)


def _nothing(n: int) -> Prices:
    return Prices(np.zeros(n), neighbours=1)


def _pairs(proof: Prices, content: dict[str, Any]) -> dict[str, Any]:
    """Return prices of pairs: (4) of the checker."""
    records = checker.Records(content)
    prices = [scaled(u, records.unit) for u in proof.prices.tolist()]
    boxes = checker.Boxes(records, prices)
    return {
        "kind": "pairs",
        "neighbours": proof.neighbours,
        "prices": list(map(str, prices)),
        "excess": str(sum(map(boxes.excess, boxes.leaves))),
    }


def _groups(
    proof: Prices,
    partition: Partition,
    X: Values,
    unit: int,
    seconds: float,
    ctx: RunContext,
) -> dict[str, Any]:
    """Return prices of groups, and the tree below: (5) to (8) of the checker."""
    k = partition.k
    whole = 2 * math.lcm(*range(k, 2 * k)) * unit
    tree = close(X, partition.labels, k, proof, ctx, seconds)
    return {
        "kind": "groups",
        **_prices(proof, whole),
        "tree": None if tree is None else _node(tree, whole),
    }


def _node(node: Node, unit: int) -> dict[str, Any]:
    if node.proof is not None:
        below = None if node.below is None else _node(node.below, unit)
        return {**_prices(node.proof, unit), "tree": below}
    assert node.pair is not None
    assert node.together is not None
    assert node.apart is not None
    return {
        "pair": list(node.pair),
        "together": _node(node.together, unit),
        "apart": _node(node.apart, unit),
    }


def _prices(proof: Prices, unit: int) -> dict[str, Any]:
    """Return prices in whole numbers, which groups exceed no more than before."""
    prices = [scaled(p, unit) for p in proof.prices.tolist()]
    paid = [scaled(q, unit, up=True) for q in proof.cut_prices.tolist()]
    sets = proof.sets
    total = sum(prices) - sum(
        len(records) // divisor * q
        for (records, divisor), q in zip(sets, paid, strict=True)
    )
    return {
        "prices": list(map(str, prices)),
        "cuts": [
            [list(records), divisor, str(q)]
            for (records, divisor), q in zip(sets, paid, strict=True)
        ],
        "total": str(total),
    }


def _sealed(content: dict[str, Any]) -> bytes:
    """Return a certificate as bytes, with the digest of all of them."""
    text = json.dumps(content, ensure_ascii=False).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    return text.replace(b"0" * 64, digest, 1)
