"""``coterie compare``: several methods and values of k on one file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from engine.cli.parsing.interrupts import ignore_interrupts
from engine.cli.parsing.options import (
    parse_integers,
    parse_parameters,
    plan_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import format_loss_over_seeds, to_json_bytes

if TYPE_CHECKING:
    from engine.pipeline.outcome import Outcome

_ROW_FORMAT = "{:24}{:>4}{:>9}{:>12}{:>12}{:>12}{:>9}"


def execute_compare(options: argparse.Namespace) -> int:
    """Run methods with values of k on one file, print a comparison, and return 0."""
    from engine.analysis.curves.loss_limit import (
        check_max_loss,
        decide_reachable_loss_per_k,
        loss_limit_messages,
    )
    from engine.data.propose.decide_roles import settle_undecided_roles
    from engine.methods.default import default_method
    from engine.pipeline.compare import PlanRunner, grid
    from engine.pipeline.planning.recommend import recommend_outcome
    from engine.release.write import write_all

    check_max_loss(options.below)
    table = settle_undecided_roles(table_from_options(options))
    method_list = options.methods or default_method(table.n_records)
    names, sizes = split_names(method_list), parse_integers(options.k)
    base = plan_from_options(options, table, method=None, k=None)
    parameters = parse_parameters(options.param)
    plans = grid(base, names, sizes, parameters)
    comparison = PlanRunner(table, options.thorough_bound)
    for plan in plans:
        comparison.check_plan(plan)
    over = f"  IL % over {base.seeds} seeds" if base.seeds > 1 else ""
    head = "method", "k", "groups", "IL %", "bound %", "NCP %", "s"
    print(_ROW_FORMAT.format(*head) + over)
    outcomes = []
    for plan in plans:
        outcomes.append(comparison.run_plan(plan))
        print(_format_row(outcomes[-1]))
    best = recommend_outcome(outcomes)
    recommended = None if best is None or best.spoils else best.outcome
    rows = [
        {
            **outcome.summary(),
            "recommended": outcome is recommended,
            "reason": best.reason if best and outcome is recommended else None,
        }
        for outcome in outcomes
    ]
    if best is not None:
        plan = best.outcome.plan
        begin = "Recommended: " if recommended else "None is recommended. "
        print(f"{begin}{plan.name}, k = {plan.k}. {best.spoils or best.reason}.")
    decisions = (
        ()
        if options.below is None
        else decide_reachable_loss_per_k(outcomes, options.below)
    )
    if options.below is not None:
        print(*loss_limit_messages(outcomes, options.below), sep="\n")
        for row in rows:
            matches = [answer.summary() for answer in decisions if answer.k == row["k"]]
            row["below"] = matches[0] if matches else None
    for warning in dict.fromkeys(text for row in rows for text in row["warnings"]):
        print(f"Note: {warning}", file=sys.stderr)
    if options.json is not None:
        with ignore_interrupts():
            write_all({options.json: to_json_bytes(rows)})
    return 0


def _format_row(outcome: Outcome) -> str:
    """Return a result as a line of the table."""
    bound_text = "none"
    if outcome.probabilistic is None:
        bound_text = f"{outcome.bound.per_cent:.4f}"
    over = format_loss_over_seeds(outcome)
    row = _ROW_FORMAT.format(
        outcome.plan.name,
        outcome.plan.k,
        f"{outcome.partition.n_groups:,}",
        f"{outcome.information_loss:.4f}",
        bound_text,
        f"{outcome.scores['certainty-penalty'].value:.4f}",
        f"{outcome.seconds['partition']:.3f}",
    )
    return f"{row}  {over}" if over else row
