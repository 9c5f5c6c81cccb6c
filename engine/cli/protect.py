"""``coterie protect``: options, and protection of a file without asking questions."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.parsing.interrupts import ignore_interrupts
from engine.cli.parsing.options import build_read_options, split_names
from engine.cli.writing.figures import to_json_bytes
from engine.cli.writing.outputs import add_director_page_option
from engine.core.message import Topic, join_some_with_and

if TYPE_CHECKING:
    from engine.analysis.protect import Protected

RED = 3
"""Exit code where the verdict is red and nobody answers for it."""


def add_protect_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the options particular to `protect`."""
    parser.add_argument(
        "--output", type=Path, required=True, help="write the protected table here"
    )
    parser.add_argument(
        "--k",
        type=int,
        default=5,
        help="smallest number of people in a group (default 5)",
    )
    parser.add_argument(
        "--max-loss",
        type=float,
        default=30.0,
        metavar="PERCENT",
        help="leave out columns above this loss, else the verdict is red (default 30)",
    )
    parser.add_argument("--groups", type=Path, help="write each record's group here")
    parser.add_argument("--json", type=Path, help="write figures and verdict here")
    parser.add_argument(
        "--person",
        metavar="COL",
        help="columns that say who a record is about: k counts people; none to count "
        "records (default: an identifier that repeats)",
    )
    parser.add_argument(
        "--intruder-knows",
        choices=("one", "all"),
        default="one",
        help="records of a person that an intruder knows (default one)",
    )
    parser.add_argument(
        "--counts",
        action="store_true",
        help="with --intruder-knows all: k people also have each combination of values "
        "equally often; records of whoever has more are left out",
    )
    parser.add_argument(
        "--shuffle-seed",
        type=int,
        metavar="N",
        help="seed of the random order of the records (default: drawn)",
    )
    parser.add_argument(
        "--neutralise-formulas",
        action=argparse.BooleanOptionalAction,
        help="put an apostrophe before text that a spreadsheet would run (default: in "
        "delimited text)",
    )
    parser.add_argument(
        "--certificate",
        type=Path,
        help="write a proof of the loss and its lower bound here",
    )
    add_director_page_option(parser)
    parser.add_argument(
        "--accept-red",
        metavar="WHY",
        default="",
        help="write the release although the verdict is red, for this reason",
    )


def execute_protect(options: argparse.Namespace) -> int:
    """Protect one file; write it unless red and not accepted; return the exit code."""
    from engine.analysis.protect import protect
    from engine.cli.writing.reports import render_director_page_by_path
    from engine.release.formulas import count_formulas_by_column, formulas_message
    from engine.release.verify import release_bytes_and_checks
    from engine.release.write import (
        format_id_for_path,
        write_files,
        writing_options_for_path,
    )

    format_id_for_path(options.output)  # refused before all the work
    person = split_names(options.person)
    protected = protect(
        options.file,
        options.k,
        options=build_read_options(options),
        person=person[0] if len(person) == 1 else person or None,
        intruder_knows=options.intruder_knows,
        counts=options.counts,
        max_loss=options.max_loss,
        shuffle_seed=options.shuffle_seed,
        accept_red=options.accept_red.strip(),
    )
    contents: dict[Path, bytes] = {}
    outcome, table = protected.outcome, protected.table
    red = protected.verdict.colour == "red" and not protected.verdict.accepted
    writing = writing_options_for_path(options.output, protected.writing)
    text, neutralise = writing.format == "csv", options.neutralise_formulas
    writing = replace(writing, neutralise=text if neutralise is None else neutralise)
    formulas = count_formulas_by_column(outcome.release.frame) if text else {}
    if options.json is not None:
        summary = protected.summary() | {"formula_cells": formulas}
        contents[options.json] = to_json_bytes(summary)
    written = None
    if not red:
        if options.director_page is not None:
            written = release_bytes_and_checks(outcome, table, writing)
            contents |= render_director_page_by_path(
                options, outcome, table, written, writing, protected.verdict
            )
        if options.groups is not None:
            contents[options.groups] = outcome.groups_csv(table.n_records)
        if options.certificate is not None:
            from engine.certificate.write import build_certificate

            contents[options.certificate] = build_certificate(outcome, table).text
    with ignore_interrupts():
        output = None if red else options.output
        write_files(outcome, table, output, contents, writing, written)
    _say(protected, None if red else options.output)
    for warning in outcome.warnings:
        if warning.topic is Topic.PERSON:
            print(f"Note: {warning}", file=sys.stderr)
    if formulas and not red:
        formula_note = formulas_message(formulas, writing.neutralise)
        print(f"Note: {formula_note}", file=sys.stderr)
    return RED if red else 0


def _say(protected: Protected, output: Path | None) -> None:
    verdict = protected.verdict
    red = output is None
    print(verdict.headline, file=sys.stderr if red else sys.stdout)
    for line in verdict.lines:
        mend = "" if line.mend is None else f" {line.mend.says}"
        wrong = line.colour == "red"
        print(
            f"{line.colour}: {line.asks} {line.says}{mend}",
            file=sys.stderr if wrong else sys.stdout,
        )
    for question in protected.questions:
        columns = join_some_with_and(question.columns)
        print(f"not asked: {columns}: {question.asks} {question.took}")
    if output is None:
        print(
            "coterie: the verdict is red, so that neither release nor groups were "
            "written; mend it, or answer for it with --accept-red.",
            file=sys.stderr,
        )
    else:
        print(f"Written and read back: {output}")
