"""What each command does, once its words are understood.

Heavy modules are imported by the command that needs them, so that a mistake in the
words of a command is answered at once.
"""

from __future__ import annotations

import argparse
import csv
import json
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from engine.errors import ParameterError

if TYPE_CHECKING:
    from engine.context import RunContext
    from engine.files import ReadOptions
    from engine.outcome import Outcome
    from engine.plan import Plan
    from engine.report import Audience
    from engine.table import Table
    from engine.writing import Writing

_CHOICES = (
    "quasi_identifiers",
    "all_numeric",
    "identifiers",
    "confidential",
    "scaling",
    "kind",
    "hierarchy",
    "aggregation",
    "interval_columns",
    "rounding",
    "missing",
    "param",
    "polish",
    "constraint",
    "strata",
    "small_strata",
    "block",
    "weights",
    "p_sensitive",
    "t_close",
    "seed",
    "k",
    "method",
)
"""Options that are part of a plan."""


def dashboard(options: argparse.Namespace) -> int:
    """Open the dashboard."""
    from dashboard.launch import launch

    return launch(host=options.host, port=options.port)


def run_file(options: argparse.Namespace) -> int:
    """Protect one file."""
    from engine.pipeline import run
    from engine.plan import Plan
    from engine.release import check_targets, write_files
    from engine.suggest import heed
    from engine.writing import Writing

    check_targets(
        options.output,
        options.groups,
        options.json,
        options.plan,
        options.report,
        options.external_report,
        options.script,
    )
    table = _table(options)
    given = {name: getattr(options, name) for name in _CHOICES}
    # A seed of 0 is a choice; False and [] are options that were not given.
    chosen = any(value or value == "" or type(value) is int for value in given.values())
    repeat = options.plan is not None and not chosen
    if repeat:
        plan = Plan.from_json(_text(options.plan))
    else:
        plan = _plan(options, table, method=options.method or "mdav", k=options.k)
    table = heed(table, plan)
    with _best_on_interrupt(plan) as ctx:
        outcome = run(plan, table, ctx)
    contents: dict[Path, bytes] = {}
    if options.groups is not None:
        contents[options.groups] = _groups_csv(outcome, table)
    if options.json is not None:
        contents[options.json] = _json_bytes(outcome.summary())
    if options.plan is not None and not repeat:
        contents[options.plan] = outcome.plan.to_json().encode()
    writing = Writing(
        shuffle=options.shuffle,
        seed=outcome.plan.seed
        if options.shuffle_seed is None
        else options.shuffle_seed,
        neutralise=options.neutralise_formulas,
    )
    contents |= _reports(options, outcome, table, writing)
    write_files(outcome, table, options.output, contents, writing)
    _say(outcome, options.output)
    return 0


@contextmanager
def _best_on_interrupt(plan: Plan) -> Iterator[RunContext]:
    """Let the first Ctrl-C end a search with the best so far; the second stops all."""
    from engine.context import SILENT, RunContext
    from engine.methods import methods

    searches = methods.info(plan.method).traits.time_budget
    if not searches or threading.current_thread() is not threading.main_thread():
        yield SILENT
        return
    before = signal.getsignal(signal.SIGINT)
    told = threading.Event()

    def first(number: int, frame: object) -> None:
        told.set()
        signal.signal(signal.SIGINT, before)
        print("Keeping the best so far; once more to stop.", file=sys.stderr)

    signal.signal(signal.SIGINT, first)
    try:
        yield RunContext(enough=told.is_set)
    finally:
        signal.signal(signal.SIGINT, before)


