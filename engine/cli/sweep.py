"""``coterie sweep``: loss and linkage of a file against a parameter."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.figures import json_bytes
from engine.cli.options import names_in, plan_of, table_of
from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.analysis.sweep import Swept


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Declare the command's own options."""
    parser.add_argument(
        "--vary",
        required=True,
        metavar="NAME=V,V",
        help="parameter and its values, as in m2=1,1.5,2",
    )
    parser.add_argument(
        "--noise",
        metavar="S,S",
        help="beside it plain noise under the same rules, for comparison alone: its "
        "standard deviations in those of the columns, as in 0.1,0.5",
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.set_defaults(command=sweep_parameter)


def sweep_parameter(options: argparse.Namespace) -> int:
    """Print loss and linkage for each value of a parameter."""
    from engine.analysis.sweep import noise_baseline, sweep
    from engine.data.propose.decided import decided
    from engine.release.write import write_all

    name, equals, texts = options.vary.partition("=")
    values = names_in(texts) if texts.strip() else ()
    if not equals or not name.strip() or not values:
        raise ParameterError(
            "--vary is {vary!r}, but must be NAME=VALUE,VALUE, as in m2=1,1.5,2.",
            vary=options.vary,
        )
    deviations = _numbers(options.noise) if options.noise else ()
    table = decided(table_of(options))
    plan = plan_of(options, table, method=options.method, k=options.k)
    found = sweep(plan, table, name.strip(), values)
    noise = noise_baseline(plan, table, deviations) if deviations else ()
    line = "{:>12}{:>12}{:>12}{:>6}"
    print(line.format(name.strip(), "IL %", "found %", "k"))
    for one in found:
        print(_told(line, one))
    if noise:
        print(line.format("noise (SD)", "IL %", "found %", "k"))
    for one in noise:
        print(_told(line, one))
    if options.json is not None:
        content = {
            "parameter": name.strip(),
            "values": [one.summary() for one in found],
            "noise": [one.summary() for one in noise],
        }
        write_all({options.json: json_bytes(content)})
    return 0


def _told(line: str, one: Swept) -> str:
    figures = f"{one.loss:.4f}", f"{one.linkage:.2f}", one.k_released
    return line.format(str(one.value), *figures)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in names_in(text))
    except ValueError:
        raise ParameterError(
            "--noise is {text!r}, but must be numbers by commas, as in 0.1,0.5.",
            text=text,
        ) from None
