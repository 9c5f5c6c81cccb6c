"""Write a run as a Python script or notebook that repeats the release.

Names come from files of unknown origin: they enter code as ``repr`` writes them, on one
line and in ASCII where they cannot be printed, and stand nowhere else.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import PurePath
from pprint import pformat
from typing import Any

from engine.data.kinds import Kind, Role
from engine.data.propose import column_labels, suggest_schema
from engine.data.table import Table
from engine.files import ReadOptions
from engine.pipeline.outcome import Outcome
from engine.release.writing import WritingOptions
from engine.report.command_line import protected_file_name

LEDGER_FILE = ".coterie-ledger"
"""Name of the ledger file."""

_SCRIPT_IMPORTS = """\
from pathlib import Path

from engine import Plan, ReadOptions, read_table, run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
"""


def to_script(
    outcome: Outcome,
    table: Table,
    writing: WritingOptions | None = None,
    regroup: str = "",
    ledger: str = LEDGER_FILE,
) -> str:
    """Return a Python script that repeats the release.

    It reads the file from, and writes the release to, the folder in which it is run,
    and ends with an error if a promise of the method is broken.

    Parameters
    ----------
    table : Table
        The table that was protected; its origin tells the file's name.
    writing : WritingOptions, optional
        How the release was written.
    regroup : {"", "same", "coarsen"}
        Whether the groups come from a ledger, which is then to lie in the folder.
    ledger : str
        Name of its file.
    """
    parts = _script_parts(outcome, table, writing or WritingOptions(), regroup, ledger)
    head = '"""Protect a table again, exactly as before; made by Coterie."""\n'
    return "\n".join([head, _SCRIPT_IMPORTS, *parts])


def to_notebook(
    outcome: Outcome,
    table: Table,
    writing: WritingOptions | None = None,
    regroup: str = "",
    ledger: str = LEDGER_FILE,
) -> str:
    """Return a Jupyter notebook (nbformat 4) that repeats the release."""
    titles = (
        "# Protect a table again\n\nExactly as before; made by Coterie.",
        "## The plan",
        "## Read and protect",
        "## Write, read back, check",
    )
    parts = _script_parts(outcome, table, writing or WritingOptions(), regroup, ledger)
    cells: list[dict[str, Any]] = []
    for number, (title, code) in enumerate(
        zip(titles, (_SCRIPT_IMPORTS, *parts), strict=True)
    ):
        cells.append(_notebook_cell("markdown", f"text-{number}", title))
        cells.append(_notebook_cell("code", f"code-{number}", code.rstrip()))
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _explicit_roles(outcome: Outcome, table: Table) -> dict[str, str]:
    """Return the columns of which only somebody could say that they leave."""
    proposed = suggest_schema(table.frame, column_labels(table.origin))
    return {
        name: str(Role.OTHER)
        for name in outcome.unprotected_columns
        if proposed[name].role is Role.UNDECIDED
    }


def _closing_comments(outcome: Outcome) -> str:
    """Return comments on how to go on with what this program does not do."""
    plan = outcome.plan
    numbers = [n for n in plan.quasi_identifiers if plan.kinds[n] is Kind.CONTINUOUS]
    name = (numbers or plan.quasi_identifiers)[0]
    return (
        "\n# To go on from here, for instance with top coding or noise, change a\n"
        "# copy, write it under another name, and count k in it (coterie check):\n"
        "# released = outcome.release.frame.copy()\n"
        f"# top = released[{name!a}].quantile(0.99)\n"
        f"# released[{name!a}] = released[{name!a}].clip(upper=top)\n"
        '# released.to_csv("further.csv", index=False)\n'
    )


def _notebook_cell(kind: str, name: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return {**cell, "source": source.splitlines(keepends=True)}


def _script_parts(
    outcome: Outcome, table: Table, writing: WritingOptions, regroup: str, ledger: str
) -> tuple[str, str, str]:
    """Return the code that plans, that protects, and that writes and checks."""
    plan = json.loads(outcome.repeatable_plan.to_json())
    del plan["version"]  # the script names that of all libraries
    origin = table.origin
    # In the folder where it is run, whatever a project file says.
    name = PurePath(origin.name).name or "table.csv"
    read_options = asdict(ReadOptions.from_used_options(origin.options))
    options = {
        option: value for option, value in read_options.items() if value is not None
    }
    words = ", ".join(f"{option}={value!r}" for option, value in options.items())
    how = ", ".join(
        f"{option}={value!r}"
        for option, value in asdict(writing).items()
        if value != getattr(WritingOptions(), option)
    )
    explicit_roles = _explicit_roles(outcome, table)
    roles = f"roles={explicit_roles!r}, " if explicit_roles else ""
    planned = f"plan = Plan(**{pformat(plan, sort_dicts=False, width=84)})\n"
    grouped = "outcome = run(plan, table)\n"
    if regroup:
        grouped = (
            "from engine.analysis.releases.ledger import Ledger\n"
            "from engine.pipeline.planning.resolve_plan import resolve_plan\n\n"
            f"ledger = Ledger.read_file(Path({ledger!r}))\n"
            "groups = ledger.regroup_like_earlier(\n"
            f"    table, resolve_plan(plan, table), {regroup!r}\n"
            ")\n"
            "outcome = run(plan, table, regroup=groups)\n"
        )
    protect = (
        f"table = read_table({name!r}, {roles}options=ReadOptions({words}))\n"
        f"{grouped}"
        'print(f"Information loss {outcome.information_loss:.4f} %, "\n'
        '      f"k = {outcome.k_released}")\n'
    )
    target = protected_file_name(name, writing.format)
    write = (
        f"written = release_bytes_and_checks(outcome, table, WritingOptions({how}))\n"
        "for check in written.checks:\n"
        '    print("passed" if check.passed else "FAILED", check.title, check.detail)\n'
        "if written.broken_promises:\n"
        '    raise SystemExit("A check has failed: nothing was written.")\n'
        f"Path({target!r}).write_bytes(written.content)\n"
        f"{_closing_comments(outcome)}"
    )
    return planned, protect, write
