"""Other tools' methods by their names, on one's own table."""

from dataclasses import replace

from dashboard.learn import other_tools
from engine.methods import methods
from engine.methods.descriptions.elsewhere import FOREIGN_METHODS
from tests.dashboard.pages import open_page, small_table, texts, with_runs, with_table


def opened(ws=None):
    return open_page("learn", ws, show="other-tools")


def losses(page):
    return page.dataframe[0].value


def test_every_name_stands_with_its_method_before_anything_ran():
    page = opened(with_table(small_table()))
    shown = losses(page)
    assert set(shown["Method"]) == {
        methods.info(n).title for n in other_tools.TOOL_METHOD_NAMES
    }
    assert shown["IL (%)"].isna().all()
    assert "Run them" in [one.label for one in page.button]
    said = " ".join(texts(page.info))
    assert all(name in said for name in FOREIGN_METHODS)


def test_what_has_run_is_ranked_by_its_loss():
    names = ("simple", "pca", "mdav-generic", "refined")
    page = opened(with_runs(small_table(), methods=names, sizes=(3,)))
    shown = losses(page)
    ran = shown[shown["IL (%)"].notna()]
    assert len(ran) == len(names)
    assert ran["IL (%)"].is_monotonic_increasing
    said = " ".join(texts(page.markdown))
    best, ours = shown["IL (%)"][shown["Method"] == "MDAV-generic"], ran["IL (%)"].min()
    assert "**sdcMicro mdav** loses least" in said
    assert f"{best.item() / ours:.2f} times as much as the best here" in said


def test_without_a_table_it_leads_to_one():
    ws = with_table(small_table())
    page = opened(replace(ws, table=None))
    assert "There is no table yet" in " ".join(texts(page.info))
