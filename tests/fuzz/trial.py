"""Random tables, stored as others write them, and random options of ``run``."""

import gzip
import random
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from engine.methods import methods
from tests.engine.files.workbooks import test_ods as ods
from tests.fuzz.files.cases import Columns
from tests.fuzz.files.sas import sas7bdat

WAYS_IN = (
    "csv", "csv.gz", "zip", "parquet", "ods", "xpt", "sas7bdat", "rds", "duckdb", "sav",
    "dta", "xlsx", "fwf",
)  # fmt: skip
EXTRAS = (
    "log", "box-cox", "weight", "strata", "person", "persons", "suppress", "only",
    "blocks", "p", "t", "entropy", "gaps", "units", "shuffle", "rule", "none", "none",
    "households", "k-map", "recursive", "tree", "generalise",
)  # fmt: skip
"""What one trial has beside method, scaling, rounding and aggregation."""

TREE = (("t", "left", "*"), ("u", "left", "*"), ("v", "right", "*"), ("w", "w", "*"))
"""Levels of a hierarchy, one line for each category."""

LABELS = {1.0: "one", 2.0: "two", 3.0: "three"}

DECLARED = (
    ([-99.0], (-99.0,)),
    ([-99.0, -98.0, -50.0], (-99.0, -98.0, -50.0)),
    ([{"lo": -99.0, "hi": -90.0}], (-99.0, -95.5, -90.0)),
    ([{"lo": -99.0, "hi": -90.0}, -50.0], (-99.0, -91.0, -50.0)),
)
"""Ways to declare in SPSS what is missing, and numbers that then are."""


