"""Losses of words, ranks, dates and trees, and figures of people, by their formulas.

Where :mod:`tests.reference.measures` has numbers and records, this has all else that
the formulas name: each figure is worked out again from the formula and the symbols in
the manual alone, over pairs of records.
"""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.table import Table
from engine.files import read_table
from engine.hierarchy import Hierarchy
from engine.measures import MeasuredRelease, measures
from engine.pipeline.evaluate import make_measured_release
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

STEPS = ["never", "rarely", "often", "always"]
TREE = {"oak": "leafy", "ash": "leafy", "elm": "leafy", "fir": "needled", "yew": "yew"}
"""Trees by what they belong to, below one root."""

COLUMNS = ["amount", "rank", "day", "step", "colour", "tree"]
WEIGHTS = {"day": 4.0, "colour": 0.5}


def mixed_frame() -> pd.DataFrame:
    rng, n = np.random.default_rng(5), 45
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D")
    return pd.DataFrame(
        {
            "amount": rng.integers(0, 60, n),
            "rank": rng.integers(1, 8, n) ** 2,
            "day": days,
            "step": pd.Categorical(rng.choice(STEPS, n), STEPS, ordered=True),
            "colour": rng.choice(["red", "blue", "green"], n),
            "tree": rng.choice([*TREE], n),
            "u": rng.integers(1, 5, n),
        }
    )


@cache
def mixed(scaling: str, is_weighted: bool) -> tuple[pd.DataFrame, MeasuredRelease]:
    frame = mixed_frame()
    ordinal, nominal = ["rank", "step"], ["colour", "tree"]
    table = read_table(frame).assign(
        dict.fromkeys(COLUMNS, "quasi-identifier")
        | {"u": "weight" if is_weighted else "other"},
        dict.fromkeys(["amount", "day"], "continuous")
        | dict.fromkeys(ordinal, "ordinal")
        | dict.fromkeys(nominal, "nominal"),
        {"tree": Hierarchy(tuple((leaf, TREE[leaf], "*") for leaf in TREE))},
    )
    plan = Plan(method="mdav", k=3, scaling=scaling, attribute_weights=WEIGHTS)
    outcome = run(plan.replace(aggregation="mean", rounding="none"), table)
    return frame, make_measured_release(outcome, table)


def codes_of(frame: pd.DataFrame, name: str) -> list[float]:
    """Return numbers as they are, dates in days, ordered words as 0, 1, 2, ..."""
    if name == "step":
        return [float(STEPS.index(word)) for word in frame[name]]
    if name == "day":
        return [day.timestamp() / 86_400 for day in frame[name]]
    return [float(number) for number in frame[name]]


def members_of(protected: MeasuredRelease) -> list[list[int]]:
    labels = protected.partition.labels
    return [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]


def leaves_below(words: set[str], name: str) -> float:
    """Return the share of all leaves below the nearest common ancestor of some."""
    if len(words) == 1:
        return 0.0
    above = {TREE[word] for word in words} if name == "tree" else set()
    if len(above) == 1:
        return sum(kind in above for kind in TREE.values()) / len(TREE)
    return 1.0


@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
def test_the_certainty_penalty_is_that_of_its_formula(scaling: str) -> None:
    frame, protected = mixed(scaling, False)
    figure = measures.get("certainty-penalty")(protected)
    expected = {}
    for name in COLUMNS:
        total = 0.0
        for group in members_of(protected):
            if name in ("colour", "tree"):
                share = leaves_below(set(frame[name].iloc[group]), name)
            else:
                codes = codes_of(frame, name)
                group_codes = [codes[i] for i in group]
                share = (max(group_codes) - min(group_codes)) / (
                    max(codes) - min(codes)
                )
            total += len(group) * share
        expected[name] = 100 * total / len(frame)
    assert dict(figure.per_column) == pytest.approx(expected, rel=1e-12)
    assert figure.value == pytest.approx(fmean(expected.values()), rel=1e-12)


def sq_path(name: str, one: str, other: str) -> float:
    """Return the length of the path between two categories, edges being 1 long."""
    if one == other:
        return 0.0
    is_near = name == "colour" or TREE[one] == TREE[other]
    return 2.0 if is_near else 4.0


def scatter(name: str, words: list[str], w: list[float]) -> float:
    """Return the sum of squares about the mean, by Huygens over all pairs."""
    pairs = itertools.combinations(range(len(words)), 2)
    sums = sum(w[i] * w[j] * sq_path(name, words[i], words[j]) for i, j in pairs)
    return sums / sum(w)


def sums_of_squares(
    name: str, protected: MeasuredRelease, w: list[float]
) -> tuple[float, float, float, float]:
    """Return SSE, SST, the variance and the squared range of an attribute."""
    frame, n = mixed_frame(), len(w)
    if name in ("colour", "tree"):
        words = frame[name].tolist()
        groups = members_of(protected)
        return (
            sum(
                scatter(name, [words[i] for i in g], [w[i] for i in g]) for g in groups
            ),
            scatter(name, words, w),
            scatter(name, words, [1.0] * n) / n,
            max(sq_path(name, x, y) for x, y in itertools.combinations(words, 2)),
        )
    z, released = codes_of(frame, name), codes_of(protected.frame, name)
    middle = sum(x * y for x, y in zip(w, z, strict=True)) / sum(w)
    return (
        sum(w[i] * (z[i] - released[i]) ** 2 for i in range(n)),
        sum(w[i] * (z[i] - middle) ** 2 for i in range(n)),
        sum((x - fmean(z)) ** 2 for x in z) / n,
        (max(z) - min(z)) ** 2,
    )


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("scaling", ["zscore", "range"])
def test_the_information_loss_is_that_of_its_formula(
    scaling: str, is_weighted: bool
) -> None:
    frame, protected = mixed(scaling, is_weighted)
    w = [float(x) for x in frame["u"]] if is_weighted else [1.0] * len(frame)
    loss = whole = 0.0
    columns = {}
    for name in COLUMNS:
        sse, sst, variance, sq_range = sums_of_squares(name, protected, w)
        unit = variance if scaling == "zscore" else sq_range
        columns[name] = 100 * sse / sst
        loss += WEIGHTS.get(name, 1.0) * sse / unit
        whole += WEIGHTS.get(name, 1.0) * sst / unit
    figure = measures.get("information-loss")(protected)
    assert dict(figure.per_column) == pytest.approx(columns, rel=1e-9)
    assert figure.value == pytest.approx(100 * loss / whole, rel=1e-9)


