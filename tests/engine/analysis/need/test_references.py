"""Reference points are what their sources say, and are measured like the answer."""

import numpy as np
import pandas as pd
import pytest

from engine.analysis.need.answer import REFERENCE_TITLES
from engine.analysis.need.plan_search.search import PlanSearch
from engine.analysis.need.references import measure
from engine.analysis.need.references.other_ways import (
    MAX_SUPPRESSED_SHARE,
    add_noise,
    draw_within_groups,
    list_recodings,
    mondrian_labels,
    recoded_frame_and_kept_rows,
    replace_by_midpoints_or_modes,
    scale_to_unit_range,
    synthesise_by_trees,
)
from engine.cli.parsing.parser import main
from engine.files import read_table
from engine.pipeline.plan import Plan
from tests.engine.analysis.need.cases import (
    MODEL,
    answered,
    frame_of,
    table_of,
    weakest,
)

NAMES = ["a", "b", "g"]


def test_median_cuts_go_on_until_no_cut_leaves_k_on_both_sides() -> None:
    line = np.array([[0.0], [0.9], [0.1], [0.8], [0.2], [0.7], [0.3], [1.0]])
    labels = mondrian_labels(line, 2)
    assert sorted(map(sorted, pd.Series(line[:, 0]).groupby(labels).agg(list))) == [
        [0.0, 0.1],
        [0.2, 0.3],
        [0.7, 0.8],
        [0.9, 1.0],
    ]
    X = scale_to_unit_range(frame_of()[NAMES])
    for k in (2, 7, 76):
        labels = mondrian_labels(X, k)
        assert np.bincount(labels).min() >= k
        for label in range(labels.max() + 1):
            for values in X[labels == label].T:
                low = (values <= np.median(values)).sum()
                low = (values < values.max()).sum() if low == values.size else low
                assert not k <= low <= values.size - k


def test_midpoints_and_drawn_values_stay_within_their_group() -> None:
    frame = pd.DataFrame({"x": [1, 5, 2, 10], "g": ["u", "u", "v", "w"]})
    labels = np.array([0, 0, 0, 1])
    middles = replace_by_midpoints_or_modes(frame, ["x", "g"], labels)
    assert middles["x"].tolist() == [3.0, 3.0, 3.0, 10.0]
    assert middles["g"].tolist() == ["u", "u", "u", "w"]
    drawn = draw_within_groups(frame, ["x", "g"], labels, np.random.default_rng(0))
    assert drawn["x"].iloc[:3].between(1.0, 5.0).all()
    assert (drawn["x"].iloc[3], drawn["g"].iloc[3]) == (10.0, "w")
    assert set(drawn["g"].iloc[:3]) <= {"u", "v"}


@pytest.mark.parametrize("k", [3, 12])
def test_recoding_leaves_out_no_more_than_it_may(k: int) -> None:
    frame = frame_of()
    recoded, kept_rows = recoded_frame_and_kept_rows(frame, NAMES, k)
    assert recoded.groupby(NAMES).size().min() >= k
    assert len(recoded) == len(kept_rows) >= (1.0 - MAX_SUPPRESSED_SHARE) * len(frame)
    assert recoded["y"].tolist() == frame["y"].iloc[kept_rows].tolist()
    # No column could have been recoded less, the others being as they are.
    ladders = {name: list_recodings(frame[name]) for name in NAMES}
    steps = {
        name: max(
            step
            for step, recoding in enumerate(ladder)
            if recoding.values.iloc[kept_rows].tolist() == recoded[name].tolist()
        )
        for name, ladder in ladders.items()
    }
    whole = pd.DataFrame({name: ladders[name][steps[name]].codes for name in NAMES})
    assert sum(step > 0 for step in steps.values()) > 1
    for name, step in steps.items():
        if step + 1 < len(ladders[name]):
            finer = whole.assign(**{name: ladders[name][step + 1].codes})
            sizes = finer.groupby(NAMES)[name].transform("size")
            assert (sizes >= k).mean() < 1.0 - MAX_SUPPRESSED_SHARE


def test_synthetic_values_are_of_the_column_and_keep_what_depends_on_another() -> None:
    frame = frame_of().assign(twin=lambda f: np.where(f["g"] == "yes", "1", "0"))
    frame = frame[["g", "twin", "a", "b", "y"]]
    first_frame, other = (
        synthesise_by_trees(frame, np.random.default_rng(4)) for _ in range(2)
    )
    pd.testing.assert_frame_equal(first_frame, other)
    for name in frame:
        assert set(first_frame[name]) <= set(frame[name])
    assert ((first_frame["g"] == "yes") == (first_frame["twin"] == "1")).all()
    assert not first_frame.equals(frame)


