"""Tables of a few records, whose best groups are found by trying them all."""

import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine.methods import methods
from tests.fuzz.calls import call, close, refusal
from tests.reference.subsets import partitions


def try_tiny(seed: int) -> str:
    """Compare loss, bound, answer and certificate with the best of all partitions."""
    rng = random.Random(seed)
    n, k = rng.randint(4, 8), rng.randint(2, 3)
    info, scaling = rng.choice(methods.infos()), rng.choice(["zscore", "range", "none"])
    draw = rng.choice(
        [
            lambda: rng.randint(1, 4),
            lambda: rng.randint(-40, 40) / 8,
            lambda: round(rng.lognormvariate(3, 2), 2),
        ]
    )
    columns = {x: [draw() for _ in range(n)] for x in "ab"[: rng.randint(1, 2)]}
    names = [*columns]
    options = ["--method", info.id, "--k", str(k), "--scaling", scaling]
    if info.traits.time_budget:
        options += ["--param", f"{info.traits.time_budget}=0.05"]
    has_weights, has_strata = rng.random() < 0.2, rng.random() < 0.2
    w, of = [1] * n, [0] * n
    if has_weights:
        columns["u"] = w = [rng.randint(1, 3) for _ in range(n)]
        options += ["--weights", "u"]
    if has_strata:
        columns["z"] = of = sorted(rng.randrange(2) for _ in range(n))
        options += ["--strata", "z"]
    if rng.random() < 0.15:
        options.append("--thorough-bound")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, into = str(folder / "in.csv"), str(folder / "c.json")
        pd.DataFrame(columns).to_csv(path, index=False)
        X = np.array([columns[x] for x in names], float).T
        best_loss = least_loss(X, scaling, np.array(w, float), of, k)
        words = ["run", path, "--quasi-identifiers", ",".join(names), *options]
        words += ["--json", str(folder / "j.json"), "--aggregation", "mean"]
        limit = rng.choice(
            [None, best_loss * 0.97, best_loss * 1.05, rng.uniform(1, 60)]
        )
        has_limit = limit is not None and 0 < limit < 100
        words += ["--below", str(limit)] * has_limit
        code, output, error = call([*words, "--certificate", into], folder)
        if code:
            code, output, error = call(words, folder)  # of what has no certificate
        if code:
            return refusal(error)
        figures = json.loads((folder / "j.json").read_text(encoding="utf-8"))
        judge_bounds(figures, info, best_loss)
        if has_limit and limit is not None:
            judge_answer(output, info, limit, best_loss)
        if Path(into).exists():
            claim = json.loads(Path(into).read_text(encoding="utf-8"))
            assert float(claim["bound"]) <= best_loss * (1 + 1e-9) + 1e-12, best_loss
            code, words_of, error = call(["certify", into, path], folder)
            assert code == 0, error
            assert f"Covers {n} of {n} records" in words_of
            assert close(float(claim["loss"]), figures["information_loss"])
    return ""


def judge_bounds(said: dict[str, Any], info: Any, least: float) -> None:
    """Compare what a run lost, and its bound, with the least loss there is."""
    loss, bound = said["information_loss"], said["lower_bound"]
    if loss is None:
        return
    if info.traits.guarantees_k and not info.traits.per_attribute:
        assert loss >= least * (1 - 1e-9) - 1e-9, (loss, least)
        assert bound is None or bound <= least * (1 + 1e-9) + 1e-9, (bound, least)
        if said["gap"] == 0 and loss > 0 and bound is not None:
            assert close(loss, least), (loss, least)


def judge_answer(told: str, info: Any, limit: float, least: float) -> None:
    """Compare whether any groups lose less than a limit with what all of them lose."""
    if abs(limit - least) <= 1e-6 * max(1.0, least):
        return
    (answer,) = re.findall(r"^(Yes|No|Open|Whether)\b", told, re.MULTILINE)
    traits = info.traits
    told_nothing = traits.probabilistic or traits.per_attribute
    assert (answer == "Whether") == (told_nothing or not traits.guarantees_k)
    assert answer in ("Open", "Whether", "Yes" if least < limit else "No"), (
        limit,
        least,
    )


def least_loss(X: Any, scaling: str, w: Any, of: list[int], k: int) -> float:
    """Return what the best groups lose, in per cent, by trying all partitions."""
    wide = np.ptp(X, axis=0)
    scales = {"zscore": X.std(axis=0), "range": wide, "none": np.ones(X.shape[1])}
    X = X / np.where(wide > 0, scales[scaling], 1.0)

    def sse(group: list[int]) -> float:
        middle = w[group] @ X[group] / w[group].sum()
        return float(w[group] @ np.square(X[group] - middle).sum(axis=1))

    total = sse([*range(len(X))])
    if total <= 0:
        return 0.0
    best = 0.0
    for stratum in set(of):
        some = [i for i, x in enumerate(of) if x == stratum]
        losses = [
            sum(sse([some[i] for i in group]) for group in groups)
            for groups in partitions(len(some), k)
        ]
        best += min(losses, default=np.nan)
    return 100 * best / total
