"""Reference chapters that follow from the program: fields, names, limits, errors."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import engine
from dashboard.class_file.bundle import read_javascript_modules
from dashboard.class_file.words import lesson_titles, script_translations
from dashboard.i18n.language import ENGLISH, _
from dashboard.learn.glossary import TERM, glossary_entries
from engine.cli.parsing.parser import _build_parser
from engine.core.errors import EngineError
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.release.verify import VerificationError
from tests.dashboard.translated import in_language
from tests.imports import ROOT

ENVIRONMENT = (
    "dashboard.jobs.workers.resource_limits:RUN_MEMORY_VARIABLE",
    "dashboard.jobs.workers.resource_limits:READING_MEMORY_VARIABLE",
    "dashboard.jobs.workers.resource_limits:PERSON_MEMORY_VARIABLE",
    "engine.core.parallel:THREADS_VARIABLE",
)
"""Environment variables that people may set; others are set by the program itself."""

LIMITS = {
    "largest k": "engine.pipeline.planning.limits:MAX_K",
    "values of k at a time": "engine.pipeline.planning.limits:MAX_SIZES",
    "runs (methods times values of k) at a time": (
        "engine.pipeline.planning.limits:MAX_RUNS"
    ),
    "largest seed": "engine.pipeline.planning.limits:MAX_SEED",
    "seeds of one method": "engine.pipeline.planning.limits:MAX_SEEDS",
    "columns that one choice may name": "engine.pipeline.planning.limits:MAX_COLUMNS",
    "rules in a plan": "engine.pipeline.planning.limits:MAX_RULES",
    "characters of a rule": "engine.pipeline.planning.limits:MAX_RULE_CHARS",
    "labels of a hierarchy": "engine.pipeline.planning.limits:MAX_HIERARCHY_LABELS",
    "a plan": "engine.pipeline.planning.limits:MAX_PLAN_BYTES",
    "columns of a table": "engine.files.text.detect:MAX_COLUMNS",
    "characters of a column's name": "engine.files.text.detect:MAX_NAME_CHARS",
    "cells of a workbook's sheet": "engine.files.workbooks.workbook:MAX_CELLS",
    "how many times larger than the file its unpacked content may be": (
        "engine.files.input.source:MAX_UNFOLDING"
    ),
    "unpacked content that is allowed for any file": (
        "engine.files.input.source:MAX_UNCHECKED_BYTES"
    ),
    "an archive or workbook, unpacked": "engine.files.input.source:MAX_UNPACKED_BYTES",
    "categories of a column": "engine.points.branches:MAX_CATEGORIES",
    "records with MDAV by default": "engine.methods.default:MAX_DEFAULT_RECORDS",
    "records with LB1 by default": "engine.bounds.choose_bound:MAX_DEFAULT_LB1_RECORDS",
    "records with LB2": (
        "engine.bounds.linear_programme.column_generation:MAX_LB2_RECORDS"
    ),
    "records with LB2 by blocks": (
        "engine.bounds.linear_programme.blockwise:MAX_BLOCKWISE_RECORDS"
    ),
    "trials of `need`": "engine.analysis.need.parsed_need:MAX_TRIALS",
    "people whom an attack looks for": "engine.analysis.attacks.base:DEFAULT_TARGETS",
    "records of a block out of core": "engine.streaming.run:DEFAULT_RECORDS_PER_BLOCK",
    "records that a replay shows": "dashboard.app_pages.inspect.group_replay:"
    "MAX_REPLAYED_RECORDS",
    "processes of a server": "dashboard.places.settings:MAX_PROCESSES",
    "tabs of one person": "dashboard.server.quotas:MAX_TABS",
    "tries to sign in from one address": "dashboard.places.entrance.sign_in_rate_limit:"
    "MAX_TRIES_PER_ADDRESS",
    "sign-ins of one person": "dashboard.places.entrance.sign_in_rate_limit:"
    "MAX_SIGN_INS_PER_PERSON",
}
"""Limits that people may meet, and the constants that hold them."""


def constant(place: str) -> tuple[Any, str]:
    """Return a module's constant, and the first sentence that documents it."""
    module, name = place.split(":")
    loaded = importlib.import_module(module)
    body = ast.parse(inspect.getsource(loaded)).body
    for at, node in enumerate(body[:-1]):
        after = body[at + 1]
        names = [ast.unparse(target) for target in getattr(node, "targets", ())]
        if name in names and isinstance(after, ast.Expr):
            return getattr(loaded, name), first_sentence(ast.literal_eval(after.value))
    raise ValueError(f"{place} is not documented")


def first_sentence(text: str) -> str:
    """Return a docstring's first sentence, in one line."""
    return " ".join(
        re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0].split()
    )


