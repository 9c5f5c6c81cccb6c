"""Tables of the README and the manual that follow from the program.

``python -m tests.regenerate`` rewrites them.
"""

from __future__ import annotations

import argparse
import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import pandas as pd

from dashboard.i18n.language import ENGLISH, LANGUAGES
from dashboard.learn.other_tools import TOOL_METHOD_NAMES, TOOL_NAME
from dashboard.manual import (
    PARTS,
    read_manual_chapters_by_name,
    read_tasks_by_matter,
)
from dashboard.manual.chapters import MANUAL_FOLDER
from dashboard.results.digits import format_short, round_frame
from engine.aggregate import aggregations
from engine.analysis.attacks import attacks
from engine.cli.parsing.parser import EXIT_CODES, _build_parser
from engine.cli.run import _figure
from engine.core.parameters import Choice
from engine.data.kinds import Kind
from engine.files import Format, formats
from engine.files.stored_columns import UnstorableError
from engine.measures import measures
from engine.measures.base import MeasureFamily, MeasureInfo
from engine.methods import FAMILY_TITLES, methods
from engine.methods.descriptions.elsewhere import FOREIGN_METHODS, UNDEFINED_METHODS
from engine.methods.descriptions.info import Traits
from engine.report.pages import format_number
from tests.benchmarks import proven
from tests.dashboard.manual import literature, peers, reference, terms
from tests.engine.files.columns import COLUMNS
from tests.imports import ROOT
from tests.test_floors import FLOORS, Floors

README = ROOT / "README.md"


def pages() -> list[Path]:
    """Return the README and every chapter."""
    return [README, *sorted(MANUAL_FOLDER.glob("*.md"))]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def chapters_table() -> str:
    """Return a line for each part of the manual, with its chapters."""
    titles = {
        chapter.id: chapter.title for chapter in read_manual_chapters_by_name().values()
    }
    return table(
        ("to", "read"),
        (
            (
                part,
                ", ".join(
                    f"[{titles[name]}](dashboard/manual/{name}.md)" for name in names
                ),
            )
            for part, names in PARTS.items()
        ),
    )


def tasks_lists() -> str:
    """Return a heading and a list for each matter: tasks, with links to the answers."""
    return "\n\n".join(
        f"## {matter}\n\n"
        + "\n".join(f"* [{task}]({link})" for task, link in tasks.items())
        for matter, tasks in read_tasks_by_matter().items()
    )


def methods_tables() -> str:
    """Return a heading and a table for each family of methods."""
    return "\n\n".join(
        f"## {family.capitalize()}\n\n{FAMILY_TITLES[family]}.\n\n"
        + table(
            ("method", "what it does", "what holds of it", "time grows as", "source"),
            (
                (
                    f"{info.title} `{info.id}`",
                    info.summary,
                    _traits(info.traits),
                    f"`{info.traits.cost.growth}`",
                    info.reference.markdown_link,
                )
                for info in methods.infos()
                if info.family == family
            ),
        )
        for family in FAMILY_TITLES
    )


def _traits(traits: Traits) -> str:
    """Return the requirements and guarantees of a method, by commas."""
    largest = traits.max_group_size
    limit = traits.max_records
    facts = (
        (largest, f"groups of k to {largest} records"),
        (not largest and traits.guarantees_k, "groups of k records or more"),
        (not traits.guarantees_k, "promises no group size"),
        (traits.per_attribute, "k holds for each column alone"),
        (traits.univariate, "exactly one column"),
        (traits.exact, "the least loss"),
        (traits.uses_seed, "draws random numbers"),
        (traits.time_budget, f"stops after `{traits.time_budget}`"),
        (limit, f"up to {limit:,} records" if limit else ""),
    )
    return ", ".join(says for holds, says in facts if holds)


def aggregations_table() -> str:
    """Return a line for each common value: its name and what it is."""
    return table(
        ("value", "what it is", "for"),
        (
            (
                ", also ".join(f"`{name}`" for name in (info.id, *info.aliases)),
                info.summary,
                ", ".join(kind.value for kind in Kind if kind in info.kinds)
                + ", with a hierarchy" * info.hierarchy,
            )
            for info in aggregations.infos()
        ),
    )


def names_table() -> str:
    """Return what methods are called in sdcMicro, and what to take instead."""
    rows = [
        (f"`{tool_name}`", f"{methods.info(name).title} `{name}`")
        for name, tool_name in TOOL_METHOD_NAMES.items()
        if tool_name
    ]
    missing = [
        (
            f"`{foreign_method.name}`",
            f"not here, it loses more: `{foreign_method.instead}` or `refined`",
        )
        for foreign_method in FOREIGN_METHODS.values()
    ]
    return table((f"in {TOOL_NAME}", "here"), [*rows, *missing])


