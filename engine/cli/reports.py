"""What is written of a run beside the release: reports, and what catalogues read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, cast

from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.data.table import Table
    from engine.pipeline.outcome import Outcome
    from engine.pipeline.prepare import Preparations
    from engine.release.verify import Written
    from engine.report import Audience


def check_descriptions(options: argparse.Namespace) -> None:
    """Refuse to describe a release that is not written.

    Raises
    ------
    ParameterError
    """
    if (options.ddi or options.croissant) and options.output is None:
        raise ParameterError(
            "--ddi and --croissant describe the released file: name it with --output."
        )


def check_tables(options: argparse.Namespace) -> None:
    """Refuse tables without a report that has them.

    Raises
    ------
    ParameterError
    """
    if options.tables_by is not None and options.report is None:
        raise ParameterError(
            "--tables-by puts tables into the report for the house: name it with "
            "--report."
        )


def check_stata(options: argparse.Namespace) -> None:
    """Refuse a version of Stata for a file that Stata does not own.

    Raises
    ------
    ParameterError
    """
    name = "" if options.output is None else options.output.name
    if options.stata_version is not None and not name.lower().endswith(".dta"):
        raise ParameterError(
            "--stata-version is for a release that is written as .dta: end --output "
            "in .dta, or leave it out."
        )


def descriptions(
    options: argparse.Namespace,
    outcome: Outcome,
    table: Table,
    written: Written,
    certificate: bytes,
) -> dict[Path, bytes]:
    """Return what catalogues are told of the release, by file."""
    if not (options.ddi or options.croissant):
        return {}
    from engine.report import described, to_croissant, to_ddi

    release = described(outcome, table, written, options.output.name, certificate)
    wanted = {options.ddi: to_ddi, options.croissant: to_croissant}
    return {path: make(release) for path, make in wanted.items() if path is not None}


def reports(
    options: argparse.Namespace,
    outcome: Outcome,
    preparations: Preparations,
    written: Written,
) -> dict[Path, bytes]:
    """Return the reports that were asked for, by file."""
    wanted = {"internal": options.report, "external": options.external_report}
    if not any(wanted.values()):
        return {}
    from engine.pipeline.evaluate import evaluate
    from engine.report import page, report_facts
    from engine.report.intruder import tried

    table = preparations.table
    scores = evaluate(outcome, table, seed=outcome.plan.seed, preparations=preparations)
    attacked, knowledge = tried(outcome, table)
    contents: dict[Path, bytes] = {}
    for audience, path in wanted.items():
        if path is not None:
            facts = report_facts(
                outcome,
                table,
                scores,
                written.checks,
                audience=cast("Audience", audience),
                attacked=attacked,
                knowledge=knowledge,
                released=None
                if options.output is None
                else (options.output.name, written.content),
                by=options.tables_by or "",
            )
            contents[path] = page(facts, path.suffix)
    return contents
