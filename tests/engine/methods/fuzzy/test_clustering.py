import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.constraints.rules import Rules, parse_rules
from engine.methods.fuzzy import clustering
from engine.methods.fuzzy.clustering import (
    FuzzyModel,
    fuzzy_cluster,
    iterate_centres,
    kmeans_plus_plus_records,
)
from tests.reference import fuzzy_clustering as naive

KINDS = [("fcm", 1.05), ("fcm", 1.32), ("fcm", 2.5), ("efcm", 0.3), ("efcm", 10.0)]
every_kind = pytest.mark.parametrize(("algorithm", "fuzziness"), KINDS)

RULES = parse_rules(("a + b = c", "a - 2*d = 1"), ("a", "b", "c", "d"))


def table(seed: int = 0, n: int = 40, p: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(0.0, 1.0, (n, p))


def records(least: int = 3) -> st.SearchStrategy[np.ndarray]:
    shapes = st.tuples(st.integers(least, 12), st.integers(1, 3))
    return shapes.flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.integers(-4, 4))
    )


# Memberships


@every_kind
def test_memberships_are_those_of_the_formula(algorithm: str, fuzziness: float) -> None:
    X = table()
    V = table(1, 7)
    d = ((X[:, None] - V) ** 2).sum(axis=2)
    if algorithm == "fcm":  # u_ki = 1 / sum_j (d_ki / d_kj)^(1 / (m - 1))
        ratio = (d[:, :, None] / d[:, None, :]) ** (1.0 / (fuzziness - 1.0))
        expected = 1.0 / ratio.sum(axis=2)
    else:
        weight = np.exp(-fuzziness * (d - d.min(axis=1, keepdims=True)))
        expected = weight / weight.sum(axis=1, keepdims=True)
    memberships = FuzzyModel(X, algorithm, fuzziness).memberships(V)
    np.testing.assert_allclose(memberships, expected, rtol=1e-10, atol=1e-17)


@given(X=records(), kind=st.sampled_from(KINDS), data=st.data())
def test_memberships_are_shares_that_add_up_to_one(X, kind, data) -> None:
    V = X[data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=6))]
    u = FuzzyModel(X, *kind).memberships(V)
    assert (u >= 0.0).all()
    np.testing.assert_allclose(u.sum(axis=1), 1.0, rtol=1e-14)


def test_a_record_on_a_centre_belongs_to_it_alone() -> None:
    X = table()
    V = np.vstack([X[3], X[8], [[9.0, 9.0, 9.0, 9.0]]])
    for m in (1.0, 1.3, 50.0):
        u = FuzzyModel(X, "fcm", m).memberships(V)
        assert u[3].tolist() == [1.0, 0.0, 0.0]
        assert u[8].tolist() == [0.0, 1.0, 0.0]


def test_centres_at_one_place_share_the_records_on_them() -> None:
    X = table()
    V = X[[3, 5, 3]]
    for kind in (("fcm", 1.0), ("fcm", 1.3), ("fcm", 50.0), ("efcm", 1e6)):
        np.testing.assert_allclose(
            FuzzyModel(X, *kind).memberships(V)[3], [0.5, 0, 0.5]
        )


