"""Entry point of the command line, and its parser of every command and its options."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from engine.cli.attack import add_attack_options, merge_group_file_options
from engine.cli.class_file import add_class_options
from engine.cli.commands import execute_command
from engine.cli.need import add_need_options
from engine.cli.parsing.answer import CommandParser, ShowVersion, run_command
from engine.cli.parsing.options import add_plan_options
from engine.cli.parsing.path_options import check_path_options
from engine.cli.protect import add_protect_options
from engine.cli.serving import (
    DASHBOARD_MODULES,
    add_audit_actions,
    add_places_options,
    add_server_options,
    add_team_options,
    add_until_closed_option,
    replace_process_by_dashboard,
)
from engine.cli.sweep import add_sweep_options
from engine.cli.writing.outputs import add_output_options
from engine.storage.addresses import to_place


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line's command and return its exit code, unless the process exits.

    Returns
    -------
    int
        One of :data:`EXIT_CODES`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["attack"] and any(w.startswith("--g") for w in words):
        words = merge_group_file_options(words)

    def command(options: argparse.Namespace) -> int:
        if options.command in DASHBOARD_MODULES:
            replace_process_by_dashboard(options.command, words)
        # What is imported stays: to look through it for garbage, again and again,
        # takes a sixth of a short run.
        gc.set_threshold(500_000)
        check_path_options(options)
        return execute_command(options)

    return run_command(_build_parser(words), words, command)


EXIT_CODES = {
    0: "All is done. Even if attacks succeed, coterie attack ends with 0.",
    1: "check: k does not hold. certify: a claim is wrong, or a record is not covered. "
    "need: no tried release meets all rules (open), or no release can meet all rules "
    "(impossible). audit check: a line was changed, removed or inserted. doctor: "
    "something would fail.",
    2: "An option is wrong, the input is bad (such as a changed certificate), or "
    "memory is too small. Other causes: no groups meet the demands, a written file "
    "fails a check, or the ledger refuses the release. The error message says what "
    "to do. There is no release.",
    3: "protect: the verdict is red. Only --json is written.",
    130: "Ctrl-C stopped the command. There is no release. With --out-of-core, "
    "finished blocks stay in a hidden folder. While coterie run searches for "
    "better groups, the first Ctrl-C ends only the search. The command coterie "
    "run then writes its best release, with code 0.",
}
"""Exit codes of all commands, and what each means."""

PLAN_COMMANDS = ("run", "need", "compare", "time", "sweep")
"""Commands that take the choices of a plan."""


def _build_parser(words: Collection[str] = PLAN_COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of a command line with these words.

    What choices there are takes a moment to find out, so that only a command which is
    among the words has them.
    """
    parser = CommandParser(
        prog="coterie",
        description="Protect tables about people and companies by microaggregation. "
        "Without a command, opens the dashboard.",
        epilog="Exit codes. "
        + " ".join(f"{code}: {says}" for code, says in EXIT_CODES.items()),
    )
    parser.add_argument(
        "--version", action=ShowVersion, help="say which version this is"
    )
    add_server_options(parser)
    add_until_closed_option(parser)
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND"
    )

    run = commands.add_parser("run", help="protect a file")
    if "run" in words:
        _add_choices(run, ())
    _add_below(run)
    add_output_options(run)
    _add_streaming(run)

    protect = commands.add_parser(
        "protect", help="protect a file without questions, with safe answers"
    )
    _add_file(protect)
    add_protect_options(protect)

    need = commands.add_parser(
        "need", help="find a release that meets rules and keeps analyses, or a proof"
    )
    if "need" in words:
        _add_input(need)
        add_plan_options(need, ("quasi_identifiers", "method", "k"))
    add_need_options(need)

    compare = commands.add_parser("compare", help="compare methods and values of k")
    if "compare" in words:
        _add_choices(compare, ("method", "k"))
    compare.add_argument(
        "--methods",
        help="identifiers, by commas (default mdav; blocked above 200,000 records)",
    )
    compare.add_argument("--k", default="3", help="one or several, as in 3,5,10")
    _add_below(compare)
    compare.add_argument("--json", type=Path, help="write the table of figures here")

    methods = commands.add_parser("methods", help="list the methods")
    methods.add_argument("--json", action="store_true", help="as JSON, in full")

    measures = commands.add_parser("measures", help="list the measures")
    measures.add_argument("--json", action="store_true", help="as JSON, in full")

    reproduce = commands.add_parser(
        "reproduce", help="run published tables on the CASC reference data"
    )
    reproduce.add_argument("folder", metavar="FOLDER", type=Path)
    reproduce.add_argument(
        "--apart",
        action="store_true",
        help="the tables of methods' own papers that no source quotes",
    )
    reproduce.add_argument("--json", type=Path, help="write the rows here")

    timing = commands.add_parser(
        "time", help="time methods on a file against k, records or attributes"
    )
    if "time" in words:
        _add_input(timing)
        from engine.analysis.curves.timing import plan_fields_not_timed

        without = plan_fields_not_timed()
        add_plan_options(timing, ("quasi_identifiers", "method", "k", *without))
    _add_experiment(timing)

    sweep = commands.add_parser("sweep", help="vary a parameter of a method")
    if "sweep" in words:
        _add_choices(sweep, ())
    add_sweep_options(sweep)

    propose = commands.add_parser(
        "propose", help="say what a file's columns seem to be"
    )
    _add_file(propose)
    propose.add_argument("--json", action="store_true", help="as JSON, in full")

    check = commands.add_parser("check", help="count k in a file, as it is")
    _add_input(check)
    _add_counting(check)

    attack = commands.add_parser(
        "attack", help="try what an intruder could learn from releases of a file"
    )
    _add_input(attack)
    add_attack_options(attack)

    certify = commands.add_parser(
        "certify",
        help="check what a certificate proves of a file",
        epilog="Ends with 1 if a claim does not hold of the file or a record is not "
        "covered, and with 2 if the certificate is none, or was changed since it was "
        "written.",
    )
    certify.add_argument("checked", metavar="CERTIFICATE", type=Path)
    certify.add_argument("file", metavar="FILE", type=Path)
    certify.add_argument(
        "--allow-left-out",
        metavar="N",
        default="0",
        help="records that need not be covered, as a number or in per cent (default 0)",
    )

    classes = commands.add_parser(
        "class", help="write lessons, exercises and a game as one HTML file"
    )
    add_class_options(classes)

    serve = commands.add_parser(
        "serve", help="serve a team: a process for each person, behind one address"
    )
    add_team_options(serve)

    places = commands.add_parser(
        "places", help="list the sessions of a server, or end one"
    )
    add_places_options(places)

    audit = commands.add_parser("audit", help="check the audit log of a server")
    add_audit_actions(audit)

    doctor = commands.add_parser(
        "doctor", help="say what this installation is and what would fail"
    )
    doctor.add_argument(
        "--sign-in",
        type=Path,
        metavar="FILE",
        help="test whether the identity providers of this file of secrets report when "
        "they sign people out (back-channel logout)",
    )
    return parser


