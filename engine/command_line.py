"""The command line that repeats a run: what was clicked, as one line to keep."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import PurePath

from engine.encode import scalings
from engine.methods import methods
from engine.plan import Plan
from engine.table import Table

_DEFAULT = Plan()


def command_line(plan: Plan, table: Table) -> str:
    """Return the ``coterie run`` command that gives the same release.

    Parameters
    ----------
    plan : Plan
    table : Table
        What was protected; its origin tells the file's name and how it was read.

    Returns
    -------
    str
        Quoted for a POSIX shell, a few options a line. It takes the file from, and
        writes the release to, the folder in which it is run.
    """
    plan = plan.resolve(table)
    name = table.origin.name or "table.csv"
    words = [
        ["coterie run", shlex.quote(name)],
        ["--quasi-identifiers", _listed(plan.quasi_identifiers)],
    ]
    if plan.identifiers:
        words.append(["--identifiers", _listed(plan.identifiers)])
    if plan.confidential:
        words.append(["--confidential", _listed(plan.confidential)])
    if plan.strata is not None:
        words.append(["--strata", shlex.quote(plan.strata)])
    words.append(["--k", str(plan.k), "--method", plan.method])
    for parameter in methods.info(plan.method).parameters:
        value = plan.parameters[parameter.name]
        if value != parameter.default:
            words[-1] += ["--param", shlex.quote(f"{parameter.name}={value}")]
    if plan.polish:
        words[-1].append("--polish")
    words.append(["--scaling", scalings.resolve(plan.scaling)])
    for option in ("aggregation", "missing"):
        if getattr(plan, option) != getattr(_DEFAULT, option):
            words[-1] += [f"--{option}", getattr(plan, option)]
    words[-1] += ["--seed", str(plan.seed)]
    words += [["--constraint", shlex.quote(rule)] for rule in plan.constraints]
    words.append(_reading(table))
    words.append(["--output", shlex.quote(protected_name(name))])
    return " \\\n  ".join(" ".join(line) for line in words if line)


def protected_name(name: str) -> str:
    """Return ``data_protected.csv`` for ``data.csv``."""
    path = PurePath(name)
    return f"{path.stem}_protected{path.suffix}"


def _listed(names: tuple[str, ...]) -> str:
    """Join with commas as a line of CSV: a name with a comma is put in quotes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


def _reading(table: Table) -> list[str]:
    """Return the options with which the file was read."""
    options = table.origin.options
    words: list[str] = []
    for name in ("delimiter", "decimal", "encoding", "sheet"):
        if options.get(name):
            value = "tab" if options[name] == "\t" else str(options[name])
            words += [f"--{name}", shlex.quote(value)]
    return words