def compare_methods(options: argparse.Namespace) -> int:
    """Compare methods and values of k on one file."""
    from engine.compare import Comparison, grid
    from engine.release import check_targets, write_all
    from engine.suggest import heed

    check_targets(options.json)
    table = _table(options)
    names, sizes = _list(options.methods), _sizes(options.k)
    base = _plan(options, table, method=None, k=None)
    parameters = _parameters(options.param)
    plans = grid(base, names, sizes, parameters)
    for plan in plans:
        table = heed(table, plan)
    comparison = Comparison(table)
    for plan in plans:
        comparison.check(plan)
    rows = []
    losses = f"{'IL %':>12}{'bound %':>12}{'NCP %':>12}"
    print(f"{'method':24}{'k':>4}{'groups':>9}{losses}{'s':>9}")
    for plan in plans:
        outcome = comparison.run(plan)
        rows.append(outcome.summary())
        least = "none"
        if outcome.probabilistic is None:
            least = f"{outcome.bound.per_cent:.4f}"
        print(
            f"{_name(plan):24}{plan.k:4}{outcome.partition.n_groups:9,}"
            f"{outcome.information_loss:12.4f}{least:>12}"
            f"{outcome.scores['certainty-penalty'].value:12.4f}"
            f"{outcome.seconds['partition']:9.3f}"
        )
    for warning in dict.fromkeys(text for row in rows for text in row["warnings"]):
        print(f"Note: {warning}", file=sys.stderr)
    if options.json is not None:
        write_all({options.json: _json_bytes(rows)})
    return 0


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
    from dataclasses import asdict

    from engine.release import check_targets, write_all
    from engine.reproduce import reproduce

    check_targets(options.json)
    plain, scaled = reproduce(options.folder)
    print("Information loss in per cent on z-scores; lower is better.\n")
    line = "{:10} {:14} {:>3} {:>12} {:>12} {:>9}  {}"
    print(line.format("table", "method", "k", "printed", "ours", "diff %", "verdict"))
    for row in plain:
        cell = row.printed
        ours = f"{row.ours:.{cell.digits}f}"
        words = (cell.dataset, cell.method, cell.k, cell.text, ours)
        print(line.format(*words, f"{row.difference:+.2f}", row.verdict))
    print("\nPairwise systematic: printed figures beside both scalings, per cent.\n")
    line = "{:10} {:>3} {:>12}" + " {:>9}" * 6
    print(line.format("", "", "", "raw", "raw", "raw", *3 * ("z-score",)))
    names = ("P-S", "MDAV", "bound")
    print(line.format("table", "k", "printed", *names, *names))
    for pair in scaled:
        figures = [pair.raw, pair.mdav_raw, pair.bound_raw]
        figures += [pair.zscored, pair.mdav_zscored, pair.bound_zscored]
        cell = pair.printed
        shown = (f"{value:.4f}" for value in figures)
        print(line.format(cell.dataset, cell.k, cell.text, *shown))
    if options.json is not None:
        content = {
            "rows": [
                asdict(row) | {"difference": row.difference, "verdict": row.verdict}
                for row in plain
            ],
            "pairwise_systematic": [asdict(pair) for pair in scaled],
        }
        write_all({options.json: _json_bytes(content)})
    return 0


def check_file(options: argparse.Namespace) -> int:
    """Count k in a file as it is."""
    from engine.measures.privacy.k_anonymity import class_sizes
    from engine.partition import check_k

    table = _table(options)
    columns = _columns(options, table)
    check_k(options.k, max(options.k, table.n_records))
    sizes = class_sizes(table.frame, columns)
    below = int((sizes < options.k).sum())
    holds = below == 0
    print(
        f"k = {sizes.min()} over {', '.join(columns)} in {table.n_records:,} records: "
        + (
            f"{options.k}-anonymity holds."
            if holds
            else f"{options.k}-anonymity does not hold, {below:,} records are in "
            "smaller groups."
        )
    )
    return 0 if holds else 1


def _table(options: argparse.Namespace) -> Table:
    from engine.files import read_table

    return read_table(options.file, options=_read_options(options))


def _read_options(options: argparse.Namespace) -> ReadOptions:
    from engine.files import ReadOptions

    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
    return ReadOptions(
        delimiter=delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        sheet=options.sheet,
    )


def _plan(
    options: argparse.Namespace, table: Table, method: str | None, k: int | None
) -> Plan:
    from engine.plan import Plan

    choices: dict[str, Any] = {
        "quasi_identifiers": _columns(options, table),
        "identifiers": _list(options.identifiers),
        "confidential": _list(options.confidential),
        "scaling": options.scaling,
        **_by_column(options.aggregation, "aggregation"),
        **_by_column(options.missing, "missing"),
        "kinds": dict(_pair(text, "--kind", "region=nominal") for text in options.kind),
        "hierarchies": _hierarchies(options),
        "interval_columns": options.interval_columns,
        "rounding": options.rounding,
        "small_strata": options.small_strata,
        "blocks": tuple(map(_list, options.block)),
        "weights": options.weights,
        "p_sensitive": options.p_sensitive,
        "t_close": options.t_close,
        "constraints": tuple(options.constraint or ()),
        "strata": options.strata,
        "seed": options.seed,
        "polish": options.polish,
        "k": k,
    }
    if method is not None:
        choices |= {"method": method, "parameters": _parameters(options.param)}
    given = {name: value for name, value in choices.items() if value is not None}
    return Plan(**given)


