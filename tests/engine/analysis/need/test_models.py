"""Models are read as formulas, never as code, and fitted as such programs fit them."""

import numpy as np
import pandas as pd
import pytest
from formulaic import Formula
from statsmodels.regression.linear_model import OLS

from engine.analysis.need import ModelFormula
from engine.analysis.need.models.formula import FUNCTIONS, quote_column
from engine.analysis.need.models.model_fit import ModelFit, RefittableModel
from engine.analysis.need.models.slopes import interval_overlap_per_slope
from engine.core.errors import ParameterError
from engine.files import read_table
from engine.pipeline.plan import Plan
from tests.engine.analysis.need.cases import answered, frame_of, table_of


def test_a_column_with_a_backtick_in_its_name_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"column 'a`b'.*rename"):
        quote_column("a`b")
    assert [quote_column(name) for name in ("a", 'a "b"')] == ["a", '`a "b"`']


@pytest.mark.parametrize(
    "model",
    [
        "y ~ log(b) * g * h + I(a**2) + C(`a b`):b + t",
        "y ~ 0 + g + a:b:t",
        "y ~ (a + b + h)**2",
        "log(b) ~ C(t) + sqrt(b):g:h",
        "y ~ a + o",
    ],
)
@pytest.mark.filterwarnings("ignore:Data has", "ignore:Constructing a Categorical")
def test_a_release_has_the_design_matrix_that_the_formula_gives(model: str) -> None:
    rng = np.random.default_rng(0)
    frame = frame_of(60).assign(
        **{"a b": rng.integers(1, 5, 60)},
        h=rng.choice(list("uv"), 60),
        t=rng.random(60) < 0.5,
        o=pd.Categorical(rng.choice(list("pqr"), 60)),
    )
    fitted = RefittableModel(ModelFormula.parse(model), frame)
    release = frame.assign(g=rng.choice(["yes", "new"], 60), a=frame["a"].round(1))
    release.loc[3, "h"] = release.loc[4, "b"] = None
    spec = Formula(fitted.model.regressors).get_model_matrix(
        frame, context=FUNCTIONS, na_action="ignore"
    )
    whole = spec.model_spec.get_model_matrix(
        release, context=FUNCTIONS, na_action="ignore"
    ).astype(float)
    matrix, _y, _w = fitted.build_matrices(release)
    assert len(matrix) >= 59
    pd.testing.assert_frame_equal(matrix, pd.DataFrame(whole).loc[matrix.index])


@pytest.mark.parametrize(
    ("text", "column", "left"),
    [
        ("y ~ a + b", "a", "y ~ b"),
        ("y ~ a * b + C(g)", "a", "y ~ b + C(g)"),
        ("y ~ 0 + a + log(b)", "a", "y ~ 0 + log(b)"),
        ("logit y ~ `a b` + a, weights=w", "a", "logit y ~ `a b`, weights=w"),
        ("y ~ I(a**2) + b:g + b", "a", "y ~ b + b:g"),
    ],
)
def test_terms_of_a_column_are_left_out(text: str, column: str, left: str) -> None:
    column_names = ["a", "b", "g", "y", "w", "a b"]
    frame = frame_of().assign(w=1.0, **{"a b": lambda f: f["b"] ** 2})
    frame["y"] = (frame["y"] > 0).astype(int)
    fits = [
        RefittableModel(model, frame)
        for model in (
            ModelFormula.parse(text).without_column(column, column_names),
            ModelFormula.parse(left),
        )
    ]
    assert fits[0].names == fits[1].names
    for name in ("y", "b"):
        with pytest.raises(ParameterError):
            ModelFormula.parse("y ~ b").without_column(name, column_names)


def test_equal_intervals_overlap_by_one_and_far_ones_by_less_than_nothing() -> None:
    first_fit = ModelFit(np.array([1.0, 0.0]), np.array([0.1, 1.0]))
    assert interval_overlap_per_slope(first_fit, first_fit).tolist() == pytest.approx(
        [1.0, 1.0]
    )
    other = ModelFit(np.array([3.0, 0.0]), np.array([0.1, 2.0]))
    far_overlap, half = interval_overlap_per_slope(first_fit, other).tolist()
    assert far_overlap == pytest.approx((0.392 - 2.0) / 0.392, rel=1e-3)
    assert half == pytest.approx(0.75)


