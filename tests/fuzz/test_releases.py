"""Random plans on random files: what is written keeps what is promised.

Files are read with csv, pyarrow, openpyxl and pyreadstat alone, and figures are worked
out from them again, so that no mistake of the engine can hide itself.
``COTERIE_RELEASES`` says how many releases the long form makes.
"""

import csv
import io
import math
import os
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from engine.core.errors import EngineError
from engine.data.table import Table
from engine.files import read_table
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import VerificationError, write_and_check
from engine.release.writing import Writing

LONG = int(os.environ.get("COTERIE_RELEASES", "1500"))
SUFFIXES = (".csv", ".xlsx", ".parquet", ".sav", ".dta")

Columns = dict[str, list[Any]]

TEXTS = ("NA", ".", "1.50", "1e400", "007", " a ", "x,y;", 'q"', "", "ß", "=1+1", "2")
NUMBERS = (0.1 + 0.2, -0.0, 1e300, 12345678.9, None, 3.0, -7.25)


def cells(draw: st.DrawFn, kind: str, n: int) -> list[Any]:
    """Return cells of a column that is not protected."""
    pools: dict[str, st.SearchStrategy[Any]] = {
        "text": st.sampled_from(TEXTS),
        "numbers": st.sampled_from(NUMBERS),
        "whole": st.integers(-(2**53), 2**53),
    }
    return draw(st.lists(pools[kind], min_size=n, max_size=n))


@dataclass
class Case:
    """A file, how to protect it, and how to write it."""

    suffix: str
    columns: Columns
    quasi: tuple[str, ...]
    choices: dict[str, Any]
    writing: Writing


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(6, 30))
    k = draw(st.integers(2, 4))
    quasi: Columns = {}
    for name in draw(st.sampled_from([("a",), ("a", "b"), ("a", "b", "c")])):
        whole = st.integers(-20, 20)
        decimal = st.integers(-4000, 4000).map(lambda i: i / 8)
        some = draw(st.sampled_from([whole, decimal, st.sampled_from([1, 2])]))
        quasi[name] = draw(st.lists(some, min_size=n, max_size=n))
    missing = draw(st.sampled_from(["refuse", "drop", "median", "keep"]))
    if missing != "refuse" and draw(st.booleans()):
        for place in draw(st.lists(st.integers(0, n - 1), max_size=4)):
            quasi["a"][place] = None
    columns: Columns = {"row": list(range(n)), "name": [f"p{i}" for i in range(n)]}
    columns |= quasi
    for kind in draw(st.sets(st.sampled_from(["text", "numbers", "whole"]))):
        columns[kind] = cells(draw, kind, n)
    method = draw(st.sampled_from(methods.infos()))
    parameters = {}
    if method.traits.time_budget:
        parameters = {method.traits.time_budget: 0.05}
    choices: dict[str, Any] = {
        "method": method.id,
        "k": k,
        "parameters": parameters,
        "missing": missing,
        "scaling": draw(st.sampled_from(["zscore", "range", "none"])),
        "rounding": draw(st.sampled_from(["types", "precision", "none"])),
        "aggregation": draw(st.sampled_from(["mean", "median", "interval"])),
        "seed": draw(st.integers(0, 99)),
    }
    if draw(st.integers(0, 3)) == 0:
        columns["stratum"] = [i % 2 for i in range(n)]
        choices |= {"strata": "stratum", "small_strata": "merge"}
    if "b" in quasi and draw(st.integers(0, 4)) == 0:
        choices["constraints"] = (draw(st.sampled_from(["a >= -20", "a + b <= 9000"])),)
    writing = Writing(shuffle=draw(st.booleans()), seed=draw(st.integers(0, 9)))
    suffix = draw(st.sampled_from(SUFFIXES))
    return Case(suffix, columns, tuple(quasi), choices, writing)


def store(case: Case) -> bytes:
    """Write the file that comes in, with no help of the engine."""
    columns, names = case.columns, list(case.columns)
    rows = list(zip(*columns.values(), strict=True))
    if case.suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(["" if c is None else c for c in row] for row in rows)
        return text.getvalue().encode()
    stream = io.BytesIO()
    if case.suffix == ".parquet":
        pq.write_table(
            pa.table({name: pa.array(columns[name]) for name in names}), stream
        )
        return stream.getvalue()
    if case.suffix == ".xlsx":
        book = xlsxwriter.Workbook(stream)
        sheet = book.add_worksheet()
        form = book.add_format({"num_format": "0.00"})
        for j, name in enumerate(names):
            sheet.write_string(0, j, name)
            for i, cell in enumerate(columns[name], start=1):
                if isinstance(cell, str):
                    sheet.write_string(i, j, cell)
                elif cell is not None:
                    sheet.write_number(i, j, cell, form if i % 2 else None)
        book.close()
        return stream.getvalue()
    import pandas as pd

    frame = pd.DataFrame(
        {
            name: known
            if any(isinstance(c, str) for c in known)
            else np.array([math.nan if c is None else float(c) for c in known])
            for name, known in columns.items()
        }
    )
    writers = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{case.suffix}"
        writers[case.suffix](frame, path)
        return path.read_bytes()