def test_no_noise_changes_nothing_and_more_noise_moves_farther() -> None:
    frame = frame_of()
    pd.testing.assert_frame_equal(add_noise(frame, NAMES, 0.0, 1), frame)
    little, much = (add_noise(frame, NAMES, x, 1) for x in (0.1, 1.0))
    moved = [(each["a"] - frame["a"]).to_numpy() for each in (little, much)]
    np.testing.assert_allclose(moved[1], 10.0 * moved[0])
    assert (little["g"] != frame["g"]).sum() <= (much["g"] != frame["g"]).sum()


def test_reference_points_stand_beside_the_answer_with_their_own_risks() -> None:
    answer = answered(["k >= 5"], ["overlap >= 0.2"], trials=9, references=True)
    release_point, midpoints, generalised, recoded, trees, noise = answer.references
    assert release_point.keeps == answer.keeps
    frame = frame_of()
    labels = mondrian_labels(scale_to_unit_range(frame[NAMES]), 5)
    expected = weakest(frame, replace_by_midpoints_or_modes(frame, NAMES, labels))
    assert midpoints.keeps[0].reached == pytest.approx(expected, abs=1e-3)
    for each in (release_point, midpoints, generalised, recoded):
        assert each.promise == "k"
        assert each.risk == 1.0 / each.smallest <= 0.2
    assert (trees.promise, trees.linkage) == ("other", None)
    assert trees.risk == trees.repeated_uniques
    # No more records are found by distance than in the answer, but nearly as many.
    assert noise.linkage is not None
    assert release_point.linkage is not None
    assert 0.5 * release_point.linkage <= noise.risk <= release_point.linkage
    assert answer.summary()["references"][0]["title"] == "This release"
    assert not answered(["k >= 5"], ["overlap >= 0.2"], trials=9).references


def test_reference_points_count_people_where_the_answer_does() -> None:
    person = np.repeat(np.arange(50), 3)
    table = table_of(frame_of().assign(person=person), person="identifier")
    base = Plan(quasi_identifiers=tuple(NAMES), person="person")
    options = {"table": table, "base": base, "references": True, "trials": 3}
    answer = answered(["k >= 5"], [], **options)
    assert answer.outcome is not None
    assert answer.outcome.n_persons == 50
    assert all(each.smallest >= 5 for each in answer.references[:4])
    X = scale_to_unit_range(frame_of()[NAMES])
    recoded, kept_rows = recoded_frame_and_kept_rows(frame_of(), NAMES, 5, person)
    recoded = recoded.assign(person=person[kept_rows])
    assert recoded.groupby(NAMES)["person"].nunique().min() >= 5
    labels = mondrian_labels(X, 5, person)
    assert pd.Series(person).groupby(labels).nunique().min() >= 5
    assert pd.Series(person).groupby(mondrian_labels(X, 5)).nunique().min() < 5


def test_reference_points_that_there_is_no_time_to_measure_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = []
    monkeypatch.setattr(
        measure, "is_deadline_past", lambda _deadline: looks.append(1) or len(looks) > 2
    )
    answer = answered(["k >= 5"], ["overlap >= 0.2"], trials=9, references=True)
    titles = [point.title for point in answer.references]
    assert titles == ["This release", *REFERENCE_TITLES[:2]]
    for title in REFERENCE_TITLES:
        message = f"Time was over before {title} was measured."
        assert (message in answer.about_references) == (title not in titles)


def test_the_command_says_what_noise_and_synthetic_data_promise(
    tmp_path, capsys, monkeypatch
) -> None:
    frame_of(60).to_csv(tmp_path / "f.csv", index=False)
    monkeypatch.setattr(PlanSearch, "extend", lambda *_: None)
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--rule", "k >= 4", "--model", MODEL, "--trials", "1", "--references"]
    assert main(words) == 0
    console_text = capsys.readouterr().out
    assert console_text.count("beside it: ") == 6
    assert "promise another thing than groups of k" in console_text


def test_a_repeated_key_is_one_whatever_its_numbers_are_written_as() -> None:
    frame = pd.DataFrame({"a": [1, 2, 2, 4], "g": ["u", "v", "v", "w"]})
    table = read_table(frame, roles=dict.fromkeys(frame, "quasi-identifier"))
    search = PlanSearch(table, Plan(k=2, quasi_identifiers=("a", "g")), (), (), 0)
    scale = measure._Scale(search, ["a", "g"], np.arange(4))
    floats = frame.assign(a=frame["a"] + 0.0)
    assert scale._repeated_uniques(floats) == 1.0
    assert scale._repeated_uniques(floats.iloc[:3]) == 0.5
    assert scale._repeated_uniques(floats.assign(a=3.5)) == 0.0
