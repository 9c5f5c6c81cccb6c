"""Certificate of a run: partition, integer values, and proofs of a lower bound."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from engine.certificate import certify as checker
from engine.certificate.certificate_conditions import reason_not_certifiable
from engine.certificate.exact import (
    choose_factor_multiplier,
    coordinates_from_integers,
    integer_columns,
    make_integer_column,
)
from engine.certificate.proofs import CertificateProofWriter
from engine.certificate.reading import (
    add_read_flags_and_gap_texts,
    delimited_reading_options,
)
from engine.constraints.governing import governing_columns
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.partition import Partition, group_per_record, renumber_groups
from engine.core.typing import Integers
from engine.data.persons import NOBODY, class_set_per_person
from engine.data.table import Table
from engine.persons.histories import attributes_constant_per_person
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.grouping.prepare import PreparationCache, PreparedTable
from engine.pipeline.grouping.strata import records_by_stratum_and_warnings
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points

DEFAULT_PROOF_SECONDS = 60.0
"""Time that may be taken to close what the prices leave open, or as long as the groups
took where that was longer."""


@check_arguments
def build_certificate(
    outcome: Outcome,
    table: Table,
    preparations: PreparationCache | None = None,
    seconds: float | None = None,
    ctx: RunContext = SILENT,
) -> Certificate:
    """Return the certificate of a run: partition, integer values and proofs.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected, with the file that it came from.
    preparations : PreparationCache, optional
        Preparations of the same table, if they exist.
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
    table.check_fingerprint(outcome.fingerprint)
    why = reason_not_certifiable(outcome.plan, table)
    if why is not None:
        raise ParameterError(
            "No certificate can be written of a run with {what}: it would have to say "
            "what this version cannot prove. Leave the certificate out.",
            what=why,
        )
    assert table.carried is not None
    file = table.carried.read_bytes()
    preparations = preparations or PreparationCache(table)
    prepared, k = preparations.get(outcome.plan), outcome.plan.k
    # Of all records, those left out among them: they count for the scales.
    whole = outcome.plan.model_copy(update={"suppress": 0.0, "counts": False})
    points = preparations.get(whole).points
    records = np.arange(points.n_records)
    if prepared.suppressed is not None:
        records = prepared.suppressed.kept
    if not _has_variation(prepared.points):
        raise ParameterError("All records are equal: there is no loss to certify.")
    plan, weights = outcome.plan, None
    policies = {
        name: plan.missing_columns.get(name, plan.missing) for name in points.names
    }
    columns = [column.to_json() for column in integer_columns(points, policies)]
    if points.weights is not None:
        assert plan.weights is not None
        weights = make_integer_column(
            plan.weights, points.weights, Fraction(1)
        ).to_json()
    parts = [checker.split_column(column, plan.scaling) for column in columns]
    partition, persons = outcome.partition, prepared.persons
    if persons is not None and plan.intruder_knows == "all":
        labels = partition.labels.copy()
        for number, some in enumerate(prepared.blocks[0].strata):
            # Equal values of several strata are one group in the release.
            labels[some] += number * partition.n_groups
        labels = renumber_groups(labels)
        labels = _labels_within_classes(labels, persons, plan.counts)
        partition = Partition(labels, k)
    content: dict[str, Any] = {
        "digest": "0" * 64,
        "format": checker.FORMAT,
        "file": {"name": table.origin.name, "sha256": table.carried.digest},
        "reading": delimited_reading_options(table),
        "method": plan.name,
        "versions": dict(outcome.versions),
        "k": k,
        "scaling": plan.scaling,
        "columns": columns,
        "weights": weights,
        "labels": _labels_of_table(
            partition.labels, points.rows, records, table.n_records
        ),
        "strata": _strata_labels(plan, table, points.rows),
        **_persons(plan, table, prepared, points.rows),
        "unit": str(choose_factor_multiplier([f for part in parts for _, f in part])),
    }
    add_read_flags_and_gap_texts(
        content, file, table.assign(kinds=plan.kinds, hierarchies=plan.trees)
    )
    # In the order in which the checker finds them.
    strata = sorted(prepared.blocks[0].strata, key=lambda some: int(some.min()))
    if seconds is None:
        seconds = max(DEFAULT_PROOF_SECONDS, outcome.seconds["partition"])
    run_proof = outcome.bound.proof if len(strata) == 1 else None
    X = coordinates_from_integers(prepared.points, parts, records)
    kind = outcome.bound.kind
    proofs = CertificateProofWriter(content, partition, X, records, kind, ctx, persons)
    try:
        loss, bound = proofs.write_proofs(strata, run_proof, seconds)
    except (checker.Refused, ValueError, IndexError):  # a stored proof may be anything
        loss, bound = proofs.write_proofs(strata, None, seconds)
    content["loss"] = checker.to_decimal_text(loss, True)
    content["bound"] = checker.to_decimal_text(bound, False)
    best = (loss - bound) * 10**9 <= loss
    return Certificate(
        _to_signed_bytes(content), content["loss"], content["bound"], best
    )


