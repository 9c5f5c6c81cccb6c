"""A choice is one field of the plan: everything that lists choices has it by itself."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FIELD = """\
    colour: Annotated[
        Literal["red", "blue"],
        Choice(
            "colour of the report",
            "shared",
            Option("--colour", "red (default) or blue"),
            preparation=True,
        ),
    ] = "red"
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the program whose plans have one field more."""
    for name in ("engine", "dashboard", "sample_data"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    path = tmp_path / "engine" / "pipeline" / "plan.py"
    text = path.read_text(encoding="utf-8")
    wider, count = re.subn(r"(?m)^(?=    def __init__\()", FIELD + "\n", text, count=1)
    assert count == 1
    path.write_text(wider, encoding="utf-8")
    return tmp_path


def test_one_field_more_is_in_every_list_of_choices(copied: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.new_choice"],
        cwd=copied,
        env={**os.environ, "PYTHONPATH": str(copied)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
