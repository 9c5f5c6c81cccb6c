"""Checks of report options; reports, descriptions and model coverage of a release."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from engine.core.errors import ParameterError
from engine.core.message import NO_MESSAGE

if TYPE_CHECKING:
    from engine.analysis.need.models.coverage import ModelCoverage
    from engine.analysis.verdict import Verdict
    from engine.data.table import Table
    from engine.pipeline.grouping.prepare import PreparationCache
    from engine.pipeline.outcome import Outcome
    from engine.release.verify import WrittenRelease
    from engine.release.writing import WritingOptions
    from engine.report import Audience


def check_description_options(options: argparse.Namespace) -> None:
    """Raise if a description is asked for without a release file.

    Raises
    ------
    ParameterError
    """
    if (options.ddi or options.croissant) and options.output is None:
        raise ParameterError(
            "--ddi and --croissant describe the released file: name it with --output."
        )


def check_guide_options(options: argparse.Namespace) -> None:
    """Raise if guide models cannot be parsed, or are given without a guide.

    Raises
    ------
    ParameterError
    """
    if not options.guide_model:
        return
    if options.guide is None:
        raise ParameterError(
            "--guide-model is for the guide of those who receive the file: name it "
            "with --guide."
        )
    from engine.analysis.need import ModelFormula

    for text in options.guide_model:
        ModelFormula.parse(text)


def simulate_coverage_of_models(
    outcome: Outcome, table: Table, model_texts: Sequence[str]
) -> list[ModelCoverage]:
    """Return simulated coverage and bias of models fitted to a release.

    Raises
    ------
    ParameterError
        If one cannot be fitted.
    """
    if not model_texts:
        return []
    from engine.analysis.need import ModelFormula
    from engine.analysis.need.models.coverage import simulate_coverage

    return [
        simulate_coverage(outcome, table, ModelFormula.parse(text), outcome.plan.seed)
        for text in dict.fromkeys(model_texts)
    ]


def check_tables_by_option(options: argparse.Namespace) -> None:
    """Raise if ``--tables-by`` is given without a report to add tables to.

    Raises
    ------
    ParameterError
    """
    if options.tables_by is not None and options.report is None:
        raise ParameterError(
            "--tables-by adds tables to the internal report: name its file with "
            "--report."
        )


def check_stata_version(options: argparse.Namespace) -> None:
    """Raise for a Stata version if the release is no Stata file.

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


def render_descriptions(
    options: argparse.Namespace,
    outcome: Outcome,
    table: Table,
    written: WrittenRelease,
    certificate: bytes,
) -> dict[Path, bytes]:
    """Return the DDI and Croissant descriptions asked for of a release, by path."""
    if not (options.ddi or options.croissant):
        return {}
    from engine.report import describe_release, to_croissant_bytes, to_ddi_bytes

    release = describe_release(
        outcome, table, written, options.output.name, certificate
    )
    writers = {options.ddi: to_ddi_bytes, options.croissant: to_croissant_bytes}
    return {path: make(release) for path, make in writers.items() if path is not None}


def render_director_page_by_path(
    options: argparse.Namespace,
    outcome: Outcome,
    table: Table,
    written: WrittenRelease,
    writing_options: WritingOptions,
    verdict: Verdict | None = None,
) -> dict[Path, bytes]:
    """Return {path: director's page}, {} if not asked; judge if no verdict is given."""
    if options.director_page is None:
        return {}
    from engine.analysis.verdict.judge_release import judge_release
    from engine.report import director_page

    if verdict is None:
        identifiers = {name: NO_MESSAGE for name in outcome.plan.identifiers}
        verdict = judge_release(
            outcome, table, left_out=identifiers, shuffled=writing_options.shuffle
        )
    output = options.output
    page = director_page(
        outcome,
        table,
        verdict,
        written.checks,
        released_file=None if output is None else (output.name, written.content),
        shuffled=writing_options.shuffle,
    )
    return {options.director_page: page}


def render_reports(
    options: argparse.Namespace,
    outcome: Outcome,
    preparations: PreparationCache,
    written: WrittenRelease,
) -> dict[Path, bytes]:
    """Return the reports asked for, by path."""
    paths = {"internal": options.report, "external": options.external_report}
    if not any(paths.values()):
        return {}
    from engine.pipeline.evaluate import evaluate
    from engine.report import facts_to_file, report_facts
    from engine.report.intruder import run_report_attacks

    table = preparations.table
    scores = evaluate(outcome, table, seed=outcome.plan.seed, preparations=preparations)
    attacked, knowledge = run_report_attacks(outcome, table)
    contents: dict[Path, bytes] = {}
    for audience, path in paths.items():
        if path is not None:
            facts = report_facts(
                outcome,
                table,
                scores,
                written.checks,
                audience=cast("Audience", audience),
                attack_results=attacked,
                knowledge=knowledge,
                released=None
                if options.output is None
                else (options.output.name, written.content),
                by=options.tables_by or "",
            )
            contents[path] = facts_to_file(facts, path.suffix)
    return contents
