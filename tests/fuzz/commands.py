"""Whole commands on random tables, judged from the files that they read and write.

Nothing of the engine judges: files are read with csv, openpyxl, pyarrow and pyreadstat,
and k, l, t, NCP, losses and attacks are worked out again from their definitions.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import math
import random
import re
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from engine.cli.parser import main
from engine.methods import methods
from tests.engine.files import test_ods as ods
from tests.fuzz.cases import Columns, Dialect
from tests.fuzz.plain import load, plain

WAYS_IN = (
    "csv", "csv.gz", "zip", "parquet", "ods", "xpt", "rds", "duckdb", "sav", "dta",
    "xlsx", "fwf",
)  # fmt: skip
WAYS_OUT = (".csv", ".xlsx", ".parquet", ".sav", ".dta")
EXTRAS = (
    "log", "box-cox", "weight", "strata", "person", "persons", "suppress", "only",
    "blocks", "p", "t", "entropy", "gaps", "units", "shuffle", "rule", "none", "none",
    "households", "k-map", "recursive", "tree", "generalise",
)  # fmt: skip
"""What one trial has beside method, scaling, rounding and aggregation."""

TREE = (("t", "left", "*"), ("u", "left", "*"), ("v", "right", "*"), ("w", "w", "*"))
"""Levels of a hierarchy, one line for each category."""

LABELS = {1.0: "one", 2.0: "two", 3.0: "three"}
DDI = "{ddi:codebook:2_5}"


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
            frame.to_stata(path, write_index=False, version=118)
        else:
            labels = {"l": LABELS}
            pyreadstat.write_sav(frame, path, variable_value_labels=labels)
        return path

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
        for one in (
            {"log", "box-cox"},
            {"person", "persons"},
            {"suppress", "only"},
            {"tree", "generalise"},
        ):
            if one <= self.extras:
                self.extras.remove(min(one))
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
            least = min(x for x in self.columns["a"] if x is not None)
            return ["--constraint", f"a >= {least}"]
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


def try_seed(seed: int) -> str:
    """Make one trial and judge it; return why there was no release, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(seed, Path(folder))
        choices = trial.choices()
        source, into = trial.store(), trial.rng.choice(WAYS_OUT)
        words = ["run", source, *trial.reading, *choices]
        words += ["--quasi-identifiers", ",".join(trial.quasi)]
        release, groups = trial.path(f"out{into}"), trial.path("groups.csv")
        files = ["--output", release, "--groups", groups]
        files += ["--json", trial.path("j.json"), "--plan", trial.path("p.json")]
        files += ["--ddi", trial.path("d.xml"), "--croissant", trial.path("c.json")]
        ids = "l-diversity,t-closeness,prosecutor-risk"
        code, _, error = call([*words, *files, "--measure", ids], trial.folder)
        if code:
            return refusal(error)
        judge(trial, release, into)
        again = trial.path(f"again{into}")
        plan = ["run", source, "--plan", trial.path("p.json"), "--output", again]
        plan += trial.reading
        assert call(plan, trial.folder)[0] == 0
        same = Path(again).read_bytes() == Path(release).read_bytes()
        assert same or trial.method.traits.time_budget, "plan"  # which the clock ends
        if into in (".csv", ".parquet"):
            attack(trial, source, release, groups)
        return ""


