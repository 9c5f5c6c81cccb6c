"""Kinds of work on files: functions that do each in a process, and load its result.

The process gets a folder with ``order.json`` and ``content``, the bytes as somebody
brought them. What it has found goes back in files: Arrow values, which are mapped and
not parsed, and JSON of known size. The server looks at nothing else, and never at
``content``; nor does it believe what it finds, for a file may have taken the process
over: see :mod:`engine.storage.bounded_reading`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeInt, TypeAdapter
from typing_extensions import TypedDict

from dashboard.projects.reader import (
    TABLES_FOLDER,
    read_unpacked_project,
    unpack_project,
)
from dashboard.readers import certified_columns, releases, uniqueness
from engine.analysis.need.rules import Rule, RuleSet, rules_with_numbers
from engine.analysis.protect.column_dependencies import resolve_column_dependencies
from engine.analysis.protect.person_columns import leave_out_certain_person
from engine.analysis.protect.rare_values import (
    leave_columns_of_many_categories_undecided,
)
from engine.core.errors import EngineError, InputError
from engine.core.message import Message, message_to_json
from engine.data.propose import (
    Suggestion,
    add_proposed_hierarchies,
)
from engine.data.table import Table
from engine.files import (
    FilePreview,
    Layout,
    ReadOptions,
    preview_file,
    read_table_and_proposals,
)
from engine.files.input.names import RepeatedNamesError
from engine.hierarchy import Hierarchy, read_hierarchy
from engine.pipeline.plan import Plan
from engine.pipeline.planning import limits
from engine.pipeline.planning.limits import check_hierarchy_size
from engine.pipeline.planning.recommend import DEFAULT_K
from engine.storage.bounded_reading import (
    MAX_JSON_BYTES,
    DamagedFileError,
    read_bounded_bytes,
    read_validated_json,
)
from engine.storage.outcomes import load_table, save_table, write_json

Order = Mapping[str, Any]


@dataclass(frozen=True)
class WorkKind:
    """A kind of file work: functions to do it in a process and to load its result.

    Attributes
    ----------
    read : callable
        In the process: takes content, order and folder, and leaves files in the folder.
    fetch : callable
        In the server: takes the folder and returns what was found.
    brief : bool
        Whether it is never long: such a file does not wait for others that are.
    brought : bool
        Whether somebody has brought what is fetched: see
        :func:`check_fetch_time_in_process`.
    """

    read: Callable[[bytes, Order, Path], None]
    fetch: Callable[[Path], Any]
    brief: bool = False
    brought: bool = True


def carry_out_file_order(folder: Path, order: Order) -> None:
    """Do the work of an order on its folder's content.

    Raises
    ------
    EngineError
        One sentence, if the file is not what it should be.
    FileNotFoundError, DamagedFileError
        If the server's copy of it is gone, or is not what the server has written.
    """
    content = read_bounded_bytes(folder / "content")
    if order["sha256"] not in (None, hashlib.sha256(content).hexdigest()):
        raise DamagedFileError()
    WORK_KINDS[order["kind"]].read(content, order, folder)


def lost_copy_message(name: str, error: Exception) -> Message:
    """Return a sentence that the server's copy of a file was changed or removed."""
    return Message(
        "The server's copy of {file!r} has changed or is gone ({error}), perhaps "
        "because the folder for temporary files was tidied up: open the file again.",
        file=name,
        error=type(error).__name__,
    )


MAX_FETCH_SECONDS = 3.0
"""Seconds of processor that the server may take to fetch what was found."""


def check_fetch_time_in_process(folder: Path, order: Order) -> None:
    """Raise if fetching a result that somebody brought takes too long or fails.

    A small file can hold what is long to take over, and nobody else would get an
    answer meanwhile. Here it has limits of time and memory, and harms nobody.

    Raises
    ------
    EngineError
        If it takes too long, or cannot be fetched.
    """
    kind = WORK_KINDS[order["kind"]]
    if not kind.brought:
        return
    before = time.process_time()
    kind.fetch(folder)
    spent = time.process_time() - before
    if spent > MAX_FETCH_SECONDS:
        too_long = Message(
            "What is in {file!r} would take {seconds:.0f} seconds to take over, during "
            "which nobody else could work here: split it, or leave parts out.",
            file=order["name"],
            seconds=spent,
        )
        raise InputError(too_long)


