"""``coterie sweep``: loss and linkage against a parameter of the method."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.parsing.options import (
    plan_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import to_json_bytes
from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.analysis.curves.sweep import SweepResult


def add_sweep_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the options particular to `sweep`."""
    parser.add_argument(
        "--vary",
        required=True,
        metavar="NAME=V,V",
        help="parameter and its values, as in m2=1,1.5,2",
    )
    parser.add_argument(
        "--noise",
        metavar="S,S",
        help="compare with plain noise under the same rules: standard deviations, in "
        "units of those of the columns, as in 0.1,0.5",
    )
    parser.add_argument("--json", type=Path, help="write the figures here")


def execute_sweep(options: argparse.Namespace) -> int:
    """Print loss and linkage per value of a method's parameter, and of any noise."""
    from engine.analysis.curves.sweep import noise_baseline, sweep_parameter
    from engine.data.propose.decide_roles import settle_undecided_roles
    from engine.release.write import write_all

    name, equals, texts = options.vary.partition("=")
    values = split_names(texts) if texts.strip() else ()
    if not equals or not name.strip() or not values:
        raise ParameterError(
            "--vary is {vary!r}, but must be NAME=VALUE,VALUE, as in m2=1,1.5,2.",
            vary=options.vary,
        )
    deviations = _parse_numbers(options.noise) if options.noise else ()
    table = settle_undecided_roles(table_from_options(options))
    plan = plan_from_options(options, table, method=options.method, k=options.k)
    points = sweep_parameter(plan, table, name.strip(), values)
    noise = noise_baseline(plan, table, deviations) if deviations else ()
    line = "{:>12}{:>12}{:>12}{:>6}"
    print(line.format(name.strip(), "IL %", "found %", "k"))
    for point in points:
        print(_format_row(line, point))
    if noise:
        print(line.format("noise (SD)", "IL %", "found %", "k"))
    for point in noise:
        print(_format_row(line, point))
    if options.json is not None:
        content = {
            "parameter": name.strip(),
            "values": [point.summary() for point in points],
            "noise": [point.summary() for point in noise],
        }
        write_all({options.json: to_json_bytes(content)})
    return 0


def _format_row(line: str, result: SweepResult) -> str:
    figures = f"{result.loss:.4f}", f"{result.linkage:.2f}", result.k_released
    return line.format(str(result.value), *figures)


def _parse_numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in split_names(text))
    except ValueError:
        raise ParameterError(
            "--noise is {text!r}, but must be numbers by commas, as in 0.1,0.5.",
            text=text,
        ) from None