def environment_rows() -> Iterator[tuple[str, str]]:
    """Give each environment variable, and what it says."""
    for place in ENVIRONMENT:
        name, says = constant(place)
        says = re.sub("^Environment variable(: | with the )", "", says)
        yield f"`{name}`", says[0].upper() + says[1:]


def limit_rows() -> Iterator[tuple[str, str]]:
    """Give each limit, and its value."""
    for limit, place in LIMITS.items():
        module, name = place.split(":")
        value = getattr(importlib.import_module(module), name)
        if name.endswith("BYTES"):
            yield limit, f"{value / 2**20:,.0f} MB"
        else:
            yield limit, "2^53 - 1" if value == 2**53 - 1 else f"{value:,}"


def exception_rows() -> Iterator[tuple[str, str]]:
    """Give each exception that callers may catch, and what it says."""
    public = [getattr(engine, name) for name in engine.__all__]
    for error_class in (*public, VerificationError):
        if isinstance(error_class, type) and issubclass(error_class, EngineError):
            where = "engine" if error_class in public else error_class.__module__
            says = " ".join(
                (inspect.getdoc(error_class) or "").split("\n\n")[0].split()
            )
            yield f"`{where}.{error_class.__name__}`", as_markdown(says)


def command_rows() -> Iterator[tuple[str, str]]:
    """Give each command, and what it does."""
    (group,) = [
        action
        for action in _build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    for action in group._choices_actions:
        yield f"`coterie {action.dest}`", str(action.help)


def plan_rows() -> Iterator[tuple[str, str, str, str]]:
    """Give each field of a plan: its option, default, and the first step it changes."""
    for name, choice in choice_infos_of(Plan).items():
        field = Plan.model_fields[name]
        default = field.get_default(call_default_factory=True)
        option = choice.option
        flag = f"`{option.flag}`" if option.flag else ""
        says = option.help or f"{_field_meaning(name)}: `{option.example}`"
        yield (
            f"`{name}`",
            f"{flag} {says}".strip(),
            f"`{default!r}`",
            choice.stage,
        )


def _field_meaning(name: str) -> str:
    """Return the first sentence that documents a plan's field, without its end."""
    for base in Plan.__mro__:
        pattern = rf"^{name} : .*\n((?: .*\n?)+)"
        match = re.search(pattern, inspect.getdoc(base) or "", re.MULTILINE)
        if match:
            text = first_sentence(match[1]).rstrip(".")
            return text[0].lower() + text[1:]
    raise ValueError(f"The field {name} of a plan is not documented.")


def exclusion_rows() -> Iterator[tuple[str, str, str]]:
    """Give each choice that excludes something: what that is, and why."""
    declared = choice_infos_of(Plan)
    for choice in declared.values():
        for exclusion in choice.excludes:
            others = [f"`{declared[name].option.flag}`" for name in exclusion.choices]
            excluded = exclusion.methods or (lambda info: False)
            others += [info.title for info in methods.infos() if excluded(info)]
            limits = [f"{name} {value}" for name, value in exclusion.when.items()]
            when = f", with {', '.join(limits)}" if limits else ""
            yield f"`{choice.option.flag}`{when}", ", ".join(others), exclusion.reason


def rule_set_rows() -> Iterator[tuple[str, str, str, str]]:
    """Give each rule set: name, source, what it asks for, and how it was checked."""
    for path in sorted((ROOT / "engine/analysis/need/rule_sets").glob("*.toml")):
        rule_set = tomllib.loads(path.read_text(encoding="utf-8"))
        requirements = ", ".join(
            f"`{rule['measure']} {rule['relation']} {rule['limit']}`"
            for rule in rule_set.get("rule", ())
        )
        source = f"[{rule_set['title']}]({rule_set['url']}), {rule_set['year']}"
        yield f"`{path.stem}`", source, requirements or "no number", rule_set["checked"]


NAMES_IN_MODULES = (
    "engine.analysis:Experiment",
    "engine.analysis:time_methods",
    "engine.analysis.attacks:AttackResult",
    "engine.analysis.attacks:Knowledge",
    "engine.analysis.explain:Explainer",
    "engine.analysis.need.answer:ReferencePoint",
    "engine.analysis.need.models.formula:ModelFormula",
    "engine.analysis.need.models.model_fit:RefittableModel",
    "engine.analysis.need.models.slopes:compare_slopes",
    "engine.analysis.protect:LeftOutColumn",
    "engine.analysis.protect:UnaskedQuestion",
    "engine.analysis.releases.ledger:Ledger",
    "engine.analysis.verdict:Verdict",
    "engine.analysis.verdict:VerdictLine",
    "engine.bounds:LowerBound",
    "engine.certificate.certify:Refused",
    "engine.certificate.certify:examine",
    "engine.certificate.write:build_certificate",
    "engine.core.parameters:Float",
    "engine.core.partition:Partition",
    "engine.hierarchy:from_dates",
    "engine.hierarchy:from_intervals",
    "engine.hierarchy:from_prefixes",
    "engine.measures:MeasuredRelease",
    "engine.measures:MeasureInfo",
    "engine.measures:Score",
    "engine.methods.base:MethodInfo",
    "engine.methods.base:Microaggregator",
    "engine.methods.base:Reference",
    "engine.methods.base:RunCost",
    "engine.methods.base:Traits",
    "engine.pipeline.grouping.prepare:PreparationCache",
    "engine.pipeline.grouping.prepare:PreparedTable",
    "engine.pipeline.column_survival:ColumnSurvival",
    "engine.points.base:Points",
    "engine.release.verify:VerificationError",
    "engine.release.verify:WrittenRelease",
    "engine.release.verify:release_bytes_and_checks",
    "engine.release.write:write_files",
    "engine.release.writing:WritingOptions",
    "engine.report:facts_to_file",
    "engine.report:report_facts",
    "engine.streaming:StreamedOutcome",
    "engine.streaming:run",
)
"""What the manual uses beside the public names, or what those return."""


def python_names() -> str:
    """Return each name with its signature and docstring: public ones, then others."""
    public = (f"engine:{name}" for name in engine.__all__)
    return "\n\n".join(
        f"## {'class ' * isinstance(value, type)}"
        f"{'streaming.' * (module == 'engine.streaming')}{name}\n\n"
        f"```text\n{_signature(f'{module}.{name}', value)}\n```\n\n"
        f"{_summary(name, value)}{_members(value)}"
        for path in (*public, *NAMES_IN_MODULES)
        for module, _colon, name in (path.partition(":"),)
        for value in (getattr(importlib.import_module(module), name),)
    )


def _signature(name: str, one: object) -> str:
    if not callable(one):
        return name
    if isinstance(one, type) and (issubclass(one, Exception) or one is Plan):
        return f"{name}(...)"
    try:
        text = str(inspect.signature(one))
    except ValueError:
        return name
    text = re.sub(r"<([\w.]+) object at \w+>", r"<\1>", text)
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(\w)", r"\1", text)
    return f"{name}{text}"


def _summary(name: str, one: object) -> str:
    """Return the docstring, its sections as Markdown; of a second name, the first."""
    if inspect.isfunction(one) and one.__name__ != name:
        return f"The earlier name of `{one.__name__}`."
    text = inspect.getdoc(one) or ""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    lines = [" ".join(parts[0].split("\n\n")[0].split())]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title in ("Parameters", "Returns", "Raises", "Attributes"):
            lines.append(f"*{title}*\n\n{_fields(body)}")
    return "\n\n".join(as_markdown(line) for line in lines)


def _fields(body: str) -> str:
    """Return numpydoc fields as a list."""
    lines = []
    for block in re.split(r"^(?=\S)", body, flags=re.MULTILINE):
        if block.strip():
            head, _newline, text = block.partition("\n")
            name, _colon, kind = head.partition(" : ")
            about = " ".join(text.split())
            what = f"`{name.strip()}`" + (f" ({kind.strip()})" if kind else "")
            lines.append(f"* {what}" + (f": {about}" if about else ""))
    return "\n".join(lines)


def public_members(one: object) -> Iterator[tuple[str, Any]]:
    """Give the methods and properties of a class that are defined in the engine."""
    for name, member in sorted(vars(one).items()) if isinstance(one, type) else ():
        kinds = (classmethod, staticmethod, property, cached_property)
        of_class = inspect.isfunction(member) or isinstance(member, kinds)
        if of_class and not name.startswith("_") and inspect.getdoc(member):
            yield name, member


def _members(one: object) -> str:
    """Return the methods and properties of a class as a list, with their summaries."""
    lines = []
    for name, member in public_members(one):
        called = getattr(one, name) if callable(getattr(one, name)) else None
        text = name if called is None else _signature(name, called)
        says = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
        lines.append(f"* `{text.replace('(self, ', '(').replace('(self)', '()')}`: ")
        lines[-1] += as_markdown(says)
    return "\n\n*Methods and properties*\n\n" + "\n".join(lines) if lines else ""


def as_markdown(text: str) -> str:
    """Return reStructuredText roles and literals as code of Markdown."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")


def glossary(language: str = ENGLISH) -> str:
    """Return every term of Learn's glossary; formulas are the same everywhere."""
    with in_language(language):
        entries = sorted(
            (
                (_(term.title), _(term.meaning), term.formula)
                for term in glossary_entries().values()
                if term.kind == TERM
            ),
            key=lambda entry: entry[0].casefold(),
        )
    return "\n".join(
        f"* **{title}**: {meaning}"
        + (f" `{formula}`" if formula and "`" not in formula else "")
        for title, meaning, formula in entries
    )


_IDEA_PATTERN = re.compile(r'idea: _\("([^"]+)"\)')
_FIGURE_PATTERN = re.compile(r'= figure\(_\("([^"{]+)"\)\)')


def lesson_rows(language: str = ENGLISH) -> Iterator[tuple[str, ...]]:
    """Give each lesson's identifier, its title, what it shows, and its figures."""
    scripts = "\n".join(read_javascript_modules().values())
    words = script_translations(language)
    for name, title in lesson_titles().items():
        start = scripts.index(f'  id: "{name}",\n  title: ')
        lesson = scripts[start : scripts.index("\n};\n", start)]
        idea = _IDEA_PATTERN.search(lesson)
        assert idea is not None, name
        figures = _FIGURE_PATTERN.findall(lesson)
        figure_words = "; ".join(words.get(figure, figure) for figure in figures)
        yield (
            f"`{name}`",
            words.get(title, title),
            words.get(idea[1], idea[1]),
            figure_words,
        )


CLASSES = {
    "InputError": "The data cannot be used in this form (`InputError`).",
    "RepeatedNamesError": "The data cannot be used in this form (`InputError`).",
    "ParameterError": (
        "A choice does not exist, is out of range or excludes another "
        "(`ParameterError`)."
    ),
    "InfeasibleError": "No groups can meet all demands (`InfeasibleError`).",
    "VerificationError": "The written file breaks a promise (`VerificationError`).",
    "RuleSyntaxError": "A choice cannot be read (`ParameterError`).",
    "DiskFullError": "The disk has no room (`InputError`).",
    "PartError": "A file is damaged (`VerificationError`).",
    "AuditError": "The event cannot be logged (`EngineError`).",
    "Message": "A run or the reading of a file was stopped, in the dashboard.",
}
"""Why an error of each class comes, and the exception to catch."""

WORKER_FAILURES = (
    ROOT / "dashboard/jobs/failures.py",
    ROOT / "dashboard/readers/limits.py",
)
"""Modules whose messages say why a run, a reading or its worker ended."""

_COMMAND_PATTERN = re.compile("(coterie|pip|sudo) ")
"""How a remedy begins that is to be typed."""

CHAPTER_OF = {
    "files": "files",
    "hierarchy": "hierarchies",
    "constraints": "rules",
    "persons": "several-rows",
    "streaming": "beyond-memory",
    "certificate": "near-optimal",
    "methods": "methods",
    "measures": "measures",
    "analysis": "need",
    "cli": "command-line",
    "class_file": "command-line",
    "pipeline": "choices",
    "release": "files",
    "storage": "files",
    "audit": "serving",
    "server": "serving",
    "places": "serving",
    "jobs": "memory-and-time",
    "readers": "files",
    "projects": "pages",
    "aggregate": "choices",
    "core": "choices",
    "data": "choose-columns",
    "points": "choices",
    "report": "files",
    "bounds": "near-optimal",
}
"""Chapter that helps with the errors of a package."""


def error_calls() -> Iterator[tuple[Path, str, str]]:
    """Give where each error is raised, its class, and its sentence."""
    for tree in ("engine", "dashboard"):
        for path in sorted((ROOT / tree).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args:
                    error = ast.unparse(node.func).rpartition(".")[2]
                    template = node.args[0]
                    if error == "Message" and path not in WORKER_FAILURES:
                        continue
                    if error in CLASSES and isinstance(template, ast.Constant):
                        yield path, error, str(template.value)


def errors(table: Callable[[Sequence[str], Any], str]) -> str:
    """Return every error's sentence by package, with its reason and what to do."""
    errors_by_package: dict[str, dict[str, str]] = {}
    for path, error, sentence in error_calls():
        package = path.relative_to(ROOT).parts[1].removesuffix(".py")
        errors_by_package.setdefault(package, {})[_readable(sentence)] = CLASSES[error]
    return "\n\n".join(
        f"## Errors of {package}\n\n"
        + f"More in [the chapter]({CHAPTER_OF[package]}.md).\n\n"
        + table(
            ("sentence", "what to do", "why"),
            (
                (*_split(error_text), why)
                for error_text, why in sorted(sentences.items())
            ),
        )
        for package, sentences in sorted(errors_by_package.items())
    )


def _readable(sentence: str) -> str:
    """Return a template with plain names in braces."""
    return re.sub(r"\{(\w+)[^}]*\}", r"{\1}", " ".join(sentence.split()))


def _split(sentence: str) -> tuple[str, str]:
    """Return what is wrong, and what to do about it, where the sentence says both."""
    wrong, colon, do = sentence.partition(": ")
    if not _COMMAND_PATTERN.match(do):
        do = do[:1].upper() + do[1:]
    return (f"{wrong}:", do) if colon else (sentence, "")