def read_matching_table_and_proposals(
    content: bytes,
    name: str,
    options_to_try: Sequence[ReadOptions | None] = (None,),
    preferred_fingerprint: str | None = None,
) -> tuple[Table, tuple[Suggestion, ...]]:
    """Return table and proposals by the first options that match, else the last.

    Proposals are those of its columns, from which its schema is made.
    Without a fingerprint the first options that lead to a table are taken; where none
    give it, the last ones, with columns of one name told apart by a number.

    Raises
    ------
    EngineError
        If the last options lead to no table.
    """
    for way in options_to_try[:-1]:
        try:
            candidate = read_table_and_proposals(content, way, name)
        except EngineError:
            continue
        if preferred_fingerprint in (None, candidate[0].fingerprint):
            return candidate
    way = options_to_try[-1]
    try:
        return read_table_and_proposals(content, way, name)
    except RepeatedNamesError:  # here nobody types an option
        numbered = replace(way or ReadOptions(), number_names=True)
        return read_table_and_proposals(content, numbered, name)


def _read_table(content: bytes, order: Order, folder: Path) -> None:
    ways = [None if way is None else ReadOptions(**way) for way in order["ways"]]
    table, proposed = read_matching_table_and_proposals(
        content, order["name"], ways, order["fingerprint"]
    )
    _refuse_long_texts(table)
    table, proposed = resolve_column_dependencies(table, proposed)
    table = add_proposed_hierarchies(table)
    distinct = tuple(map(table.n_distinct, table.schema.names))
    table, proposed = leave_columns_of_many_categories_undecided(
        table, proposed, DEFAULT_K
    )
    table, proposed = leave_out_certain_person(table, proposed, DEFAULT_K)
    # Whoever sent the file has it.
    save_table(replace(table, carried=None), folder / "table")
    findings = _Seen(
        # Steps come as hierarchies, which are looked at.
        suggestions=tuple(replace(suggestion, steps=None) for suggestion in proposed),
        distinct=distinct,
    )
    write_json(folder / "seen.json", _SEEN_ADAPTER.dump_python(findings, mode="json"))
    _refuse_large_folder(folder / "table", order)


def _refuse_large_folder(made: Path, order: Order) -> None:
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
    if size > order["most_bytes"]:
        too_large = Message(
            "What is in {file!r} takes {size:,.0f} MB, more than the {most:,.0f} MB "
            "that one file may bring here: split it, or leave columns out.",
            file=order["name"],
            size=size / 2**20,
            most=order["most_bytes"] / 2**20,
        )
        raise InputError(too_large)


MAX_TEXT_CHARS = 100_000
"""Longer texts are refused: pages show texts, and a hundred of these are a book."""


def _refuse_long_texts(table: Table) -> None:
    for name in table.frame:
        column = table.frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.categories.to_series()
        if isinstance(column.dtype, pd.StringDtype):
            longest = column.str.len().max()
            if longest > MAX_TEXT_CHARS:
                too_long = Message(
                    "Column {column!r} holds a text of {longest:,} characters; at most "
                    "{most:,} can be shown here: leave the column out of the file.",
                    column=name,
                    longest=int(longest),
                    most=MAX_TEXT_CHARS,
                )
                raise InputError(too_long)


@dataclass(frozen=True, eq=False)
class TableWithSuggestions:
    """A table read from a file, its columns' suggestions and counts of distinct values.

    Attributes
    ----------
    table : Table
    suggestions : tuple of Suggestion
        What is proposed of each column; hierarchies are in the table's schema.
    distinct : tuple of int
        How many different values each column has.
    """

    table: Table
    suggestions: tuple[Suggestion, ...]
    distinct: tuple[int, ...]


class _Seen(TypedDict):
    """What was found out about a table, as JSON."""

    suggestions: tuple[Suggestion, ...]
    distinct: tuple[NonNegativeInt, ...]


_SEEN_ADAPTER = TypeAdapter(_Seen)


def _fetch_table(folder: Path) -> TableWithSuggestions:
    table = load_table(folder / "table")
    findings = read_validated_json(folder / "seen.json", _SEEN_ADAPTER)
    answer = TableWithSuggestions(table, findings["suggestions"], findings["distinct"])
    name = table.origin.name
    # Neither another file of this machine, nor a name that leads out of a folder.
    if table.carried is not None or PurePath(name).name != name or "\0" in name:
        raise DamagedFileError()
    names = tuple(suggestion.column.name for suggestion in answer.suggestions)
    if names != table.schema.names or len(answer.distinct) != len(names):
        raise DamagedFileError()
    return answer


def _read_project(content: bytes, order: Order, folder: Path) -> None:
    unpack_project(content, folder / "project")
    for path in (folder / "project" / TABLES_FOLDER).glob("*"):
        _refuse_long_texts(load_table(path))
    _refuse_large_folder(folder / "project", order)


_PLAN_ADAPTER = TypeAdapter(str)