def test_coverage_is_the_share_of_intervals_that_hold_the_original_slope() -> None:
    before = frame_of(600, 4)
    before["y"] = (before["a"] ** 2 + before["y"] / 9.0).round(3)
    answer = answered(
        ["k >= 20"],
        ["coverage >= 1"],
        table=table_of(before),
        models=["y ~ I(a**2) + b"],
        trials=3,
    )
    assert answer.outcome is not None
    fits = []
    for frame in (before, answer.outcome.release.frame):
        columns = [np.ones(600), frame["a"] ** 2, frame["b"]]
        X = np.column_stack(columns).astype(float)
        fits.append(OLS(frame["y"].to_numpy(), X).fit())
    original_fit, after = fits
    low, high = after.conf_int(0.05)[1:].T  # of Student's t, wider by a hair
    share = (
        (low <= original_fit.params[1:]) & (original_fit.params[1:] <= high)
    ).mean()
    (keep,) = answer.keeps
    assert keep.reached == pytest.approx(share)
    assert 0.0 < share < 1.0
    farthest = np.abs((after.params - original_fit.params) / after.bse)[1:].argmax()
    assert keep.weakest == ("I(a ** 2)", "b")[farthest]
    assert answer.answer == "nearest"


def test_a_model_without_a_family_is_linear() -> None:
    for text in ("y ~ a + b", "log(y) ~ a", "`my y` ~ a, weights=w", "y2 ~ a"):
        assert ModelFormula.parse(text) == ModelFormula.parse(f"linear {text}")


@pytest.mark.parametrize(
    "text",
    [
        "linear y ~ __import__('os').system('true')",
        "linear y ~ a.__class__",
        "linear y ~ eval(a)",
        "linear y ~ a; b",
        "linear y ~ nowhere",
        "linear y ~ [a]",
        "linear y ~ {a}",
        "linear a",
        "probit y ~ a",
        "linear ~ a",
        "",
        "linear y ~ " + " + ".join(["a"] * 1000),
        "linear y ~ I(9**9**9)",
        "linear y ~ log(1 + I((9**9)**9))",
        "linear log(9**9**9) ~ a",
        "linear y ~ a**9**9",
        "linear y ~ (a + b)**11",
        "linear y ~ (a + b + y)**8",
        "linear y ~ " + "*".join("ab" * 20),
        "linear y ~ " + "(" * 900 + "a" + ")" * 900,
        "linear y ~ I(I)",
        "linear y ~ a b",
    ],
)
def test_a_formula_is_read_as_one_and_never_as_code(text: str) -> None:
    with pytest.raises(ParameterError):
        ModelFormula.parse(text).columns(["a", "b", "y"])


@pytest.mark.parametrize("family", ["linear", "logit", "poisson"])
def test_a_weight_of_three_is_three_equal_records(family: str) -> None:
    frame = frame_of(80).assign(w=np.random.default_rng(3).integers(0, 4, 80))
    frame["z"] = (frame["y"] > frame["a"]).astype(int)
    frame.loc[5, "w"] = np.nan
    response = {"linear": "y", "logit": "z", "poisson": "z"}[family]
    model = ModelFormula.parse(f"{family} {response} ~ a + b, weights = w")
    assert model == ModelFormula.parse(model.text)
    assert model.columns(list(frame))[-1] == "w"
    repeated = frame.loc[frame.index.repeat(frame["w"].fillna(0).astype(int))]
    plain = ModelFormula.parse(f"{family} {response} ~ a + b")
    weighted_fit = RefittableModel(model, frame).fit_before
    many = RefittableModel(plain, repeated).fit_before
    np.testing.assert_allclose(weighted_fit.slopes, many.slopes, rtol=1e-6)
    if family != "linear":  # there, records with weights have fewer degrees of freedom
        np.testing.assert_allclose(weighted_fit.errors, many.errors, rtol=1e-6)


def test_a_weighted_model_is_kept_and_told_with_its_weights() -> None:
    frame = frame_of().assign(w=np.random.default_rng(3).uniform(1.0, 9.0, 150))
    answer = answered(
        ["k >= 5"],
        ["overlap >= 0.3"],
        models=["linear y ~ a, weights=w"],
        table=table_of(frame),
        trials=9,
    )
    (slope,) = answer.slopes
    assert slope.model == "linear y ~ a, weights=w"
    after = answer.outcome.release.frame if answer.outcome else frame
    for x, slope_value in ((frame["a"], slope.before), (after["a"], slope.after)):
        w, y = frame["w"] / frame["w"].sum(), frame["y"]
        deviation = x - (w * x).sum()
        expected = (w * deviation * y).sum() / (w * deviation**2).sum()
        assert slope_value == pytest.approx(expected)