def judge(trial: Trial, release: str, into: str) -> None:
    """Compare a release and every figure of its run with the table that came in."""
    content = Path(release).read_bytes()
    after = load(content, into, Dialect())
    after = {name: [plain(x) for x in cells] for name, cells in after.items()}
    told = json.loads(Path(trial.path("j.json")).read_text(encoding="utf-8"))
    rows, labels = [int(float(x)) for x in after["row"]], groups_of(trial)
    kept = [i for i, label in enumerate(labels) if label is not None]
    before = trial.columns
    there = [*range(trial.n)]
    if "only" in trial.extras:
        there = [i for i in there if before["s"][i] == "x"]
    if "gaps" in trial.extras and told["missing"] == "drop":
        there = [i for i in there if before["a"][i] is not None]
    n_out = len(there) - len(rows)
    assert 0 <= n_out <= (3 if "suppress" in trial.extras else 0), n_out
    assert sorted(rows) == kept
    assert "shuffle" in trial.extras or rows == kept
    for name in ("s", "l", "z", "u", "who"):
        if name in after:
            same = [as_text(before[name][i]) for i in rows]
            assert [*map(as_text, after[name])] == same, name
    classes = list(zip(*(map(as_text, after[q]) for q in trial.quasi), strict=True))
    judge_privacy(trial, told, rows, classes, after, labels)
    judge_loss(trial, told, rows, labels, after, there)
    judge_descriptions(trial, content, after)


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
    found = [line.strip('"') or None for line in text[1:]]
    assert len(found) == trial.n, "groups.csv has another number of records"
    return found


def judge_privacy(
    trial: Trial,
    told: dict[str, Any],
    rows: list[int],
    classes: list[Any],
    after: Columns,
    labels: list[str | None],
) -> None:
    """Count k, persons, values, distances and strata in the classes that leave."""
    traits = trial.method.traits
    whole = traits.guarantees_k and not traits.per_attribute
    whole = whole and "blocks" not in trial.extras
    sizes = Counter(classes)
    assert told["k_released"] == min(sizes.values()) or "who" in trial.columns
    secret = [trial.columns["s"][i] for i in rows]
    members: dict[Any, list[int]] = defaultdict(list)
    for place, key in enumerate(classes):
        members[key].append(place)
    people = {key: len(some) for key, some in members.items()}
    least = min(people.values())
    if who := trial.columns.get("who"):
        of = {key: {who[rows[p]] for p in some} for key, some in members.items()}
        people = {key: len(some) for key, some in of.items()}
        least = min(people.values())
        if "persons" in trial.extras:
            visits: dict[str, set[Any]] = defaultdict(set)
            for key, some in of.items():
                for name in some:
                    visits[name].add(key)
            alike = Counter(map(frozenset, visits.values()))
            least = min(least, min(alike.values()))
        if "k_persons" not in told:  # as everybody has one record
            assert len({who[i] for i in rows}) == len(rows)
        else:
            assert told["k_persons"] == least, (told["k_persons"], least)
            assert told["n_persons"] == len({who[i] for i in rows})
    if whole:
        assert min(people.values()) >= trial.k, "k"
        assert told["k_verified"] is True
    measured = {x["id"]: x["value"] for x in told["measures"]}
    assert close(measured["prosecutor-risk"], 100 / least)
    if "who" in trial.columns:
        return
    drawn = {key: Counter(secret[p] for p in some) for key, some in members.items()}
    assert measured["l-diversity"] == min(map(len, drawn.values()))
    overall = Counter(secret)
    t = max(
        sum(abs(c[v] / c.total() - m / overall.total()) for v, m in overall.items()) / 2
        for c in drawn.values()
    )
    assert close(measured["t-closeness"], t), (measured["t-closeness"], t)
    if whole and "p" in trial.extras:
        assert measured["l-diversity"] >= 2
    if whole and "t" in trial.extras:
        assert t <= 0.4 + 1e-9
    if whole and "entropy" in trial.extras:
        for c in drawn.values():
            p = np.array([*c.values()]) / c.total()
            assert -(p * np.log(p)).sum() >= math.log(1.5) - 1e-9
    if whole and "recursive" in trial.extras:
        for c in drawn.values():
            counts = sorted(c.values(), reverse=True)
            assert counts[0] < trial.c * sum(counts[trial.l - 1 :]), counts
    if whole and "k-map" in trial.extras:
        stands = np.array(trial.columns.get("u", [5] * trial.n))[rows]
        told_by = [stands[some].sum() for some in members.values()]
        assert min(told_by) >= trial.people, min(told_by)
    if "households" in trial.extras:
        judge_households(trial, rows, classes)
    if {"tree", "generalise"} & trial.extras:
        judge_tree(trial, told, rows, labels, after)
    if whole and "strata" in trial.extras and told["warnings"] is not None:
        homes = defaultdict(set)
        for i in rows:
            homes[labels[i]].add(trial.columns["z"][i])
        small = min(Counter(trial.columns["z"][i] for i in rows).values()) < trial.k
        assert small or max(map(len, homes.values())) == 1


