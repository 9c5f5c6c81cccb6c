"""New tables in the workspace, which keeps the choices that still apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import sample_data
from dashboard.i18n.language import _
from dashboard.state.new_tables import carry_over
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import Workspace
from engine.data.table import Table


def copy_with_sample(
    ws: Workspace, sample_id: str = sample_data.DEFAULT_SAMPLE
) -> Workspace:
    """Return a workspace with a sample table and the choices that still apply to it.

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    table = _sample(sample_id)
    new = replace(
        ws,
        table=table,
        sample=sample_id,
        upload=None,
        awaiting=None,
        failed_upload=None,
    )
    return _drop_missing_columns(new, ws.table, [])


_sample = cache(sample_data.load)
"""Read once for all: every tab opens with one."""


def copy_with_table(ws: Workspace, table: Table, upload: Upload | None) -> Workspace:
    """Return a workspace with another table and the choices that still apply to it.

    Roles, kinds and hierarchies stay as
    :func:`dashboard.state.new_tables.carry_over.carry_schema_with_notes` says; rules
    that the new table's columns obey are added, unless the old one's did, too; all else
    stays.
    """
    schema, notes = table.schema, list[str]()
    before = ws.awaiting if ws.table is None else ws.table
    old_rules = () if before is None else before.schema.constraints
    obeyed = [rule for rule in schema.constraints if rule not in old_rules]
    if before is not None:
        is_same_file = ws.table is not None and _is_same_file(ws.upload, upload)
        retyped_columns: frozenset[str] = frozenset()
        if ws.table is not None and is_same_file:
            retyped_columns = carry_over.retyped_columns(ws.table, table)
            table = carry_over.second_reading_without_removed_follows(ws.table, table)
        schema, notes = carry_over.carry_schema_with_notes(
            before.schema, table, retyped_columns, is_same_file=is_same_file
        )
    table = replace(table, schema=schema)
    if upload is not None:
        table = upload.attach_to(table)
    new = replace(
        ws, table=table, sample="", upload=upload, awaiting=None, failed_upload=None
    )
    return _drop_missing_columns(new, ws.table, notes, obeyed)


def _is_same_file(before: Upload | None, after: Upload | None) -> bool:
    return before is not None and after is not None and before.content == after.content


def _drop_missing_columns(
    ws: Workspace, before: Table | None, notes: list[str], rules: Sequence[str] = ()
) -> Workspace:
    """Return the workspace without choices that name columns the table lacks.

    Parameters
    ----------
    rules : sequence of str
        To be added to those of the workspace.
    """
    assert ws.table is not None
    names = ws.table.schema.names
    plan, changes = ws.shared_plan, dict[str, Any]()
    columns: dict[str, Sequence[str]] = {
        "strata": plan.strata_columns(names),
        "household": [] if plan.household is None else [plan.household],
        "person": plan.person_columns,
    }
    for field, words in {
        "strata": _("Not in the new file: {column}, the column of the strata."),
        "household": _("Not in the new file: {column}, the column of the households."),
        "person": _("Not in the new file: {column}, the column of the persons."),
    }.items():
        changes[field] = chosen = getattr(plan, field)
        if not {*columns[field]} <= {*names}:
            column_names = chosen if isinstance(chosen, tuple) else (chosen,)
            notes.append(words.format(column=", ".join(map(repr, column_names))))
            changes[field] = None
    only, lost_records = carry_over.applicable_condition_and_notes(
        ws.shared_plan.only, ws.table
    )
    rules, lost_rules = carry_over.applicable_rules_and_notes(
        tuple(dict.fromkeys((*ws.shared_plan.constraints, *rules))), names, before
    )
    choices, lost_choices = carry_over.restrict_choices_with_notes(
        ws.column_choices, names
    )
    changes |= {"only": only, "constraints": rules, "blocks": choices.blocks}
    changes |= choices.given
    return replace(
        ws,
        **changes,
        methods=carry_over.methods_for_new_table(ws.methods, before, ws.table),
        chosen=None,
        pointed="",
        record=1,
        notes=(*notes, *lost_records, *lost_rules, *lost_choices),
    )
