"""Attacks on releases, and on the same in another order, worked out again."""

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
    options = ["--quasi-identifiers", ",".join(trial.quasi), "--confidential", "s"]
    options += ["--json", trial.path("a.json")]
    if "who" in trial.columns:
        options += ["--person", "who"]
    grouped = [] if "blocks" in trial.extras else ["--groups", groups]
    if "shuffle" in trial.extras:
        options += ["--match", "row"]
    words = ["attack", source, release, *trial.reading, *grouped, *options]
    code, _, error = call(words, trial.folder)
    if code:
        assert "cannot be matched by order" in error, error
        return
    report = json.loads(Path(trial.path("a.json")).read_text(encoding="utf-8"))
    rates = {x["id"]: x["rate"] for x in report["attacks"]}
    if "who" in trial.columns:
        return
    after = load(Path(release).read_bytes(), Path(release).suffix, Dialect())
    keys = list(zip(*(map(as_text, after[q]) for q in trial.quasi), strict=True))
    sizes, secret = Counter(keys), after["s"]
    of: dict[Any, Counter[str]] = defaultdict(Counter)
    for key, value in zip(keys, secret, strict=True):
        of[key][value] += 1
    release_facts = report["releases"][0]
    assert release_facts["smallest"] == min(sizes.values())
    assert release_facts["n_classes"] == len(sizes)
    assert release_facts["unique"] == sum(count == 1 for count in sizes.values())
    n_disclosed = sum(sizes[key] for key, values in of.items() if len(values) == 1)
    assert close(rates["disclosed-attributes"], n_disclosed / len(keys))
    smallest_class = min(sizes.values())
    merged = [key for key, size in sizes.items() if size >= 2 * smallest_class]
    if smallest_class < 2 or not merged:
        assert rates["minimality"] is None
    else:
        right = sum(of[key].most_common(1)[0][1] for key in merged)
        assert close(rates["minimality"], right / sum(sizes[key] for key in merged))
    columns = [trial.columns[q] for q in trial.quasi]
    words = any(str(cell)[:1] in "[(<" for q in trial.quasi for cell in after[q])
    if words or "w" in trial.quasi or any(None in cells for cells in columns):
        return
    row_numbers = [int(float(x)) for x in after["row"]]
    X = np.array(columns, float).T[row_numbers]
    Y = np.array([[*map(float, after[q])] for q in trial.quasi]).T
    sd = np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
    scaled = np.array(columns, float).T
    whole = np.where(np.ptp(scaled, axis=0) > 0, scaled.std(axis=0), 1.0)
    sd = sd if len(row_numbers) < trial.n else whole
    middle = X.mean(axis=0)  # else large numbers leave no digits to tell ties by
    judge_linkage((X - middle) / sd, (Y - middle) / sd, keys, rates)
    judge_shuffled(trial, source, after, grouped, rates)


def judge_linkage(X: Any, Y: Any, keys: list[Any], rates: dict[str, Any]) -> None:
    """Find people by distance, and tell who is in a file, by all pairs of records."""
    near = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    nearest_sq_dist = near.min(axis=1, keepdims=True)
    closest = near <= nearest_sq_dist * (1 + 1e-9) + 1e-15
    linked = float((np.diag(closest) / closest.sum(axis=1)).mean())
    assert close(rates["record-linkage-distance"], linked), linked
    first = [keys.index(key) for key in dict.fromkeys(keys)]
    inside, outside = near[:, first].min(axis=1), []
    for i, key in enumerate(keys):
        candidates = [Y[j] for j in first if keys[j] != key]
        if (size := keys.count(key)) > 1:
            candidates.append((size * Y[i] - X[i]) / (size - 1))
        gaps = [((row - X[i]) ** 2).sum() for row in candidates]
        outside.append(min(gaps, default=math.inf))
    out, best = np.array(outside), (-math.inf, 0.0)
    for limit in sorted({*inside[::2], *out[::2]}):
        gain = (inside[::2] <= limit).mean() - (out[::2] <= limit).mean()
        best = max(best, (gain, -limit))
    hits = (inside[1::2] <= -best[1]).mean(), (out[1::2] > -best[1]).mean()
    rate = rates["membership"]
    # Distances that are equal but for a last digit may fall on either side.
    ties = (np.abs(np.append(inside, out) + best[1]) <= 1e-9).sum()
    assert abs(rate - np.mean(hits)) <= 1e-9 + ties / (len(keys) // 2), (rate, hits)


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
    report = json.loads(Path(trial.path("m.json")).read_text(encoding="utf-8"))
    attacks_by_id = {x["id"]: x for x in report["attacks"]}
    matching = report["releases"][0]["matching"]
    orderless = {"disclosed-attributes", "minimality"}
    linking = {"record-linkage-distance", "record-linkage-rank", "certain-claims"}
    for name in orderless | (linking if matching != "values" else set()):
        rate = attacks_by_id[name]["rate"]
        same = rate is None if rates[name] is None else close(rate, rates[name])
        assert same, (name, matching, rate, rates[name])
    for name in linking if matching == "values" else ():
        assert attacks_by_id[name]["verdict"].startswith("Cannot be judged"), name
