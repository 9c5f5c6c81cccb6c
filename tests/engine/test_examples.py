"""What docstrings show is what comes out."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SHOWING = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "engine").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", SHOWING)
def test_examples_in_docstrings_come_out(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert failed == 0
    assert tried > 0
