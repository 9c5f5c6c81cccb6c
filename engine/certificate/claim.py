"""What the checker finds in a certificate of groups, without its long search."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from engine.bounds.base import Prices, Records
from engine.bounds.cuts import Cuts
from engine.bounds.pricing import Pricer
from engine.certificate import certify as checker
from engine.core.context import RunContext
from engine.core.typing import Values

BRANCHES = 10_000_000
"""Branches for each anchor where groups are looked for that gain."""


def no_group_gains(proof: Prices, X: Values, k: int, ctx: RunContext) -> bool:
    """Return whether all groups of k to 2k - 1 were looked at, and none gains.

    Parameters
    ----------
    proof : Prices
        Of groups.
    X : ndarray of float64, shape (n_records, n_coordinates)
    k : int
    ctx : RunContext

    Returns
    -------
    bool
        False where there were too many branches to be sure.

    Raises
    ------
    Refused
        If a group gains, or the prices are not of these records.
    """
    n = len(X)
    known = all(0 <= i < n for some, _ in proof.sets for i in some)
    checker.require(known and proof.prices.size == n, "prices are not of these records")
    pricer = Pricer(Records.of(X), k, ctx.part(0.0, 0.0))
    cuts, complete = Cuts(proof.sets, proof.cut_prices), True
    for s in range(k, min(2 * k, n + 1)):
        found = pricer.find(
            proof.prices, s, 0.0, 1, BRANCHES, cuts, ctx=ctx.part(0.0, 0.0)
        )
        checker.require(found.gains.size == 0, "a group gains")
        complete = complete and found.complete
    return complete


def claimed(content: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """Return loss and bound, in per cent, as the checker does where no group gains.

    Raises
    ------
    Refused
        If the bound lies above the loss.
    """
    records, k, proof = checker.Records(content), content["k"], content["proof"]
    groups = checker.groups_of(content["labels"], k, records.n)
    total = records.sse([list(range(records.n))], records.factors)
    whole, target = 2 * math.lcm(*range(k, 2 * k)), int(proof["total"])
    if proof["tree"] is not None:
        sse = records.sse(groups, records.counts)
        target = max(target, math.floor(whole * sse))
    bound = Fraction(100 * max(0, _least(proof, target)), whole * records.unit) / total
    loss = 100 * records.sse(groups, records.factors) / total
    checker.require(bound <= loss, "the bound lies above the loss")
    return loss, bound


def _least(node: dict[str, Any], target: int) -> int:
    """Return the least that a node proves, or all below it."""
    if "pair" in node:
        return min(_least(node["together"], target), _least(node["apart"], target))
    if node["tree"] is None:
        return int(node["total"])
    return min(target, _least(node["tree"], target))
