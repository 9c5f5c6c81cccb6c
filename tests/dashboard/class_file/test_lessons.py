"""What lessons say and draw is what the engine finds."""

import io
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import sample_data
from dashboard.learn.proof import (
    EFFORT_K,
    EFFORT_STEPS,
    certify_best_groups,
    patients_csv,
)
from engine import Plan, evaluate, partition, read_table, run
from engine.analysis.composition.determined_unknowns import determined_record_mask
from engine.analysis.published import edited_centres, literature
from engine.bounds import column_generation_bound, edge_cover_bound, nearest_bound
from engine.core.numerics.statistics import (
    loss_percent,
    total_sum_of_squares,
    within_group_sse,
)
from engine.methods.fuzzy.clustering import FuzzyModel, iterate_centres
from tests.dashboard.class_file.scripts import run_probe
from tests.dashboard.class_file.test_twin import standardised
from tests.engine.certificate.made import certify

FUZZINESS = [("fcm", m) for m in (1.0, 1.1, 1.5, 3.0, 100.0)]
FUZZINESS += [("efcm", value) for value in (0.1, 2.0, 100.0)]


def patients() -> np.ndarray:
    return pd.read_csv(io.BytesIO(patients_csv())).to_numpy()


@pytest.mark.slow
def test_losses_and_bounds_of_efforts_are_the_engines() -> None:
    efforts = run_probe("lessons_limits", "EFFORT", "EFFORT")
    X = np.ascontiguousarray(standardised(patients()))
    total = total_sum_of_squares(X)
    groupings = [
        partition(X, EFFORT_K, "mdav", scaling="none"),
        partition(X, EFFORT_K, "mdav", scaling="none", polish=True),
        partition(
            X,
            EFFORT_K,
            "iterated",
            scaling="none",
            seconds=60.0,
            iterations=EFFORT_STEPS,
        ),
    ]
    losses = [loss_percent(within_group_sse(X, labels), total) for labels in groupings]
    bounds = [
        bound(X, EFFORT_K).per_cent
        for bound in (nearest_bound, edge_cover_bound, column_generation_bound)
    ]
    assert efforts["losses"] == pytest.approx(losses, rel=1e-6)
    assert efforts["bounds"] == pytest.approx(bounds, rel=1e-6)
    assert efforts["steps"] == EFFORT_STEPS
    assert losses == sorted(set(losses), reverse=True)
    assert bounds == sorted(bounds)
    assert all(np.bincount(labels).min() >= EFFORT_K for labels in groupings)


@pytest.mark.slow
def test_the_lesson_on_effort_ends_with_a_certificate_that_holds() -> None:
    proof = certify_best_groups()
    assert proof.best
    report = " ".join(certify(proof.text, patients_csv()))
    assert "these are the best" in report
    least_loss = run_probe("lessons_limits", "EFFORT", "EFFORT")["losses"][-1]
    assert f"{least_loss:.6f}" in report


def test_the_twelve_values_are_cut_as_the_engine_does() -> None:
    values, cuts = run_probe(
        "lessons_limits", "TWELVE, MDAV_CUTS", "[TWELVE, MDAV_CUTS]"
    )
    column = sample_data.load("twelve_values").frame["value"]
    assert values == sorted(column)
    X = np.array(values, dtype=float)[:, np.newaxis]
    for method, expected_cuts in (("mdav", cuts), ("hansen-mukherjee", [4, 8])):
        labels = partition(X, 3, method)
        assert (np.flatnonzero(np.diff(labels)) + 1).tolist() == expected_cuts
    assert [np.mean(part) for part in np.split(X, [4, 8])] == [6.0, 26.0, 46.0]


def test_groups_of_a_larger_k_are_not_merged_and_mostly_lose_more() -> None:
    X = standardised(patients())
    labels = {k: partition(X, k, "mdav", scaling="none") for k in range(2, 21)}
    for k in range(2, 20):
        of_group = [labels[k + 1][labels[k] == g] for g in range(labels[k].max() + 1)]
        whole = [len(set(members)) == 1 for members in of_group]
        assert 0.25 <= np.mean(whole) <= 0.6, k
    losses = [within_group_sse(X, grouping) for grouping in labels.values()]
    more = [later > sooner for sooner, later in pairwise(losses)]
    assert len(more) / 2 < sum(more) < len(more)
    assert losses[0] < losses[-1]


