"""The command line that repeats a run: what was clicked, as one line to keep."""

from __future__ import annotations

import csv
import io
import re
import shlex
from dataclasses import replace
from pathlib import PurePath

from engine.data.propose import suggest_schema
from engine.data.table import Table
from engine.files import formats
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.resolved import (
    ResolvedPlan,
    settled_aggregations,
    settled_kinds,
)
from engine.points.encode import scalings
from engine.release.writing import Writing

_DEFAULT = Plan()


def command_line(
    plan: ResolvedPlan, table: Table, writing: Writing | None = None
) -> str:
    """Return the ``coterie run`` command that gives the same release.

    Parameters
    ----------
    plan : ResolvedPlan
    table : Table
        What was protected; its origin tells the file's name and how it was read.
    writing : Writing, optional
        How the release is written.

    Returns
    -------
    str
        Quoted for a POSIX shell, a few options a line. It takes the file from, and
        writes the release to, the folder in which it is run.
    """
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
        if plan.small_strata != _DEFAULT.small_strata:
            words[-1] += ["--small-strata", plan.small_strata]
    if plan.weights is not None:
        words.append(["--weights", shlex.quote(plan.weights)])
    words.append(["--k", str(plan.k), "--method", plan.method])
    for parameter in methods.info(plan.method).parameters:
        value = plan.parameters[parameter.name]
        if value != parameter.default:
            words[-1] += ["--param", shlex.quote(f"{parameter.name}={value}")]
    if plan.polish:
        words[-1].append("--polish")
    words.append(["--scaling", scalings.resolve(plan.scaling)])
    for option in ("rounding", "missing"):
        if getattr(plan, option) != getattr(_DEFAULT, option):
            words[-1] += [f"--{option}", getattr(plan, option)]
    words[-1] += ["--seed", str(plan.seed)]
    if plan.p_sensitive > 1:
        words[-1] += ["--p-sensitive", str(plan.p_sensitive)]
    if plan.t_close > 0.0:
        words[-1] += ["--t-close", repr(plan.t_close)]
    if plan.interval_columns:
        words[-1].append("--interval-columns")
    words += _by_column(plan, table)
    words += [["--block", _listed(block)] for block in plan.blocks]
    words += [["--constraint", shlex.quote(rule)] for rule in plan.constraints]
    words.append(_reading(table))
    writing = writing or Writing()
    if writing.shuffle:
        words.append(["--shuffle", "--shuffle-seed", str(writing.seed)])
    if writing.neutralise:
        words.append(["--neutralise-formulas"])
    words.append(["--output", shlex.quote(protected_name(name, writing.format))])
    return " \\\n  ".join(" ".join(line) for line in words if line)


def hierarchy_name(column: str) -> str:
    """Return the file name that the command line gives a column's hierarchy."""
    plain = re.sub(r"[^\w.-]+", "_", column)
    return f"{plain}_hierarchy.csv"


def _by_column(plan: ResolvedPlan, table: Table) -> list[list[str]]:
    """Return the options that say something about single columns."""
    proposed = replace(table, schema=suggest_schema(table.frame))
    kinds = settled_kinds(plan.replace(kinds={}), proposed)
    words = []
    for name in plan.quasi_identifiers:
        if plan.kinds[name] is not kinds[name]:
            words.append(["--kind", shlex.quote(f"{name}={plan.kinds[name]}")])
        if name in plan.hierarchies:
            file = hierarchy_name(name)
            words.append(["--hierarchy", shlex.quote(f"{name}={file}")])
    usual = settled_aggregations(
        plan.replace(aggregation="auto", aggregations={}),
        plan.kinds,
        plan.hierarchies,
        table,
    )
    for name, rule in plan.aggregations.items():
        if rule != usual[name]:
            words.append(["--aggregation", shlex.quote(f"{name}={rule}")])
    for name, way in plan.missing_columns.items():
        words.append(["--missing", shlex.quote(f"{name}={way}")])
    return words


def protected_name(name: str, wanted: str = "") -> str:
    """Return ``data_protected.csv`` for ``data.csv``, and for formats only read.

    Parameters
    ----------
    name : str
        Of the file that was protected.
    wanted : str
        Format of the release; empty means that of the file.
    """
    path = PurePath(name)
    suffix = path.suffix
    for info in formats.infos():
        if suffix.lower() in info.suffixes and not info.writable:
            suffix = ".csv"
    if wanted and suffix.lower() not in formats.info(wanted).suffixes:
        suffix = formats.info(wanted).suffixes[0]
    return f"{path.stem}_protected{suffix}"


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
