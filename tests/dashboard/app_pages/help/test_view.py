"""The Help page: chapters to choose, search, and one sentence for other languages."""

import pytest

from dashboard.i18n import text_help
from dashboard.manual import PARTS, read_manual_chapters_by_name
from dashboard.state.workspace import Workspace
from tests.dashboard.pages import open_page, texts


def shown(page):
    """Return all Markdown of the page, as one text."""
    return "\n".join(texts(page.markdown))


def look_for(page, words):
    page.text_input[0].set_value(words).run()
    return page


def test_it_begins_with_the_first_chapter_and_links_to_all_others() -> None:
    page = open_page("help")
    first, *others = read_manual_chapters_by_name().values()
    assert f"### {first.title}" in texts(page.markdown)
    for chapter in others:
        assert f"[{chapter.title}](?chapter={chapter.id})" in texts(page.markdown)


CHAPTERS = read_manual_chapters_by_name()
LAST_CHAPTER = list(CHAPTERS)[-1]
NEXT_CHAPTERS = dict(zip(CHAPTERS, list(CHAPTERS)[1:], strict=False))


# That pieces are all of every chapter is tested of the model.
@pytest.mark.parametrize("name", [*list(CHAPTERS)[::6], LAST_CHAPTER])
def test_a_chapter_is_shown_whole_and_leads_to_the_next(name: str) -> None:
    page = open_page("help", chapter=name)
    shown_texts = texts(page.markdown)
    for section in CHAPTERS[name].sections:
        assert f"{'#' * (section.level + 2)} {section.title}" in shown_texts
    assert not page.warning
    if name == LAST_CHAPTER:
        assert not any(text.startswith("Next chapter") for text in shown_texts)
    else:
        following = CHAPTERS[NEXT_CHAPTERS[name]]
        assert shown_texts[-1] == (
            f"Next chapter: [{following.title}](?chapter={following.id})"
        )


def test_pictures_are_inside() -> None:
    page = open_page("help", chapter="ten-minutes")
    assert page.get("image")


def test_search_lists_headings_with_what_stands_there() -> None:
    page = look_for(open_page("help"), "nginx")
    heading = "[Serving a team › Behind a proxy, with HTTPS]"
    address = "(?chapter=serving&at=behind-a-proxy-with-https)"
    assert heading + address in texts(page.markdown)
    assert any("**nginx**" in text for text in texts(page.caption))
    assert any(text.endswith((" place", " places")) for text in texts(page.caption))


def test_a_search_does_not_leave_the_chapter() -> None:
    page = look_for(open_page("help", chapter="rules"), "nginx")
    assert "### Totals and rules that must hold" in texts(page.markdown)


def test_nothing_found_is_said() -> None:
    page = look_for(open_page("help"), "dendrogram")
    assert any("Nothing in the manual" in text for text in texts(page.info))


def test_many_places_are_cut_and_it_is_said() -> None:
    page = look_for(open_page("help"), "the")
    assert sum("](?chapter=" in text for text in texts(page.markdown)) >= 20
    assert any("add a word" in text for text in texts(page.caption))


def test_a_chapter_that_is_not_there_is_named() -> None:
    page = open_page("help", chapter="cooking")
    assert any("no chapter of this name" in text for text in texts(page.warning))
    assert "### What Coterie is for" in shown(page)


def test_readers_of_other_languages_are_told_what_is_english() -> None:
    page = open_page("help", Workspace(language="zh"))
    assert [text for text in texts(page.info) if "英文" in text]
    assert not open_page("help").info
    page.query_params["chapter"] = "choose-k"
    page.run()
    assert not page.info
    assert set(text_help.PART_TITLES) == set(PARTS)
    assert not set(PARTS) & set(texts(page.caption))
    assert "### 选择 k" in texts(page.markdown)
    page = look_for(page, "证书")
    assert "[给法务部门的证据](?chapter=evidence)" in texts(page.markdown)
