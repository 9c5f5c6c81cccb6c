"""The guide's module gives intervals that hold the truth as often as they say."""

import importlib.util
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from engine import Plan, partition, run
from engine.analysis.before_after import compare_numeric_summaries
from engine.bounds import NO_BOUND
from engine.data.kinds import Kind, Role
from engine.files import read_table
from engine.report.guide import (
    LEFT,
    ON_ITS_OWN,
    SORTED_ALONE,
    SORTED_WITH_ALL,
    SORTED_WITH_SOME,
    analysis_guide,
    regression_module_source,
)

TRUTH = np.array([1.0, 2.0, -0.5])
K = 5


def code_of(markdown: str) -> str:
    """The module that a guide contains."""
    return markdown.split("## The functions")[1].split("```python\n")[1].split("```")[0]


@contextmanager
def guided_module(folder):
    """The module as whoever receives the guide saves it."""
    table = people(np.random.default_rng(0), 60)
    names = ("x1", "x2")
    plan = Plan(method="mdav", k=K, quasi_identifiers=names)
    file = folder / "regression.py"
    file.write_text(
        code_of(analysis_guide(run(plan, read_table(table), bound=NO_BOUND)))
    )
    spec = importlib.util.spec_from_file_location("guided_regression", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def regression(tmp_path_factory):
    with guided_module(tmp_path_factory.mktemp("guide")) as module:
        yield module


def draw_errors(rng, x1, shape):
    """Errors around 0 with a standard deviation of 1 to 2."""
    n = x1.size
    if shape == "log-normal":
        return np.exp(rng.normal(0.0, 1.0, n)) - np.exp(0.5)
    if shape == "of other variances":
        return rng.normal(0.0, 0.5 * np.abs(x1))
    return rng.normal(0.0, 1.5, n)


def people(rng, n, errors="normal", skewed=False):
    x1 = rng.normal(3.0, 1.0, n)
    x2 = 0.6 * x1 + rng.normal(0.0, 1.0, n)
    if skewed:
        x1 = np.exp(x1 - 3.0)
        x2 = 0.6 * x1 + np.exp(rng.normal(0.0, 1.0, n))
    y = TRUTH @ [np.ones(n), x1, x2] + draw_errors(rng, x1, errors)
    return pd.DataFrame({"y": y, "x1": x1, "x2": x2})


def averaged(frame, labels, columns):
    means = frame[columns].groupby(labels).transform("mean")
    return frame.assign(**{name: means[name] for name in columns})


def in_order(values, k):
    """Runs of k records in the order of one column."""
    labels = np.empty(values.size, dtype=int)
    labels[np.argsort(values, kind="stable")] = np.arange(values.size) // k
    return np.minimum(labels, values.size // k - 1)


def coverage(estimate, draws, n, errors="normal", k=K, seed=1, skewed=False):
    """How often each interval holds the truth, and the mean estimate."""
    rng = np.random.default_rng(seed)
    inside, coefficients = [], []
    for _ in range(draws):
        fit = estimate(people(rng, n, errors, skewed), k)
        low, high = fit.intervals(0.95).T
        inside.append((low <= TRUTH) & (high >= TRUTH))
        coefficients.append(fit.coefficients)
    return np.mean(inside, axis=0), np.mean(coefficients, axis=0)


def by_regressors(regression, averages):
    """Groups formed by the regressors; the response averaged along, or left."""

    def estimate(frame, k):
        X = frame[["x1", "x2"]].to_numpy()
        labels = partition(X, k=k, method="mdav", scaling="zscore")
        released = averaged(frame, labels, averages)
        return regression.by_groups(released, "y", ["x1", "x2"], ["x1", "x2"])

    return estimate


def by_response(regression, *beside):
    """Groups formed by the response, and perhaps by regressors."""

    def estimate(frame, k):
        names, sorters = ["y", "x1", "x2"], ["y", *beside]
        if beside:
            X = frame[sorters].to_numpy()
            labels = partition(X, k=k, method="mdav", scaling="zscore")
        else:
            labels = in_order(frame["y"].to_numpy(), k)
        released = averaged(frame, labels, names)
        return regression.sorted_by(released, "y", ["x1", "x2"], names, sorters)

    return estimate


def ranked(regression):
    """Every column grouped on its own."""

    def estimate(frame, k):
        released = frame.copy()
        for name in frame.columns:
            labels = in_order(frame[name].to_numpy(), k)
            released[name] = frame[name].groupby(labels).transform("mean")
        return regression.plain(released, "y", ["x1", "x2"])

    return estimate


CASES = {
    "the response left as it is": lambda r: by_regressors(r, ["x1", "x2"]),
    "the response averaged along": lambda r: by_regressors(r, ["y", "x1", "x2"]),
    "groups by the response": by_response,
    "individual ranking": ranked,
}


@pytest.mark.parametrize("errors", ["normal", "log-normal"])
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth(regression, case, errors):
    inside, estimates = coverage(CASES[case](regression), 30, 400, errors)
    assert (inside >= 0.8).all()
    np.testing.assert_allclose(estimates[1:], TRUTH[1:], atol=0.15)


with_errors_and_k = pytest.mark.parametrize(
    ("errors", "k"), [("normal", 5), ("log-normal", 12), ("of other variances", 5)]
)


def promised(expectation, tolerance=0.035, skewed=False):
    """The promise of a guide, with what 200 draws may be off."""
    low, high = expectation.skewed_coverage if skewed else expectation.coverage
    return low / 100 - tolerance, high / 100 + tolerance


@pytest.mark.slow
@with_errors_and_k
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth_as_often_as_they_say(regression, case, errors, k):
    inside, estimates = coverage(CASES[case](regression), 200, 1000, errors, k)
    expected = {
        "groups by the response": SORTED_ALONE,
        "individual ranking": ON_ITS_OWN,
    }
    low, high = promised(expected.get(case, LEFT))
    assert (inside[1:] >= low).all()
    assert (inside[1:] <= high).all()
    np.testing.assert_allclose(estimates[1:], TRUTH[1:], atol=0.06)


@pytest.mark.slow
@with_errors_and_k
@pytest.mark.parametrize(
    ("beside", "expected"),
    [(["x1"], SORTED_WITH_SOME), (["x1", "x2"], SORTED_WITH_ALL)],
)
def test_a_guide_says_how_often_intervals_fail(regression, beside, expected, errors, k):
    estimate = by_response(regression, *beside)
    inside, estimates = coverage(estimate, 200, 1000, errors, k)
    low, high = promised(expected)
    assert (inside[1:] >= low).all()
    assert (inside[1:] <= high).all()
    ratio = estimates[1:] / TRUTH[1:]
    if expected is SORTED_WITH_ALL:
        assert (ratio > 1.02).all()
        assert (ratio < 1.26).all()
    else:
        assert 0.78 < ratio[1] < 1.0


@pytest.mark.slow
@with_errors_and_k
@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (lambda r: by_regressors(r, ["x1", "x2"]), LEFT),
        (by_response, SORTED_ALONE),
        (ranked, ON_ITS_OWN),
        (lambda r: by_response(r, "x1"), SORTED_WITH_SOME),
        (lambda r: by_response(r, "x1", "x2"), SORTED_WITH_ALL),
    ],
)
def test_a_guide_says_how_skewed_regressors_mislead(
    regression, estimate, expected, errors, k
):
    inside, estimates = coverage(estimate(regression), 100, 400, errors, k, skewed=True)
    low, high = promised(expected, 0.05, skewed=True)
    assert (inside[1:] >= low).all()
    assert (inside[1:] <= high).all()
    lowest_ratio = {ON_ITS_OWN: 0.83, SORTED_WITH_SOME: 0.57}.get(expected, 0.9)
    assert (estimates[1:] / TRUTH[1:] >= lowest_ratio - 0.03).all()


