"""The manual says what the program does, and leads where it says."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.manual import heading_anchor, read_manual_chapters
from dashboard.manual.chapters import CHAPTER_ORDER, MANUAL_FOLDER
from engine.cli.parser import _build_parser
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


@pytest.mark.parametrize("page", EVERY, ids=named)
def test_every_option_exists(page: Path) -> None:
    known = set(options(_build_parser()))
    page_text = page.read_text(encoding="utf-8")
    text = re.sub(r"python (-m (tests|pytest)|\.ci/)[^`\n]*", "", page_text)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known


@pytest.mark.parametrize("page", EVERY, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    found = re.findall(r"\]\((?!https://)([^)]*)\)", prose(page.read_text("utf-8")))
    for link in found:
        name, _, anchor = link.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.is_file(), link
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(heading_anchor, headings), link


@pytest.mark.parametrize("page", pages(), ids=named)
def test_python_names_public_things(page: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                public = importlib.import_module(str(node.module)).__all__
                assert {name.name for name in node.names} <= set(public)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_files_and_modules_that_it_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    root = README.parent
    for path in re.findall(r"`((?:dashboard|engine|tests)/[\w/.]*)`", text):
        assert (root / path).exists(), path
    for module in re.findall(r"python -m ((?:dashboard|tests)[\w.]*\w)", text):
        assert importlib.util.find_spec(module), module


@pytest.mark.parametrize("name", CHAPTER_ORDER)
def test_cutting_a_chapter_loses_nothing(name: str) -> None:
    text = (MANUAL_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->", "", text)
    parts = [
        f"{'#' * one.level} {one.title} {one.text}"
        for one in read_manual_chapters()[name].sections
    ]
    assert " ".join(parts).split() == text.split()


@pytest.mark.parametrize("name", CHAPTER_ORDER)
def test_a_chapter_can_be_linked_to(name: str) -> None:
    chapter = read_manual_chapters()[name]
    anchors = [one.anchor for one in chapter.sections]
    assert len(set(anchors)) == len(anchors)
    assert chapter.sections[0].level == 1
    assert chapter.summary.endswith(".")
    assert "\n" not in chapter.summary


def test_a_comment_in_code_is_no_heading() -> None:
    titles = [one.title for one in read_manual_chapters()["python"].sections]
    assert "numpy in, labels out" not in titles
