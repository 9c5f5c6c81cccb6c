"""``coterie time``: run times of methods on a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.parsing.options import (
    parse_integers,
    parse_parameters,
    plan_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import to_json_bytes

if TYPE_CHECKING:
    from engine.analysis.curves.timing import MethodTiming


def execute_time(options: argparse.Namespace) -> int:
    """Print run times of methods per k, record or attribute count; return 0."""
    from engine.analysis.curves.experiment import (
        Experiment,
        check_experiment,
        default_experiment_values,
    )
    from engine.analysis.curves.timing import time_methods
    from engine.data.propose.decide_roles import settle_undecided_roles
    from engine.methods.default import default_method
    from engine.pipeline.compare import grid
    from engine.release.write import write_all

    table = settle_undecided_roles(table_from_options(options))
    names = split_names(options.methods or default_method(table.n_records))
    sizes = parse_integers(options.k)
    if options.against == "k":
        sizes = sizes[:1]  # it is what is varied
    base = plan_from_options(options, table, method=None, k=sizes[0])
    plans = grid(base, names, sizes, parse_parameters(options.param))
    values = parse_integers(options.values, "--values") if options.values else ()
    starts = options.starts is not None
    experiment = Experiment(
        options.against,
        values or default_experiment_values(options.against, base, table),
        options.starts if starts else options.repeats,
        starts,
    )
    check_experiment(experiment, plans, table)
    line = "{:24}{:>6}{:>12}{:>12}{:>12}"
    print(line.format("method", "k", "records", "attributes", "seconds"))

    def show(timing: MethodTiming) -> None:
        seconds = (
            "-"
            if timing.representative_seconds is None
            else f"{timing.representative_seconds:.4f}"
        )
        shape = f"{timing.n_records:,}", timing.n_attributes
        print(line.format(timing.name, timing.k, *shape, seconds), flush=True)
        if timing.problem:
            print(f"Note: {timing.problem}", file=sys.stderr)

    timings = time_methods(plans, table, experiment, on_result=show)
    _print_growth(timings, options.against)
    if options.against == "attributes":
        _print_claims(timings)
    if options.json is not None:
        write_all({options.json: to_json_bytes([row.summary() for row in timings])})
    return 0


def _print_growth(timings: Sequence[MethodTiming], against: str) -> None:
    from engine.analysis.curves.timing import growth_exponent

    series: dict[tuple[str, int | None], list[MethodTiming]] = {}
    for timing in timings:
        k = None if against == "k" else timing.k
        series.setdefault((timing.name, k), []).append(timing)
    for (name, k), curve in series.items():
        power = growth_exponent(curve)
        if power is not None:
            where = "" if k is None else f", k = {k}"
            print(f"{name}{where}: grows with {against} to the power {power:.2f}.")


def _print_claims(timings: Sequence[MethodTiming]) -> None:
    from engine.analysis.published.printed_times import (
        TIMES_REFERENCE,
        compare_time_claims,
    )

    claims = compare_time_claims(timings)
    if claims:
        print(f"\nWhat was printed of such times ({TIMES_REFERENCE}):")
    for claim in claims:
        print(f"  {claim.verdict_text}: {claim.printed} {claim.found}")
