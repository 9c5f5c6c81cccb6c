"""``coterie need``: options, and search for a release that meets rules and keeps."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.parsing.interrupts import ignore_interrupts
from engine.cli.parsing.ledger import check_and_render_ledger
from engine.cli.parsing.options import (
    plan_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import format_count, to_json_bytes
from engine.cli.writing.leaving_columns import (
    iterate_messages_on_columns_without_role,
    iterate_messages_on_weights,
)
from engine.cli.writing.reports import simulate_coverage_of_models
from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.analysis.need import Need
    from engine.analysis.need.answer import RequirementCheck
    from engine.core.message import Message
    from engine.data.table import Table

_RELEASES = ("both together", "first release", "second release")
"""What a requirement is about, by its number."""

WITHOUT_RELEASE = 1
"""Exit code of an answer that has no release: open, or impossible."""


def add_need_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the options of `need`, such as rules, keeps, time and outputs."""
    parser.add_argument(
        "--rule",
        action="append",
        required=True,
        metavar="RULE",
        help='rule that the release must meet: "prosecutor <= 0.09", "k >= 11", the '
        "name of a rule set or a file of one; may be repeated",
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="KEEP",
        help='result that must hold after protection: "overlap >= 0.9", "loss <= 10", '
        '"table(sex,region) <= 0.05"; may be repeated',
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="MODEL",
        help='a regression whose result must hold after protection: "logit y ~ a + b"; '
        "linear, logit or poisson; may be repeated",
    )
    parser.add_argument(
        "--held-out",
        action="append",
        default=[],
        metavar="MODEL",
        help="model that the search does not use, but the answer reports",
    )
    parser.add_argument(
        "--subgroups",
        metavar="A,B",
        help="apply all keeps within each value of these columns too, and report the "
        "loss of each value",
    )
    parser.add_argument(
        "--references",
        action="store_true",
        help="also measure other ways to protect the same columns: Mondrian, recoding "
        "with suppression, synthetic data by trees, noise at equal linkage",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="time limit, without the time to compile kernels (default 60)",
    )
    effort.add_argument(
        "--trials",
        type=int,
        metavar="N",
        help="number of releases to try, with the same answer on any number of cores",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        help="file of earlier releases of these records: the new release must not "
        "reveal values together with them, and is entered here",
    )
    parser.add_argument("--output", type=Path, help="write the protected table here")
    parser.add_argument(
        "--second-keep",
        action="append",
        default=[],
        metavar="KEEP",
        help="result that must hold in a second release of the same records, "
        "with the same groups; rules then hold for each release and for "
        "both together",
    )
    parser.add_argument(
        "--second-model",
        action="append",
        default=[],
        metavar="MODEL",
        help="regression whose result must hold in the second release",
    )
    parser.add_argument(
        "--second-output",
        type=Path,
        metavar="FILE",
        help="write the second release here",
    )
    parser.add_argument("--groups", type=Path, help="write each record's group here")
    parser.add_argument("--json", type=Path, help="write the answer here")
    parser.add_argument(
        "--guide",
        type=Path,
        help="write here, in Markdown, how to analyse the release, and what to expect "
        "of its models",
    )


def execute_need(options: argparse.Namespace) -> int:
    """Print the answer to a need, write files; return 1 without a release, else 0."""
    from engine.analysis.need import need, read_rules_and_sets
    from engine.analysis.need.parsed_need import resolve_seconds
    from engine.analysis.releases.ledger import Ledger
    from engine.data.propose.decide_roles import settle_undecided_roles
    from engine.release.verify import release_bytes_and_checks
    from engine.release.write import write_all, write_files, writing_options_for_path
    from engine.release.writing import WritingOptions, check_release_format

    if options.second_output and not (options.second_keep or options.second_model):
        raise ParameterError(
            "A second release is asked for by what it must keep: name that "
            "(--second-keep, --second-model)."
        )
    table = settle_undecided_roles(table_from_options(options))
    base = plan_from_options(options, table, method="mdav", k=2)
    writing: WritingOptions | None = None
    for path in filter(None, (options.second_output, options.output)):
        from engine.pipeline.planning.resolve_plan import resolve_plan

        writing = writing_options_for_path(path, WritingOptions())
        check_release_format(table, resolve_plan(base, table), writing.format)
    writing = None if options.output is None else writing
    ledger = None if options.ledger is None else Ledger.read_file(options.ledger)
    answer = need(
        table,
        read_rules_and_sets(options.rule, read_files=True),
        options.keep,
        options.seconds,
        base=base,
        models=options.model,
        held_out=options.held_out,
        subgroups=split_names(options.subgroups),
        trials=options.trials,
        references=options.references,
        ledger=ledger,
        second_keeps=options.second_keep,
        second_models=options.second_model,
        seed=base.seed,
    )
    contents: dict[Path, bytes] = {}
    outcome, summary = answer.outcome, answer.summary()
    guide_began = time.monotonic()
    if options.guide is not None and outcome is not None:
        from engine.report import analysis_guide

        models = simulate_coverage_of_models(
            outcome, table, [*options.model, *options.held_out]
        )
        contents[options.guide] = analysis_guide(outcome, models).encode()
        summary["models"] = [each.summary() for each in models]
    guide_seconds = time.monotonic() - guide_began
    if options.json is not None:
        contents[options.json] = to_json_bytes(summary)
    with ignore_interrupts():
        if outcome is None:
            write_all(contents)
        else:
            if options.groups is not None:
                contents[options.groups] = outcome.groups_csv(table.n_records)
            written = None
            if ledger is not None and writing is not None:
                written = release_bytes_and_checks(outcome, table, writing)
                contents |= check_and_render_ledger(
                    options, ledger, outcome, table, written.content
                )
            if options.second_output is not None:
                contents |= _second_contents(options, answer, table, contents)
            write_files(outcome, table, options.output, contents, writing, written)
    _say(answer, [options.output, options.second_output])
    for note in dict.fromkeys(map(str, _notes(answer, table))):
        print(f"Note: {note}", file=sys.stderr)
    time_budget = resolve_seconds(options.seconds, options.trials)
    if time_budget is not None and outcome is not None:
        more = f"; then {guide_seconds:.0f} s for --guide" if options.guide else ""
        print(
            f"Time: {answer.seconds:.0f} s, of which {answer.counted_seconds:.0f} s "
            f"count, as compiling does not (asked: {time_budget:g} s){more}"
        )
    return WITHOUT_RELEASE if outcome is None else 0


