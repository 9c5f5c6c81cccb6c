"""A choice is one field of the plan: everything that lists choices has it by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FIELD = """\
    colour: Annotated[
        Literal["red", "blue"],
        ChoiceInfo(
            "colour of the report",
            CommandOption("--colour", "red (default) or blue"),
            stage="prepare",
        ),
    ] = "red"
    largest: Annotated[
        int | None,
        Field(ge=2),
        ChoiceInfo(
            "largest group of the report",
            CommandOption("--largest", "no larger group is reported", "whole"),
            stage="after",
        ),
    ] = None
"""


FINDER = """\
import sys
from importlib.machinery import PathFinder

class Wider(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "engine.pipeline.fields.values":
            return super().find_spec(name, [{folder!r}], target)

sys.meta_path.insert(0, Wider)
"""
"""Read by every interpreter that starts: a module of fields is another one."""


@pytest.fixture
def wider(tmp_path: Path) -> Path:
    """A folder by which the program's plans have one field more."""
    fields = ROOT / "engine" / "pipeline" / "fields" / "values.py"
    text = fields.read_text(encoding="utf-8") + FIELD
    (tmp_path / fields.name).write_text(text, encoding="utf-8")
    finder = FINDER.format(folder=str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(finder, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_one_field_more_is_in_every_list_of_choices(wider: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.new_choice"],
        cwd=wider,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(wider), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
