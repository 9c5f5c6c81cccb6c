"""The glossary: an entry for all that has a name, found by its words, true to it."""

import pytest

from dashboard.app_pages.learn import glossary_page
from dashboard.class_file.page import LESSONS
from dashboard.i18n import text_glossary
from dashboard.learn import glossary, terms
from dashboard.ui.header.learn_links import PUBLISHED
from engine.measures import measures
from engine.methods import methods
from tests.dashboard.app_pages.learn.lessons import links, open_lesson
from tests.dashboard.pages import open_page, texts

NAMES = list(glossary.glossary_entries())


@pytest.mark.parametrize("registry", [methods, measures], ids=["methods", "measures"])
def test_everything_registered_has_an_entry(registry):
    for name in registry:
        info, entry = registry.info(name), glossary.glossary_entries()[name]
        assert entry.title == info.title
        assert entry.meaning == info.summary


def test_measures_say_formula_direction_and_source_as_registered():
    for info in measures.infos():
        entry = glossary.glossary_entries()[info.id]
        assert (entry.formula, entry.direction) == (info.formula, info.direction)
        dois = [doi for _words, doi in entry.source_links if doi]
        assert len(dois) == info.reference.count("doi.org")
        assert all(f"https://doi.org/{doi}" in info.reference for doi in dois)


def test_methods_have_the_doi_of_their_reference():
    for info in methods.infos():
        ((words, doi),) = glossary.glossary_entries()[info.id].source_links
        assert doi == info.reference.doi
        assert words.startswith(info.reference.text.split(".")[0])


def test_every_term_has_name_meaning_and_a_place():
    ids = [term.id for term in terms.ALL_TERMS]
    assert ids == list(text_glossary.TITLES)
    assert set(ids) == set(text_glossary.MEANINGS)
    assert set(text_glossary.FORMULAS) <= set(ids)
    assert all(
        term.pages or term.id in terms.LESSON_OF_TERM for term in terms.ALL_TERMS
    )


def test_every_entry_that_a_lesson_explains_exists():
    assert set(terms.LESSON_OF_TERM) <= set(NAMES)
    assert set(terms.LESSON_OF_TERM.values()) <= {*LESSONS, PUBLISHED}


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ("mdav", "mdav"),
        ("lower bound", "lower-bound"),
        ("NCP", "certainty-penalty"),
        ("hdf", "dba1"),
        ("sdid", "interval-disclosure"),
        ("Lin 2010", "dba1"),
        ("Quasi-Identifier", "quasi-identifier"),
    ],
)
def test_words_are_found_in_names_first(wanted, first):
    entry_ids = [entry.id for entry in glossary.search_glossary(wanted)]
    assert entry_ids[0] == first


def test_no_words_find_everything_and_strange_ones_nothing():
    assert [entry.id for entry in glossary.search_glossary("  ")] == NAMES
    assert glossary.search_glossary("mdav zxcvbn") == []
    kinds = {entry.kind for entry in glossary.search_glossary("", glossary.METHOD)}
    assert kinds == {glossary.METHOD}
    assert len(glossary.search_glossary("", glossary.METHOD)) == len(methods)


def test_a_tooltip_has_meaning_formula_and_direction():
    for name, entry in glossary.glossary_entries().items():
        tip = glossary.glossary_tooltip(name)
        assert tip.startswith(entry.meaning)
        assert entry.formula in tip
        assert entry.direction in tip.lower()


def test_the_page_lists_all_entries_and_finds():
    page = open_lesson("glossary")
    queries = {query for _label, query in links(page)}
    assert {f"term={name}" for name in NAMES} < queries
    page.text_input[0].set_value("certainty").run()
    queries = {query for _label, query in links(page) if "term=" in query}
    assert queries == {
        f"term={entry.id}" for entry in glossary.search_glossary("certainty")
    }
    page.text_input[0].set_value("zxcvbnm").run()
    assert [element.value for element in page.info] == [text_glossary.NOTHING]


@pytest.fixture(scope="module")
def page():
    return open_page("data")


# One of each kind, and every tenth: what is said of all is tested above.
@pytest.mark.parametrize("name", ["mdav", "certainty-penalty", *NAMES[::10]])
def test_an_entry_has_a_page_with_its_source(page, name):
    page.query_params["term"] = name
    page.switch_page("app_pages/learn/view.py").run()
    entry = glossary.glossary_entries()[name]
    assert [element.value for element in page.header] == [entry.title]
    urls = [element.proto.url for element in page.get("link_button")]
    assert urls == [
        f"https://doi.org/{doi}" for _words, doi in entry.source_links if doi
    ]
    page_text = "\n".join(texts(page.markdown))
    assert entry.meaning in page_text
    if name in methods:
        for parameter in methods.info(name).parameters:
            assert parameter.help in page_text
    if entry.formula:
        assert entry.formula in [element.value for element in page.code]


def test_what_methods_promise_is_said():
    def said(name):
        return " ".join(glossary_page.method_promise_sentences(methods.info(name)))

    assert text_glossary.K_PROMISED in said("mdav")
    assert text_glossary.K_PROMISED not in said("fuzzy")
    assert text_glossary.K_PER_ATTRIBUTE in said("individual-ranking")
    assert "at random" in said("fuzzy")
    assert "2k-1" in said("mdav")
    assert text_glossary.EXACT in said("hansen-mukherjee")
    assert text_glossary.MIXED in said("caat")
    assert "10,000" in said("fuzzy")
