"""Printed figures in words: nothing is said that the rows do not show."""

import pytest

from dashboard.charts import verdicts
from dashboard.learn import published
from engine.analysis.published.literature import printed_cells, runnable_cells
from tests.dashboard.charts.examples import pair, row


@pytest.mark.parametrize(
    ("text", "ours", "kind"),
    [
        ("17.15", 17.1549, verdicts.EQUAL),
        ("17.15", 17.1551, verdicts.CLOSE),
        ("17.15", 17.0, verdicts.LOWER),
        ("17.15", 18.0, verdicts.HIGHER),
        ("7.15", 9.0, verdicts.IMPOSSIBLE),
    ],
)
def test_each_row_has_one_verdict(text, ours, kind):
    assert verdicts.verdict_label(row(text, ours)) == kind
    assert kind in verdicts.VERDICTS.values()


def test_values_have_as_many_digits_as_were_printed():
    rows = [row("6.1100", 6.1234567), row("10", 9.8, bound=7.6)]
    texts = published.comparison_text_table(rows)
    assert list(texts[published.PRINTED]) == ["6.1100", "10"]
    assert list(texts[published.OURS]) == ["6.1235", "10"]
    assert list(texts[published.BOUND]) == ["8.0000", "8"]
    numbers = published.comparison_table(rows)
    assert list(numbers[published.OURS]) == [6.1234567, 9.8]
    assert list(numbers.columns) == list(texts.columns)


def test_printed_cells_alone_keep_their_digits():
    texts = published.printed_loss_text_table(printed_cells())
    assert list(texts[published.PRINTED]) == [cell.text for cell in printed_cells()]
    assert texts["Source"].str.len().min() > 0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.004, "0.00"), (-0.004, "0.00"), (0.126, "+0.13"), (-1.5, "-1.50")],
)
def test_a_difference_has_a_sign_unless_it_is_nothing(value, text):
    assert verdicts.format_difference(value) == text


def test_methods_that_are_not_here_are_named_by_identifier(monkeypatch):
    assert verdicts.published_method_title("no such method") == "no such method"
    cells = tuple(cell for cell in runnable_cells("census") if cell.method != "ldf")
    monkeypatch.setattr(published, "runnable_cells", lambda dataset: cells)
    assert "LDF" in published.unavailable_methods("census")
    assert "MDAV-1" not in published.unavailable_methods("census")


def sentence(pairs, words):
    (match,) = [
        text for text in published.scaling_finding_sentences(pairs) if words in text
    ]
    return match


BELOW_Z = "below the lower bound on z-scored"


def test_a_printed_figure_below_the_bound_is_said_to_be():
    pairs = [pair(3), pair(5), pair(10)]
    finding = sentence(pairs, BELOW_Z)
    assert finding.startswith("For every k shown, the printed figure is below")
    assert finding.endswith("no grouping can lose as little there.")


def test_a_printed_figure_above_the_bound_is_not_said_to_be_below():
    some = [pair(3), pair(5, "8.1"), pair(10)]
    assert sentence(some, BELOW_Z).startswith("For k = 3 and 10, ")
    none = [pair(3, "8.0"), pair(5, "8.1")]
    assert sentence(none, BELOW_Z) == (
        "For no k the printed figure is below the lower bound on z-scored values."
    )


def test_what_is_said_of_mdav_follows_from_its_figures():
    pairs = [pair(3), pair(4, mdav_raw=4.0), pair(5), pair(10, mdav_zscored=12.0)]
    assert sentence(pairs, "MDAV loses less than the printed").startswith(
        "For k = 3, 5 and 10, "
    )
    assert sentence(pairs, "MDAV loses less than our").startswith("For k = 3, 4 and 5,")


def test_how_near_the_printed_figures_are_is_a_range_of_the_rows():
    pairs = [pair(3, raw=4.2), pair(5, raw=3.9)]
    assert sentence(pairs, "On raw values").endswith("by -2.50 % to +5.00 %.")


def test_of_nothing_nothing_is_said():
    assert published.scaling_finding_sentences([]) == []
