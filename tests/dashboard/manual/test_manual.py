"""The manual says what the program does, and leads where it says."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dashboard.manual import (
    PARTS,
    heading_anchor,
    read_manual_chapters_by_name,
    read_tasks_by_matter,
)
from dashboard.manual.chapters import CHAPTER_ORDER, MANUAL_FOLDER
from engine.cli.parsing.parser import _build_parser
from tests.dashboard.manual.reference import public_members
from tests.dashboard.manual.tables import README, pages, with_tables

CHANGES = README.with_name("CHANGELOG.md")
EVERY = [*pages(), CHANGES]


def named(path: Path) -> str:
    return path.stem


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options(command)


def prose(text: str) -> str:
    """Return a text without its code, in blocks and in lines."""
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_tables_follow_from_the_program(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run python -m tests.regenerate"


def test_every_chapter_has_its_place() -> None:
    names = [path.name.removesuffix(".md") for path in MANUAL_FOLDER.glob("*.md")]
    assert sorted(CHAPTER_ORDER) == sorted(name for name in names if "." not in name)


def test_every_option_exists() -> None:
    option_names = set(options(_build_parser()))
    for page in EVERY:
        page_text = page.read_text(encoding="utf-8")
        text = re.sub(
            r"(python (-m (tests|pytest)|\.ci/)|pip |podman )([^`\n\\]|\\\n)*",
            "",
            page_text,
        )
        named_options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
        assert named_options <= option_names, page.name


def test_every_link_leads_somewhere() -> None:
    for page in EVERY:
        links = re.findall(r"\]\((?!https://)([^)]*)\)", prose(page.read_text("utf-8")))
        for link in links:
            name, _, anchor = link.partition("#")
            path = (page.parent / name).resolve() if name else page
            assert path.is_file(), (page.name, link)
            if anchor:
                assert anchor in anchors_of(path), (page.name, link)


def test_every_how_to_answers_a_task_and_every_task_has_its_answer() -> None:
    chapters = read_manual_chapters_by_name()
    links = {
        name: {
            f"{name}.md#{section.anchor}".removesuffix("#")
            for section in chapter.sections
        }
        for name, chapter in chapters.items()
    }
    answers = {
        link for tasks in read_tasks_by_matter().values() for link in tasks.values()
    }
    assert answers <= set().union(*links.values())
    assert set().union(*(links[name] for name in PARTS["How-to"])) <= answers


@cache
def anchors_of(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return set(map(heading_anchor, headings))


def test_python_names_public_things() -> None:
    for page in pages():
        text = page.read_text("utf-8")
        for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom):
                    public = importlib.import_module(str(node.module)).__all__
                    names = {name.name for name in node.names}
                    assert names <= set(public), page.name


DEVELOPERS = {"how-it-is-built", "literature", "terms"}
"""Chapters that name inner parts of the program, for those who change it."""


def test_reference_has_every_python_name_that_people_read() -> None:
    reference = (MANUAL_FOLDER / "python-names.md").read_text("utf-8")
    heads = re.findall(r"^\* `([\w, ]+)", reference, re.MULTILINE)
    listed = {name for head in heads for name in head.split(", ")}
    headed = set(re.findall(r"^```text\n([\w.]+)", reference, re.MULTILINE))
    objects = [resolve_name(name) for name in headed]
    members = {
        name
        for value in objects
        if isinstance(value, type)
        for name in (
            *(name for name, _member in public_members(value)),
            *(() if issubclass(value, str) else getattr(value, "__annotations__", ())),
        )
    }
    lacking = set()
    for page in EVERY:
        text = page.read_text("utf-8")
        if page.stem in {*DEVELOPERS, CHANGES.stem, "python-names", "errors"}:
            continue
        names = set(re.findall(r"(?<![\w./-])engine\.[\w.]*\w", text))
        for module, imported in re.findall(r"from (engine[\w.]*) import (.*)", text):
            names |= {f"{module}.{name.strip()}" for name in imported.split(",")}
        for name in names:
            value = resolve_name(name)
            if not isinstance(value, ModuleType) and not any(
                value in (other, getattr(other, name.rpartition(".")[2], None))
                for other in objects
            ):
                lacking.add(name)
        used = set(re.findall(r"[\w)\]`]\.([a-z_]\w+)", text))
        lacking |= used & members - listed
    assert lacking == set()


def resolve_name(name: str) -> Any:
    """Return the object that a dotted name of the engine means."""
    module, _dot, last = name.rpartition(".")
    with suppress(ImportError, AttributeError):  # `engine.methods` is no module
        return getattr(importlib.import_module(module), last)
    first, *rest = name.split(".")
    value: Any = importlib.import_module(first)
    for part in rest:
        if isinstance(value, ModuleType) and not hasattr(value, part):
            importlib.import_module(f"{value.__name__}.{part}")
        value = getattr(value, part)
    return value


def test_files_and_modules_that_pages_name_exist() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:dashboard|engine|tests)/[\w/.]*)`", text):
            assert (README.parent / path).exists(), (page.name, path)
        for module in re.findall(r"python -m ((?:dashboard|tests)[\w.]*\w)", text):
            assert importlib.util.find_spec(module), (page.name, module)


def test_cutting_a_chapter_loses_nothing() -> None:
    for name, chapter in read_manual_chapters_by_name().items():
        text = (MANUAL_FOLDER / f"{name}.md").read_text(encoding="utf-8")
        text = re.sub(r"<!--.*?-->", "", text)
        parts = [f"{'#' * s.level} {s.title} {s.text}" for s in chapter.sections]
        assert " ".join(parts).split() == text.split(), name


def test_every_chapter_can_be_linked_to() -> None:
    for name, chapter in read_manual_chapters_by_name().items():
        anchors = [section.anchor for section in chapter.sections]
        assert len(set(anchors)) == len(anchors), name
        assert chapter.sections[0].level == 1, name
        assert chapter.summary.endswith("."), name
        assert "\n" not in chapter.summary, name


def test_a_comment_in_code_is_no_heading() -> None:
    titles = [
        section.title for section in read_manual_chapters_by_name()["python"].sections
    ]
    assert "numpy in, labels out" not in titles