def _name(plan: Plan) -> str:
    return plan.method + (", polished" if plan.polish else "")


def _by_column(given: Sequence[str], option: str) -> dict[str, Any]:
    """Read ``RULE`` and ``COLUMN=RULE``, any number of them."""
    alone = [text for text in given if "=" not in text]
    if len(alone) > 1:
        raise ParameterError(
            f"--{option} is given twice for all columns ({alone[0]} and {alone[1]}): "
            f"say --{option} COLUMN={alone[1]} for single columns."
        )
    pairs = [_pair(text, f"--{option}", "age=median") for text in given if "=" in text]
    columns = "aggregations" if option == "aggregation" else f"{option}_columns"
    return {option: alone[0] if alone else None, columns: dict(pairs)}


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Read ``NAME=VALUE``; the name may have equals signs in it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise ParameterError(
            f"{option} is {text!r}, but must be COLUMN=VALUE, as in {example}."
        )
    return name.strip(), value.strip()


def _hierarchies(options: argparse.Namespace) -> dict[str, Any]:
    from engine.hierarchy import read_hierarchy

    found = {}
    for text in options.hierarchy:
        name, equals, path = text.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise ParameterError(
                f"--hierarchy is {text!r}, but must be COLUMN=FILE, as in "
                "diagnosis=levels.csv."
            )
        found[name.strip()] = read_hierarchy(Path(path.strip())).rows
    return found


def _columns(options: argparse.Namespace, table: Table) -> tuple[str, ...]:
    """Return the quasi-identifiers that were named; none is ever guessed here."""
    if not options.all_numeric:
        named = _list(options.quasi_identifiers)
        if not named:
            raise ParameterError(
                "There is no quasi-identifier: name columns in --quasi-identifiers, "
                "or take all numbers with --all-numeric."
            )
        return named
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    left_out = _list(getattr(options, "identifiers", None))
    left_out += _list(getattr(options, "confidential", None))
    left_out += _list(getattr(options, "strata", None))
    left_out += _list(getattr(options, "weights", None))
    names = tuple(
        name
        for name, dtype in table.frame.dtypes.items()
        if is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and name not in left_out
    )
    if not names:
        raise ParameterError(
            "--all-numeric finds no numeric column: name quasi-identifiers that "
            "hold numbers."
        )
    return tuple(map(str, names))


def _list(text: str | None) -> tuple[str, ...]:
    """Split at commas; a name with a comma in it is put between quotes."""
    if not text:
        return ()
    fields = next(csv.reader([text], skipinitialspace=True))
    return tuple(field.strip() for field in fields if field.strip())


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in _list(text))
    except ValueError:
        raise ParameterError(
            f"--k is {text!r}, but must be whole numbers by commas, as in 3,5,10."
        ) from None


def _parameters(pairs: Sequence[str] | None) -> dict[str, str]:
    found = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                f"--param is {pair!r}, but must be NAME=VALUE, as in gamma=0.2."
            )
        found[name.strip()] = value.strip()
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            f"The plan {path} cannot be read: name a plan file, or choices to write "
            "into it such as --quasi-identifiers."
        ) from None


def _json_bytes(content: object) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _groups_csv(outcome: Outcome, table: Table) -> bytes:
    groups = outcome.groups(table.n_records)
    # Quoted, as readers pass over lines that are empty.
    lines = ["group", *('""' if group is None else str(group) for group in groups)]
    return ("\n".join(lines) + "\n").encode()


def _reports(
    options: argparse.Namespace, outcome: Outcome, table: Table, writing: Writing
) -> dict[Path, bytes]:
    """Return the reports and the script that were asked for, by file."""
    from engine.assess import assess
    from engine.report import page, report_facts, script
    from engine.verify import write_and_check

    wanted = {"internal": options.report, "external": options.external_report}
    contents: dict[Path, bytes] = {}
    if options.script is not None:
        contents[options.script] = script(outcome, table, writing).encode()
    if not any(wanted.values()):
        return contents
    scores = assess(outcome, table, seed=outcome.plan.seed)
    checks = write_and_check(outcome, table, writing).checks
    for audience, path in wanted.items():
        if path is not None:
            facts = report_facts(
                outcome, table, scores, checks, audience=cast("Audience", audience)
            )
            contents[path] = page(facts, path.suffix)
    return contents


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
    print(
        f"{_name(outcome.plan)}, k = {figures['k']}: {figures['n_records']:,} records "
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
