"""Command line that repeats a run, and names of the files that it uses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from engine.aggregate.defaults import AUTO
from engine.core.platform.shell import join_lines, quote_argument
from engine.core.text.csv_rows import column_names_to_csv_line
from engine.data.propose import column_labels, suggest_schema
from engine.data.schema import Schema
from engine.data.table import Table
from engine.files import formats
from engine.methods import methods
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import Form, choice_infos_of
from engine.pipeline.planning.resolve_plan import (
    ResolvedPlan,
    find_person_identifier,
    resolve_aggregation_ids,
    resolve_kinds,
)
from engine.release.writing import WritingOptions

MAX_LINE_CHARS = 76
"""Characters of a line, beside its indentation."""


def command_line(
    plan: ResolvedPlan, table: Table, writing: WritingOptions | None = None
) -> str:
    """Return the ``coterie run`` command that repeats the release.

    Parameters
    ----------
    table : Table
        What was protected; its origin tells the file's name and how it was read.
    writing : WritingOptions, optional
        How the release is written.

    Returns
    -------
    str
        Quoted for the shell here, a few options a line. It takes the file from, and
        writes the release to, the folder in which it is run.
    """
    name = table.origin.name or "table.csv"
    if writing is not None:  # it says the order
        plan = plan.model_copy(update={"order_seed": None})
    words = list(_choice_options(_explicit_choices(plan, table))) + _reading_options(
        table
    )
    writing = writing or WritingOptions()
    if writing.shuffle:
        words.append(f"--shuffle --shuffle-seed {writing.seed}")
    if writing.neutralise:
        words.append("--neutralise-formulas")
    if writing.stata_version != WritingOptions().stata_version:
        words.append(f"--stata-version {writing.stata_version}")
    words.append(
        f"--output {quote_argument(protected_file_name(name, writing.format))}"
    )
    lines = [f"coterie run {quote_argument(name)}", words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < MAX_LINE_CHARS:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return join_lines(lines)


def _explicit_choices(plan: ResolvedPlan, table: Table) -> Mapping[str, Any]:
    """Return the choices that the command would not resolve by itself."""
    # Of these columns alone: to look at all values of many takes long.
    frame = table.frame.loc[:, list(plan.quasi_identifiers)]
    suggested_columns = suggest_schema(frame, column_labels(table.origin)).columns
    column_by_name = {column.name: column for column in suggested_columns}
    columns = tuple(
        column_by_name.get(column.name, column) for column in table.schema.columns
    )
    proposed = replace(table, schema=Schema(columns))
    kinds = resolve_kinds(plan.replace(kinds={}), proposed)
    usual = resolve_aggregation_ids(
        plan.replace(aggregation=AUTO, aggregations={}),
        plan.kinds,
        plan.hierarchies,
        table,
    )
    defaults = {
        parameter.name: parameter.default
        for parameter in methods.info(plan.method).parameters
    }
    unsaid = find_person_identifier(plan, table) or EACH_RECORD
    return {
        **dict(plan),
        "person": None if plan.person == unsaid else plan.person,
        "kinds": _non_default_values(plan.kinds, kinds),
        "aggregation": AUTO,
        "aggregations": _non_default_values(plan.aggregations, usual),
        "parameters": _non_default_values(plan.parameters, defaults),
    }


def _non_default_values(
    values: Mapping[str, Any], usual: Mapping[str, Any]
) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != usual[name]}


def _choice_options(choices: Mapping[str, Any]) -> Iterator[str]:
    """Yield each option that choices ask for, with what stands behind it."""
    for name, choice in choice_infos_of(Plan).items():
        option, value = choice.option, choices[name]
        default = Plan.model_fields[name].get_default(call_default_factory=True)
        if value == default and not option.always:
            continue
        for words in _option_values(option.form, value):
            yield f"{option.flag} {words}".rstrip()


def _option_values(form: Form, value: Any) -> list[str]:
    """Return what stands behind an option, each time that it is given."""
    if form == "switch":
        return [""]
    if form == "names":
        return [csv_argument(value)] if value else []
    if form == "names or none":
        words = value if isinstance(value, str) else column_names_to_csv_line(value)
        if words in (NO_PERSON, EACH_RECORD) and words is not value:
            words = f'"{words}"'  # a column that is called so
        return [quote_argument(words)]
    if form == "texts":
        return list(map(quote_argument, value))
    if form == "blocks":
        return list(map(csv_argument, value))
    if form == "files":
        files = hierarchy_file_names(value)
        return [quote_argument(f"{name}={file}") for name, file in files.items()]
    if form == "weights":
        text_by_column = {
            name: repr(float(entry)).removesuffix(".0") for name, entry in value.items()
        }
        return [
            csv_argument(
                tuple(f"{name}={entry}" for name, entry in text_by_column.items())
            )
        ]
    if form in ("by column", "parameters"):
        return [quote_argument(f"{name}={entry}") for name, entry in value.items()]
    return [quote_argument(str(value))]


def hierarchy_file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return the file name of each column's hierarchy, no two of them alike.

    Names that differ in upper and lower case alone count as alike, as they do on
    Windows: those that come later get a number.
    """
    names: dict[str, str] = {}
    used_names: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^\w.-]+", "_", column)
        tried = (f"{plain}_{n}" if n > 1 else plain for n in itertools.count(1))
        names[column] = next(
            candidate for candidate in tried if candidate.casefold() not in used_names
        )
        used_names.add(names[column].casefold())
    return {column: f"{plain}_hierarchy.csv" for column, plain in names.items()}


def protected_file_name(name: str, format_id: str = "") -> str:
    """Return the name of the released file, such as ``data_protected.csv``.

    Parameters
    ----------
    name : str
        Of the file that was protected.
    format_id : str
        Format of the release; empty means that of the file.
    """
    path = PurePath(name)
    suffix = path.suffix
    for info in formats.infos():
        if suffix.lower() in info.suffixes and not info.writable:
            suffix = ".csv"
    if format_id and suffix.lower() not in formats.info(format_id).suffixes:
        suffix = formats.info(format_id).suffixes[0]
    stem = re.sub(r'[<>:"/\\|?*]', "_", path.stem)  # not every system allows these
    return f"{stem}_protected{suffix}"


def csv_argument(names: tuple[str, ...]) -> str:
    """Return names as one CSV line, quoted as one argument of a shell."""
    return quote_argument(column_names_to_csv_line(names))


def _reading_options(table: Table) -> list[str]:
    """Return the options with which the file was read."""
    options = table.origin.options
    words = []
    for name in (
        "delimiter",
        "decimal",
        "encoding",
        "sheet",
        "layout",
        "sql",
        "header_row",
        "first_row",
        "footer_rows",
    ):
        if options.get(name):
            value = "tab" if options[name] == "\t" else str(options[name])
            words.append(f"--{name.replace('_', '-')} {quote_argument(value)}")
    if options.get("number_names"):
        words.append("--number-names")
    for column, form in options.get("written", {}).items():
        words.append(f"--written {quote_argument(f'{column}={form}')}")
    for column, codes in options.get("missing", {}).items():
        assignment = f"{column}={column_names_to_csv_line(codes)}"
        words.append(f"--missing-codes {quote_argument(assignment)}")
    return words