@cache
def people() -> tuple[pd.DataFrame, MeasuredRelease]:
    rng, n = np.random.default_rng(8), 60
    frame = pd.DataFrame(
        {
            "who": [f"p{x}" for x in rng.integers(0, 24, n)],
            "a": rng.integers(0, 9, n),
            "b": rng.integers(0, 9, n),
            "ill": rng.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1]),
            "steps": rng.integers(1, 6, n),
        }
    )
    table = read_table(frame).assign(
        {
            "who": "identifier",
            "a": "quasi-identifier",
            "b": "quasi-identifier",
            "ill": "confidential",
            "steps": "confidential",
        },
        {"ill": "nominal", "steps": "ordinal", "a": "continuous", "b": "continuous"},
    )
    plan = Plan(method="mdav", k=3, person="who", sampling_fraction=1.0)
    outcome = run(plan.replace(identifiers=("who",)), table)
    return frame, make_measured_release(outcome, table)


def people_of_classes() -> tuple[dict[Any, list[int]], list[str]]:
    frame, protected = people()
    classes: dict[Any, list[int]] = defaultdict(list)
    for i, key in enumerate(zip(protected.frame["a"], protected.frame["b"])):  # noqa: B905
        classes[key].append(i)
    return classes, frame["who"].tolist()


def test_k_and_risks_count_every_person_once() -> None:
    classes, who = people_of_classes()
    _, protected = people()
    sizes = {key: len({who[i] for i in rows}) for key, rows in classes.items()}
    k = measures.get("k-anonymity")(protected).value
    assert k == min(sizes.values()) >= 3
    assert measures.get("prosecutor-risk")(protected).value == pytest.approx(100 / k)
    # With everybody in the table, the chance of a person is the mean of their records'.
    risks_by_person = defaultdict(list)
    for key, rows in classes.items():
        for i in rows:
            risks_by_person[who[i]].append(1 / sizes[key])
    marketer = measures.get("marketer-risk")(protected).value
    assert marketer == pytest.approx(100 * fmean(map(fmean, risks_by_person.values())))


def shares(rows: list[int], who: list[str], values: list[Any]) -> dict[Any, Fraction]:
    """Return how many people have each value: who has several counts in parts."""
    records = Counter(who[i] for i in rows)
    people_by_value: dict[Any, Fraction] = defaultdict(Fraction)
    for i in rows:
        people_by_value[values[i]] += Fraction(1, records[who[i]])
    return people_by_value


@pytest.mark.parametrize("name", ["ill", "steps"])
def test_diversity_and_closeness_count_every_person_once(name: str) -> None:
    frame, protected = people()
    classes, who = people_of_classes()
    values = frame[name].tolist()
    domain = sorted(set(values))
    table = shares([*range(len(values))], who, values)
    entropies, ratios, distances = [], [], []
    for rows in classes.values():
        counts = shares(rows, who, values)
        size = sum(counts.values())
        assert size == len({who[i] for i in rows})
        q = [float(x / size) for x in counts.values()]
        entropies.append(math.exp(-sum(x * math.log(x) for x in q)))
        first, *rest = sorted(counts.values(), reverse=True)
        ratios.append(float(first / sum(rest)) if rest else math.inf)
        differences = [
            counts[v] / size - table[v] / sum(table.values()) for v in domain
        ]
        if name == "steps":
            moved = sum(abs(sum(differences[: i + 1])) for i in range(len(domain)))
            distances.append(float(moved / (len(domain) - 1)))
        else:
            distances.append(float(sum(map(abs, differences)) / 2))
    expected = {
        "entropy-l-diversity": min(entropies),
        "recursive-l-diversity": max(ratios),
        "t-closeness": max(distances),
    }
    for measure, figure in expected.items():
        measure_value = measures.get(measure)(protected).per_column[name]
        assert measure_value == pytest.approx(figure, rel=1e-9, abs=1e-12), measure


def test_a_number_is_guessed_within_a_tenth_of_its_deviation() -> None:
    rng, n = np.random.default_rng(2), 40
    frame = pd.DataFrame(
        {"a": rng.integers(0, 9, n), "pay": np.round(rng.lognormal(3, 1, n), 2)}
    )
    table: Table = read_table(frame).assign(
        {"a": "quasi-identifier", "pay": "confidential"},
        {"a": "continuous", "pay": "continuous"},
    )
    protected = make_measured_release(run(Plan(method="mdav", k=4), table), table)
    near, right = 0.1 * frame["pay"].std(), 0
    for _, values in frame.groupby(protected.frame["a"])["pay"]:
        centres = [x + near for x in values]  # the best guess has a value at its end
        right += max(
            sum(abs(y - guess) <= near * (1 + 1e-9) for y in values)
            for guess in centres
        )
    figure = measures.get("attribute-disclosure")(protected).value
    assert figure == pytest.approx(100 * right / n)
