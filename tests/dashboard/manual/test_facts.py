"""What the manual says of commands, defaults, limits and exit codes is so."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.jobs.workers.resource_limits import compute_resource_limits
from dashboard.learn.glossary import TERM, glossary_entries
from dashboard.manual.chapters import CHAPTER_ORDER, MANUAL_FOLDER
from dashboard.places.entrance import sign_in_rate_limit
from dashboard.places.settings import PlaceSettings
from dashboard.server import sign_in
from engine.aggregate import aggregations
from engine.cli.parsing.parser import EXIT_CODES, _build_parser
from engine.cli.protect import RED
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from tests.dashboard.manual.reference import ENVIRONMENT, constant, plan_rows
from tests.dashboard.manual.tables import all_commands
from tests.dashboard.manual.terms import SYNONYMS, TERMS, define_term
from tests.imports import ROOT

SET_BY_THE_PROGRAM = {
    "COTERIE_AUDIT",
    "COTERIE_BEGUN",
    "COTERIE_CLUSTER",
    "COTERIE_PLACE",
    "COTERIE_PLACE_ORDER",
    "COTERIE_SCRATCH",
    "COTERIE_SPAWN",  # by tests; what it asks for is what Windows does
    "COTERIE_SIGN_IN",
    "COTERIE_SUPERVISOR",
    "COTERIE_TEAM",
    "COTERIE_UNTIL_CLOSED",
}
"""Environment variables by which processes of a server tell each other."""


def chapter(name: str) -> str:
    """Return a chapter without what is generated."""
    text = (MANUAL_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", "", text, flags=re.DOTALL)


def manual() -> str:
    """Return all chapters without what is generated."""
    return "\n".join(map(chapter, CHAPTER_ORDER))


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    (group,) = [
        action
        for action in _build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(group.choices)


def test_commands_exist_and_each_is_told_about() -> None:
    named = set(re.findall(r"(?:`|^|&& |\$ )coterie ([a-z]+)", manual(), re.MULTILINE))
    assert named <= set(commands())
    command_words = {
        word
        for word in commands()
        if re.search(rf"coterie {word}\b|`{word}`", manual())
    }
    assert command_words == set(commands())


def test_options_belong_to_the_command_of_their_line() -> None:
    parsers = commands()
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", manual(), re.DOTALL):
        for line in block.replace("\\\n", "").splitlines():
            for part in line.removeprefix("$ ").split(" && "):
                words = part.split()
                if words[:1] == ["coterie"] and words[1:2] and words[1] in parsers:
                    option_names = parsers[words[1]]._option_string_actions
                    for word in words:
                        if re.fullmatch("--[a-z-]+", word):
                            assert word in option_names, part


@pytest.mark.parametrize("name", CHAPTER_ORDER)
def test_environment_variables_exist(name: str) -> None:
    of_people = {constant(place)[0] for place in ENVIRONMENT}
    of_tests = {"COTERIE_PICTURES", "COTERIE_CASC"}
    named = set(re.findall(r"COTERIE_\w+", chapter(name)))
    assert named <= of_people | (of_tests if name == "how-it-is-built" else set())


def test_every_environment_variable_is_known() -> None:
    variables = set()
    for tree in ("engine", "dashboard"):
        for path in (ROOT / tree).rglob("*.py"):
            variables |= set(re.findall(r'"(COTERIE_\w+)"', path.read_text("utf-8")))
    assert (
        variables == {constant(place)[0] for place in ENVIRONMENT} | SET_BY_THE_PROGRAM
    )


def exit_codes() -> Iterator[int]:
    """Give each whole number with which a function of the command line may end."""
    for path in (ROOT / "engine/cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name):
                for child in ast.walk(node):
                    if isinstance(child, ast.Return) and child.value is not None:
                        yield from _numbers(child.value)


def _numbers(value: ast.expr) -> Iterator[int]:
    if isinstance(value, ast.IfExp):
        yield from _numbers(value.body)
        yield from _numbers(value.orelse)
    elif isinstance(value, ast.Constant) and type(value.value) is int:
        yield value.value


def test_exit_codes_are_those_of_the_command_line() -> None:
    assert {*exit_codes(), RED} == set(EXIT_CODES)


def test_shares_of_the_machine_are_those_of_the_server() -> None:
    memory = 100 * 2**30
    team = compute_resource_limits(memory, 8, has_many_users=True)
    person_limits = compute_resource_limits(memory, 8, has_many_users=False)
    text = chapter("serving")
    for many, person_value in (
        (team.run_bytes * team.runs, person_limits.run_bytes * person_limits.runs),
        (team.person_bytes, person_limits.person_bytes),
    ):
        shares = [f"{round(100 * part / memory)} %" for part in (many, person_value)]
        assert re.search(rf"\| {shares[0]}.*\| {shares[1]}", text), shares
    assert f"| cores but one, at least 2 | {person_limits.runs} |" in text
    assert team.runs == 8 - 1
    assert f"{person_limits.reading_seconds} seconds each" in text
    assert "four fifths" not in manual()


DEFAULTS = {
    "choose-k": {
        "default of `protect` is k = {}": "engine.analysis.protect.protect:DEFAULT_K"
    },
    "beyond-memory": {
        "per-block` ({:,})": "engine.streaming.run:DEFAULT_RECORDS_PER_BLOCK",
    },
    "near-optimal": {
        "runs of up to {:,} records": (
            "engine.bounds.choose_bound:MAX_DEFAULT_LB1_RECORDS"
        ),
        "for up to {:,} records": (
            "engine.bounds.linear_programme.column_generation:MAX_LB2_RECORDS"
        ),
        "For up to {:,} records it": (
            "engine.bounds.linear_programme.blockwise:MAX_BLOCKWISE_RECORDS"
        ),
    },
    "pages": {
        "up to {:,} records": "engine.report.intruder:MAX_ATTACKED_RECORDS",
        "the results with k = {} over": "engine.pipeline.planning.recommend:DEFAULT_K",
        "at least {} changes its sign": (
            "engine.analysis.verdict.usefulness:MIN_CORRELATION"
        ),
        "more than {:.0f} % is lost": (
            "engine.pipeline.planning.recommend:MAX_LOSS_PER_CENT"
        ),
    },
    "methods": {"Above {:,} records": "engine.methods.default:MAX_DEFAULT_RECORDS"},
    "microaggregation": {
        "up to {:,} records": "dashboard.app_pages.inspect.group_replay:"
        "MAX_REPLAYED_RECORDS"
    },
    "need": {
        "--seconds {:.0f}` (the default)": (
            "engine.analysis.need.parsed_need:DEFAULT_SECONDS"
        )
    },
    "serving": {
        "have {} tabs": "dashboard.server.quotas:MAX_TABS",
        "{} attempts from one address": "dashboard.places.entrance.sign_in_rate_limit:"
        "MAX_TRIES_PER_ADDRESS",
        "{} sign-ins of one person": "dashboard.places.entrance.sign_in_rate_limit:"
        "MAX_SIGN_INS_PER_PERSON",
        "the last {} lines": "dashboard.places.supervision.administrator:N_EVENTS",
        "more than {:,} addresses": "dashboard.audit.log:MAX_ADDRESSES",
    },
}
"""Sentences of chapters with a figure, and the constant that holds it."""


@pytest.mark.parametrize("name", DEFAULTS)
def test_figures_are_those_of_the_program(name: str) -> None:
    text = " ".join(chapter(name).split())
    for sentence, place in DEFAULTS[name].items():
        module, constant_name = place.split(":")
        value: Any = getattr(importlib.import_module(module), constant_name)
        assert sentence.format(value) in text, place


def test_times_of_a_server_are_those_of_the_program() -> None:
    text = " ".join(chapter("serving").split())
    words = {2: "two", 5: "five", 12: "twelve"}
    settings = PlaceSettings(processes=1)
    for sentence, number in (
        (
            "People sign in again after {} hours",
            60 * sign_in.MAX_SIGN_IN_MINUTES / 3600,
        ),
        ("Within {} minutes, Coterie accepts", sign_in_rate_limit.WINDOW_SECONDS / 60),
        ("ends {} minutes after its person", settings.leave_seconds / 60),
    ):
        assert sentence.format(words[int(number)]) in text
    assert (
        f"`--drain-minutes` of the old server, {settings.drain_seconds / 60:g})" in text
    )


def test_defaults_are_those_of_the_plan() -> None:
    for name, choice in choice_infos_of(Plan).items():
        match = re.search(r"(\S+) \(default\)|\(default ([^\s:)]+)", choice.option.help)
        default = Plan.model_fields[name].get_default(call_default_factory=True)
        if match and isinstance(default, str | int | float) and name != "method":
            word = (match[1] or match[2]).rstrip(",:")
            assert word in (str(default), "none"), (name, word, default)


def test_every_common_value_is_named() -> None:
    named = {"auto", *(info.id for info in aggregations.infos())}
    words = set(re.findall(r"[\w-]+", choice_infos_of(Plan)["aggregation"].option.help))
    assert named <= words


def test_every_extra_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    _before, _heading, extras = chapter("install").partition("## Extras")
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\* (`.*?): ", extras, re.M)))
    assert sorted(named) == sorted(project["project"]["optional-dependencies"])


def test_every_command_with_options_is_in_the_reference() -> None:
    text = (MANUAL_FOLDER / "command-line.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### (.*)$", text, re.MULTILINE)
    listed = set(re.findall(r"`coterie ?([\w ]*)`", " ".join(headings)))
    assert listed == {
        name
        for name, parser in all_commands(_build_parser())
        if any(
            action.option_strings and action.dest != "help"
            for action in parser._actions
        )
    }


def test_methods_named_in_code_exist() -> None:
    for word in re.findall(r"--method (\S+)", manual()):
        assert word in methods, word
    for words in re.findall(r"--methods (\S+)", manual()):
        for word in words.split(","):
            assert word in methods, word


def test_terms_are_listed_once_and_not_those_of_the_glossary() -> None:
    listed = [term for terms in TERMS.values() for term in terms]
    glossary = {
        entry.title for entry in glossary_entries().values() if entry.kind == TERM
    }
    assert len(set(listed)) == len(listed)
    assert not set(listed) & {title.casefold() for title in glossary}
    homes = [home for terms in TERMS.values() for home in terms.values()]
    assert len(set(homes)) == len(homes)


@pytest.mark.parametrize("area", TERMS)
def test_every_term_is_defined_where_it_is_at_home(area: str) -> None:
    for term, home in TERMS[area].items():
        assert re.fullmatch(r"[A-Z`].+\.", define_term(home)), (term, home)


def names_in(tree: ast.AST) -> Iterator[str]:
    """Give the names of functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@pytest.mark.slow
def test_no_name_has_a_second_word_for_a_term() -> None:
    for tree in ("engine", "dashboard", "tests"):
        for path in (ROOT / tree).rglob("*.py"):
            for name in names_in(ast.parse(path.read_text("utf-8"))):
                words = {word.casefold() for word in re.findall("[A-Z]?[a-z]+", name)}
                assert not words & set(SYNONYMS), (path, name)


def test_every_field_of_a_plan_has_a_meaning() -> None:
    for name, says, _default, _stage in plan_rows():
        assert re.sub("`[^`]*`", "", says).strip(" :"), name
