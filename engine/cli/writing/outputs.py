"""Options of a run for its release, reports, proof, plan and ledger."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.storage.addresses import to_place


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser a run's options for release, reports, proof, plan and ledger."""
    _add_release(parser)
    _add_reports(parser)
    _add_repetition(parser)


def _add_release(parser: argparse.ArgumentParser) -> None:
    """Add the protected table, its form and its groups."""
    parser.add_argument(
        "--output", type=to_place, help="write the protected table here"
    )
    parser.add_argument(
        "--shuffle",
        action="store_true",
        help="write records in a random order, by --seed; safer: --shuffle-seed N",
    )
    parser.add_argument(
        "--neutralise-formulas",
        action="store_true",
        help="put an apostrophe before text that a spreadsheet would run as a formula",
    )
    parser.add_argument(
        "--stata-version",
        type=int,
        metavar="N",
        help="oldest Stata that must read a .dta release: 14 or 15 (default 15)",
    )
    parser.add_argument("--groups", type=Path, help="write each record's group here")
    parser.add_argument("--json", type=Path, help="write the outcome's figures here")
    parser.add_argument(
        "--measure",
        metavar="ID,ID",
        help="calculate these measures too, for --json: see `coterie measures`",
    )


def _add_reports(parser: argparse.ArgumentParser) -> None:
    """Add what is said of the release, to whom it may be of use."""
    parser.add_argument(
        "--report",
        type=Path,
        help="write the internal report here: .html, .md or .json",
    )
    parser.add_argument(
        "--tables-by",
        metavar="COL",
        help="add tables before and after to the report, by the values of this column",
    )
    parser.add_argument(
        "--external-report",
        type=Path,
        help="write the report for recipients, without what could undo the protection",
    )
    add_director_page_option(parser)
    parser.add_argument(
        "--ddi",
        type=Path,
        help="describe the release for archives here: DDI-Codebook 2.5, XML",
    )
    parser.add_argument(
        "--croissant",
        type=Path,
        help="describe the release for catalogues here: Croissant 1.0, JSON-LD",
    )
    parser.add_argument(
        "--script", type=Path, help="write a Python script that repeats the run"
    )
    parser.add_argument(
        "--guide",
        type=Path,
        help="write here, in Markdown, how to analyse the release: what may be used as "
        "it is, and corrected regressions",
    )
    parser.add_argument(
        "--guide-model",
        action="append",
        default=[],
        metavar="MODEL",
        help="a regression that recipients will fit, as in need's --model: the guide "
        "says how often its intervals hold, and in which direction it is biased; may "
        "be repeated",
    )


def add_director_page_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the director's page, made to be printed and signed by hand."""
    parser.add_argument(
        "--director-page",
        type=Path,
        help="write one page of A4 here, HTML in plain words for those who sign",
    )


def _add_repetition(parser: argparse.ArgumentParser) -> None:
    """Add what proves the run, repeats it, or sets it beside earlier ones."""
    parser.add_argument(
        "--certificate",
        type=Path,
        help="write a proof of the loss and its lower bound here",
    )
    parser.add_argument(
        "--plan",
        type=Path,
        help="read the plan from this file; if other options make choices of a plan, "
        "replace this file by the plan of this run",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        help="file of all releases, created if missing: a release that would reveal "
        "values together with earlier releases is refused, any other is entered",
    )
    parser.add_argument(
        "--regroup",
        choices=("same", "coarsen"),
        help="with --ledger: use the groups of an earlier release (same), or unions of "
        "these groups (coarsen)",
    )
