"""Attacks on releases, and on the same in another order, worked out again."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.fuzz.calls import as_text, call, close
from tests.fuzz.files.cases import Columns, Dialect
from tests.fuzz.files.plain import load
from tests.fuzz.trial import Trial


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
        fuzzy = trial.method.traits.probabilistic and "those of fuzzy groups" in error
        assert fuzzy or "cannot be matched by order" in error, error
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