def _add_experiment(parser: argparse.ArgumentParser) -> None:
    """Say what is timed, and against what."""
    parser.add_argument(
        "--against",
        default="records",
        choices=("k", "records", "attributes"),
        help="what is varied (default records)",
    )
    parser.add_argument(
        "--values",
        metavar="N,M",
        help="values of what is varied, by commas (default: some steps)",
    )
    parser.add_argument(
        "--methods",
        help="identifiers, by commas (default mdav; blocked above 200,000 records)",
    )
    parser.add_argument(
        "--k", default="3", metavar="K,K", help="group sizes, by commas (default 3)"
    )
    counted = parser.add_mutually_exclusive_group()
    counted.add_argument(
        "--repeats",
        type=int,
        default=3,
        metavar="N",
        help="number of runs, of which the shortest is reported (default 3)",
    )
    counted.add_argument(
        "--starts",
        type=int,
        metavar="N",
        help="number of seeds, of which the mean time is reported",
    )
    parser.add_argument("--json", type=Path, help="write the times here")


def _add_counting(parser: argparse.ArgumentParser) -> None:
    """Say what is counted in a file."""
    parser.add_argument("--k", type=int, default=3, help="k that must hold (default 3)")
    parser.add_argument(
        "--confidential",
        metavar="S,T",
        help="sensitive columns: they do not count for uniqueness over all columns",
    )
    parser.add_argument(
        "--person",
        metavar="COL[,COL]",
        help="columns that say who a record is about: people are counted",
    )
    parser.add_argument(
        "--intruder-knows",
        choices=("one", "all"),
        default="one",
        help="records of a person that an intruder knows: one (default) or all",
    )
    parser.add_argument(
        "--counts",
        action="store_true",
        help="with --intruder-knows all: how often people have the same values counts",
    )
    parser.add_argument(
        "--household",
        metavar="COL",
        help="column that numbers households: k is also counted in households",
    )
    parser.add_argument("--json", type=Path, help="write the figures here")


