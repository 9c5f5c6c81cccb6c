"""Random files, and random plans to protect them with."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from engine.methods import methods
from engine.release.writing import WritingOptions

SUFFIXES = (".csv", ".xlsx", ".parquet", ".sav", ".dta")

ONLY_READ = {".ods": ".xlsx", ".fwf": ".csv"}
"""Formats that nobody writes, and one that holds the same cells."""

Columns = dict[str, list[Any]]
Cells = st.SearchStrategy[Any]

BERLIN = ZoneInfo("Europe/Berlin")
FIRST = datetime.datetime(2021, 10, 25)
"""Clocks are put back six days later."""

TEXTS = (
    "NA", ".", "1.50", "1e400", "007", " a ", "x,y;", 'q"', "", "ß", "=1+1", "2",
    "12345678901234567890", "1000000000000000000.5", "2020-02-30", "1,5", "-", "+49 30",
    "12:30", "TRUE", "#N/A", "0x1F", "1e5", "  ", "a|b", "l\ni",
)  # fmt: skip
NUMBERS = (0.1 + 0.2, -0.0, 1e300, 12345678.9, None, 3.0, -7.25, 5e-324)
NAMES = (" outer ", 'q"t', "a,b;", "=x", "日本", "1", "two words")
"""Odd names, which not every format takes."""


def _day(number: int) -> datetime.date:
    return FIRST.date() + datetime.timedelta(days=number)


def _moment(minutes: int) -> datetime.datetime:
    return FIRST + datetime.timedelta(minutes=minutes)


def _zoned(minutes: int) -> datetime.datetime:
    return _moment(minutes).replace(tzinfo=datetime.UTC).astimezone(BERLIN)


def _decimal(number: int) -> decimal.Decimal:
    return decimal.Decimal(number).scaleb(-10)


days = st.integers(-20_000, 3_000).map(_day)
moments = st.integers(-(10**6), 10**5).map(_moment)
zoned = st.integers(8_000, 9_200).map(_zoned)
"""Around the hour that comes twice."""
eighths = st.integers(-4_000, 4_000).map(lambda i: i / 8)
cents = st.integers(-(10**6), 10**6).map(lambda i: i / 100)

PROTECTED: Mapping[str, tuple[str, Cells, tuple[str, ...]]] = {
    "whole": ("continuous", st.integers(-20, 20), SUFFIXES),
    "eighths": ("continuous", eighths, SUFFIXES),
    "cents": ("continuous", cents, SUFFIXES),
    "two": ("continuous", st.sampled_from([1, 2]), SUFFIXES),
    "ranks": ("ordinal", st.integers(1, 5), SUFFIXES),
    "words": ("nominal", st.sampled_from(["aa", "ab", "ba", "bb", "ß x"]), SUFFIXES),
    "codes": ("nominal", st.integers(1, 4), SUFFIXES),
    "days": ("continuous", days, SUFFIXES),
    "moments": ("continuous", moments, SUFFIXES),
    "zoned": ("continuous", zoned, (".parquet",)),
    "euros": ("continuous", cents, (".csv",)),
    "German days": ("continuous", days, (".csv",)),
}
"""Quasi-identifiers: kind, cells and formats that hold them."""

OTHERS: Mapping[str, tuple[Cells, tuple[str, ...]]] = {
    "text": (st.sampled_from(TEXTS), SUFFIXES),
    "numbers": (st.sampled_from(NUMBERS), SUFFIXES),
    "integers": (st.integers(-(2**53), 2**53), SUFFIXES),
    "days": (st.none() | days, SUFFIXES),
    "moments": (st.none() | moments, (".csv", ".parquet", ".xlsx")),
    "zoned": (st.none() | zoned, (".parquet",)),
    "booleans": (st.none() | st.booleans(), (".parquet", ".xlsx")),
    "decimals": (st.integers(-(10**30), 10**30).map(_decimal), (".parquet",)),
    "long": (st.integers(-(2**63), 2**63 - 1), (".csv", ".parquet")),
    "euros": (st.none() | cents, (".csv",)),
    "German days": (st.none() | days, (".csv",)),
}
"""Columns that are not protected."""


def _euros(number: float) -> str:
    signs = str.maketrans(",.", ".,")
    return f"{number:,.2f}".translate(signs) + " €"


def _german(day: datetime.date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


WRITTEN: Mapping[str, Callable[[Any], str]] = {"euros": _euros, "German days": _german}
"""Columns that people write in a way of their own."""


@dataclass
class Case:
    """A file, how to protect it, and how to write it.

    Attributes
    ----------
    suffix : str
    columns : dict of str to list
        What cells mean; missing ones None.
    texts : dict of str to callable
        How a text file writes cells of a column, where that is not ``str``.
    kinds : dict of str to str
        Of each quasi-identifier.
    choices : dict
        Of the plan.
    writing : WritingOptions
    into : str
        Suffix of the file that leaves.
    dialect : Dialect
        Of delimited text.
    """

    suffix: str
    columns: Columns
    texts: dict[str, Callable[[Any], str]]
    kinds: dict[str, str]
    choices: dict[str, Any]
    writing: WritingOptions
    into: str
    dialect: Dialect

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.kinds)


@dataclass(frozen=True)
class Dialect:
    """How delimited text is written."""

    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    quoted: bool = False
    decimal: str = "."


DIALECTS = (
    Dialect(),
    Dialect(";"),
    Dialect("\t", newline="\r\n"),
    Dialect("|", quoted=True),
    Dialect(encoding="utf-8-sig", newline="\r\n"),
    Dialect(";", encoding="utf-16"),
    Dialect(";", decimal=","),
)


@dataclass
class _Draft:
    """What a case is made of, while it is drawn."""

    n: int
    k: int
    suffix: str
    columns: Columns = field(default_factory=dict)
    texts: dict[str, Callable[[Any], str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, cells: list[Any], of: str = "") -> None:
        if name in self.columns:
            return
        self.columns[name] = cells
        if of in WRITTEN:
            self.texts[name] = WRITTEN[of]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    suffix = draw(st.sampled_from((*SUFFIXES, *ONLY_READ)))
    like = ONLY_READ.get(suffix, suffix)
    draft = _Draft(draw(st.integers(6, 30)), draw(st.integers(2, 4)), suffix)
    n = draft.n
    draft.add("row", list(range(n)))
    draft.add("name", [f"p{i}" for i in range(n)])
    mixed, lines = draw(st.booleans()), suffix == ".fwf"
    # Beside amounts with a comma, 1.125 is 1,125: and what leaves says so with a point.
    without = {"euros"} if lines else set()
    plain = ("whole", "eighths", "cents", "two")
    for name in draw(st.sampled_from(["a", "ab", "abc"])):
        pool = [
            of for of in PROTECTED if like in PROTECTED[of][2] and of not in without
        ]
        of = draw(st.sampled_from(pool if mixed else plain))
        kind, strategy, _ = PROTECTED[of]
        draft.add(name, draw(st.lists(strategy, min_size=n, max_size=n)), of)
        draft.kinds[name] = kind
    choices = _choices(draw, draft)
    pool = [of for of in OTHERS if like in OTHERS[of][1] and of not in without]
    for of in draw(st.lists(st.sampled_from(pool), unique=True, max_size=3)):
        cells = draw(st.lists(OTHERS[of][0], min_size=n, max_size=n))
        odd = suffix not in (".sav", ".dta", ".fwf") and draw(st.integers(0, 3)) == 0
        if lines and of == "text":
            cells = [cell.replace("\n", " ").strip() or None for cell in cells]
        draft.add(draw(st.sampled_from(NAMES)) if odd else of, cells, of)
    other = suffix in ONLY_READ or draw(st.integers(0, 3)) == 0
    into = draw(st.sampled_from(SUFFIXES)) if other else suffix
    # A number of one sign of decimals and text of another cannot be told apart.
    dialects = DIALECTS if into == suffix else DIALECTS[:-1]
    return Case(
        suffix,
        draft.columns,
        draft.texts,
        draft.kinds,
        choices,
        WritingOptions(shuffle=draw(st.booleans()), seed=draw(st.integers(0, 9))),
        into,
        draw(st.sampled_from(dialects)),
    )


def _choices(draw: st.DrawFn, draft: _Draft) -> dict[str, Any]:
    """Return the choices of a plan; may add columns that it needs."""
    columns, kinds, n = draft.columns, draft.kinds, draft.n
    method = draw(st.sampled_from(methods.infos()))
    choices: dict[str, Any] = {
        "method": method.id,
        "k": draft.k,
        "missing": draw(
            st.sampled_from(["refuse", "drop", "median", "keep", "keep-or-fill"])
        ),
        "scaling": draw(st.sampled_from(["zscore", "range", "none"])),
        "rounding": draw(st.sampled_from(["types", "precision", "none"])),
        "aggregation": draw(st.sampled_from(["auto", "mean", "median", "interval"])),
        "seed": draw(st.integers(0, 99)),
    }
    if budget := method.traits.time_budget:
        choices["parameters"] = {budget: 0.05}
    if choices["missing"] != "refuse" and draw(st.booleans()):
        for name in draw(st.sets(st.sampled_from([*kinds]), min_size=1)):
            for place in draw(st.lists(st.integers(0, n - 1), max_size=4)):
                columns[name][place] = None
    numbers = [name for name, kind in kinds.items() if kind == "continuous"]
    numeric = all(isinstance(columns[column][0], int | float) for column in numbers)
    extra = draw(st.integers(0, 11))
    if extra == 0:
        draft.add("stratum", [i % 2 for i in range(n)])
        choices |= {"strata": "stratum", "small_strata": "merge"}
    elif extra == 1 and numeric and len(numbers) > 1:
        column, other, *_ = numbers
        rules = [f"{column} >= -20", f"{other} <= 9000", f"{column} >= 0"]
        choices["constraints"] = (draw(st.sampled_from(rules)),)
    elif extra == 2 and numeric and len(numbers) > 1:
        column, other, *_ = numbers
        pairs = zip(columns[column], columns[other], strict=True)
        draft.add("s", [None if None in pair else sum(pair) for pair in pairs])
        kinds["s"] = "continuous"
        choices["constraints"] = (f"{column} + {other} = s",)
        for name in (column, other, "s"):  # as the file writes them
            draft.texts.pop(name, None)
    elif extra == 3 and len(kinds) > 1:
        choices["blocks"] = (("a",),)
    elif extra == 4:
        weights = st.lists(st.integers(1, 9), min_size=n, max_size=n)
        draft.add("weight", draw(weights))
        choices["weights"] = "weight"
    elif extra == 5:
        choices["attribute_weights"] = {"a": draw(st.sampled_from([0.5, 2.0, 10.0]))}
    elif extra == 6:
        draft.add("secret", [i % 3 for i in range(n)])
        choices |= {"confidential": ("secret",), "p_sensitive": 2}
    elif extra == 7:
        choices["interval_columns"] = True
    elif extra == 8:
        choices["polish"] = True
    return choices