def judge_households(trial: Trial, rows: list[int], classes: list[Any]) -> None:
    """Count the households that share all that leaves of their members."""
    homes: dict[Any, list[Any]] = defaultdict(list)
    for i, key in zip(rows, classes, strict=True):
        homes[trial.columns["h"][i]].append(key)
    shown = Counter(
        tuple(sorted(keys)) if len(set(keys)) > 1 else keys[0]
        for keys in homes.values()
    )
    assert min(shown.values()) >= trial.k, shown


def judge_tree(
    trial: Trial,
    told: dict[str, Any],
    rows: list[int],
    labels: list[str | None],
    after: Columns,
) -> None:
    """Look ancestors up in the lines of the tree, and count leaves below them."""
    if not trial.method.traits.guarantees_k or trial.method.traits.per_attribute:
        return
    if "blocks" in trial.extras:
        return
    groups: dict[Any, list[int]] = defaultdict(list)
    for i in rows:
        groups[labels[i]].append(i)
    rule, there = told["aggregations"]["w"], set(trial.columns["w"])
    assert rule == "generalise" or "tree" in trial.extras
    often = Counter(trial.columns["w"][i] for i in rows)
    lines = {line[0]: line for line in TREE}
    released, below = dict(zip(rows, after["w"], strict=True)), 0.0
    for some in groups.values():
        values = Counter(trial.columns["w"][i] for i in some)
        level = min(j for j in range(3) if len({lines[x][j] for x in values}) == 1)
        ancestor = lines[next(iter(values))][level]
        leaves = sum(line[level] == ancestor for line in TREE)
        below += len(some) * leaves / len(TREE) * (level > 0)
        (cell,) = {released[i] for i in some}
        modes = {x for x in values if values[x] == max(values.values())}
        allowed = {ancestor}
        if rule == "mode":
            allowed = modes
        elif rule == "ancestor" and ancestor == "*":  # a value of one would name it
            allowed = {x if often[x] > 1 else "*" for x in modes}
        assert cell in allowed, (values, cell, rule)
    if len(there) == len(TREE):
        penalty = told["certainty_penalty_per_column"]["w"]
        assert close(penalty, 100 * below / len(rows)), (penalty, below)


def close(one: float | None, other: float) -> bool:
    """Return whether two figures are one but for rounding."""
    return one is not None and abs(one - other) <= 1e-7 * max(1.0, abs(other))


def judge_loss(
    trial: Trial,
    told: dict[str, Any],
    rows: list[int],
    labels: list[str | None],
    after: Columns,
    there: list[int],
) -> None:
    """Work NCP, loss and bound of numbers out again, and means or medians."""
    traits, skipped = trial.method.traits, {"blocks", "gaps"}
    if traits.per_attribute or traits.probabilistic or trial.extras & skipped:
        return
    if not traits.guarantees_k:
        return
    members: dict[Any, list[int]] = defaultdict(list)
    for i in rows:
        members[labels[i]].append(i)
    sizes = [*map(len, members.values())]
    assert told["n_groups"] == len(members)
    assert told["group_size"]["min"] == min(sizes)
    assert told["group_size"]["max"] == max(sizes)
    some, losses, totals = sorted(rows), [], []
    u = np.array(trial.columns.get("u", [1] * trial.n), float)
    for name in trial.numbers:
        x = np.array(trial.columns[name], float)
        width = np.ptp(x[there]) or 1.0
        ncp = sum(np.ptp(x[m]) * len(m) for m in members.values()) / width / len(some)
        assert close(told["certainty_penalty_per_column"][name], 100 * ncp), name
        y = x.copy()
        for m in members.values():
            y[m] = common_value(trial, x[m], u[m])
        if trial.rounding == "none" and not trial.extras & {"box-cox", "rule"}:
            values = dict(zip(rows, after[name], strict=True))
            assert trial.aggregation == "auto" or all(
                close(float(values[i]), float(y[i])) for i in rows
            ), name
        if "log" in trial.extras and name == "a":
            shift = 0 if x[there].min() > 0 else 1 - x[there].min()
            x, y = np.log(x + shift), np.log(y + shift)
        scales = {"zscore": x[there].std(), "range": np.ptp(x[there]), "none": 1}
        scale = scales[trial.scaling] if np.ptp(x[there]) > 0 else 1.0
        factor = (4 if "weight" in trial.extras and name == "a" else 1) / scale**2
        centre = np.average(x[some], weights=u[some])
        losses.append(factor * (u * (x - y) ** 2)[some].sum())
        totals.append(factor * (u * (x - centre) ** 2)[some].sum())
    rules = {(told["kinds"][x], told["aggregations"][x]) for x in trial.numbers}
    odd = rules - {("continuous", "mean"), ("continuous", "median")}
    if odd or "w" in trial.quasi or "box-cox" in trial.extras or sum(totals) <= 0:
        return
    loss = 100 * sum(losses) / sum(totals)
    assert close(told["information_loss"], loss), (told["information_loss"], loss)
    bound = told["lower_bound"]
    assert bound is None or bound <= loss * (1 + 1e-9) + 1e-12