def test_squares_and_columns_left_out_are_not_what_they_seem(regression):
    rng = np.random.default_rng(2)
    frame = people(rng, 200)
    labels = partition(frame[["x1", "x2"]].to_numpy(), k=K, method="mdav")
    released = averaged(frame, labels, ["x1", "x2"])
    with pytest.raises(ValueError, match="x2 formed the groups"):
        regression.by_groups(released, "y", ["x1"], ["x1", "x2"])
    along = regression.by_groups(released, "y", ["x1"], ["x1", "x2"], ["x1"])
    assert along.names == ("constant", "x1")
    places = released.assign(place=np.where(labels % 2, "here", "there"))
    fit = regression.by_groups(
        places, "y", ["x1", "x2", "place"], ["x1", "x2", "place"]
    )
    assert fit.names == ("constant", "x1", "x2", "place_there")
    squares = np.square(frame["x1"]).mean()
    assert np.square(released["x1"]).mean() < 0.999 * squares


def test_without_the_correction_groups_by_the_response_mislead(regression):
    def naive(frame, k):
        labels = in_order(frame["y"].to_numpy(), k)
        released = averaged(frame, labels, ["y", "x1", "x2"])
        return regression.plain(released, "y", ["x1", "x2"])

    inside, estimates = coverage(naive, 20, 400)
    assert inside[1] < 0.2
    assert estimates[1] > 1.2 * TRUTH[1]


def test_a_guide_says_which_columns_formed_the_groups():
    frame = people(np.random.default_rng(4), 60).assign(place="a")
    names = ("y", "x1", "x2")
    roles = dict.fromkeys(names, Role.QUASI_IDENTIFIER)
    table = read_table(frame, roles=roles)
    plan = Plan(
        method="mdav", k=4, quasi_identifiers=names, attribute_weights={"x2": 0.0}
    )
    text = analysis_guide(run(plan, table, bound=NO_BOUND))
    assert "formed by `y`, `x1`; `x2` were averaged" in text
    assert "sorters = ['y', 'x1']" in text
    assert "`place`" in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    cells_by_columns = {row[0].strip("| "): row[2:] for row in rows}
    assert cells_by_columns["`x2`, `place`"][0] == "`by_groups`"
    assert [row[2] for row in rows if row[0] == "| `y`, `x1`"] == [
        SORTED_WITH_SOME.function,
        SORTED_WITH_ALL.function,
    ]
    assert regression_module_source() in text
    plain_plan = plan.replace(method="individual-ranking", attribute_weights={})
    assert "(`plain`)" in analysis_guide(run(plain_plan, table, bound=NO_BOUND))
    compile(code_of(text), "regression.py", "exec")


@pytest.mark.parametrize("end", [np.inf, 1e300])
def test_a_guide_calls_no_mean_what_has_none(end):
    frame = pd.DataFrame({"until": [1.0, 2.0, end, -end] * 5, "age": range(20)})
    roles = dict.fromkeys(frame, Role.QUASI_IDENTIFIER)
    table = read_table(frame, roles=roles, kinds={"until": Kind.ORDINAL})
    outcome = run(Plan(method="mdav", k=4), table, bound=NO_BOUND)
    assert "`until`: not means of their groups" in analysis_guide(outcome)
    [until, _age] = compare_numeric_summaries(outcome, table)
    assert np.isnan([until.before.mean, until.before.deviation]).all()
    assert until.before.median in (1.0, 2.0)
    assert until.before.most == end
