"""Ledger named by options: read, used for regrouping, and extended by a release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.analysis.releases.ledger import Ledger
    from engine.data.table import Table
    from engine.pipeline.grouping.group import Regroup
    from engine.pipeline.outcome import Outcome
    from engine.pipeline.planning.resolve_plan import ResolvedPlan


def open_ledger(options: argparse.Namespace) -> Ledger | None:
    """Return the ledger that ``--ledger`` names, or None; refuse ``--regroup`` alone.

    Raises
    ------
    ParameterError, InputError
    """
    if options.ledger is None:
        if options.regroup is not None:
            raise ParameterError(
                "--regroup takes groups from a ledger: name it in --ledger, or leave "
                "it out."
            )
        return None
    from engine.analysis.releases.ledger import Ledger

    return Ledger.read_file(options.ledger)


def regroup_function_from_ledger(
    options: argparse.Namespace, ledger: Ledger | None, table: Table, plan: ResolvedPlan
) -> Regroup | None:
    """Return a function that gives earlier groups, or unions of them, or None."""
    if ledger is None or options.regroup is None:
        return None
    return ledger.regroup_like_earlier(table, plan, options.regroup)


def check_and_render_ledger(
    options: argparse.Namespace,
    ledger: Ledger,
    outcome: Outcome,
    table: Table,
    release_bytes: bytes,
) -> dict[Path, bytes]:
    """Return {path: ledger with the release}, or {}; raise if that reveals records.

    Empty without ``--output``. A note on the earlier releases is printed.

    Raises
    ------
    ParameterError
        If the release opens a record, by itself or by what earlier ones have besides.
    """
    name = options.output.name if options.output is not None else ""
    entry = ledger.entry_for(outcome, table, name, release_bytes)
    check = ledger.check_release(entry, table, outcome.release.rows)
    if check.n_differing:
        raise ParameterError(
            "Nothing was written: {sentence}", sentence=check.to_message
        )
    if check.opened.size:
        if not check.has_earlier_groups:
            from engine.analysis.releases.ledger import NO_EARLIER_GROUPS

            raise ParameterError(
                "{sentence} Nothing was written. {advice}",
                sentence=check.to_message,
                advice=NO_EARLIER_GROUPS,
            )
        raise ParameterError(
            "{sentence} Nothing was written: take the same groups again (--regroup "
            "same) or unions of them (--regroup coarsen).",
            sentence=check.to_message,
        )
    if check.n_releases:
        print(f"Note: {check.to_message}", file=sys.stderr)
    if options.output is None:
        return {}
    return {options.ledger: ledger.with_entry(entry).to_bytes()}
