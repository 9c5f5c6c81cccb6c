"""``coterie compare``: several methods and values of k on one file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from engine.cli.figures import json_bytes, over_seeds
from engine.cli.interrupts import uninterrupted
from engine.cli.options import names_in, parameters_in, plan_of, table_of, wholes_in

if TYPE_CHECKING:
    from engine.pipeline.outcome import Outcome

_ROW = "{:24}{:>4}{:>9}{:>12}{:>12}{:>12}{:>9}"


def compare_methods(options: argparse.Namespace) -> int:
    """Compare methods and values of k on one file."""
    from engine.analysis.decision import check_limit, decide
    from engine.data.propose.decided import decided
    from engine.methods.default import proposed_method
    from engine.pipeline.compare import Comparison, grid
    from engine.pipeline.recommend import recommend
    from engine.release.write import write_all

    check_limit(options.below)
    table = decided(table_of(options))
    wanted = options.methods or proposed_method(table.n_records)
    names, sizes = names_in(wanted), wholes_in(options.k)
    base = plan_of(options, table, method=None, k=None)
    parameters = parameters_in(options.param)
    plans = grid(base, names, sizes, parameters)
    comparison = Comparison(table, options.thorough_bound)
    for plan in plans:
        comparison.check(plan)
    over = f"  IL % over {base.seeds} seeds" if base.seeds > 1 else ""
    head = "method", "k", "groups", "IL %", "bound %", "NCP %", "s"
    print(_ROW.format(*head) + over)
    outcomes = []
    for plan in plans:
        outcomes.append(comparison.run(plan))
        print(_printed(outcomes[-1]))
    best = recommend(outcomes)
    rows = [
        {
            **outcome.summary(),
            "recommended": best is not None and best.outcome is outcome,
            "reason": best.reason if best and best.outcome is outcome else None,
        }
        for outcome in outcomes
    ]
    if best is not None:
        plan = best.outcome.plan
        print(f"Recommended: {plan.name}, k = {plan.k}. {best.reason}.")
    decisions = () if options.below is None else decide(outcomes, options.below)
    for one in decisions:
        print(one.words)
    if options.below is not None:
        for row in rows:
            found = [one.summary() for one in decisions if one.k == row["k"]]
            row["below"] = found[0] if found else None
    for warning in dict.fromkeys(text for row in rows for text in row["warnings"]):
        print(f"Note: {warning}", file=sys.stderr)
    if options.json is not None:
        with uninterrupted():
            write_all({options.json: json_bytes(rows)})
    return 0


def _printed(outcome: Outcome) -> str:
    """Return a result as a line of the table."""
    least = "none"
    if outcome.probabilistic is None:
        least = f"{outcome.bound.per_cent:.4f}"
    over = over_seeds(outcome)
    row = _ROW.format(
        outcome.plan.name,
        outcome.plan.k,
        f"{outcome.partition.n_groups:,}",
        f"{outcome.information_loss:.4f}",
        least,
        f"{outcome.scores['certainty-penalty'].value:.4f}",
        f"{outcome.seconds['partition']:.3f}",
    )
    return f"{row}  {over}" if over else row
