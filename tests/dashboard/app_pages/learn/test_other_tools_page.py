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
    loss_table = losses(page)
    assert set(loss_table["Method"]) == {
        methods.info(n).title for n in other_tools.TOOL_METHOD_NAMES
    }
    assert loss_table["IL (%)"].isna().all()
    assert "Run them" in [widget.label for widget in page.button]
    page_text = " ".join(texts(page.info))
    assert all(name in page_text for name in FOREIGN_METHODS)


def test_what_has_run_is_ranked_by_its_loss():
    names = ("simple", "pca", "mdav-generic", "refined")
    page = opened(with_runs(small_table(), methods=names, sizes=(3,)))
    loss_table = losses(page)
    ran = loss_table[loss_table["IL (%)"].notna()]
    assert len(ran) == len(names)
    assert ran["IL (%)"].is_monotonic_increasing
    page_text = " ".join(texts(page.markdown))
    best, least_loss = (
        loss_table["IL (%)"][loss_table["Method"] == "MDAV-generic"],
        ran["IL (%)"].min(),
    )
    assert "**sdcMicro mdav** loses least" in page_text
    assert f"{best.item() / least_loss:.2f} times as much as the best here" in page_text


def test_without_a_table_it_leads_to_one():
    ws = with_table(small_table())
    page = opened(replace(ws, table=None))
    assert "There is no table yet" in " ".join(texts(page.info))