def common_value(trial: Trial, x: np.ndarray, u: np.ndarray) -> float:
    """Return the value by which a group's numbers are replaced, before rounding."""
    if trial.aggregation != "median":
        return float(np.average(x, weights=u))
    return float(np.median(x))


def judge_descriptions(trial: Trial, content: bytes, after: Columns) -> None:
    """Compare DDI and Croissant with the file that they describe."""
    root = ET.parse(trial.path("d.xml")).getroot()
    names = [each.get("name") for each in root.iter(f"{DDI}var")]
    assert names == list(after), names
    digest = hashlib.sha256(content).hexdigest()
    assert [x.text for x in root.iter(f"{DDI}digitalFingerprintValue")] == [digest]
    n = [int(str(x.text)) for x in root.iter(f"{DDI}caseQnty")]
    assert n == [len(after["row"])]
    for var in root.iter(f"{DDI}var"):
        cells = Counter(map(as_text, after[str(var.get("name"))]))
        for category in var.iter(f"{DDI}catgry"):
            value = str(category.findtext(f"{DDI}catValu"))
            count = category.findtext(f"{DDI}catStat[@type='freq']")
            key = as_text(float(value)) if re.fullmatch(r"-?\d+\.0", value) else value
            assert count is None or cells[key] == int(count), (var.attrib, value)
    text = Path(trial.path("c.json")).read_text(encoding="utf-8")
    said = json.loads(text)
    assert [x["sha256"] for x in said["distribution"]] == [digest]
    fields = [x["name"] for x in said["recordSet"][0]["field"]]
    assert fields == list(after), fields