def _read_plan(content: bytes, order: Order, folder: Path) -> None:
    write_json(folder / "plan.json", Plan.from_json(content).to_json())


def _fetch_plan(folder: Path) -> Plan:
    # Written in JSON, a sign of a text is six bytes at most.
    return Plan.from_json(
        read_validated_json(
            folder / "plan.json", _PLAN_ADAPTER, 6 * limits.MAX_PLAN_BYTES
        )
    )


def _read_hierarchy(content: bytes, order: Order, folder: Path) -> None:
    tree = read_hierarchy(content)
    check_hierarchy_size(tree.rows)
    write_json(folder / "rows.json", tree.rows)


def _fetch_hierarchy(folder: Path) -> Hierarchy:
    rows = read_validated_json(folder / "rows.json", _ROWS_ADAPTER, MAX_JSON_BYTES // 4)
    check_hierarchy_size(rows)
    return Hierarchy(tuple(map(tuple, rows)))


def _read_rules(content: bytes, order: Order, folder: Path) -> None:
    rules = rules_with_numbers(RuleSet.from_bytes(content, order["name"]))
    write_json(folder / "rules.json", [rule.text for rule in rules])


def _fetch_rules(folder: Path) -> tuple[str, ...]:
    texts = read_validated_json(folder / "rules.json", _RULES_ADAPTER, MAX_RULES_BYTES)
    return tuple(Rule.parse(text).text for text in texts)


MAX_RULES_BYTES = 2**16
"""Bytes of the rules of a file as JSON."""

_RULES_ADAPTER = TypeAdapter(list[str])
_ROWS_ADAPTER = TypeAdapter(list[list[str]])

MAX_PREVIEW_COLUMNS, MAX_PREVIEW_CELL_CHARS = 40, 80
"""Columns of a preview, and signs of each of its cells."""


def _read_preview(content: bytes, order: Order, folder: Path) -> None:
    (way,) = order["ways"]
    preview = preview_file(content, order["name"], ReadOptions(**(way or {})))
    if preview is None:
        write_json(folder / "preview.json", None)
        return
    rows = [
        [cell[:MAX_PREVIEW_CELL_CHARS] for cell in row[:MAX_PREVIEW_COLUMNS]]
        for row in preview.rows
    ]
    layouts = [
        {**asdict(layout), "reason": message_to_json(layout.reason)}
        for layout in (preview.layout, *preview.alternatives)
    ]
    facts = {"rows": rows, "layouts": layouts, "sheets": preview.sheets}
    write_json(folder / "preview.json", facts)


class _Shown(TypedDict):
    """A preview as JSON."""

    rows: list[list[str]]
    layouts: Annotated[list[Layout], Field(min_length=1)]
    sheets: list[str]


_PREVIEW_ADAPTER: TypeAdapter[_Shown | None] = TypeAdapter(_Shown | None)

MAX_PREVIEW_BYTES = 2**22
"""Bytes of a preview as JSON."""


def _fetch_preview(folder: Path) -> FilePreview | None:
    preview = read_validated_json(
        folder / "preview.json", _PREVIEW_ADAPTER, MAX_PREVIEW_BYTES
    )
    if preview is None:
        return None
    layout, *others = preview["layouts"]
    return FilePreview(preview["rows"], layout, tuple(others), preview["sheets"])


WORK_KINDS: Mapping[str, WorkKind] = {
    "preview": WorkKind(_read_preview, _fetch_preview),
    "table": WorkKind(_read_table, _fetch_table),
    "project": WorkKind(
        _read_project, lambda folder: read_unpacked_project(folder / "project")
    ),
    "plan": WorkKind(_read_plan, _fetch_plan, brief=True),
    "rules": WorkKind(_read_rules, _fetch_rules, brief=True),
    "hierarchy": WorkKind(_read_hierarchy, _fetch_hierarchy, brief=True),
    "ledger": WorkKind(
        releases.read_ledger_in_process, releases.fetch_ledger, brief=True
    ),
    "ledger-check": WorkKind(
        releases.check_release_against_ledger_in_process,
        releases.fetch_ledger_check,
        brought=False,
    ),
    "release": WorkKind(
        releases.write_release_in_process, releases.fetch_release, brought=False
    ),
    "standing": WorkKind(
        uniqueness.count_identifiable_in_process,
        uniqueness.fetch_uniqueness_count,
        brought=False,
    ),
    "certificate": WorkKind(
        releases.certify_in_process, releases.fetch_certificate, brought=False
    ),
    "certified-columns": WorkKind(
        certified_columns.find_certified_columns_in_process,
        certified_columns.fetch_certified_columns,
    ),
}
"""Kinds of work on files, by name."""
