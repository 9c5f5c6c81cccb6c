"""What a certificate says: a partition, its numbers, and prices that prove a bound."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from engine.certificate import certify as checker
from engine.certificate.certifiable import uncertifiable
from engine.certificate.exact import unit_of, whole_columns, whole_numbers
from engine.certificate.proofs import Proofs
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.typing import Integers
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
    preparations = preparations or Preparations(table)
    prepared, k = preparations.of(outcome.plan), outcome.plan.k
    # Of all records, those left out among them: they count for the scales.
    points = preparations.of(outcome.plan.model_copy(update={"suppress": 0.0})).points
    kept = np.arange(points.n_records)
    if prepared.suppressed is not None:
        kept = prepared.suppressed.kept
    if not np.ptp(prepared.points.X, axis=0).any():
        raise ParameterError("All records are equal: there is no loss to certify.")
    columns = [column.written() for column in whole_columns(points)]
    plan, weights = outcome.plan, None
    if points.weights is not None:
        assert plan.weights is not None
        weights = whole_numbers(plan.weights, points.weights, Fraction(1)).written()
    factors = [f for x in columns for _, f in checker.parts(x, plan.scaling)]
    content: dict[str, Any] = {
        "digest": "0" * 64,
        "format": checker.FORMAT,
        "file": {
            "name": table.origin.name,
            "sha256": table.carried.digest,
        },
        "reading": _reading(table),
        "method": plan.name,
        "versions": dict(outcome.versions),
        "k": k,
        "scaling": plan.scaling,
        "columns": columns,
        "weights": weights,
        "labels": _placed(outcome.partition.labels, kept, points.n_records, LEFT_OUT),
        "strata": None,
        "unit": str(unit_of(factors)),
    }
    for column in [*columns, *([weights] if weights else [])]:
        column["read"] = _can_be_read(file, content["reading"], column)
    strata = prepared.blocks[0].strata
    if len(strata) > 1:
        of = np.empty(kept.size, dtype=np.int64)
        for number, some in enumerate(strata):
            of[some] = number
        names = plan.strata_among(table.schema.names)
        places = _placed(of, kept, points.n_records, 0)
        content["strata"] = {"columns": list(names), "of": places}
    if seconds is None:
        seconds = max(SECONDS, outcome.seconds["partition"])
    given = outcome.bound.proof if len(strata) == 1 else None
    X, kind = prepared.points.X, outcome.bound.kind
    proofs = Proofs(content, outcome.partition, X, kept, kind, ctx)
    try:
        loss, bound = proofs.write(strata, given, seconds)
    except (checker.Refused, ValueError, IndexError):  # a stored proof may be anything
        loss, bound = proofs.write(strata, None, seconds)
    content["loss"] = checker.decimal(loss, True)
    content["bound"] = checker.decimal(bound, False)
    best = (loss - bound) * 10**9 <= loss
    return Certificate(_sealed(content), content["loss"], content["bound"], best)


LEFT_OUT = -1
"""Label of a record that is left out."""


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


def _placed(values: Integers, kept: Integers, n: int, other: int) -> list[int]:
    """Return values of the records that stay in their places, and another elsewhere."""
    found = np.full(n, other, dtype=np.int64)
    found[kept] = values
    return list(map(int, found))


def _reading(table: Table) -> dict[str, Any] | None:
    """Return how a delimited text is read; None for other files."""
    options: Mapping[str, Any] = table.origin.options
    header = str(options.get("header_row") or 1)
    if table.origin.format != "csv" or not header.isdigit():
        return None
    return {
        "encoding": codecs.lookup(options["encoding"]).name,
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


def _sealed(content: dict[str, Any]) -> bytes:
    """Return a certificate as bytes, with the digest of all of them."""
    text = json.dumps(content, ensure_ascii=False).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    return text.replace(b"0" * 64, digest, 1)
