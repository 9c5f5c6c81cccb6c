"""The guide's module gives intervals that hold the truth as often as they say."""

import importlib.util
import sys

import numpy as np
import pandas as pd
import pytest

from engine import Plan, partition, run
from engine.bounds import NO_BOUND
from engine.data.kinds import Role
from engine.files import read_table
from engine.report.guide import analysis_guide, regression_module

TRUTH = np.array([1.0, 2.0, -0.5])
K = 5


def code_of(markdown: str) -> str:
    """The module that a guide contains."""
    return markdown.split("## The functions")[1].split("```python\n")[1].split("```")[0]


@pytest.fixture(scope="module")
def regression(tmp_path_factory):
    """The module as whoever receives the guide saves it."""
    table = people(np.random.default_rng(0), 60)
    names = ("x1", "x2")
    plan = Plan(method="mdav", k=K, quasi_identifiers=names)
    file = tmp_path_factory.mktemp("guide") / "regression.py"
    file.write_text(
        code_of(analysis_guide(run(plan, read_table(table), bound=NO_BOUND)))
    )
    spec = importlib.util.spec_from_file_location("guided_regression", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def people(rng, n):
    x1 = rng.normal(3.0, 1.0, n)
    x2 = 0.6 * x1 + rng.normal(0.0, 1.0, n)
    y = TRUTH @ [np.ones(n), x1, x2] + rng.normal(0.0, 1.5, n)
    return pd.DataFrame({"y": y, "x1": x1, "x2": x2})


def averaged(frame, labels, columns):
    means = frame[columns].groupby(labels).transform("mean")
    return frame.assign(**{name: means[name] for name in columns})


def in_order(values):
    """Runs of K records in the order of one column."""
    labels = np.empty(values.size, dtype=int)
    labels[np.argsort(values, kind="stable")] = np.arange(values.size) // K
    return np.minimum(labels, values.size // K - 1)


def coverage(estimate, draws, n, seed=1):
    """How often each interval holds the truth, and the mean estimate."""
    rng = np.random.default_rng(seed)
    inside, found = [], []
    for _ in range(draws):
        one = estimate(people(rng, n))
        low, high = one.intervals(0.95).T
        inside.append((low <= TRUTH) & (high >= TRUTH))
        found.append(one.coefficients)
    return np.mean(inside, axis=0), np.mean(found, axis=0)


def by_regressors(regression, averages):
    """Groups formed by the regressors; the response averaged along, or left."""

    def estimate(frame):
        X = frame[["x1", "x2"]].to_numpy()
        labels = partition(X, k=K, method="mdav", scaling="zscore")
        released = averaged(frame, labels, averages)
        return regression.by_groups(released, "y", ["x1", "x2"], ["x1", "x2"])

    return estimate


def by_response(regression):
    """Groups formed by the response alone."""

    def estimate(frame):
        released = averaged(frame, in_order(frame["y"].to_numpy()), ["y", "x1", "x2"])
        names = ["y", "x1", "x2"]
        return regression.sorted_by(released, "y", ["x1", "x2"], names, ["y"])

    return estimate


def ranked(regression):
    """Every column grouped on its own."""

    def estimate(frame):
        released = frame.copy()
        for name in frame.columns:
            labels = in_order(frame[name].to_numpy())
            released[name] = frame[name].groupby(labels).transform("mean")
        return regression.plain(released, "y", ["x1", "x2"])

    return estimate


CASES = {
    "the response left as it is": lambda r: by_regressors(r, ["x1", "x2"]),
    "the response averaged along": lambda r: by_regressors(r, ["y", "x1", "x2"]),
    "groups by the response": by_response,
    "individual ranking": ranked,
}


@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth(regression, case):
    inside, found = coverage(CASES[case](regression), 40, 400)
    assert (inside >= 0.82).all()
    np.testing.assert_allclose(found, TRUTH, atol=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth_as_often_as_they_say(regression, case):
    inside, found = coverage(CASES[case](regression), 600, 1000)
    assert (inside >= 0.92).all()
    # Leaving out groups of records that are alike makes errors on the safe side.
    assert (inside <= 0.98).all() or case == "groups by the response"
    np.testing.assert_allclose(found, TRUTH, atol=0.05)


def test_without_the_correction_groups_by_the_response_mislead(regression):
    def naive(frame):
        released = averaged(frame, in_order(frame["y"].to_numpy()), ["y", "x1", "x2"])
        return regression.plain(released, "y", ["x1", "x2"])

    inside, found = coverage(naive, 20, 400)
    assert inside[1] < 0.2
    assert found[1] > 1.2 * TRUTH[1]


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
    assert regression_module() in text
    one = plan.replace(method="individual-ranking", attribute_weights={})
    assert "(`plain`)" in analysis_guide(run(one, table, bound=NO_BOUND))
    compile(code_of(text), "regression.py", "exec")
