"""A folder has at most twelve entries, or says at its top what each of them is for.

A registry grows by one file per method, measure, attack or text, and who looks for one
knows its name. Any other folder that is larger is several rooms in one.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.imports import ROOT, sources

MAX_ENTRIES = 12

LARGE = {"engine/analysis/need": 16}
"""Entries of folders that are larger without such a reason; this can only shrink."""

FOLDERS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for tree in ("engine", "dashboard")
    for path in sources(ROOT / tree, "__init__.py")
)


def entries(folder: Path) -> set[str]:
    """Return the names of what stands in a folder, whatever is kept beside it.

    A module and its script and style have one name.
    """
    shown = {
        path.stem for path in folder.iterdir() if path.suffix in (".py", ".js", ".css")
    }
    rooms = {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}
    return (shown | rooms) - {"__init__", "__main__"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_large_folder_says_why(folder: str) -> None:
    here = ROOT / folder
    top = ast.get_docstring(ast.parse((here / "__init__.py").read_text("utf-8"))) or ""
    names = entries(here)
    if folder in LARGE:
        assert len(names) == LARGE[folder], "write the smaller number down"
    elif len(names) > MAX_ENTRIES:
        assert re.search(r"\bOne \w+( of texts)? per \w+|one module per", top), names