def _second_contents(
    options: argparse.Namespace,
    answer: Need,
    table: Table,
    contents: Mapping[Path, bytes],
) -> dict[Path, bytes]:
    """Return the second release as a file, and the ledger with it where one is named.

    Parameters
    ----------
    options : argparse.Namespace
    answer : Need
    contents : mapping of Path to bytes
        What is written with it; a ledger in it knows the first release.
    """
    from engine.analysis.releases.ledger import Ledger
    from engine.release.verify import release_bytes_and_checks
    from engine.release.write import raise_if_promise_broken, writing_options_for_path
    from engine.release.writing import WritingOptions

    second = answer.second_outcome
    assert second is not None
    path: Path = options.second_output
    written = release_bytes_and_checks(
        second, table, writing_options_for_path(path, WritingOptions())
    )
    raise_if_promise_broken(written)
    more = {path: written.content}
    if options.ledger is not None:
        ledger_bytes = contents.get(options.ledger)
        ledger = (
            Ledger.read_file(options.ledger)
            if ledger_bytes is None
            else Ledger.from_bytes(ledger_bytes, options.ledger.name)
        )
        entry = ledger.entry_for(second, table, path.name, written.content)
        more[options.ledger] = ledger.with_entry(entry).to_bytes()
    return more


def _say(answer: Need, outputs: Sequence[Path | None]) -> None:
    stream = sys.stdout if answer.outcome is not None else sys.stderr
    print(f"{answer.answer}: {answer.sentence}", file=stream)
    if answer.outcome is None:
        return
    for each in (*answer.rules, *answer.keeps):
        where = f" ({each.weakest})" if each.weakest else ""
        verdict = "holds" if each.held else "missed"
        of = "" if answer.second_outcome is None else f"{_RELEASES[each.release]}: "
        print(f"{verdict}: {of}{each.asked}: {_figure(each)}{where}")
    for row in answer.subgroups:
        if row["loss"] is None:
            print(f"{row['column']} = {row['value']}: all records are left out")
            continue
        records = format_count(row["n_records"], "record")
        print(
            f"{row['column']} = {row['value']}: {records} "
            f"{'loses' if row['n_records'] == 1 else 'lose'} {row['loss']:.2f} % of "
            "the file's variance per record"
        )
        if row["unasked"]:
            print(f"not asked there, for too few records: {', '.join(row['unasked'])}")
    if answer.largest_losses:
        worst = "; ".join(
            f"{row['column']} = {row['value']} {row['loss']:.2f} ({row['n_records']})"
            for row in answer.largest_losses
        )
        print(
            "Who pays, of each column in % of the file's variance per record (records):"
            f" {worst}"
        )
    for other in answer.alternatives:
        word = "would meet it" if other.holds else "did not, as tried"
        reached = ", ".join(f"{keep.asked}: {_figure(keep)}" for keep in other.keeps)
        print(f"{word}: {other.change} ({reached})")
    if answer.about_alternatives:
        print(answer.about_alternatives)
    for each in answer.held_out:
        print(f"held out: {each.asked}: overlap {_figure(each)} ({each.weakest})")
    if answer.together is not None:
        print(answer.together)
    for point in answer.references:
        keeps = ", ".join(f"{keep.asked}: {_figure(keep)}" for keep in point.keeps)
        print(f"beside it: {point.title}: risk {point.risk:.4g} ({keeps})")
    if answer.about_references:
        print(answer.about_references)
    print(answer.overfitting)
    for output in outputs:
        if output is not None:
            print(f"Written and read back: {output}")


def _notes(answer: Need, table: Table) -> Iterator[Message]:
    """Yield messages on the releases, and on columns that leave as they are."""
    for outcome in filter(None, (answer.outcome, answer.second_outcome)):
        yield from outcome.warnings
        yield from iterate_messages_on_columns_without_role(
            outcome.unprotected_columns, table.schema
        )
        yield from iterate_messages_on_weights(outcome)


def _figure(rule_check: RequirementCheck) -> str:
    return (
        "nothing is told" if rule_check.reached is None else f"{rule_check.reached:.4g}"
    )