def _add_input(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    columns = parser.add_mutually_exclusive_group()
    columns.add_argument(
        "--quasi-identifiers", metavar="A,B", help="columns that an intruder could know"
    )
    columns.add_argument(
        "--all-numeric", action="store_true", help="take every numeric column"
    )


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=to_place)
    parser.add_argument(
        "--delimiter", help="character between the fields of a text file"
    )
    parser.add_argument("--decimal", choices=(".", ","), help="decimal sign")
    parser.add_argument(
        "--encoding", help="encoding of a text file, such as utf-8 or cp1252"
    )
    parser.add_argument("--sheet", help="sheet of a workbook, or table of a database")
    parser.add_argument(
        "--layout",
        metavar="FILE",
        help='columns of fixed-width text: a file, or "age 1-3, income 4-11"',
    )
    parser.add_argument(
        "--sql",
        metavar="QUERY",
        help='query of a DuckDB database, as in "select * from people where age >= 18"',
    )
    parser.add_argument(
        "--header-row",
        metavar="ROW",
        help="row of the column names, counted from 1: 3, or 3,4 for two rows; 0 if "
        "there is none",
    )
    parser.add_argument(
        "--first-row",
        type=int,
        metavar="ROW",
        help="row of the first record, counted from 1",
    )
    parser.add_argument(
        "--footer-rows",
        type=int,
        metavar="N",
        help="rows to skip at the end, such as totals and notes",
    )
    parser.add_argument(
        "--number-names",
        action="store_true",
        default=None,
        help="rename columns that share a name: age, age (2)",
    )
    parser.add_argument(
        "--written",
        action="append",
        default=[],
        metavar="COL=FORM",
        help="form of a column: text, day-month, month-day, decimal-comma or "
        "decimal-point; may be repeated",
    )
    parser.add_argument(
        "--missing-codes",
        action="append",
        default=[],
        metavar="COL=CODES",
        help="codes of a column that stand for a missing value, as in age=-9,99; may "
        "be repeated",
    )


def _add_choices(parser: argparse.ArgumentParser, without: Collection[str]) -> None:
    _add_input(parser)
    add_plan_options(parser, ("quasi_identifiers", *without))
    parser.add_argument(
        "--thorough-bound",
        action="store_true",
        help="spend minutes on a higher lower bound: LB2 up to 20,000 records, else "
        "LB1",
    )


def _add_below(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--below",
        type=float,
        metavar="C",
        help="decide whether any groups lose less than C %%: yes, no or open",
    )


def _add_streaming(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out-of-core",
        action="store_true",
        help="FILE is a Parquet or CSV file or a folder of them, larger than memory; "
        "--output is a folder; both may be addresses, such as s3://bucket/folder",
    )
    parser.add_argument(
        "--memory",
        metavar="2GB",
        help="out of core: memory limit (default half of all)",
    )
    parser.add_argument(
        "--records-per-block",
        type=int,
        metavar="N",
        help="out of core: records that are protected together (default 100000)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="out of core: work on blocks with dask, local or at tls://scheduler:8786",
    )
