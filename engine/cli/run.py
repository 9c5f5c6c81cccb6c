"""``coterie run``: protect one file and write the files asked for."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.parsing.interrupts import (
    context_stopped_by_interrupt,
    ignore_interrupts,
)
from engine.cli.parsing.options import (
    plan_from_options,
    read_plan_text,
    refuse_out_of_core_options,
    split_names,
    table_from_options,
)
from engine.cli.parsing.path_options import has_plan_to_run
from engine.cli.writing.figures import (
    format_count,
    format_loss_over_seeds,
    to_json_bytes,
)
from engine.cli.writing.reports import (
    check_description_options,
    check_guide_options,
    check_stata_version,
    check_tables_by_option,
    render_descriptions,
    render_director_page_by_path,
    render_reports,
    simulate_coverage_of_models,
)

if TYPE_CHECKING:
    from engine.certificate.write import Certificate
    from engine.data.table import Table
    from engine.pipeline.grouping.prepare import PreparationCache
    from engine.pipeline.outcome import Outcome
    from engine.pipeline.plan import Plan
    from engine.release.writing import WritingOptions

GUESSABLE_ORDER = (
    "Records have the random order of --seed. Who guesses this seed can undo the "
    "order: give a large --shuffle-seed."
)
"""What is said where nobody named the seed of the order."""


def execute_run(options: argparse.Namespace) -> int:
    """Protect one file, or files out of core, and write files; return 0."""
    if options.out_of_core:
        from engine.cli.out_of_core import execute_out_of_core

        return execute_out_of_core(options)
    refuse_out_of_core_options(options)
    check_description_options(options)
    check_guide_options(options)
    check_tables_by_option(options)
    check_stata_version(options)
    measures = _measures(options)
    from engine.cli.parsing.ledger import (
        check_and_render_ledger,
        open_ledger,
        regroup_function_from_ledger,
    )
    from engine.cli.writing.leaving_columns import (
        iterate_messages_on_columns_without_role,
        iterate_messages_on_weights,
    )
    from engine.data.propose.decide_roles import settle_undecided_roles
    from engine.pipeline.grouping.prepare import PreparationCache
    from engine.pipeline.planning.resolve_plan import resolve_plan
    from engine.pipeline.run import run

    if options.below is not None:
        from engine.analysis.curves.loss_limit import (
            check_max_loss,
            loss_limit_messages,
        )

        check_max_loss(options.below)
    table = settle_undecided_roles(table_from_options(options))
    plan, note = _choose_plan(options, table)
    notes = [note] if note else []
    if options.shuffle and plan.order_seed is None:
        plan = plan.replace(order_seed=plan.seed)
        notes.append(GUESSABLE_ORDER)
    resolved = resolve_plan(plan, table)
    writing = _writing_options(options, plan)
    preparations = PreparationCache(table)
    reports = options.report, options.external_report, options.director_page
    released = any((options.output, *reports))
    if released:
        from engine.release.writing import check_release_format

        check_release_format(table, resolved, writing.format)
    ledger = open_ledger(options)
    with context_stopped_by_interrupt(plan) as ctx:
        outcome = run(
            resolved,
            table,
            ctx,
            preparations,
            thorough=options.thorough_bound,
            regroup=regroup_function_from_ledger(options, ledger, table, resolved),
        )
    measured = _measured(measures, outcome, preparations)
    contents = _companion_files(outcome, options, table, measured)
    proof = None
    if options.certificate is not None:
        from engine.certificate.write import build_certificate

        proof = build_certificate(outcome, table, preparations)
        contents[options.certificate] = proof.text
    written = None
    if released:
        from engine.release.verify import release_bytes_and_checks

        written = release_bytes_and_checks(outcome, table, writing)
        contents |= render_reports(options, outcome, preparations, written)
        contents |= render_director_page_by_path(
            options, outcome, table, written, writing
        )
        proven = contents.get(options.certificate, b"")
        contents |= render_descriptions(options, outcome, table, written, proven)
    if ledger is not None:
        content = written.content if written is not None else b""
        contents |= check_and_render_ledger(options, ledger, outcome, table, content)
    if options.script is not None:
        from engine.report import to_script

        name = "" if options.ledger is None else options.ledger.name
        script = to_script(outcome, table, writing, options.regroup or "", name)
        contents[options.script] = script.encode()
    messages = [
        *notes,
        *iterate_messages_on_columns_without_role(
            outcome.unprotected_columns, table.schema
        ),
        *iterate_messages_on_weights(outcome),
    ]
    if released:
        from engine.release.links import find_person_links

        messages += find_person_links(outcome, table, writing.shuffle).said
    if written is not None and written.formulas:
        from engine.release.formulas import formulas_message

        messages.append(formulas_message(written.formulas, writing.neutralise))
    with ignore_interrupts():
        if contents or released:
            from engine.release.write import write_files

            write_files(outcome, table, options.output, contents, writing, written)
        _print_summary(outcome, options.output)
        for each in measured:
            print(" ".join([f"{each['title']}:", _figure(each), each["note"]]).rstrip())
        if options.below is not None:
            print(*loss_limit_messages([outcome], options.below), sep="\n")
        if proof is not None:
            _print_proof(proof)
        for line in (*messages, *(written.notes if written else ())):
            print(f"Note: {line}", file=sys.stderr)
    return 0


def _choose_plan(options: argparse.Namespace, table: Table) -> tuple[Plan, str]:
    """Return the plan, and why its method was proposed where nobody named one."""
    from engine.methods.default import DEFAULT_METHOD, default_method, proposal_reason
    from engine.pipeline.plan import Plan

    if has_plan_to_run(options):
        return Plan.from_json(read_plan_text(options.plan)), ""
    # What is polished is refined already where it is blocked.
    proposed = DEFAULT_METHOD if options.polish else default_method(table.n_records)
    plan = plan_from_options(
        options, table, method=options.method or proposed, k=options.k
    )
    named = options.method or options.polish
    return plan, "" if named else proposal_reason(table.n_records)


def _measures(options: argparse.Namespace) -> list[str]:
    """Return the measures on demand that were asked for.

    Raises ParameterError if one does not exist.
    """
    if options.measure is None:
        return []
    from engine.measures import measures

    return [measures.resolve(name) for name in split_names(options.measure)]


def _measured(
    measure_ids: list[str], outcome: Outcome, preparations: PreparationCache
) -> list[dict[str, Any]]:
    """Return the figures that were asked for, as plain values."""
    if not measure_ids:
        return []
    from engine.measures import measures
    from engine.measures.describe import describe_score
    from engine.pipeline.evaluate import evaluate

    table, seed = preparations.table, outcome.plan.seed
    scores = evaluate(outcome, table, measure_ids, seed, preparations=preparations)
    return [
        describe_score(measures.info(name), score) | {"note": str(score.note)}
        for name, score in scores.items()
    ]


def _writing_options(options: argparse.Namespace, plan: Plan) -> WritingOptions:
    """Return how the release is written, by the options and by its file's name."""
    from engine.files.base import STATA_VERSIONS
    from engine.release.writing import WritingOptions

    stata = options.stata_version
    writing = WritingOptions(
        shuffle=plan.order_seed is not None,
        seed=plan.order_seed or 0,
        neutralise=options.neutralise_formulas,
        stata_version=STATA_VERSIONS[-1] if stata is None else stata,
    )
    if options.output is None:
        return writing
    from engine.release.write import writing_options_for_path

    return writing_options_for_path(options.output, writing)