def undefined_table() -> str:
    """Return a line for each method that is named where its steps are not given."""
    lines = (
        (
            f"`{name}`",
            f"{method.title} {method.aim}",
            method.source,
            ", ".join(f"`{each}`" for each in method.instead),
        )
        for name, method in UNDEFINED_METHODS.items()
    )
    return table(("name", "what it does", "source", "instead"), lines)


def parameters_table() -> str:
    """Return each parameter once, with all methods that have the same one."""
    methods_by_parameter: dict[tuple[str, str, str], list[str]] = {}
    for info in methods.infos():
        for parameter in info.parameters:
            allowed = parameter.describe()
            if isinstance(parameter, Choice) and all(
                name in methods for name in parameter.options
            ):
                allowed = "a method that groups whole records"
            takes = f"{allowed}; `{parameter.default}` unless given"
            name = ", also ".join(
                f"`{each}`" for each in (parameter.name, *parameter.also)
            )
            methods_by_parameter.setdefault((name, takes, parameter.help), []).append(
                f"`{info.id}`"
            )
    return table(
        ("parameter", "of", "what it takes", "what it does"),
        (
            (name, ", ".join(of), takes, help_)
            for (name, takes, help_), of in methods_by_parameter.items()
        ),
    )


def attacks_table() -> str:
    """Return what an intruder does in each attack, and its control."""
    return table(
        ("attack", "what the intruder does", "control"),
        (
            (f"{info.title} `{info.id}`", info.summary, info.against)
            for info in attacks.infos()
        ),
    )


def measures_list() -> str:
    """Return a heading and what is known for each measure, by families."""
    return "\n\n".join(
        f"## {family.capitalize()}\n\n"
        + "\n\n".join(
            _measure(info) for info in measures.infos() if info.family == family
        )
        for family in get_args(MeasureFamily)
    )


def measure_lines() -> str:
    """Return the name and the formula of each measure, as a block of text."""
    width = max(len(info.id) for info in measures.infos()) + 2
    lines = (
        textwrap.fill(
            info.formula,
            100,
            initial_indent=info.id.ljust(width),
            subsequent_indent=" " * width,
            break_on_hyphens=False,
        )
        for info in measures.infos()
    )
    return "\n".join(["```text", *lines, "```"])


SHOWN_FIGURES = (0.0004, 0.04675, 0.4675, 6.5065, 18.8917, 152.0, 987.654, 12345.678)
"""Figures of every size."""


def rounding_table() -> str:
    """Return how figures are written, by the functions that write them."""
    writers: dict[str, Callable[[float], str]] = {
        "figure": str,
        "in words, on cards and beside charts": format_short,
        "in tables of moments and changes": lambda x: str(
            round_frame(pd.DataFrame({"x": [x]}))["x"][0]
        ).removesuffix(".0"),
        "in reports": lambda x: str(format_number(x)),
        "on the command line": lambda x: _figure({"value": x, "unit": ""}).removesuffix(
            "."
        ),
    }
    return table(
        tuple(writers),
        ([write(x) for write in writers.values()] for x in SHOWN_FIGURES),
    )


def _measure(info: MeasureInfo) -> str:
    lines = [f"### {info.title}", info.summary, f"`{info.formula}`"]
    facts = [
        info.direction.capitalize()
        + (f"; on demand: `--measure {info.id}`" if info.on_demand else "")
    ]
    if info.baseline:
        facts.append(f"Compare with: {info.baseline.rstrip('.')}")
    source = re.sub(
        r"(https://doi\.org/(\S+?))(?=[;,]?(?: |$))", r"[\2](\1)", info.reference
    )
    return "\n\n".join([*lines, ". ".join([*facts, f"Source: {source}."])])


