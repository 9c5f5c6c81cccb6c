"""``coterie time``: how long methods take on a file of one's own."""

from __future__ import annotations

import argparse
import json
import sys

from engine.cli.options import names_in, parameters_in, plan_of, table_of, wholes_in


def time_file(options: argparse.Namespace) -> int:
    """Print seconds against k, records or attributes, a line per value and method."""
    from engine.analysis.timing import (
        Experiment,
        Timing,
        check_experiment,
        growth,
        time_methods,
        usual_values,
    )
    from engine.data.propose.decided import decided
    from engine.methods.default import proposed_method
    from engine.pipeline.compare import grid
    from engine.release.write import write_all

    table = decided(table_of(options))
    names = names_in(options.methods or proposed_method(table.n_records))
    base = plan_of(options, table, method=None, k=options.k)
    plans = grid(base, names, (options.k,), parameters_in(options.param))
    values = wholes_in(options.values, "--values") if options.values else ()
    experiment = Experiment(
        options.against,
        values or usual_values(options.against, base, table),
        options.repeats,
    )
    check_experiment(experiment, plans, table)
    line = "{:24}{:>6}{:>12}{:>12}{:>12}"
    print(line.format("method", "k", "records", "attributes", "seconds"))

    def show(one: Timing) -> None:
        seconds = "-" if one.best is None else f"{one.best:.4f}"
        shape = f"{one.n_records:,}", one.n_attributes
        print(line.format(one.name, one.k, *shape, seconds), flush=True)
        if one.problem:
            print(f"Note: {one.problem}", file=sys.stderr)

    found = time_methods(plans, table, experiment, on_result=show)
    for name in dict.fromkeys(one.name for one in found):
        power = growth([one for one in found if one.name == name])
        if power is not None:
            print(f"{name}: grows with {experiment.against} to the power {power:.2f}.")
    if options.json is not None:
        content = json.dumps([one.summary() for one in found], indent=2)
        write_all({options.json: f"{content}\n".encode()})
    return 0
