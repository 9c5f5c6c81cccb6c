"""Whole commands on random tables, judged from the files that they read and write.

Nothing of the engine judges: files are read with csv, openpyxl, pyarrow and pyreadstat,
and k, l, t, NCP, losses and attacks are worked out again from their definitions.
"""

import json
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.attacks import attack
from tests.fuzz.calls import call, close, groups_of, refusal
from tests.fuzz.judged import judge
from tests.fuzz.trial import Trial

WAYS_OUT = (".csv", ".xlsx", ".parquet", ".sav", ".dta")


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
        second_release = trial.path(f"again{into}")
        plan = [
            "run",
            source,
            "--plan",
            trial.path("p.json"),
            "--output",
            second_release,
        ]
        plan += trial.reading
        assert call(plan, trial.folder)[0] == 0
        same = Path(second_release).read_bytes() == Path(release).read_bytes()
        assert same or trial.method.traits.time_budget, "plan"  # which the clock ends
        if into in (".csv", ".parquet"):
            attack(trial, source, release, groups)
        return ""


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
        figures = json.loads((folder / "j.json").read_text(encoding="utf-8"))
    assert sorted(after["row"]) == [*range(n)]
    members: dict[Any, list[int]] = defaultdict(list)
    for row, *key in zip(after["row"], after["a"], after["b"], strict=True):
        members[tuple(key)].append(row)
    smallest_class = min(map(len, members.values()))
    assert smallest_class >= k
    assert figures["k_released"] <= smallest_class
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
    assert close(figures["information_loss"], 100 * losses / totals), figures
    return ""


def try_regroup(seed: int) -> str:
    """Release a table twice by a ledger: the same groups, or unions of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trial = Trial(seed, folder)
        trial.suffix = "csv"
        first = ["run", trial.store(), "--quasi-identifiers", ",".join(trial.numbers)]
        first += ["--ledger", trial.path("l.json")]
        groupings = []
        for i, how in enumerate(("", trial.rng.choice(["same", "coarsen"]))):
            k = trial.k * 2 if how == "coarsen" else trial.k
            words = [*first, "--k", str(k), "--output", trial.path(f"{i}.csv")]
            words += ["--groups", trial.path("groups.csv")]
            code, _, error = call([*words, *["--regroup", how] * (how > "")], folder)
            if code:
                return refusal(error)
            groupings.append(groups_of(trial))
            (folder / "groups.csv").unlink()
        pairs = set(zip(*groupings, strict=True))
        assert len({fine for fine, _ in pairs}) == len(pairs), "a group was divided"
        assert how == "coarsen" or len({same for _, same in pairs}) == len(pairs)
        assert min(Counter(groupings[1]).values()) >= k
        return ""