class Trial:
    """One random table, and what commands say of it.

    Parameters
    ----------
    seed : int
    folder : Path
        For its files.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng, self.folder = random.Random(seed), folder
        self.seed, self.n = seed, self.rng.randint(6, 40)
        self.columns: Columns = {"row": list(range(self.n))}
        for name in "ab"[: self.rng.randint(1, 2)]:
            self.columns[name] = self._numbers()
        self.numbers = [x for x in self.columns if x != "row"]
        self.quasi = list(self.numbers)
        if self.rng.random() < 0.25:
            self.columns["w"] = self._drawn("uvw")
            self.quasi.append("w")
        self.columns["s"] = self._drawn("xxyz")
        self.columns["l"] = self._drawn((1, 2, 3))
        self.suffix = self.rng.choice(WAYS_IN)
        self.reading = list[str]()
        self.declared = dict[str, list[Any]]()
        self.coded: Columns = {}
        self.k = self.rng.randint(2, 4)

    def _numbers(self) -> list[Any]:
        draw = self.rng.choice(
            [
                lambda: self.rng.randint(1, 9),
                lambda: self.rng.randint(-40, 40) / 8,
                lambda: round(self.rng.lognormvariate(5, 1), 2),
                lambda: self.rng.randint(10**6, 10**6 + 50),
            ]
        )
        return [draw() for _ in range(self.n)]

    def _drawn(self, values: Any) -> list[Any]:
        return [self.rng.choice(values) for _ in range(self.n)]

    def path(self, name: str) -> str:
        """Return the path of a file of this trial."""
        return str(self.folder / name)

    def store(self) -> str:
        """Write the table as others do, and return its path."""
        path, frame = self.path(f"in.{self.suffix}"), pd.DataFrame(self.columns)
        text = frame.to_csv(index=False).encode()
        if self.suffix == "csv":
            Path(path).write_bytes(text)
        elif self.suffix == "csv.gz":
            Path(path).write_bytes(gzip.compress(text))
        elif self.suffix == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("in.csv", text)
        elif self.suffix == "parquet":
            pq.write_table(pa.table(self.columns), path)
        elif self.suffix == "ods":
            rows = [list(self.columns), *zip(*self.columns.values(), strict=True)]
            cells = [[ods.cell(x) for x in each] for each in rows]
            Path(path).write_bytes(ods.document(sheet=[*map(ods.row, cells)]))
        elif self.suffix == "xpt":
            pyreadstat.write_xport(frame, path, file_format_version=8)
        elif self.suffix == "sas7bdat":
            Path(path).write_bytes(sas7bdat(self.columns))
        elif self.suffix == "rds":
            import pyreadr

            pyreadr.write_rds(path, frame)
        elif self.suffix == "duckdb":
            with duckdb.connect(path) as database:
                database.register("frame", frame)
                database.execute("create table t as select * from frame order by row")
        elif self.suffix == "xlsx":
            frame.to_excel(path, index=False)
        elif self.suffix == "fwf":
            texts = frame.astype(object).where(frame.notna(), "").astype(str)
            rows = texts.itertuples(index=False)
            lines = ["".join(cell.rjust(16) for cell in row) for row in rows]
            Path(path).write_text("\n".join([*lines, ""]), encoding="utf-8")
            ends = [
                f"{name} {16 * i + 1}-{16 * i + 16}" for i, name in enumerate(frame)
            ]
            self.reading = ["--layout", ", ".join(ends)]
        elif self.suffix == "dta":
            labels = {"l": {int(code): word for code, word in LABELS.items()}}
            frame.to_stata(path, write_index=False, version=118, value_labels=labels)
        else:
            self._store_sav(path)
        return path

    def _store_sav(self, path: str) -> None:
        """Write SPSS, where codes, ranges and words may be declared missing."""
        rng, columns = self.rng, self.columns
        if "gaps" in self.extras:
            self.declared["a"], codes = rng.choice(DECLARED)
            self.coded["a"] = [
                rng.choice((None, *codes)) if x is None else x for x in columns["a"]
            ]
        if rng.random() < 0.5:
            self.declared["l"] = rng.choice([[3.0], [{"lo": 3.0, "hi": 9.0}], [2, 3]])
            self.coded["l"] = columns["l"]
            gone = (2, 3) if self.declared["l"] == [2, 3] else (3,)
            columns["l"] = [None if x in gone else x for x in columns["l"]]
        if rng.random() < 0.5:
            self.declared["m"], self.coded["m"] = ["none"], self._drawn(["none", "q"])
            columns["m"] = [None if x == "none" else x for x in self.coded["m"]]
        pyreadstat.write_sav(
            pd.DataFrame({**columns, **self.coded}),
            path,
            variable_value_labels={"l": LABELS},
            missing_ranges=self.declared or None,
        )

    def choices(self) -> list[str]:
        """Return random options of ``run``, and add the columns that they need."""
        rng, words = self.rng, list[str]()
        info = rng.choice(methods.infos())
        self.method = info
        words += ["--method", info.id, "--k", str(self.k)]
        if info.traits.time_budget:
            words += ["--param", f"{info.traits.time_budget}=0.05"]
        self.scaling = rng.choice(["zscore", "range", "none"])
        self.rounding = rng.choice(["types", "none"])
        self.aggregation = rng.choice(["mean", "median", "auto"])
        words += ["--scaling", self.scaling, "--rounding", self.rounding]
        words += ["--aggregation", self.aggregation, "--confidential", "s"]
        self.extras = set(rng.sample(EXTRAS, rng.randint(1, 2)))
        for pair in (
            {"log", "box-cox"},
            {"person", "persons"},
            {"suppress", "only"},
            {"tree", "generalise"},
        ):
            if pair <= self.extras:
                self.extras.remove(min(pair))
        for extra in sorted(self.extras):
            words += self._extra_options(extra)
        return words

    def _extra_options(self, extra: str) -> list[str]:
        rng = self.rng
        if extra in ("log", "box-cox"):
            return ["--transform", f"a={extra}"]
        if extra == "weight":
            return ["--attribute-weights", "a=4"]
        if extra == "strata":
            self.columns["z"] = self._drawn("pq")
            return ["--strata", "z", "--small-strata", "merge"]
        if extra in ("person", "persons"):
            some = max(self.k, self.n // 2)
            self.columns["who"] = [f"p{rng.randrange(some)}" for _ in range(self.n)]
            knows = "one" if extra == "person" else "all"
            return ["--person", "who", "--intruder-knows", knows]
        if extra == "gaps":
            for i in rng.sample(range(self.n), rng.randint(1, 3)):
                self.columns["a"][i] = None
            return ["--missing", rng.choice(["drop", "keep", "median", "keep-or-fill"])]
        if extra == "units":
            self.columns["u"] = [rng.randint(1, 5) for _ in range(self.n)]
            return ["--weights", "u"]
        if extra == "rule":
            lowest_value = min(x for x in self.columns["a"] if x is not None)
            return ["--constraint", f"a >= {lowest_value}"]
        if extra == "households":
            some = max(self.k, self.n // 2)
            self.columns["h"] = sorted(rng.randrange(some) for _ in range(self.n))
            if rng.random() < 0.5:
                self.columns["h"] = [i // 2 for i in range(self.n)]
            return ["--household", "h"]
        if extra == "k-map":
            self.people = rng.randint(2, 60)
            return ["--k-map", str(self.people), "--sampling-fraction", "0.2"]
        if extra == "recursive":
            self.c, self.l = rng.choice([1.1, 2.0, 3.0]), rng.choice([2, 3])
            return ["--recursive-c", str(self.c), "--recursive-l", str(self.l)]
        if extra in ("tree", "generalise"):
            self.columns["w"] = self._drawn("tuvw")
            self.quasi = [*self.numbers, "w"]
            lines = "".join(";".join(line) + "\n" for line in TREE)
            Path(self.path("tree.csv")).write_text(lines, encoding="utf-8")
            rule = [*("--aggregation", "w=generalise")] * (extra == "generalise")
            return ["--hierarchy", f"w={self.path('tree.csv')}", *rule]
        return {
            "suppress": ["--suppress", str(rng.randint(1, 3))],
            "only": ["--only", "s = x"],
            "blocks": ["--block", "a"],
            "p": ["--p-sensitive", "2"],
            "t": ["--t-close", "0.4"],
            "entropy": ["--entropy-l", "1.5"],
            "shuffle": ["--shuffle-seed", "3"],
        }.get(extra, [])