def test_what_was_printed_is_quoted_as_it_was() -> None:
    quotation = run_probe("lessons_groups", "PRINTED", "PRINTED")
    cells = {
        cell.method: cell
        for cell in literature.printed_cells()
        if (cell.dataset, cell.k) == (quotation["table"].lower(), quotation["k"])
    }
    usual, other = cells["mdav1"], cells[literature.RAW_VALUES_METHOD]
    printed = (f"{usual.value:.1f}", f"{other.value:.1f}", other.source)
    assert printed == (
        str(quotation["first"]),
        str(quotation["second"]),
        quotation["source"],
    )


def test_centres_of_noisy_firms_are_the_engines() -> None:
    noisy = [
        edited_centres.NOISY_RECORDS,
        edited_centres.noisy_copy_of_clean_records(3.0, 1),
    ]
    torra, *comparisons = run_probe(
        "lessons_studies",
        "TORRA, compareCentres",
        "[TORRA, ...input.given.map(compareCentres)]",
        [records.tolist() for records in noisy],
    )
    assert torra["clean"] == edited_centres.CLEAN_RECORDS.tolist()
    assert torra["noisy"] == edited_centres.NOISY_RECORDS.tolist()
    assert torra["centres"] == edited_centres.PRINTED_CLEAN.tolist()
    assert torra["factors"] == edited_centres.RULE_FACTORS.tolist()
    distances = dict(zip(torra["deviations"], torra["distances"], strict=True))
    for deviation, ways in edited_centres.PRINTED_DISTANCES.items():
        assert distances.pop(deviation) == [
            list(pair) for pair in zip(*ways, strict=True)
        ]
    assert list(distances.values()) == [[]]
    for records, comparison in zip(noisy, comparisons, strict=True):
        engine_centres = edited_centres.fit_centres_with_and_without_rule(records)
        for name in ("clean", "free", "ruled"):
            np.testing.assert_allclose(
                comparison[name], getattr(engine_centres, name), rtol=1e-9
            )


@pytest.mark.parametrize(("algorithm", "value"), FUZZINESS)
def test_fuzzy_centres_and_memberships_are_the_engines(
    algorithm: str, value: float
) -> None:
    X = standardised(patients()[:30])
    fuzziness = {"value": value, "entropy": algorithm == "efcm"}
    centres, shares = run_probe(
        "fuzzy",
        "membershipsOf, moveCentres",
        "(({ X, starts, fuzziness }) => { const centres = moveCentres(X, starts, "
        "fuzziness); return [centres, X.map((row) => membershipsOf(row, centres, "
        "fuzziness))]; })(input.given)",
        {"X": X.tolist(), "starts": X[::3].tolist(), "fuzziness": fuzziness},
    )
    engine_centres = iterate_centres(X, X[::3].copy(), algorithm, value).centres
    np.testing.assert_allclose(centres, engine_centres, atol=1e-6)
    model = FuzzyModel(X, algorithm, value)
    np.testing.assert_allclose(shares, model.memberships(np.array(centres)), atol=1e-9)


def test_records_draw_centres_as_likely_as_they_are_and_start_far_apart() -> None:
    X = standardised(patients()[:30])
    nearest, even, starts = run_probe(
        "fuzzy",
        "drawLabels, fuzzyCentres, membershipsOf",
        """(({ X }) => {
          let state = 1;
          const random = () => { state = (state * 16807) % 2147483647;
            return state / 2147483647; };
          const centres = fuzzyCentres(X, 10, { value: 1.1 }, random);
          const drawn = (value) => X.map((row) => row.map(() => 0)) && drawLabels(
            X.map((row) => membershipsOf(row, centres, { value })), random);
          return [drawn(1), Array.from({ length: 60 }, () => drawn(100)), centres];
        })(input.given)""",
        {"X": X.tolist()},
    )
    centres = np.array(starts)
    distances = np.square(X[:, None] - centres).sum(axis=2)
    assert nearest == distances.argmin(axis=1).tolist()
    assert len(np.unique(centres.round(3), axis=0)) == len(centres)
    counts = np.bincount(np.ravel(even), minlength=10) / np.size(even)
    np.testing.assert_allclose(counts, 0.1, atol=0.04)