def load(content: bytes, suffix: str) -> Columns:
    """Read a file as others do: cells that tell every difference."""
    if suffix == ".csv":
        names, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
        return {name: [row[j] for row in rows] for j, name in enumerate(names)}
    if suffix == ".parquet":
        table = pq.read_table(io.BytesIO(content))
        return {name: table[name].to_pylist() for name in table.column_names}
    if suffix == ".xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).active
        head, *body = sheet.iter_rows()
        return {
            str(name.value): [(row[j].value, row[j].number_format) for row in body]
            for j, name in enumerate(head)
        }
    readers = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(content)
        frame, _ = readers[suffix](path)
    return {name: frame[name].tolist() for name in frame}


def plain(cell: Any) -> Any:
    """Return the value of a cell, without its number format."""
    return cell[0] if isinstance(cell, tuple) else cell


def number(cell: Any) -> float:
    cell = plain(cell)
    return math.nan if cell in (None, "") else float(cell)


def released(case: Case) -> tuple[bytes, bytes, Outcome] | None:
    """Return the file that came, the one that leaves, and what was said of it."""
    content = store(case)
    try:
        table: Table = read_table(content, name=f"in{case.suffix}")
        others = dict.fromkeys(table.schema.names, "other")
        roles = others | dict.fromkeys(case.quasi, "quasi-identifier")
        table = table.assign(roles=roles, kinds=dict.fromkeys(case.quasi, "continuous"))
        plan = Plan(quasi_identifiers=case.quasi, identifiers=("name",), **case.choices)
        outcome = run(plan, table)
        written = write_and_check(outcome, table, case.writing)
    except VerificationError:
        raise
    except EngineError:  # such choices are refused; nothing leaves
        return None
    broken = [str(check.title) for check in written.failed if check.promised]
    assert broken == []
    return content, written.content, outcome


def check(case: Case) -> bool:
    """Compare both files; return whether there was a release."""
    found = released(case)
    if found is None:
        return False
    content, done, outcome = found
    before, after = load(content, case.suffix), load(done, case.suffix)
    assert "name" not in after
    rows = [int(float(plain(cell))) for cell in after["row"]]
    drops = case.choices["missing"] == "drop"
    gone = [i for i, cell in enumerate(case.columns["a"]) if cell is None and drops]
    assert sorted(rows) == [i for i in case.columns["row"] if i not in gone]
    if not case.writing.shuffle:
        assert rows == sorted(rows)
    for name in before:
        if name not in (*case.quasi, "name"):
            expected = [repr(before[name][row]) for row in rows]
            assert list(map(repr, after[name])) == expected, name
    traits = methods.info(case.choices["method"]).traits
    keys = zip(*([str(plain(c)) for c in after[q]] for q in case.quasi), strict=True)
    least = min(Counter(keys).values())
    assert least >= case.choices["k"] or not traits.guarantees_k or traits.per_attribute
    assert least == outcome.k_released
    if case.choices["aggregation"] != "interval":
        check_figures(case, before, after, rows, outcome)
    return True


def check_figures(
    case: Case, before: Columns, after: Columns, rows: list[int], outcome: Outcome
) -> None:
    """Work means and losses out again."""
    X = np.array([[number(before[q][row]) for q in case.quasi] for row in rows])
    Y = np.array([[number(cell) for cell in after[q]] for q in case.quasi]).T
    if np.isnan(X).any():
        return
    choices = case.choices
    traits = methods.info(choices["method"]).traits
    exact = choices["rounding"] == "none" and "constraints" not in choices
    if exact and choices["aggregation"] == "mean" and not traits.probabilistic:
        np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0), atol=1e-9, rtol=1e-9)
    scale = {
        "zscore": X.std(axis=0),
        "range": np.ptp(X, axis=0),
        "none": np.ones(X.shape[1]),
    }[choices["scaling"]]
    scale = np.where(scale > 0, scale, 1.0)
    sse = (((X - Y) / scale) ** 2).sum()
    sst = (((X - X.mean(axis=0)) / scale) ** 2).sum()
    said = outcome.summary()["information_loss_released"]
    if sst > 0:
        assert said == pytest.approx(100 * sse / sst, rel=1e-6, abs=1e-9)


QUIET = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


@seed(14)
@settings(max_examples=25, **QUIET)
@given(cases())
def test_files_keep_what_is_promised(case: Case) -> None:
    check(case)


@pytest.mark.slow
def test_many_files_keep_what_is_promised() -> None:
    done, tries = 0, 0

    def attempt(case: Case) -> None:
        nonlocal done, tries
        tries += 1
        done += check(case)

    for start in range(100):
        if done >= LONG:
            break
        attempts = settings(max_examples=max(100, LONG // 20), **QUIET)(
            given(cases())(attempt)
        )
        seed(start)(attempts)()
    assert done >= LONG
    print(f"{done:,} releases of {tries:,} plans")