def attack(trial: Trial, source: str, release: str, groups: str) -> None:
    """Attack a release, and the same in another order; judge what both come to."""
    known = ["--quasi-identifiers", ",".join(trial.quasi), "--confidential", "s"]
    known += ["--json", trial.path("a.json")]
    if "who" in trial.columns:
        known += ["--person", "who"]
    grouped = [] if "blocks" in trial.extras else ["--groups", groups]
    if "shuffle" in trial.extras:
        known += ["--match", "row"]
    words = ["attack", source, release, *trial.reading, *grouped, *known]
    code, _, error = call(words, trial.folder)
    if code:
        assert "cannot be matched by order" in error, error
        return
    told = json.loads(Path(trial.path("a.json")).read_text(encoding="utf-8"))
    rates = {x["id"]: x["rate"] for x in told["attacks"]}
    if "who" in trial.columns:
        return
    after = load(Path(release).read_bytes(), Path(release).suffix, Dialect())
    keys = list(zip(*(map(as_text, after[q]) for q in trial.quasi), strict=True))
    sizes, secret = Counter(keys), after["s"]
    of: dict[Any, Counter[str]] = defaultdict(Counter)
    for key, value in zip(keys, secret, strict=True):
        of[key][value] += 1
    said = told["releases"][0]
    assert said["smallest"] == min(sizes.values())
    assert said["n_classes"] == len(sizes)
    assert said["unique"] == sum(count == 1 for count in sizes.values())
    alone = sum(sizes[key] for key, values in of.items() if len(values) == 1)
    assert close(rates["disclosed-attributes"], alone / len(keys))
    least = min(sizes.values())
    merged = [key for key, size in sizes.items() if size >= 2 * least]
    if least < 2 or not merged:
        assert rates["minimality"] is None
    else:
        right = sum(of[key].most_common(1)[0][1] for key in merged)
        assert close(rates["minimality"], right / sum(sizes[key] for key in merged))
    columns = [trial.columns[q] for q in trial.quasi]
    words = any(str(cell)[:1] in "[(<" for q in trial.quasi for cell in after[q])
    if words or "w" in trial.quasi or any(None in cells for cells in columns):
        return
    kept = [int(float(x)) for x in after["row"]]
    X = np.array(columns, float).T[kept]
    Y = np.array([[*map(float, after[q])] for q in trial.quasi]).T
    sd = np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
    scaled = np.array(columns, float).T
    whole = np.where(np.ptp(scaled, axis=0) > 0, scaled.std(axis=0), 1.0)
    sd = sd if len(kept) < trial.n else whole
    middle = X.mean(axis=0)  # else large numbers leave no digits to tell ties by
    judge_linkage((X - middle) / sd, (Y - middle) / sd, keys, rates)
    judge_shuffled(trial, source, after, grouped, rates)


