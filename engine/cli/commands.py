"""What each command does, once its words are understood.

Heavy modules are imported by the command that needs them, so that a mistake in the
words of a command is answered at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from engine.cli.interrupts import best_on_interrupt, uninterrupted
from engine.cli.options import (
    columns_of,
    names_in,
    parameters_in,
    plan_of,
    plan_text,
    refuse_streaming,
    table_of,
    wholes_in,
)
from engine.cli.reports import (
    check_descriptions,
    check_stata,
    check_tables,
    descriptions,
    reports,
)
from engine.cli.targets import repeats

if TYPE_CHECKING:
    from engine.data.table import Table
    from engine.pipeline.outcome import Outcome
    from engine.pipeline.plan import Plan
    from engine.release.writing import Writing


def run_file(options: argparse.Namespace) -> int:
    """Protect one file."""
    if options.out_of_core:
        from engine.cli.out_of_core import run_out_of_core

        return run_out_of_core(options)
    refuse_streaming(options)
    check_descriptions(options)
    check_tables(options)
    check_stata(options)
    from engine.analysis.decision import check_limit, decide
    from engine.cli.leaving import notes
    from engine.cli.ledger import entered, opened, regrouping
    from engine.data.propose.decided import decided
    from engine.methods.default import USUAL, proposed_method, reason
    from engine.pipeline.plan import Plan
    from engine.pipeline.prepare import Preparations
    from engine.pipeline.resolved import resolve
    from engine.pipeline.run import run
    from engine.release.verify import write_and_check
    from engine.release.write import write_files
    from engine.release.writing import check_format

    check_limit(options.below)
    table = decided(table_of(options))
    repeat = repeats(options)
    if repeat:
        plan = Plan.from_json(plan_text(options.plan))
    else:
        # What is polished is refined already where it is blocked.
        proposed = USUAL if options.polish else proposed_method(table.n_records)
        plan = plan_of(options, table, method=options.method or proposed, k=options.k)
    resolved = resolve(plan, table)
    note = "" if repeat or options.method or options.polish else reason(table.n_records)
    writing = _writing(options, plan)
    preparations = Preparations(table)
    if any((options.output, options.report, options.external_report)):
        check_format(table, resolved, writing.format)
    ledger = opened(options)
    with best_on_interrupt(plan) as ctx:
        outcome = run(
            resolved,
            table,
            ctx,
            preparations,
            thorough=options.thorough_bound,
            regroup=regrouping(options, ledger, table, resolved),
        )
    contents = _about(outcome, options, table, repeat)
    proof = None
    if options.certificate is not None:
        from engine.certificate.write import certificate

        proof = certificate(outcome, table, preparations)
        contents[options.certificate] = proof.text
    written = None
    if any((options.output, options.report, options.external_report)):
        written = write_and_check(outcome, table, writing)
        contents |= reports(options, outcome, preparations, written)
        proven = contents.get(options.certificate, b"")
        contents |= descriptions(options, outcome, table, written, proven)
    if ledger is not None:
        content = written.content if written is not None else b""
        contents |= entered(options, ledger, outcome, table, content)
    if options.script is not None:
        from engine.report import script

        name = "" if options.ledger is None else options.ledger.name
        again = script(outcome, table, writing, options.regroup or "", name)
        contents[options.script] = again.encode()
    said = *filter(None, [note]), *notes(outcome.unprotected, table.schema)
    with uninterrupted():
        write_files(outcome, table, options.output, contents, writing, written)
        _say(outcome, options.output)
        if options.below is not None:
            for one in decide([outcome], options.below):
                print(one.words)
        if proof is not None:
            least = f"no groups of at least k lose less than {proof.bound} %"
            best = "these groups are the best possible" if proof.best else least
            print(f"Certified, to be checked with coterie certify: {best}.")
        for line in (*said, *(written.notes if written else ())):
            print(f"Note: {line}", file=sys.stderr)
    return 0


def _writing(options: argparse.Namespace, plan: Plan) -> Writing:
    """Return how the release is written, by the options and by its file's name."""
    from engine.files.base import STATA
    from engine.release.write import writing_for
    from engine.release.writing import Writing

    stata = options.stata_version
    writing = Writing(
        shuffle=options.shuffle,
        seed=plan.seed if options.shuffle_seed is None else options.shuffle_seed,
        neutralise=options.neutralise_formulas,
        stata_version=STATA[-1] if stata is None else stata,
    )
    return writing if options.output is None else writing_for(options.output, writing)