def all_commands(
    parser: argparse.ArgumentParser, name: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Give a parser and those of its commands, with their names: ``audit check``."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield from all_commands(command, f"{name} {word}".strip())


def options_tables() -> str:
    """Return a heading and a table for each set of commands that share options."""
    shared: dict[tuple[str, str], list[str]] = {}
    for name, command in all_commands(_build_parser()):
        for action in command._actions:
            if action.option_strings and action.dest != "help":
                described = _described(command, action)
                shared.setdefault(described, []).append(f"coterie {name}")
    tables: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for option, commands in shared.items():
        tables.setdefault(tuple(commands), []).append(option)
    # The dashboard's own first, then what most commands have in common.
    order = sorted(tables, key=lambda names: ("coterie " not in names, -len(names)))
    return "\n\n".join(
        f"### {', '.join(f'`{name.strip()}`' for name in commands)}\n\n"
        + table(("option", "meaning"), tables[commands])
        for commands in order
    )


def _described(
    command: argparse.ArgumentParser, action: argparse.Action
) -> tuple[str, str]:
    values = ""
    if action.nargs != 0:
        values = f" {action.metavar or action.dest.upper()}"
        if action.choices:
            values = f" {'|'.join(map(str, action.choices))}"
    help_ = command._get_formatter()._expand_help(action) if action.help else ""
    return f"`{', '.join(action.option_strings)}{values}`", help_


def types_table() -> str:
    """Return what each format makes of a column of each type."""
    format_by_title = {info.title: formats.get(info.id)() for info in formats.infos()}
    titles = [info.title for info in formats.infos() if info.writable]
    return table(
        ("a column of", *titles),
        (
            (name, *(_held(format_by_title[title], column) for title in titles))
            for name, column in COLUMNS.items()
        ),
    )


def _held(own: Format, column: pd.Series) -> str:
    try:
        return str(own.held(column).how) or "kept"
    except UnstorableError:
        return "refused"


def peers_table() -> str:
    """Return what is here, and in other tools."""
    return table(("", "here", *peers.PEERS), peers.rows())


def floors_table(tree: str, floors: Floors) -> str:
    """Return the packages of a tree from the top floor down, each with its purpose."""
    return table(
        ("floor", f"in `{tree}/`", "what it is for"),
        (
            (str(floor), *_named(tree, name))
            for floor, names in reversed([*enumerate(floors)])
            for name in names
        ),
    )


def _named(tree: str, name: str) -> tuple[str, str]:
    """Return the name of a package or module, and its docstring's first line."""
    path = ROOT / tree / name.replace(".", "/")
    package = path.is_dir()
    file = path / "__init__.py" if package else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert docstring, f"{file} does not say what it is for"
    end = "/" if package else ".py"
    return f"`{path.relative_to(ROOT / tree)}{end}`", docstring.splitlines()[0]


LESSON_HEADS = {
    "en": ("lesson", "title on Learn", "what it shows", "its figures"),
    "de": ("Lektion", "Titel auf Lernen", "was sie zeigt", "ihre Zahlen"),
    "zh": ("课", "“学习”页上的标题", "说明什么", "其中的数字"),
}


def lessons_table(language: str) -> str:
    """Return a line for each lesson, in a language."""
    return table(LESSON_HEADS[language], reference.lesson_rows(language))


TABLES: dict[str, Callable[[], str]] = {
    "chapters": chapters_table,
    "tasks": tasks_lists,
    "glossary": reference.glossary,
    **{
        f"glossary_{language}": partial(reference.glossary, language)
        for language in LANGUAGES
        if language != ENGLISH
    },
    **{
        f"lessons_{language}": partial(lessons_table, language)
        for language in LANGUAGES
    },
    "commands": lambda: table(("command", "what it does"), reference.command_rows()),
    "environment": lambda: table(
        ("variable", "what it sets"), reference.environment_rows()
    ),
    "limits": lambda: table(("limit", "value"), reference.limit_rows()),
    "exits": lambda: table(
        ("exit code", "meaning"),
        ((str(code), says) for code, says in EXIT_CODES.items()),
    ),
    "exceptions": lambda: table(("exception", "raised if"), reference.exception_rows()),
    "plan": lambda: table(
        ("field", "option and meaning", "default", "first step that it changes"),
        reference.plan_rows(),
    ),
    "aggregations": aggregations_table,
    "exclusions": lambda: table(
        ("choice", "does not go together with", "because"), reference.exclusion_rows()
    ),
    "rules": lambda: table(
        ("rule set", "source", "asks for", "checked"), reference.rule_set_rows()
    ),
    "python": reference.python_names,
    "errors": lambda: reference.errors(table),
    "terms": lambda: terms.terms_tables(table),
    "methods": methods_tables,
    "names": names_table,
    "undefined": undefined_table,
    "parameters": parameters_table,
    "attacks": attacks_table,
    "measures": measures_list,
    "measure_lines": measure_lines,
    "rounding": rounding_table,
    "options": options_tables,
    "types": types_table,
    "peers": peers_table,
    "sources": peers.sources,
    "literature": lambda: literature.systems_tables(table),
    "readings": lambda: literature.readings_table(table),
    "centres": lambda: literature.centres_table(table),
    "losses": lambda: literature.losses_table(table),
    "verdicts": literature.verdict_totals,
    "cells": lambda: literature.cells_table(table),
    "apart": lambda: literature.apart_table(table),
    "proven": lambda: "\n".join(proven.lines(proven.stored())),
    **{tree: partial(floors_table, tree, floors) for tree, floors in FLOORS.items()},
}
"""What stands between ``<!-- name -->`` and ``<!-- /name -->``."""


def with_tables(text: str) -> str:
    for name, make in TABLES.items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if mark.search(text):
            body = make()
            text = mark.sub(
                lambda match, body=body: f"{match[1]}{body}\n{match[2]}", text
            )
    return text


def rewrite_tables() -> None:
    """Write the README and every chapter with what the program says now."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(with_tables(text), encoding="utf-8")
