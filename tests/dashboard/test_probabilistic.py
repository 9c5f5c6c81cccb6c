"""Groups that were drawn: every page says so, and none says that they keep k."""

import numpy as np
import pytest

from dashboard.app_pages.compare.tables import all_results_table
from dashboard.app_pages.release.checklist import column_checklist
from dashboard.i18n import text
from dashboard.results.figures import figures_with_best_bounds
from dashboard.state import session
from tests.dashboard.pages import (
    labelled,
    offers_release,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
)

PROMISES = ("anonym", "verified", "shares its values with at least")


@pytest.fixture(scope="module")
def table():
    return small_table()


@pytest.fixture(scope="module")
def mixed(table):
    return with_runs(table, methods=("fuzzy", "mdav"), sizes=(4,))


@pytest.fixture(scope="module")
def alone(table):
    return with_runs(table, methods=("fuzzy",), sizes=(4,))


@pytest.fixture(scope="module")
def outcomes(mixed):
    return session.requested_outcomes(mixed)


def words(page):
    """Everything in words on a page."""
    blocks = (page.markdown, page.caption, page.warning, page.success, page.info)
    sentences = [text for block in blocks for text in texts(block)]
    sentences += [
        f"{metric.label} {metric.value} {metric.help} {metric.delta}"
        for metric in page.metric
    ]
    return "\n".join(sentences)


def test_the_release_page_says_probabilistic_and_asks_for_a_reason(alone):
    page = open_page("release", alone)
    assert not page.success
    assert "Probabilistic: expected group size 4" in page.warning[0].value
    assert "of the records are in groups of fewer than 4" in page.warning[0].value
    assert not offers_release(page)  # fewer than k are red until somebody says why
    assert any(sentence.startswith("Below 4: **") for sentence in texts(page.markdown))
    assert not any(promise in words(page) for promise in PROMISES)


def test_the_compare_page_names_it_among_the_weak_results(mixed, alone):
    for ws in (mixed, alone):
        page = open_page("compare", ws)
        (weak,) = (sentence for sentence in texts(page.warning) if "Fuzzy" in sentence)
        assert "probabilistic: expected group size 4" in weak
        assert not any(promise in words(page) for promise in PROMISES)


def test_the_method_card_says_probabilistic(table):
    page = open_page("compare", with_table(table, methods=("fuzzy",)))
    tick = labelled(page.checkbox, "Fuzzy")
    assert text.PROBABILISTIC in tick.proto.help


def test_drawn_groups_come_after_those_that_keep_k_and_have_no_bound(outcomes):
    frame = all_results_table(figures_with_best_bounds(outcomes))
    assert frame["Method"].tolist() == ["MDAV", "Fuzzy microaggregation"]
    assert frame["Lower bound (%)"].notna().tolist() == [True, False]
    assert frame["Avoidable at most (%)"].notna().tolist() == [True, False]
    drawn = next(outcome.probabilistic for outcome in outcomes if outcome.probabilistic)
    assert frame["Expected size"].tolist()[1] == drawn.mean_expected_size == 4.0
    assert frame["Below k (%)"].tolist()[1] == 100 * drawn.share_below


def test_without_drawn_groups_the_table_has_no_columns_for_them(outcomes):
    certain_outcomes = [
        outcome for outcome in outcomes if outcome.probabilistic is None
    ]
    assert "Expected size" not in all_results_table(
        figures_with_best_bounds(certain_outcomes)
    )


def test_the_bound_of_groups_of_k_is_not_lent_to_drawn_groups(outcomes):
    by_method = {row.method: row for row in figures_with_best_bounds(outcomes)}
    assert by_method["fuzzy"].bound == 0.0
    assert by_method["mdav"].bound > 0.0
    assert not by_method["fuzzy"].keeps_k


def test_the_checklist_says_what_came_out_of_the_draw(table, outcomes):
    outcome = next(candidate for candidate in outcomes if candidate.probabilistic)
    sign, sentence = next(
        line
        for line in column_checklist(outcome, table)
        if "drawn at random" in line[1]
    )
    assert sign == "look"
    assert outcome.probabilistic.sizes_message in sentence
    realised = np.bincount(outcome.partition.labels)
    assert f"Groups have {realised.min()} to {realised.max()} records" in sentence