def _about(
    outcome: Outcome, options: argparse.Namespace, table: Table, repeat: bool
) -> dict[Path, bytes]:
    """Return the files that tell of a run: groups, figures, its plan and a guide."""
    contents: dict[Path, bytes] = {}
    if options.groups is not None:
        contents[options.groups] = outcome.groups_csv(table.n_records)
    if options.json is not None:
        contents[options.json] = _json_bytes(outcome.summary())
    if options.plan is not None and not repeat:
        contents[options.plan] = outcome.plan.to_json().encode()
    if options.guide is not None:
        from engine.report import guide

        contents[options.guide] = guide(outcome).encode()
    return contents


def compare_methods(options: argparse.Namespace) -> int:
    """Compare methods and values of k on one file."""
    from engine.analysis.decision import check_limit, decide
    from engine.data.propose.decided import decided
    from engine.methods.default import proposed_method
    from engine.pipeline.compare import Comparison, grid
    from engine.pipeline.recommend import recommend
    from engine.release.write import write_all

    check_limit(options.below)
    table = decided(table_of(options))
    wanted = options.methods or proposed_method(table.n_records)
    names, sizes = names_in(wanted), wholes_in(options.k)
    base = plan_of(options, table, method=None, k=None)
    parameters = parameters_in(options.param)
    plans = grid(base, names, sizes, parameters)
    comparison = Comparison(table, options.thorough_bound)
    for plan in plans:
        comparison.check(plan)
    outcomes = []
    losses = f"{'IL %':>12}{'bound %':>12}{'NCP %':>12}"
    over = f"  IL % over {base.seeds} seeds" if base.seeds > 1 else ""
    print(f"{'method':24}{'k':>4}{'groups':>9}{losses}{'s':>9}{over}")
    for plan in plans:
        outcome = comparison.run(plan)
        outcomes.append(outcome)
        least = "none"
        if outcome.probabilistic is None:
            least = f"{outcome.bound.per_cent:.4f}"
        print(
            f"{plan.name:24}{plan.k:4}{outcome.partition.n_groups:9,}"
            f"{outcome.information_loss:12.4f}{least:>12}"
            f"{outcome.scores['certainty-penalty'].value:12.4f}"
            f"{outcome.seconds['partition']:9.3f}{_over_seeds(outcome)}"
        )
    best = recommend(outcomes)
    rows = [
        {
            **outcome.summary(),
            "recommended": best is not None and best.outcome is outcome,
            "reason": best.reason if best and best.outcome is outcome else None,
        }
        for outcome in outcomes
    ]
    if best is not None:
        plan = best.outcome.plan
        print(f"Recommended: {plan.name}, k = {plan.k}. {best.reason}.")
    decisions = () if options.below is None else decide(outcomes, options.below)
    for one in decisions:
        print(one.words)
    if options.below is not None:
        for row in rows:
            found = [one.summary() for one in decisions if one.k == row["k"]]
            row["below"] = found[0] if found else None
    for warning in dict.fromkeys(text for row in rows for text in row["warnings"]):
        print(f"Note: {warning}", file=sys.stderr)
    if options.json is not None:
        with uninterrupted():
            write_all({options.json: _json_bytes(rows)})
    return 0


def _over_seeds(outcome: Outcome) -> str:
    """Return mean and deviation of the loss where a method drew lots."""
    found = outcome.spreads.get("information_loss")
    return "" if found is None else f"  {found.mean:.4f} ± {found.deviation:.4f}"


def list_methods(options: argparse.Namespace) -> int:
    """List the methods."""
    from engine.methods import FAMILIES, methods
    from engine.methods.describe import describe

    if options.json:
        print(json.dumps([describe(info) for info in methods.infos()], indent=2))
        return 0
    for family, meaning in FAMILIES.items():
        members = [info for info in methods.infos() if info.family == family]
        if members:
            print(f"{family}: {meaning.lower()}")
        for info in members:
            print(f"  {info.id:22} {info.summary}")
            for parameter in info.parameters:
                print(
                    f"  {'':22}   --param {parameter.name}={parameter.default}: "
                    f"{parameter.describe()}"
                )
    return 0


def reproduce_tables(options: argparse.Namespace) -> int:
    """Put published figures beside ours."""
    from engine.cli.reproduce import reproduce_tables

    return reproduce_tables(options)


def examine_installation(options: argparse.Namespace) -> NoReturn:
    """Become ``python -m dashboard.doctor``: the engine imports nothing of it."""
    os.execv(sys.executable, [sys.executable, "-m", "dashboard.doctor"])


def time_file(options: argparse.Namespace) -> int:
    """Say how long methods take on a file."""
    from engine.cli.timing import time_file

    return time_file(options)


