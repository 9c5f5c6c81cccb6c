"""Commands, called as from a shell, and what they leave and say."""

import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

from engine.cli.parsing.parser import main
from tests.fuzz.trial import Trial


def call(words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run a command; return its exit code, what it said, and its error."""
    out, err = io.StringIO(), io.StringIO()
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    errors = [x for x in err.getvalue().splitlines() if not x.startswith("Note:")]
    assert code in (0, 2), (code, errors)
    assert len(errors) == (code == 2), errors
    if code == 2:
        after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
        assert after == before, "something was written beside an error"
        assert "report" not in errors[0], errors
    return code, out.getvalue(), "".join(errors)


def refusal(error: str) -> str:
    """Return an error without what is in its places."""
    return re.sub(r"'[^']*'|\d[\d,.]*", "…", error)


def close(one: float | None, other: float) -> bool:
    """Return whether two figures are one but for rounding."""
    return one is not None and abs(one - other) <= 1e-7 * max(1.0, abs(other))


def as_text(cell: Any) -> str:
    """Return a cell as one text, however a format holds numbers and gaps."""
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def groups_of(trial: Trial) -> list[str | None]:
    """Return the group of each record, None of those left out."""
    text = Path(trial.path("groups.csv")).read_text(encoding="utf-8").splitlines()
    assert text[0] == "group", text[0]
    groups = [line.strip('"') or None for line in text[1:]]
    assert len(groups) == trial.n, "groups.csv has another number of records"
    return groups
