"""Random plans on random files: what is written keeps what is promised.

Files are read with csv, pyarrow, openpyxl and pyreadstat alone, and figures are worked
out from them again, so that no mistake of the engine can hide itself.
``COTERIE_RELEASES`` says how many releases the long form makes, and ``COTERIE_SEED``
where it begins.
"""

import datetime
import decimal
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, seed, settings

from engine.core.errors import EngineError
from engine.files import ReadOptions, read_table
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import VerificationError, release_bytes_and_checks
from engine.release.write import format_id_for_path, writing_options_for_path
from tests.fuzz.files.cases import ONLY_READ, Case, Columns, Dialect, cases
from tests.fuzz.files.plain import layout_of, load, plain, store

LONG = int(os.environ.get("COTERIE_RELEASES", "225"))
FIRST_SEED = int(os.environ.get("COTERIE_SEED", "0"))

DAY = datetime.timedelta(days=1)
EPOCH = datetime.datetime(1970, 1, 1)
WORDS = {"NA", ".", "#N/A", "\\N", "-", "--"}
"""Words for a missing value, where all other cells are numbers or dates."""


def released(case: Case) -> tuple[bytes, bytes, Outcome]:
    """Return the file that came, the one that leaves, and what was said of it.

    Raises
    ------
    EngineError
        If such choices are refused; nothing leaves.
    """
    content = store(case)
    options = ReadOptions(layout=layout_of(case))
    table = read_table(content, name=f"in{case.suffix}", options=options)
    roles = dict.fromkeys(table.schema.names, "other")
    roles |= dict.fromkeys(case.quasi, "quasi-identifier")
    table = table.assign(roles=roles, kinds=case.kinds)
    plan = Plan(quasi_identifiers=case.quasi, identifiers=("name",), **case.choices)
    writing = case.writing
    if case.into != case.suffix:
        writing = writing_options_for_path(_path(case), writing)
    outcome = run(plan, table)
    written = release_bytes_and_checks(outcome, table, writing)
    broken = [str(check.title) for check in written.failed_checks if check.promised]
    assert broken == []
    return content, written.content, outcome


def _path(case: Case) -> Any:
    from pathlib import Path

    path = Path(f"out{case.into}")
    assert format_id_for_path(path)
    return path


def check(case: Case) -> str:
    """Compare both files; return why there is no release, in the engine's words."""
    try:
        content, done, outcome = released(case)
    except VerificationError:
        raise
    except EngineError as error:
        refusal_text = str(error.message.template)
    else:
        refusal_text = ""
    if refusal_text:
        assert "please report" not in refusal_text
        return refusal_text
    dialect = case.dialect if case.into == case.suffix else Dialect()
    before = case.columns
    if case.suffix not in ONLY_READ:
        before = load(content, case.suffix, case.dialect)
    after = load(done, case.into, dialect)
    assert "name" not in after
    rows = [int(float(plain(cell))) for cell in after["row"]]
    check_records(case, rows)
    check_others(case, before, after, rows)
    check_groups(case, after, outcome)
    figures = outcome.summary()
    if figures["information_loss"] is not None and figures["lower_bound"] is not None:
        assert figures["lower_bound"] <= figures["information_loss"] * (1 + 1e-12)
    if "interval" not in outcome.plan.aggregations.values():
        check_figures(case, after, rows, outcome)
    return ""


def check_records(case: Case, rows: Sequence[int]) -> None:
    """Compare which records leave, and their order."""
    cells = [case.columns[name] for name in case.quasi]
    lacking = {i for i in case.columns["row"] if any(c[i] is None for c in cells)}
    gone = lacking if case.choices["missing"] == "drop" else set()
    assert sorted(rows) == [i for i in case.columns["row"] if i not in gone]
    if not case.writing.shuffle:
        assert list(rows) == sorted(rows)


def check_others(
    case: Case, before: Columns, after: Columns, rows: Sequence[int]
) -> None:
    """Compare columns that are not protected: by every bit, or by what they say."""
    for name in before:
        if name in (*case.quasi, "name"):
            continue
        if case.into == case.suffix:
            expected = [repr(before[name][row]) for row in rows]
            assert list(map(repr, after[name])) == expected, name
            continue
        cells = case.columns[name]
        typed = case.suffix not in (".csv", ".fwf")
        texts = (lambda c: c) if typed else case.texts.get(name, str)
        numbers = all(
            isinstance(said(c), tuple) or said(c) is None or c in WORDS for c in cells
        )
        released_cells = after[name] if name in after else after[name.strip()]
        for row, cell in zip(rows, released_cells, strict=True):
            # Of text files only the case knows; others may hold fewer digits.
            truth = plain(before[name][row]) if typed else cells[row]
            could = {said(truth), said(truth if truth is None else texts(truth))}
            if numbers and truth in WORDS:
                could.add(None)
            assert said(plain(cell)) in could, (name, truth, cell)