def test_who_is_found_among_drawn_groups_is_what_the_measure_counts() -> None:
    frame = pd.DataFrame(patients()[:60], columns=["height", "weight"])
    table = read_table(frame).assign(
        roles=dict.fromkeys(frame, "quasi-identifier"),
        kinds=dict.fromkeys(frame, "continuous"),
    )
    outcome = run(Plan(method="fuzzy", k=3, rounding="none", seed=3), table)
    released = outcome.release.frame[list(frame)].to_numpy(dtype=float)
    rows, labels = np.unique(released, axis=0, return_inverse=True)
    middle, spread = frame.to_numpy().mean(axis=0), frame.to_numpy().std(axis=0)
    linked_share, release_loss = run_probe(
        "fuzzy",
        "foundShare, releasedLoss",
        "(({ X, labels, centres }) => [foundShare(X, labels, centres), "
        "releasedLoss(X, labels.map((g) => centres[g]))])(input.given)",
        {
            "X": standardised(frame.to_numpy()).tolist(),
            "labels": labels.ravel().tolist(),
            "centres": ((rows - middle) / spread).tolist(),
        },
    )
    score = evaluate(outcome, table, ["record-linkage"])["record-linkage"]
    assert linked_share == pytest.approx(score.value)
    assert release_loss == pytest.approx(outcome.information_loss)


def test_records_that_follow_from_several_releases_are_the_engines() -> None:
    rng = np.random.default_rng(5)
    labelings = [
        [partition(X, k, "mdav").tolist() for k in range(3, last)]
        for X in (rng.normal(size=(n, 2)) for n in (14, 25, 40))
        for last in (4, 5, 8)
    ]
    script_records = run_probe(
        "fuzzy",
        "determinedRecords",
        "input.given.map(determinedRecords)",
        labelings,
    )
    for record_numbers, labels in zip(script_records, labelings, strict=True):
        mask = determined_record_mask(np.array(labels))
        assert sorted(record_numbers) == np.flatnonzero(mask).tolist()
    assert any(script_records)
    assert not all(script_records)


def test_one_file_alone_finds_nobody_and_further_ones_find_more() -> None:
    counts = run_probe(
        "lessons_studies",
        "RELEASE_SIZES, determinedRecords, mdav, scaledRows",
        "RELEASE_SIZES.map((_k, i) => determinedRecords(RELEASE_SIZES.slice(0, i + 1)"
        ".map((k) => mdav(scaledRows, k).labels)).length)",
    )
    assert counts[0] == 0
    assert counts[1] > 0
    assert counts == sorted(counts)


def test_an_intruder_never_finds_more_than_k_allows() -> None:
    trials = run_probe(
        "lessons_studies",
        "chance, drawFirms, foundShare, groupMeans, mdav, standardise",
        """[1, 2, 3].map((seed) => {
          const firms = standardise(drawFirms(chance(seed)));
          return [1, 3, 10].map((k) => {
            const labels = k === 1 ? firms.map((_f, i) => i) : mdav(firms, k).labels;
            const centres = groupMeans(firms, labels);
            return [centres.length, ...[1, 2, 3, 4, 5, 6].map((known) => {
              const first = (some) => some.map((row) => row.slice(0, known));
              return foundShare(first(firms), labels, first(centres));
            })];
          });
        })""",
    )
    for as_it_is, *released in trials:
        assert as_it_is[-1] == 100.0
        assert as_it_is[1] < 100.0
        for groups, *shares in released:
            assert max(shares) <= groups