def propose_roles(options: argparse.Namespace) -> int:
    """Say what the columns of a file seem to be."""
    from engine.cli.propose import propose_roles

    return propose_roles(options)


def attack_releases(options: argparse.Namespace) -> int:
    """Attack releases of a file."""
    from engine.cli.attack import attack_releases

    return attack_releases(options)


def certify_file(options: argparse.Namespace) -> int:
    """Check a certificate; the checker is a program of its own."""
    from engine.certificate.certify import main

    return main([str(options.checked), str(options.file)])


def check_file(options: argparse.Namespace) -> int:
    """Count k in a file as it is, and who all of its columns tell apart."""
    from engine.core.partition import check_k
    from engine.measures.uniqueness import uniqueness
    from engine.pipeline.remarks import on_uniqueness
    from engine.release.write import write_all

    table = table_of(options)
    columns = columns_of(options, table)
    check_k(options.k, max(options.k, table.n_records))
    secret = names_in(options.confidential)
    for name in (*columns, *secret):
        table.schema[name]  # raises where there is no such column
    named = uniqueness(table.frame, columns, options.k, columns)
    others = [name for name in table.schema.names if name not in secret]
    others += [name for name in columns if name in secret]
    every = uniqueness(table.frame, others, options.k, columns)
    print(
        f"k = {named.least} over {', '.join(columns)} in {table.n_records:,} records: "
        + (
            f"{options.k}-anonymity holds."
            if named.safe
            else f"{options.k}-anonymity does not hold, {named.fewer:,} records are in "
            "smaller groups."
        )
    )
    print(
        f"Over all {len(others)} columns"
        + (f" but {', '.join(secret)} (confidential)" if secret else "")
        + f": {every.unique:,} records are unique, {every.fewer:,} share their values "
        f"with fewer than {options.k - 1} others."
    )
    homes = _households(options, table, columns)
    safe = named.safe and (homes is None or homes >= options.k)
    for line in on_uniqueness(every) if safe else ():
        print(f"Note: {line}", file=sys.stderr)
    if options.json is not None:
        content = {
            "k": options.k,
            "k_released": named.least,
            "k_verified": safe,
            "k_households": homes,
            "quasi_identifiers": list(columns),
            "confidential": list(secret),
            "uniqueness": every.summary(),
        }
        write_all({options.json: _json_bytes(content)})
    return 0 if safe else 1


def _households(
    options: argparse.Namespace, table: Table, columns: tuple[str, ...]
) -> int | None:
    """Count households that share all values, where a column says which they are."""
    name = options.household
    if name is None:
        return None
    from engine.core.errors import ParameterError
    from engine.pipeline.households import least_shared, refuse_without

    table.schema[name]  # raises where there is no such column
    if name in columns:
        raise ParameterError(
            "Column {column!r} cannot both say which household a record is of and be "
            "a quasi-identifier.",
            column=name,
        )
    of = table.frame[name]
    refuse_without(of)
    found = least_shared(table.frame, columns, of)
    holds = "holds" if found >= options.k else "does not hold"
    print(
        f"k = {found} for the {of.nunique():,} households of {name}: "
        f"{options.k}-anonymity {holds} for them."
    )
    return found


def _json_bytes(content: object) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _say(outcome: Outcome, output: Path | None) -> None:
    figures = outcome.summary()
    size = figures["group_size"]
    loss, drawn = figures["information_loss"], outcome.probabilistic
    if drawn is None:
        bound = f"no grouping can lose less than {figures['lower_bound']:.4f} %"
        promise = f"k as released: {figures['k_released']}"
    else:
        bound = "groups of any size have no lower bound"
        promise = drawn.words.capitalize()
    lost = (
        "No quasi-identifier is a number, so there is no information loss to measure."
        if loss is None
        else f"Information loss {loss:.4f} % on scaling {figures['scaling']} (lower is "
        f"better); {bound}."
    )
    lost += f"\nCertainty penalty (NCP) {figures['certainty_penalty']:.4f} %."
    if over := _over_seeds(outcome).strip():
        lost += f"\nInformation loss over {len(outcome.by_seed)} seeds: {over} %."
    print(
        f"{outcome.plan.name}, k = {figures['k']}: {figures['n_records']:,} records "
        "in "
        f"{figures['n_groups']:,} groups of {size['min']} to {size['max']}.\n{lost}\n"
        f"{promise}. "
        f"Time: {figures['seconds']['partition']:.3f} s for the groups, "
        f"{figures['seconds']['total']:.3f} s in all."
    )
    for warning in figures["warnings"]:
        print(f"Note: {warning}", file=sys.stderr)
    if output is not None:
        print(f"Written and read back: {output}")