def said(cell: Any) -> Any:
    """Return the number or moment that a cell says, in a tuple, or its text."""
    if cell is None or cell is pd.NaT or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, bool):
        return ("number", decimal.Decimal(cell))
    if isinstance(cell, int | float | decimal.Decimal):
        return ("number", decimal.Decimal(repr(cell) if cell == 0.5 else str(cell)))
    if isinstance(cell, datetime.date):
        return ("moment", moment(cell))
    text = str(cell).rstrip(" ")
    if not text.strip():
        return None
    if re.fullmatch(r"-?(0|[1-9]\d*|)(\.\d*)?(e[+-]?\d+)?", text, re.IGNORECASE):
        try:
            return ("number", decimal.Decimal(text))
        except decimal.InvalidOperation:
            return text
    if text in ("True", "False"):
        return ("number", decimal.Decimal(text == "True"))
    if re.match(r"\d{4}-\d\d-\d\d", text):
        try:
            return ("moment", moment(datetime.datetime.fromisoformat(text)))
        except ValueError:
            return text
    return text.strip()


def moment(cell: datetime.date) -> datetime.datetime:
    """Return a date as a moment of UTC without a zone."""
    if not isinstance(cell, datetime.datetime):
        return datetime.datetime.combine(cell, datetime.time())
    if isinstance(cell, pd.Timestamp):
        cell = cell.to_pydatetime(warn=False)
    if cell.tzinfo is not None:
        cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return cell


def check_groups(case: Case, after: Columns, outcome: Outcome) -> None:
    """Count k, and what else every group has."""
    keys = list(
        zip(*([str(plain(c)) for c in after[q]] for q in case.quasi), strict=True)
    )
    smallest_class = min(Counter(keys).values())
    traits = methods.info(case.choices["method"]).traits
    whole = not traits.per_attribute and "blocks" not in case.choices
    if traits.guarantees_k and whole:
        assert smallest_class >= case.choices["k"]
    assert smallest_class == outcome.k_released
    if "p_sensitive" in case.choices and whole and traits.guarantees_k:
        secrets = defaultdict(set)
        for key, cell in zip(keys, after["secret"], strict=True):
            secrets[key].add(plain(cell))
        assert min(map(len, secrets.values())) >= 2


def number(case: Case, name: str, cell: Any) -> float:
    """Return a cell as a number: dates in days."""
    cell = plain(cell)
    if cell is None or cell == "" or cell is pd.NaT:
        return math.nan
    if isinstance(cell, str):
        if cell.endswith(" €"):
            cell = cell.removesuffix(" €").replace(".", "").replace(",", ".")
        elif re.fullmatch(r"\d+\.\d+\.\d{4}", cell):
            day, month, year = map(int, cell.split("."))
            cell = datetime.date(year, month, day)
        elif re.match(r"\d{4}-\d\d-\d\d", cell):
            cell = datetime.datetime.fromisoformat(cell)
        elif case.into == case.suffix:
            # Amounts may be the only decimals: then the file is one of commas.
            sign = "," if case.texts and "," in cell else case.dialect.decimal
            cell = cell.replace(sign, ".")
    if isinstance(cell, datetime.date):
        return (moment(cell) - EPOCH) / DAY
    return float(cell)


def check_figures(
    case: Case, after: Columns, rows: Sequence[int], outcome: Outcome
) -> None:
    """Work means, decimals, rules and losses out again."""
    choices = case.choices
    names = [name for name, kind in case.kinds.items() if kind == "continuous"]
    before = {
        q: np.array([number(case, q, case.columns[q][i]) for i in rows]) for q in names
    }
    numbers_after = {q: np.array([number(case, q, c) for c in after[q]]) for q in names}
    traits = methods.info(choices["method"]).traits
    if "constraints" in choices:
        check_rule(choices["constraints"][0], numbers_after)
    elif choices["rounding"] == "types":
        check_decimals(case, after)
    if any(np.isnan(column).any() for column in before.values()):
        return
    weights = (
        np.array([case.columns["weight"][i] for i in rows], dtype=float)
        if ("weights" in choices)
        else np.ones(len(rows))
    )
    exact = choices["rounding"] == "none" and "constraints" not in choices
    if exact and choices["aggregation"] == "mean" and not traits.probabilistic:
        for q in names:
            assert np.average(numbers_after[q], weights=weights) == pytest.approx(
                np.average(before[q], weights=weights), abs=1e-7, rel=1e-9
            )
    plainly = not {"weights", "attribute_weights"} & choices.keys()
    if names == list(case.quasi) and plainly:
        check_loss(choices["scaling"], before, numbers_after, outcome)