def test_with_m_1_a_record_belongs_to_its_nearest_centre() -> None:
    X, V = table(), table(1, 5)
    nearest = ((X[:, None] - V) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(
        FuzzyModel(X, "fcm", 1.0).memberships(V), np.eye(5)[nearest]
    )


def test_neither_far_records_nor_sharp_memberships_overflow() -> None:
    X = np.array([[0.0], [1e140], [-1e140]])
    V = np.array([[1.0], [2.0], [1e139]])
    for kind in (("fcm", 1.0001), ("fcm", 1e9), ("efcm", 1e9), ("efcm", 1e-12)):
        u = FuzzyModel(X, *kind).memberships(V)
        np.testing.assert_allclose(u.sum(axis=1), 1.0)


# Seed 003, propositions 2 and 3


@pytest.mark.parametrize(("algorithm", "fuzziness"), [("fcm", 1e6), ("efcm", 1e-9)])
def test_the_fuzziest_clusters_are_all_the_mean(
    algorithm: str, fuzziness: float
) -> None:
    X = table()
    clusters = fuzzy_cluster(
        X, 5, algorithm, fuzziness, np.random.default_rng(0), still=1e-7
    )
    np.testing.assert_allclose(clusters.centres - X.mean(axis=0), 0.0, atol=1e-4)
    u = FuzzyModel(X, algorithm, fuzziness).memberships(table(1, 5))
    np.testing.assert_allclose(u, 1.0 / 5.0, rtol=1e-4)


def test_centres_of_correlated_columns_stay_apart_however_large_m_is() -> None:
    """Proposition 2 says all are the mean: not where one direction has most spread."""
    line = np.arange(40.0)
    for X in (line[:, np.newaxis], np.column_stack([line, 2 * line, 3 * line])):
        for m in (10.0, 1e4):
            rng = np.random.default_rng(0)
            centres = fuzzy_cluster(X, 2, "fcm", m, rng, still=1e-7).centres
            low, high = sorted(centres[:, 0] - X[:, 0].mean())
            assert low < -9.0
            assert high > 9.0


# Centres


@every_kind
def test_equals_its_naive_twin(algorithm: str, fuzziness: float) -> None:
    for seed in range(3):
        X = table(seed)
        clusters = fuzzy_cluster(
            X, 8, algorithm, fuzziness, np.random.default_rng(seed)
        )
        expected = naive.cluster(
            X, 8, algorithm, fuzziness, np.random.default_rng(seed)
        )
        np.testing.assert_allclose(clusters.centres, expected, rtol=1e-9)


@given(X=records(), kind=st.sampled_from(KINDS), c=st.integers(1, 5))
def test_the_objective_never_rises(X, kind, c) -> None:
    objective = fuzzy_cluster(X, c, *kind, np.random.default_rng(0)).objective
    spread = np.square(X - X.mean(axis=0)).sum() + len(X) * np.log(c) / kind[1]
    assert (np.diff(objective) <= 1e-12 * spread).all()


@pytest.mark.parametrize("rules", [RULES, parse_rules(("d >= 1",), RULES.columns)])
@every_kind
def test_the_objective_never_rises_under_rules(
    rules: Rules, algorithm: str, fuzziness: float
) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        clusters = fuzzy_cluster(
            table(seed), 6, algorithm, fuzziness, rng, onto=rules.project
        )
        assert len(clusters.objective) > 2
        assert (np.diff(clusters.objective) <= 1e-9 * abs(clusters.objective[0])).all()


def test_the_objective_is_the_one_that_the_formulas_define() -> None:
    X, V = table(), table(1, 6)
    d = ((X[:, None] - V) ** 2).sum(axis=2)
    u = FuzzyModel(X, "fcm", 1.7).memberships(V)
    assert FuzzyModel(X, "fcm", 1.7).update_centres(V)[1] == pytest.approx(
        (u**1.7 * d).sum()
    )
    u = FuzzyModel(X, "efcm", 0.7).memberships(V)
    entropy = (u * np.log(u)).sum() / 0.7
    assert FuzzyModel(X, "efcm", 0.7).update_centres(V)[1] == pytest.approx(
        (u * d).sum() + entropy
    )


@every_kind
def test_centres_at_rest_are_the_weighted_means(
    monkeypatch, algorithm: str, fuzziness: float
) -> None:
    monkeypatch.setattr(clustering, "MAX_ITERATIONS", 5000)
    X = table()
    rng = np.random.default_rng(0)
    clusters = fuzzy_cluster(X, 4, algorithm, fuzziness, rng, still=1e-10)
    assert clusters.at_rest
    u = FuzzyModel(X, algorithm, fuzziness).memberships(clusters.centres)
    weight = u if algorithm == "efcm" else u**fuzziness
    mean = (weight.T @ X) / weight.sum(axis=0)[:, None]
    np.testing.assert_allclose(clusters.centres, mean, rtol=1e-7)


def test_weights_count_records_as_often_as_they_say() -> None:
    X = table()
    mass = np.random.default_rng(2).integers(1, 4, len(X))
    several = np.repeat(X, mass, axis=0)
    weighed = FuzzyModel(X, "fcm", 1.4, mass.astype(np.float64)).update_centres(X[:5])
    counted = FuzzyModel(several, "fcm", 1.4).update_centres(X[:5])
    np.testing.assert_allclose(weighed[0], counted[0])
    assert weighed[1] == pytest.approx(counted[1])


def test_far_from_zero_nothing_changes() -> None:
    X = np.random.default_rng(3).integers(0, 1000, (60, 2)) / 8.0
    near, far = (
        fuzzy_cluster(X + offset, 10, "fcm", 1.2, np.random.default_rng(0)).centres
        - offset
        for offset in (0.0, 2.0**30)
    )
    np.testing.assert_allclose(near, far, atol=1e-4)


def test_a_constant_attribute_stays_what_it_is() -> None:
    X = np.column_stack([np.full(40, 0.7), table(0, 40, 1)])
    for kind in KINDS:
        centres = fuzzy_cluster(X, 6, *kind, np.random.default_rng(0)).centres
        assert (centres[:, 0] == 0.7).all()


def test_says_when_the_centres_still_move(monkeypatch) -> None:
    X = table()
    assert fuzzy_cluster(X, 6, "fcm", 1.3, np.random.default_rng(0)).at_rest
    monkeypatch.setattr(clustering, "MAX_ITERATIONS", 2)
    clusters = fuzzy_cluster(X, 6, "fcm", 1.3, np.random.default_rng(0))
    assert not clusters.at_rest
    assert len(clusters.objective) == 2


# Where it begins


def test_begins_in_every_far_cluster() -> None:
    rng = np.random.default_rng(0)
    where = rng.permutation(np.repeat(np.arange(20), 5))
    X = 1e6 * where[:, None] + rng.random((100, 2))
    for _ in range(20):
        starts = kmeans_plus_plus_records(X, rng.random(20))
        assert sorted(where[starts]) == list(range(20))


def test_begins_as_its_naive_twin_does() -> None:
    rng = np.random.default_rng(0)
    for X in (table(), rng.integers(0, 2, (30, 2)).astype(float), np.ones((9, 2))):
        draws = rng.random(9)
        assert (
            kmeans_plus_plus_records(X, draws).tolist()
            == naive.starts(X, draws).tolist()
        )


# Under rules: seed 003, propositions 4 and 5


@every_kind
def test_centres_satisfy_the_rules(algorithm: str, fuzziness: float) -> None:
    rng = np.random.default_rng(0)
    clusters = fuzzy_cluster(table(), 6, algorithm, fuzziness, rng, onto=RULES.project)
    assert not RULES.broken(clusters.centres, tolerance=1e-11).any()


def test_one_rule_moves_means_as_equation_5_says() -> None:
    X, V = table(), table(1, 5)
    a, A = np.array([1.16, 1.07, -1.0, 0.0]), 2.5
    rules = parse_rules(("1.16*w + 1.07*x - y = 2.5",), tuple("wxyz"))
    weight = FuzzyModel(X, "fcm", 1.4).memberships(V) ** 1.4
    expected = [(w @ X - a * ((w @ (X @ a - A)) / (a @ a))) / w.sum() for w in weight.T]
    means = FuzzyModel(X, "fcm", 1.4).update_centres(V)[0]
    np.testing.assert_allclose(rules.project(means), expected, rtol=1e-12)


@every_kind
def test_rules_that_the_records_satisfy_change_nothing(
    algorithm: str, fuzziness: float
) -> None:
    X = RULES.project(table())
    free, bound = (
        fuzzy_cluster(X, 6, algorithm, fuzziness, np.random.default_rng(0), onto=onto)
        for onto in (None, RULES.project)
    )
    np.testing.assert_allclose(free.centres, bound.centres, rtol=1e-9)


def test_attributes_without_a_rule_are_only_weighted_means() -> None:
    X, V = table(), table(1, 5)
    rules = parse_rules(("a + b = c",), RULES.columns)
    means = FuzzyModel(X, "fcm", 1.4).update_centres(V)[0]
    np.testing.assert_array_equal(rules.project(means)[:, 3], means[:, 3])


@every_kind
def test_no_centres_under_the_rules_have_a_smaller_objective_nearby(
    monkeypatch, algorithm: str, fuzziness: float
) -> None:
    monkeypatch.setattr(clustering, "MAX_ITERATIONS", 5000)
    X, rng = table(), np.random.default_rng(0)
    clusters = iterate_centres(
        X, X[:3], algorithm, fuzziness, onto=RULES.project, still=1e-9
    )
    model = FuzzyModel(X, algorithm, fuzziness)
    least_objective = model.update_centres(clusters.centres)[1]
    for _ in range(50):
        other = RULES.project(
            clusters.centres + rng.normal(0, 1e-3, clusters.centres.shape)
        )
        assert model.update_centres(other)[1] >= least_objective - 1e-9 * abs(
            least_objective
        )