LEFT_OUT, COUNTS_FOR_NOTHING = -1, -2
"""Labels of records that a budget leaves out, and that a condition or a gap does."""


@dataclass(frozen=True)
class Certificate:
    """A certificate's text, its loss and bound, and whether they prove the groups best.

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


def _has_variation(points: Points) -> bool:
    """Return whether some column has two values and counts."""
    weights, is_set = points.space.weights, ~points.missing
    columns = [points.values[is_set[:, j], j] for j in np.flatnonzero(weights).tolist()]
    return any(np.unique(column).size > 1 for column in columns)


def _strata_labels(
    plan: ResolvedPlan, table: Table, rows: Integers
) -> dict[str, Any] | None:
    """Return the stratum of each record that counts, of these rows; None without."""
    column_names = table.schema.names
    governing = governing_columns(plan.governing_conditions(column_names))
    names = dict.fromkeys([*plan.strata_columns(column_names), *governing])
    if not names:
        return None
    strata = records_by_stratum_and_warnings(plan, table, rows)[0]
    of = group_per_record(strata, rows.size)
    return {"columns": list(names), "of": of.tolist()}


def _persons(
    plan: ResolvedPlan, table: Table, prepared: PreparedTable, rows: Integers
) -> dict[str, Any]:
    """Return the person of each record that counts, where k counts persons.

    And the columns that take the mean of a class, where an intruder knows all records
    of a person.
    """
    persons = person_codes(plan, table, rows)
    if persons is None or prepared.persons is None:
        return {}
    content: dict[str, Any] = {
        "columns": list(plan.person_columns),
        "of": persons.tolist(),
        "constant": None,
    }
    if plan.intruder_knows == "all":
        points, names = prepared.points, prepared.points.names
        same = attributes_constant_per_person(points, prepared.persons)
        same &= (points.values != points.values[0]).any(axis=0)  # else none to take
        content["constant"] = [names[j] for j in np.flatnonzero(same).tolist()]
        if plan.counts:
            content["counts"] = True
    return {"persons": content}


def _labels_within_classes(
    labels: Integers, persons: Integers, counts: bool
) -> Integers:
    """Return groups of equal values apart where they are of several classes of persons.

    A record of nobody is of the class of the first person of its group.
    """
    classes = np.full(labels.size, -1, dtype=np.int64)
    is_known = persons != NOBODY
    classes[is_known] = class_set_per_person(labels, persons, counts)[persons[is_known]]
    first = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
    order = np.flatnonzero(is_known)[::-1]
    first[labels[order]] = classes[order]
    classes[~is_known] = first[labels[~is_known]]
    keys = classes * (int(labels.max()) + 1) + labels
    groups: Integers = np.unique(keys, return_inverse=True)[1]
    return groups.astype(np.int64)


def _labels_of_table(
    partition_labels: Integers, rows: Integers, grouped: Integers, n: int
) -> list[int]:
    """Return the label of each record of the table.

    Parameters
    ----------
    partition_labels : ndarray of int64, shape (n_kept,)
        Groups.
    rows : ndarray of int64, shape (n_counted,)
        Records that count.
    grouped : ndarray of int64, shape (n_kept,)
        Places of those that are in groups among those that count.
    n : int
    """
    labels = np.full(n, COUNTS_FOR_NOTHING, dtype=np.int64)
    labels[rows] = LEFT_OUT
    labels[rows[grouped]] = partition_labels
    return list(map(int, labels))


def _to_signed_bytes(content: dict[str, Any]) -> bytes:
    """Return a certificate as bytes, with the digest of all of them."""
    text = json.dumps(content, ensure_ascii=False).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    return text.replace(b"0" * 64, digest, 1)