def check_loss(
    scaling: str,
    before: dict[str, np.ndarray],
    found: dict[str, np.ndarray],
    outcome: Outcome,
) -> None:
    """Work the loss of numbers out again."""
    X, Y = np.column_stack([*before.values()]), np.column_stack([*found.values()])
    scale = {
        "zscore": X.std(axis=0),
        "range": np.ptp(X, axis=0),
        "none": np.ones(X.shape[1]),
    }[scaling]
    # The mean of equal numbers can be off by a last digit, and so their deviation.
    scale = np.where(np.ptp(X, axis=0) > 0, scale, 1.0)
    sse = (((X - Y) / scale) ** 2).sum()
    sst = (((X - X.mean(axis=0)) / scale) ** 2).sum()
    released_loss = outcome.summary()["information_loss_released"]
    if sst > 0:
        assert released_loss == pytest.approx(100 * sse / sst, rel=1e-6, abs=1e-7)


def check_rule(rule: str, found: dict[str, np.ndarray]) -> None:
    """Work out whether every record keeps a rule such as ``a + b = s``."""
    names, sign, bound = re.split(r" (>=|<=|=) ", rule)
    left_side = sum(found[name] for name in names.split(" + "))
    right = found[bound] if bound in found else np.array(float(bound))
    gap = (left_side - right)[~np.isnan(left_side - right)]
    slack = 1e-9 * (1 + np.abs(left_side[~np.isnan(left_side - right)]))
    assert (gap >= -slack).all() if sign in (">=", "=") else True, rule
    assert (gap <= slack).all() if sign in ("<=", "=") else True, rule


def check_decimals(case: Case, after: Columns) -> None:
    """Count decimals: released numbers have no more than the column had."""
    for name in case.quasi:
        cells = [c for c in case.columns[name] if c is not None]
        if case.kinds[name] == "continuous" and isinstance(cells[0], int | float):
            max_decimals = max(map(decimals, cells))
            for cell in after[name]:
                value = number(case, name, cell)
                assert value != value or decimals(value) <= max_decimals, (name, cell)


def decimals(value: float) -> int:
    """Return how many decimals the shortest text of a number has."""
    exponent = decimal.Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


QUIET = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


@pytest.mark.slow
@seed(14)
@settings(max_examples=25, **QUIET)
@given(cases())
def test_files_keep_what_is_promised(case: Case) -> None:
    check(case)


def count_outcomes(
    first_seed: int,
    is_over: Callable[[Counter[str]], bool],
    failed: Callable[[int, Exception], None] | None = None,
) -> Counter[str]:
    """Return how many cases were released, under "", and refused, by why.

    Parameters
    ----------
    first_seed : int
    is_over : callable
        Asked after every hundred cases, with what was counted so far.
    failed : callable, optional
        Told of the smallest case that is wrong; without it that ends all.
    """
    counts: Counter[str] = Counter()

    def attempt(case: Case) -> None:
        counts[check(case)] += 1

    for start in range(first_seed, first_seed + 100_000):
        if is_over(counts):
            break
        try:
            seed(start)(settings(max_examples=100, **QUIET)(given(cases())(attempt)))()
        except Exception as error:
            if failed is None:
                raise
            failed(start, error)
    return counts


def print_outcomes(counts: Counter[str]) -> None:
    """Say how many cases were released, and why others were refused."""
    done = counts.pop("")
    print(f"{done:,} releases; {counts.total():,} plans refused:")
    for why, count in counts.most_common():
        print(f"{count:6,} {why}")


@pytest.mark.slow
def test_many_files_keep_what_is_promised() -> None:
    counts = count_outcomes(FIRST_SEED, lambda counts: counts[""] >= LONG)
    assert counts[""] >= LONG
    print_outcomes(counts)