def _companion_files(
    outcome: Outcome,
    options: argparse.Namespace,
    table: Table,
    measured: list[dict[str, Any]],
) -> dict[Path, bytes]:
    """Return the files that tell of a run: groups, figures, its plan and a guide."""
    contents: dict[Path, bytes] = {}
    coverages = simulate_coverage_of_models(outcome, table, options.guide_model)
    if options.groups is not None:
        contents[options.groups] = outcome.groups_csv(table.n_records)
    if options.json is not None:
        models = {"models": [each.summary() for each in coverages]} if coverages else {}
        contents[options.json] = to_json_bytes(
            outcome.summary() | models | ({"measures": measured} if measured else {})
        )
    if options.plan is not None and not has_plan_to_run(options):
        contents[options.plan] = outcome.plan.to_json().encode()
    if options.guide is not None:
        from engine.report import analysis_guide

        contents[options.guide] = analysis_guide(outcome, coverages).encode()
    return contents


def _print_summary(outcome: Outcome, output: Path | None) -> None:
    """Sum up what a run gave."""
    figures = outcome.summary()
    size = figures["group_size"]
    loss, drawn = figures["information_loss"], outcome.probabilistic
    if drawn is None:
        bound = f"no grouping can lose less than {figures['lower_bound']:.4f} %"
        promise = f"k as released: {figures['k_released']}"
    else:
        bound = "groups of any size have no lower bound"
        promise = drawn.kind_message.capitalize()
    loss_text = (
        "No quasi-identifier is a number, so there is no information loss to measure."
        if loss is None
        else f"Information loss {loss:.4f} % on scaling {figures['scaling']} (lower is "
        f"better); {bound}."
    )
    loss_text += f"\nCertainty penalty (NCP) {figures['certainty_penalty']:.4f} %."
    if over := format_loss_over_seeds(outcome):
        loss_text += f"\nInformation loss over {len(outcome.by_seed)} seeds: {over} %."
    records = format_count(figures["n_records"], "record")
    groups = format_count(figures["n_groups"], "group")
    print(
        f"{outcome.plan.name}, k = {figures['k']}: {records} in {groups} of "
        f"{size['min']} to {size['max']}.\n{loss_text}\n"
        f"{promise}. "
        f"Time: {figures['seconds']['partition']:.3f} s for the groups, "
        f"{figures['seconds']['total']:.3f} s in all."
    )
    for warning in figures["warnings"]:
        print(f"Note: {warning}", file=sys.stderr)
    if output is not None:
        print(f"Written and read back: {output}")


def _figure(measured: dict[str, Any]) -> str:
    """Return one figure with its unit, in words."""
    if measured["value"] is None:
        return "no finite figure."
    return f"{measured['value']:.6g} {measured['unit']}".rstrip() + "."


def _print_proof(proof: Certificate) -> None:
    bound_text = f"no groups of at least k lose less than {proof.bound} %"
    best = "these groups are the best possible" if proof.best else bound_text
    print(f"Certified, to be checked with coterie certify: {best}.")
