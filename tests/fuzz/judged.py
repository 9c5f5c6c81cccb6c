"""Releases, judged from the table that came in and the files that were written."""

import hashlib
import json
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyreadstat

from tests.fuzz.calls import as_text, close, groups_of
from tests.fuzz.files.cases import Columns, Dialect
from tests.fuzz.files.plain import load, plain
from tests.fuzz.trial import TREE, Trial

DDI = "{ddi:codebook:2_5}"


def judge(trial: Trial, release: str, into: str) -> None:
    """Compare a release and every figure of its run with the table that came in."""
    content = Path(release).read_bytes()
    after = load(content, into, Dialect())
    after = {name: [plain(x) for x in cells] for name, cells in after.items()}
    figures = json.loads(Path(trial.path("j.json")).read_text(encoding="utf-8"))
    rows, labels = [int(float(x)) for x in after["row"]], groups_of(trial)
    grouped_rows = [i for i, label in enumerate(labels) if label is not None]
    before = trial.columns
    eligible_rows = [*range(trial.n)]
    if "only" in trial.extras:
        eligible_rows = [i for i in eligible_rows if before["s"][i] == "x"]
    if "gaps" in trial.extras and figures["missing"] == "drop":
        eligible_rows = [i for i in eligible_rows if before["a"][i] is not None]
    n_out = len(eligible_rows) - len(rows)
    assert 0 <= n_out <= (3 if "suppress" in trial.extras else 0), n_out
    assert sorted(rows) == grouped_rows
    assert "shuffle" in trial.extras or rows == grouped_rows
    if into == ".sav":
        judge_declared(trial, release, rows)
    for name in ("s", "l", "m", "z", "u", "who"):
        if name in after:
            same = [as_text(before[name][i]) for i in rows]
            assert [*map(as_text, after[name])] == same, name
    classes = list(zip(*(map(as_text, after[q]) for q in trial.quasi), strict=True))
    judge_privacy(trial, figures, rows, classes, after, labels)
    judge_loss(trial, figures, rows, labels, after, eligible_rows)
    judge_descriptions(trial, content, after)


def judge_declared(trial: Trial, release: str, rows: list[int]) -> None:
    """Compare what SPSS is told to be missing, and the codes of columns that stay."""
    frame, meta = pyreadstat.read_sav(release, user_missing=True)
    for name, codes in trial.declared.items():
        ranges = [x if isinstance(x, dict) else {"lo": x, "hi": x} for x in codes]
        assert meta.missing_ranges.get(name) == ranges, (name, meta.missing_ranges)
        if name not in trial.quasi:
            before = [as_text(trial.coded[name][i]) for i in rows]
            assert [*map(as_text, frame[name])] == before, name


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
    fewest_people = min(people.values())
    if who := trial.columns.get("who"):
        of = {key: {who[rows[p]] for p in some} for key, some in members.items()}
        people = {key: len(some) for key, some in of.items()}
        fewest_people = min(people.values())
        if "persons" in trial.extras:
            visits: dict[str, set[Any]] = defaultdict(set)
            for key, some in of.items():
                for name in some:
                    visits[name].add(key)
            alike = Counter(map(frozenset, visits.values()))
            fewest_people = min(fewest_people, min(alike.values()))
        if "k_persons" not in told:  # as everybody has one record
            assert len({who[i] for i in rows}) == len(rows)
        else:
            assert told["k_persons"] == fewest_people, (
                told["k_persons"],
                fewest_people,
            )
            assert told["n_persons"] == len({who[i] for i in rows})
    if whole:
        assert min(people.values()) >= trial.k, "k"
        assert told["k_verified"] is True
    measured = {x["id"]: x["value"] for x in told["measures"]}
    assert close(measured["prosecutor-risk"], 100 / fewest_people)
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
    counts = Counter(
        tuple(sorted(keys)) if len(set(keys)) > 1 else keys[0]
        for keys in homes.values()
    )
    assert min(counts.values()) >= trial.k, counts


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
    rule, categories = told["aggregations"]["w"], set(trial.columns["w"])
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
    if len(categories) == len(TREE):
        penalty = told["certainty_penalty_per_column"]["w"]
        assert close(penalty, 100 * below / len(rows)), (penalty, below)


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
    description = json.loads(text)
    assert [x["sha256"] for x in description["distribution"]] == [digest]
    fields = [x["name"] for x in description["recordSet"][0]["field"]]
    assert fields == list(after), fields
