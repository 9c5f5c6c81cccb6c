"""What a page says became of columns and records, beside the original."""

from dashboard.app_pages.release import survival_table
from dashboard.results.figures import loss_text
from dashboard.state import session
from dashboard.ui.browser_components import components
from engine.hierarchy import flat_hierarchy
from engine.report.survival import format_two_digits
from tests.dashboard.pages import downloads, open_page, small_table, texts, with_runs


def test_what_survived_is_shown_for_every_column_that_leaves(ws, seen):
    outcome = session.selected_or_recommended_outcome(ws)
    survival_box = next(
        element for element in seen.get("html") if "What survived" in element.proto.body
    )
    for line in survival_table.make_survival_lines(outcome):
        assert f">{line.name}</span>" in survival_box.proto.body
        assert line.words in survival_box.proto.body
    names = [line.name for line in survival_table.make_survival_lines(outcome)]
    assert names == ["size", "sales", "region", "debt"]


def test_names_of_columns_are_no_html():
    line = survival_table.SurvivalLine(
        "<b>x", "text", "<i>", "a & b", (("kept", 1.0),), False
    )
    body = survival_table.survival_table_html([line])
    assert "<b>x" not in body
    assert "&lt;b&gt;x" in body
    assert "a &amp; b" in body


def beside(ws):
    """Open the page, and what it folds of the records themselves."""
    page = open_page("release", ws)
    assert not page.dataframe
    page.session_state[session.widget_key("original beside protected")] = True
    return page.run()


def test_original_and_protected_show_the_same_records(ws):
    page = beside(ws)
    before, after = (element.value for element in page.dataframe)
    assert len(before) == len(after) == 60
    assert before["region"].tolist() == after["region"].tolist()
    assert list(before) == list(after) == ["size", "sales", "debt", "region"]
    assert before["sales"].tolist() != after["sales"].tolist()


def test_of_very_many_columns_the_first_are_shown_beside_each_other(monkeypatch):
    monkeypatch.setattr(components, "MAX_SHOWN_COLUMNS", 2)
    page = beside(with_runs(small_table()))
    before, after = (element.value for element in page.dataframe)
    assert list(before) == list(after) == ["size", "sales"]
    assert "The first 2 of 4 columns." in texts(page.caption)


def test_the_checklist_names_what_was_done_to_every_column(seen):
    page_text = " ".join(texts(seen.markdown))
    for words in (
        "Left out as identifiers: **name**",
        "Protected: **size**, **sales**",
        "Confidential, released unchanged: **debt**",
        "Released unchanged: **region**",
    ):
        assert words in page_text


def test_records_left_out_are_counted():
    ws = with_runs(small_table(missing=4), missing="drop")
    page = beside(ws)
    assert "Records left out for missing values: 4." in " ".join(texts(page.markdown))
    assert len(page.dataframe[0].value) == len(page.dataframe[1].value) == 56


def mixed(**choices):
    """Return runs on a table with categories, a hierarchy, gaps and weights."""
    table = small_table(missing=4)
    table = table.assign(
        roles={"region": "quasi-identifier", "debt": "other"},
        hierarchies={"region": flat_hierarchy(table.frame["region"])},
    )
    choices = {"methods": ("caat",), "sizes": (3,), "missing": "median"} | choices
    return with_runs(table, **choices)


def test_the_checklist_says_what_each_column_became():
    page = open_page("release", mixed(aggregations={"size": "median"}))
    page_text = " ".join(texts(page.markdown))
    assert "share the median of **size**; the interval of **sales**" in page_text
    assert "the nearest common ancestor of **region**" in page_text
    assert "Missing values filled with the median: 'sales' 4" in page_text


def test_intervals_and_their_ends_stand_beside_the_original():
    page = beside(mixed(interval_columns=True))
    before, after = (element.value for element in page.dataframe)
    assert list(before)[:3] == ["size", "sales", "region"]
    assert list(after)[:3] == ["size", "size_from", "size_to"]
    assert after["size"].str.fullmatch(r"\d+|\[\d+, \d+\]").all()
    assert (after["size_from"] <= after["size_to"]).all()
    assert "ends of intervals" in " ".join(texts(page.markdown))


def test_gaps_that_are_kept_stay_gaps():
    page = beside(mixed(missing="keep"))
    before, after = (element.value for element in page.dataframe)
    assert after["sales"].isna().tolist() == before["sales"].isna().tolist()
    assert after["sales"].isna().sum() == 4
    assert "stay missing" in " ".join(texts(page.markdown))


def test_weights_are_named_and_not_among_the_rest():
    table = small_table().assign(roles={"debt": "weight"})
    page = open_page("release", with_runs(table, methods=("mdav",), sizes=(3,)))
    page_text = " ".join(texts(page.markdown))
    assert "Weighs the records, and is released as it is: **debt**" in page_text
    assert "Released unchanged: **region**." in page_text
    assert "weighted by debt" in " ".join(texts(page.caption))


def test_hierarchies_are_offered_beside_the_command_that_names_them():
    page = open_page("release", mixed())
    assert "Hierarchies (CSV)" in downloads(page)
    assert "--hierarchy region=region_hierarchy.csv" in page.code[0].value
    assert "hierarchies' files" in " ".join(texts(page.caption))


def test_a_table_without_numbers_shows_its_loss_and_its_penalty():
    table = small_table().assign(
        roles={"region": "quasi-identifier", "size": "other", "sales": "other"}
    )
    ws = with_runs(table, methods=("caat",), sizes=(3,))
    page = open_page("release", ws)
    page_texts = texts(page.markdown)
    (outcome,) = session.requested_outcomes(ws)
    assert (
        f"Information loss: **{format_two_digits(outcome.information_loss)} %**"
        in page_texts
    )
    [penalty] = [text for text in page_texts if text.startswith("Certainty penalty: ")]
    assert penalty.endswith(" %**")
    assert loss_text(outcome) in page.selectbox[0].options[0]
    assert "nan" not in " ".join([*page_texts, *texts(page.caption)])


def test_what_merging_groups_has_cost_is_said():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), p_sensitive=3)
    page = open_page("release", ws)
    page_text = " ".join(texts(page.markdown))
    assert "p = 3" in page_text
    assert "merged" in page_text
    assert "--p-sensitive 3" in page.code[0].value