def judge_linkage(X: Any, Y: Any, keys: list[Any], rates: dict[str, Any]) -> None:
    """Find people by distance, and tell who is in a file, by all pairs of records."""
    near = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    least = near.min(axis=1, keepdims=True)
    closest = near <= least * (1 + 1e-9) + 1e-15
    linked = float((np.diag(closest) / closest.sum(axis=1)).mean())
    assert close(rates["record-linkage-distance"], linked), linked
    first = [keys.index(key) for key in dict.fromkeys(keys)]
    inside, outside = near[:, first].min(axis=1), []
    for i, key in enumerate(keys):
        seen = [Y[j] for j in first if keys[j] != key]
        if (size := keys.count(key)) > 1:
            seen.append((size * Y[i] - X[i]) / (size - 1))
        gaps = [((row - X[i]) ** 2).sum() for row in seen]
        outside.append(min(gaps, default=math.inf))
    out, best = np.array(outside), (-math.inf, 0.0)
    for limit in sorted({*inside[::2], *out[::2]}):
        gain = (inside[::2] <= limit).mean() - (out[::2] <= limit).mean()
        best = max(best, (gain, -limit))
    hits = (inside[1::2] <= -best[1]).mean(), (out[1::2] > -best[1]).mean()
    told = rates["membership"]
    # Distances that are equal but for a last digit may fall on either side.
    ties = (np.abs(np.append(inside, out) + best[1]) <= 1e-9).sum()
    assert abs(told - np.mean(hits)) <= 1e-9 + ties / (len(keys) // 2), (told, hits)


def judge_shuffled(
    trial: Trial,
    source: str,
    after: Columns,
    grouped: list[str],
    rates: dict[str, Any],
) -> None:
    """Attack the same release in another order, matched by its groups."""
    order = [*range(len(after["row"]))]
    trial.rng.shuffle(order)
    mixed = {name: [cells[i] for i in order] for name, cells in after.items()}
    pd.DataFrame(mixed).to_csv(trial.path("mixed.csv"), index=False)
    words = ["attack", source, trial.path("mixed.csv"), *grouped, "--confidential", "s"]
    words += trial.reading
    words += ["--quasi-identifiers", ",".join(trial.quasi), "--about", "99"]
    code, _, error = call([*words, "--json", trial.path("m.json")], trial.folder)
    if code:
        assert "cannot be matched by order" in error, error
        return
    told = json.loads(Path(trial.path("m.json")).read_text(encoding="utf-8"))
    found = {x["id"]: x for x in told["attacks"]}
    matching = told["releases"][0]["matching"]
    orderless = {"disclosed-attributes", "minimality"}
    linking = {"record-linkage-distance", "record-linkage-rank", "certain-claims"}
    for name in orderless | (linking if matching != "values" else set()):
        rate = found[name]["rate"]
        same = rate is None if rates[name] is None else close(rate, rates[name])
        assert same, (name, matching, rate, rates[name])
    for name in linking if matching == "values" else ():
        assert found[name]["verdict"].startswith("Cannot be judged"), name


def try_out_of_core(seed: int) -> str:
    """Protect a table block by block, and work k and loss out from all its parts."""
    rng = random.Random(seed)
    n, k, block = rng.randint(12, 150), rng.randint(2, 4), rng.randint(15, 60)
    scaling, is_log = rng.choice(["zscore", "range", "none"]), rng.random() < 0.3
    a = [rng.choice([rng.randint(1, 60), rng.randint(1, 5)]) for _ in range(n)]
    b = [rng.randint(-80, 80) / 8 for _ in range(n)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, into = str(folder / "in.parquet"), str(folder / "out")
        columns = {"row": [*range(n)], "a": a, "b": b}
        pq.write_table(pa.table(columns), path, row_group_size=rng.randint(5, n))
        words = ["run", path, "--quasi-identifiers", "a,b", "--k", str(k)]
        words += ["--out-of-core", "--output", into, "--scaling", scaling]
        words += ["--records-per-block", str(block), "--rounding", "none"]
        words += ["--json", str(folder / "j.json")] + ["--transform", "a=log"] * is_log
        code, _, error = call(words, folder)
        if code:
            return refusal(error)
        parts = [pq.read_table(part) for part in sorted(Path(into).glob("*.parquet"))]
        after = {x: pa.concat_tables(parts)[x].to_pylist() for x in columns}
        told = json.loads((folder / "j.json").read_text(encoding="utf-8"))
    assert sorted(after["row"]) == [*range(n)]
    members: dict[Any, list[int]] = defaultdict(list)
    for row, *key in zip(after["row"], after["a"], after["b"], strict=True):
        members[tuple(key)].append(row)
    least = min(map(len, members.values()))
    assert least >= k
    assert told["k_released"] <= least
    losses, totals = 0.0, 0.0
    for place, cells in enumerate((a, b)):
        x, y = np.array(cells, dtype=float), np.zeros(n)
        for key, some in members.items():
            y[some] = key[place]
        if is_log and place == 0:
            x, y = np.log(x), np.log(y)
        scale = {"zscore": x.std(), "range": np.ptp(x), "none": 1}[scaling] or 1.0
        losses += float(((x - y) ** 2).sum()) / scale**2
        totals += float(((x - x.mean()) ** 2).sum()) / scale**2
    assert close(told["information_loss"], 100 * losses / totals), told
    return ""


def try_regroup(seed: int) -> str:
    """Release a table twice by a ledger: the same groups, or unions of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trial = Trial(seed, folder)
        trial.suffix = "csv"
        first = ["run", trial.store(), "--quasi-identifiers", ",".join(trial.numbers)]
        first += ["--ledger", trial.path("l.json")]
        found = []
        for i, how in enumerate(("", trial.rng.choice(["same", "coarsen"]))):
            k = trial.k * 2 if how == "coarsen" else trial.k
            words = [*first, "--k", str(k), "--output", trial.path(f"{i}.csv")]
            words += ["--groups", trial.path("groups.csv")]
            code, _, error = call([*words, *["--regroup", how] * (how > "")], folder)
            if code:
                return refusal(error)
            found.append(groups_of(trial))
            (folder / "groups.csv").unlink()
        pairs = set(zip(*found, strict=True))
        assert len({fine for fine, _ in pairs}) == len(pairs), "a group was divided"
        assert how == "coarsen" or len({same for _, same in pairs}) == len(pairs)
        assert min(Counter(found[1]).values()) >= k
        return ""
