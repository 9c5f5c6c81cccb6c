"""Compiled search for groups that refute prices; loss and bound that proofs claim."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from engine.bounds.base import CentredRecords, DualPrices
from engine.bounds.linear_programme.cuts import PricedCuts
from engine.bounds.linear_programme.pricing import Pricer
from engine.certificate import certify as checker
from engine.core.context import RunContext
from engine.core.typing import Values

MAX_BRANCHES = 10_000_000
"""Branches for each anchor where groups are looked for that gain."""


def can_prove_no_group_gains(
    dual_prices: DualPrices, X: Values, k: int, ctx: RunContext
) -> bool:
    """Return whether a search ruled out that a group gains by prices; raise if one did.

    Parameters
    ----------
    dual_prices : DualPrices
        Prices of groups.
    X : ndarray of float64, shape (n_records, n_coordinates)

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
    is_in_range = all(0 <= i < n for some, _ in dual_prices.cuts_as_sets for i in some)
    checker.require(
        is_in_range and dual_prices.prices.size == n, "prices are not of these records"
    )
    pricer = Pricer(CentredRecords.from_array(X), k, ctx.subcontext(0.0, 0.0))
    cuts, complete = PricedCuts(dual_prices.cuts_as_sets, dual_prices.cut_prices), True
    for s in range(k, min(2 * k, n + 1)):
        pricing = pricer.price_groups(
            dual_prices.prices,
            s,
            0.0,
            1,
            MAX_BRANCHES,
            cuts,
            ctx=ctx.subcontext(0.0, 0.0),
        )
        checker.require(pricing.gains.size == 0, "a group gains")
        complete = complete and pricing.complete
    return complete


def loss_and_claimed_bound(content: dict[str, Any]) -> list[Fraction]:
    """Return loss and bound in per cent, trusting the sums that proofs claim.

    Taken on trust: no group gains, and prices exceed distances by as much as it says.

    Raises
    ------
    Refused
        If the bound lies above the loss.
    """
    kinds = {
        "pairs": _verify_pairs,
        "groups": _verify_groups,
        "persons": _verify_persons,
    }
    return checker.check_proofs(content, kinds=kinds)


def _verify_pairs(
    records: checker.Records, k: int, proof: dict[str, Any], processes: int
) -> Fraction:
    t, prices = proof["neighbours"], sum(map(int, proof["prices"]))
    return Fraction((k - 1) * (t * prices - int(proof["excess"])), t * k * records.unit)


def _verify_persons(
    records: checker.Records, k: int, proof: dict[str, Any], processes: int
) -> Fraction:
    return Fraction(int(proof["total"]), records.unit)


def _verify_groups(
    records: checker.Records, k: int, proof: dict[str, Any], processes: int
) -> Fraction:
    whole = 2 * math.lcm(*range(k, 2 * k))
    return Fraction(_least_bound(proof, int(proof["target"])), whole * records.unit)


def _least_bound(node: dict[str, Any], target: int) -> int:
    """Return the least that a node proves, or all below it."""
    if "pair" in node:
        return min(
            _least_bound(node["together"], target), _least_bound(node["apart"], target)
        )
    if node["tree"] is None:
        return int(node["total"])
    return min(target, _least_bound(node["tree"], target))