def test_formulas_take_factors_interactions_and_functions() -> None:
    frame = frame_of()
    model = ModelFormula.parse("linear y ~ log(b) * g + I(a**2) + C(g):a")
    assert model.columns(list(frame)) == ("y", "b", "g", "a")
    assert len(RefittableModel(model, frame).names) >= 5
    odd = frame.rename(columns={"a": "a b"})
    quoted = ModelFormula.parse("linear y ~ `a b` + b")
    assert RefittableModel(quoted, odd).names == ("a b", "b")
    word = frame.assign(z=np.where(frame["y"] > 0, "up", "down"))
    assert len(RefittableModel(ModelFormula.parse("logit z ~ b"), word).names) == 1


def test_a_release_whose_response_does_not_vary_tells_no_slope() -> None:
    frame = frame_of()
    for model, response_value in (("linear y ~ a + b", 1.7), ("logit g ~ a", "yes")):
        design = RefittableModel(ModelFormula.parse(model), frame)
        fit = design.fit(frame.assign(**{design.model.response: response_value}))
        assert np.isnan(fit.slopes).all()


def test_slopes_of_a_linear_model_have_any_unit() -> None:
    frame = frame_of()
    plain = RefittableModel(ModelFormula.parse("linear y ~ a + b"), frame).fit_before
    frame["y"] *= 1e9
    large = RefittableModel(ModelFormula.parse("linear y ~ a + b"), frame).fit_before
    np.testing.assert_allclose(large.errors, 1e9 * plain.errors)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("linear y ~ a + b + I(a + b)", "collinear"),
        ("logit z ~ a", "separate the response perfectly"),
        ("logit y ~ a", "not 0 or 1"),
        ("logit c ~ a", "3 levels instead of two"),
        ("poisson y ~ a", "negative numbers"),
        ("linear y ~ C(a):C(b):C(z)", "more than 2,000 terms"),
        ("linear y ~ 1", "no regressor"),
        ("linear y ~ y + a", "without any error"),
        ("linear y ~ log(a - 100) + b", r"log\(a - 100\) has no value in 150 records"),
        ("linear log(n) ~ b", r"log\(n\) has no value in 1 record,"),
        ("linear y ~ sqrt(n - 1) + b", r"sqrt\(n - 1\) has no value in 1 record,"),
        ("linear y ~ C(class)", "no formula"),
        ("linear y ~ a/0", "no formula"),
        ("linear y ~ 2*a", "no formula"),
        ("linear y + n ~ a", "not one column"),
        ("linear 1 ~ a", "one value in all records"),
        ("poisson g ~ a", "in words, but a Poisson model counts"),
        ("poisson c ~ a", "in words, but a Poisson model counts"),
        ("linear y ~ a, weights=y", "not numbers of at least 0"),
        ("linear y ~ a, weights=c", "not numbers of at least 0"),
        ("linear y ~ a, weights=nowhere", "no column 'nowhere'"),
    ],
)
def test_what_cannot_be_fitted_is_said_in_a_sentence(model: str, why: str) -> None:
    frame = frame_of().assign(
        z=lambda f: (f["a"] > 0).astype(int), c=["u", "v", "w"] * 50, n=range(150)
    )
    frame["class"] = frame["c"]
    with pytest.raises(ParameterError, match=why):
        RefittableModel(ModelFormula.parse(model), frame)


def test_a_model_of_an_undecided_column_is_refused() -> None:
    frame = frame_of()
    table = read_table(frame, roles={"a": "quasi-identifier", "y": "undecided"})
    base = Plan(method="mdav", k=2, quasi_identifiers=("a", "b", "g"))
    with pytest.raises(ParameterError, match="role is undecided") as refused:
        answered(["k >= 5"], [], table=table, base=base)
    assert "roles={'y': 'other'}" in str(refused.value)
    roles = {"a": "quasi-identifier", "y": "other"}
    decided_table = read_table(frame, roles=roles)
    assert answered(["k >= 5"], [], table=decided_table, base=base, trials=2).plan
