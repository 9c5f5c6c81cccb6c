"""Proofs of a lower bound by dual prices or by persons, one for each stratum."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from engine.bounds import (
    NO_BOUND,
    LowerBound,
    column_generation_bound,
    strongest_affordable_bound,
)
from engine.bounds.base import EPS, DualPrices
from engine.bounds.linear_programme.column_generation import MAX_LB2_RECORDS
from engine.bounds.linear_programme.column_search import COLUMN_GENERATION_KIND
from engine.bounds.persons import MAX_PERSONS_BOUND_RECORDS, sse_lower_bound_per_record
from engine.certificate import certify as checker
from engine.certificate.exact import multiply_to_integer
from engine.certificate.tree import ProofNode, build_proof_tree
from engine.certificate.verify_claim import (
    can_prove_no_group_gains,
    loss_and_claimed_bound,
)
from engine.core.context import RunContext
from engine.core.partition import Partition
from engine.core.typing import Integers, Values

MIN_STRATUM_SECONDS = 5.0
"""Seconds for the prices of groups of a stratum, where those of the run are unknown."""


@dataclass(frozen=True, eq=False)
class CertificateProofWriter:
    """Writer of each stratum's proof into the content of a certificate.

    Attributes
    ----------
    content : dict
        The certificate, in which the proofs are written.
    partition : Partition
    X : ndarray of float64, shape (n_records, n_coordinates)
        Coordinates of the records that stay.
    kept : ndarray of int64, shape (n_records,)
        Places of the records that stay among those that count.
    kind : str
        Kind of bound that the run has: prices of pairs, or of groups.
    ctx : RunContext
    persons : ndarray of int64, shape (n_records,), or None
        Person of each record that stays, -1 of nobody, where k counts persons.
    """

    content: dict[str, Any]
    partition: Partition
    X: Values
    kept: Integers
    kind: str
    ctx: RunContext
    persons: Integers | None = None

    def write_proofs(
        self, strata: Sequence[Integers], dual_prices: DualPrices | None, seconds: float
    ) -> list[Fraction]:
        """Write a proof per stratum; return loss and lower bound, in per cent.

        Parameters
        ----------
        strata : sequence of ndarray of int64
            Records of each, which have the same gaps; all in one where there are none.
        dual_prices : DualPrices or None
            What proves the bound of all records, where it is known.
        seconds : float
            Time to close what prices leave open, shared by all strata.

        Raises
        ------
        Refused
            If prices prove what is not true.
        """
        records, certain = checker.Records.of(self.content), True
        proofs = []
        for some in strata:
            share = seconds * some.size / len(self.X)
            part = records.within(self.kept[some].tolist())
            bound = self._bound(some, share) if dual_prices is None else NO_BOUND
            prices = dual_prices or bound.proof
            if self._is_dearer_by_persons(some, dual_prices, bound):
                proofs.append(self._person_charges(some, part))
                continue
            if prices is None:  # nothing is lost
                prices = DualPrices(np.zeros(some.size), neighbours=1)
            if prices.neighbours:
                proofs.append(_pair_prices(prices, part))
                continue
            safe, k = _safe_prices(prices, self.partition.k), self.partition.k
            searched = can_prove_no_group_gains(safe, self.X[some], k, self.ctx)
            proofs.append(self._groups(safe, part, some, share))
            certain = certain and searched
        self.content["proof"] = proofs
        # The checker looks for all groups that gain, which takes it long; the compiled
        # search has looked for them, unless they were too many.
        return (
            loss_and_claimed_bound(self.content)
            if certain
            else checker.check_proofs(self.content)
        )

    def _is_dearer_by_persons(
        self, records: Integers, dual_prices: DualPrices | None, bound: LowerBound
    ) -> bool:
        """Return whether records of other people prove more than prices do."""
        if self.persons is None or records.size > MAX_PERSONS_BOUND_RECORDS:
            return False
        k, persons = self.partition.k, self.persons[records]
        proven = bound.sse
        if dual_prices is not None:
            proven = strongest_affordable_bound(self.X[records], k, self.ctx).sse
        charges = sse_lower_bound_per_record(self.X[records], persons, k, self.ctx)
        return float(charges.sum()) > proven

    def _person_charges(
        self, records: Integers, part: checker.Records
    ) -> dict[str, Any]:
        """Return what records pay at least: (11) of the checker."""
        assert self.persons is not None
        part.who = self.persons[records].tolist()
        checker.SHARED[:] = [part, self.partition.k]
        paid = checker.min_sse_share_of_record
        total = checker.sum_parallel(paid, part.n, os.cpu_count() or 1)
        return {"kind": "persons", "total": str(total)}

    def _bound(self, records: Integers, seconds: float) -> LowerBound:
        X, k = self.X[records], self.partition.k
        # A run keeps its prices where there are neither strata nor weights.
        lacks_prices = records.size < len(self.X) or self.content["weights"]
        bound = strongest_affordable_bound(X, k, self.ctx)
        if (
            lacks_prices
            and self.kind == COLUMN_GENERATION_KIND
            and records.size <= MAX_LB2_RECORDS
        ):
            higher = column_generation_bound(
                X, k, self.ctx, max(seconds, MIN_STRATUM_SECONDS)
            )
            if higher.proof is not None and higher.sse > bound.sse:
                return higher
        return bound

    def _groups(
        self,
        proof: DualPrices,
        part: checker.Records,
        records: Integers,
        seconds: float,
    ) -> dict[str, Any]:
        """Return prices of groups, and the tree below: (5) to (8) of the checker."""
        k = self.partition.k
        labels = np.unique(self.partition.labels[records], return_inverse=True)[1]
        labels = labels.astype(np.int64)
        times = 2 * math.lcm(*range(k, 2 * k))
        tree = build_proof_tree(self.X[records], labels, k, proof, self.ctx, seconds)
        prices = _group_prices(proof, times * part.unit)
        target = int(prices["total"])
        if tree is not None:
            plain = checker.Records(part.columns, part.counts, [1] * part.n, part.unit)
            groups = [np.flatnonzero(labels == g).tolist() for g in np.unique(labels)]
            target = max(target, math.floor(times * plain.sse(groups)[0]))
        return {
            "kind": "groups",
            **prices,
            "target": str(target),
            "tree": None if tree is None else _node_to_json(tree, times * part.unit),
        }


def _pair_prices(proof: DualPrices, part: checker.Records) -> dict[str, Any]:
    """Return prices of pairs: (4) of the checker."""
    prices = [multiply_to_integer(u, part.unit) for u in proof.prices.tolist()]
    return {
        "kind": "pairs",
        "neighbours": proof.neighbours,
        "prices": list(map(str, prices)),
        "excess": str(part.excess(prices, os.cpu_count() or 1)),
    }


def _safe_prices(proof: DualPrices, k: int) -> DualPrices:
    """Return prices of groups, lowered by their rounding."""
    s = 2 * k - 1
    slack = EPS * (s * s + 8.0 * s + 32.0) * 16.0 * s * np.abs(proof.prices)
    slack += 1e-12 * float(np.abs(proof.prices).mean())
    return DualPrices.with_cuts(
        proof.prices - slack, proof.cuts_as_sets, proof.cut_prices
    )


def _node_to_json(node: ProofNode, unit: int) -> dict[str, Any]:
    if node.proof is not None:
        below = None if node.below is None else _node_to_json(node.below, unit)
        return {**_group_prices(node.proof, unit), "tree": below}
    assert node.pair is not None
    assert node.together is not None
    assert node.apart is not None
    return {
        "pair": list(node.pair),
        "together": _node_to_json(node.together, unit),
        "apart": _node_to_json(node.apart, unit),
    }


def _group_prices(proof: DualPrices, unit: int) -> dict[str, Any]:
    """Return prices in whole numbers, which groups exceed no more than before."""
    prices = [multiply_to_integer(p, unit) for p in proof.prices.tolist()]
    paid = [
        multiply_to_integer(q, unit, round_up=True) for q in proof.cut_prices.tolist()
    ]
    sets = proof.cuts_as_sets
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
