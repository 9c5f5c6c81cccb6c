"""``coterie time``: how long methods take on a file of one's own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.figures import json_bytes
from engine.cli.options import names_in, parameters_in, plan_of, table_of, wholes_in

if TYPE_CHECKING:
    from engine.analysis.timing import Timing


def time_file(options: argparse.Namespace) -> int:
    """Print seconds against k, records or attributes, a line per value and method."""
    from engine.analysis.experiment import Experiment, check_experiment, usual_values
    from engine.analysis.timing import time_methods
    from engine.data.propose.decided import decided
    from engine.methods.default import proposed_method
    from engine.pipeline.compare import grid
    from engine.release.write import write_all

    table = decided(table_of(options))
    names = names_in(options.methods or proposed_method(table.n_records))
    sizes = wholes_in(options.k)
    if options.against == "k":
        sizes = sizes[:1]  # it is what is varied
    base = plan_of(options, table, method=None, k=sizes[0])
    plans = grid(base, names, sizes, parameters_in(options.param))
    values = wholes_in(options.values, "--values") if options.values else ()
    starts = options.starts is not None
    experiment = Experiment(
        options.against,
        values or usual_values(options.against, base, table),
        options.starts if starts else options.repeats,
        starts,
    )
    check_experiment(experiment, plans, table)
    line = "{:24}{:>6}{:>12}{:>12}{:>12}"
    print(line.format("method", "k", "records", "attributes", "seconds"))

    def show(one: Timing) -> None:
        seconds = "-" if one.counted is None else f"{one.counted:.4f}"
        shape = f"{one.n_records:,}", one.n_attributes
        print(line.format(one.name, one.k, *shape, seconds), flush=True)
        if one.problem:
            print(f"Note: {one.problem}", file=sys.stderr)

    found = time_methods(plans, table, experiment, on_result=show)
    _print_growth(found, options.against)
    if options.against == "attributes":
        _print_claims(found)
    if options.json is not None:
        write_all({options.json: json_bytes([one.summary() for one in found])})
    return 0


def _print_growth(found: Sequence[Timing], against: str) -> None:
    from engine.analysis.timing import growth

    series: dict[tuple[str, int | None], list[Timing]] = {}
    for one in found:
        k = None if against == "k" else one.k
        series.setdefault((one.name, k), []).append(one)
    for (name, k), own in series.items():
        power = growth(own)
        if power is not None:
            where = "" if k is None else f", k = {k}"
            print(f"{name}{where}: grows with {against} to the power {power:.2f}.")


def _print_claims(found: Sequence[Timing]) -> None:
    from engine.analysis.printed_times import SOURCE, claims

    said = claims(found)
    if said:
        print(f"\nWhat was printed of such times ({SOURCE}):")
    for claim in said:
        print(f"  {claim.verdict}: {claim.printed} {claim.found}")
