"""Help finds words, leads to headings, and loses nothing of the manual."""

import re
from itertools import chain

import pytest

from dashboard.app_pages.help import model
from dashboard.app_pages.help.model import (
    CodeBlock,
    ManualPicture,
    markdown_to_plain_text,
    search_manual,
    split_text_code_and_pictures,
)
from dashboard.manual import (
    ManualChapter,
    ManualSection,
    read_manual_chapters_by_name,
    read_tasks_by_matter,
)
from dashboard.manual.chapters import TASKS


def as_text(piece: str | CodeBlock | ManualPicture) -> str:
    if isinstance(piece, ManualPicture):
        return piece.alt
    return markdown_to_plain_text(
        piece if isinstance(piece, str) else f"```\n{piece.text}\n```"
    )


CHAPTERS = pytest.mark.parametrize(
    "chapter", read_manual_chapters_by_name().values(), ids=lambda c: c.id
)


def sample(text: str) -> tuple[ManualChapter, ManualSection]:
    section = ManualSection("Title", "", 1, text)
    return ManualChapter("rules", (section,)), section


def titles(wanted: str) -> list[str]:
    return [place.display_title for place in search_manual(wanted)]


@pytest.mark.parametrize(
    "chapter",
    [entry for entry in read_manual_chapters_by_name().values() if entry.id != TASKS],
    ids=lambda c: c.id,
)
def test_every_heading_is_found_by_its_words(
    chapter: ManualChapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one searches this chapter alone, of some fifty."""
    chapter_sections = [
        entry for entry in model._list_searchable_sections("en") if entry[0] == chapter
    ]
    monkeypatch.setattr(
        model, "_list_searchable_sections", lambda _language: chapter_sections
    )
    for section in chapter.sections:
        hits = search_manual(f"{chapter.title} {markdown_to_plain_text(section.title)}")
        assert (chapter, section) in [(entry.chapter, entry.section) for entry in hits]


def test_headings_come_before_text() -> None:
    headings = titles("lower bounds")
    assert headings[0] == "Near-optimal groups › Lower bounds"
    assert len(headings) > 1


def test_headings_with_all_words_come_first_and_rare_words_count_more() -> None:
    headings = titles("is there an nginx proxy")
    assert "Serving a team › Behind a proxy, with HTTPS" in headings[:2]
    assert "Serving a team › Metrics" not in headings[:2]
    assert titles("nginx dendrogram") == titles("nginx")
    assert titles("dendrogram") == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where is my data stored", "Where your data go"),
        ("delete my data", "Where your data go"),
        ("several rows per patient", "Several rows per person, household or firm"),
        ("totals must add up", "Totals and rules that must hold"),
        (
            "single sign-on",
            "Serving a team › Sign in by an identity provider, or a password",
        ),
        ("proxy memory copies", "Serving a team › What a proxy keeps"),
        ("30 users at once", "Serving a team › How large a machine"),
        ("reproducible seed", "Files and reports › A reproducible release"),
        ("MDAV step by step", "Microaggregation › See it step by step"),
        ("pandas DataFrame", "From Python › A DataFrame in, a DataFrame out"),
        ("exceptions", "Environment, limits, exit codes and exceptions"),
        (
            "strata_variables",
            "Come from sdcMicro, ARX or μ-ARGUS › Replace a call of sdcMicro",
        ),
        ("no installation students", "Teach a class with one file"),
        ("one line per operation", "Several rows per person, household or firm"),
        ("amounts read as text", "The pages › Data"),
        ("recommended result", "The pages › Release"),
        (
            "check k without Coterie",
            "Evidence for the legal department › A proof without trust in Coterie",
        ),
        ("method for clustered data", "Choose a method"),
        ("outliers large firms", "The choices of a run › A budget for outliers"),
        ("keep the mean of each region", "Totals and rules that must hold"),
        ("published results reproduced", "Literature"),
        ("own groups labels", "From Python › Groups of an array"),
        ("write a new method", "How it is built › A new method"),
        ("read csv semicolon decimal comma python", "From Python › Further"),
        ("stop after 60 seconds", "Memory and time › Stop after 60 seconds"),
        ("supported operating systems", "Install"),
        (
            "two servers behind one proxy",
            "Serving a team › Several servers, or a cluster",
        ),
        ("a machine dies", "Serving a team › Several servers, or a cluster"),
        ("personal data uploaded by mistake", "Where your data go › Delete a table"),
        (
            "limit running time",
            "Serving a team › Quotas and limits of memory, runs and files",
        ),
        (
            "worker was killed",
            "Serving a team › A page was slow or disconnected, or a run stopped",
        ),
        (
            "one column after the other",
            "A lab of an hour › "
            "7. One column after the other, or all together (5 minutes)",
        ),
        ("thirty students", "Teach a class with one file › In the classroom"),
        ("between groups sum of squares", "Microaggregation"),
        ("k-anonymity", "Microaggregation › k-anonymity by other ways"),
        ("generalisation suppression", "Microaggregation › k-anonymity by other ways"),
        ("global recoding", "Microaggregation › k-anonymity by other ways"),
        ("epsilon", "Microaggregation › Why this is not differential privacy"),
        (
            "time-out",
            "Serving a team › A page was slow or disconnected, or a run stopped",
        ),
        (
            "connection lost",
            "Serving a team › A page was slow or disconnected, or a run stopped",
        ),
        (
            "please wait connecting",
            "Serving a team › A page was slow or disconnected, or a run stopped",
        ),
        ("hangs at connecting", "Serving a team › Behind a proxy, with HTTPS"),
        (
            "basic authentication password",
            "Serving a team › Sign in by an identity provider, or a password",
        ),
        ("complexity of MDAV", "Methods"),
        ("intersection attack", "What several releases say together"),
        ("monthly delivery", "Repeated releases"),
        ("grading students files", "A lab of an hour › For the lecturer"),
        ("loss of a handed-in file", "A lab of an hour › For the lecturer"),
        ("plug-in method", "How it is built › A new method"),
        ("weights strata and totals together", "Totals and rules that must hold"),
        ("postcode", "Choose columns"),
        ("re-identification", "The command line › Attacks"),
        ("ICD codes", "Hierarchies"),
        (
            "data protection impact assessment",
            "Choose k › For another hospital, or under the GDPR",
        ),
        ("80 million rows", "Files larger than memory"),
        ("out of memory", "Memory and time"),
        ("uninstall", "Install › Check, upgrade, remove"),
        ("firewall proxy pip fails", "Install › Without a network"),
        ("rollback", "Serving a team › Upgrade without interruption, and go back"),
        ("how much RAM per user", "Serving a team › How large a machine"),
        ("nightly job exit code", "Every night by cron"),
        ("custom distance", "How it is built › A new method"),
    ],
)
def test_questions_of_readers_lead_to_their_answers(question: str, answer: str) -> None:
    """As readers typed them who had not seen the manual."""
    assert answer in titles(question)[:3]


@pytest.mark.parametrize(
    ("task", "link"),
    [pair for tasks in read_tasks_by_matter().values() for pair in tasks.items()],
)
def test_tasks_lead_to_their_answers(task: str, link: str) -> None:
    hits = search_manual(task)[:3]
    addresses = [f"{hit.chapter.id}.md#{hit.section.anchor}" for hit in hits]
    assert link in [address.removesuffix("#") for address in addresses]


def test_words_are_found_by_their_beginnings_only() -> None:
    assert titles("hierarch")
    assert titles("ierarchies") == []


def test_options_are_found_as_they_are_typed() -> None:
    assert any("The command line" in title for title in titles("--thorough-bound"))


def test_case_does_not_matter() -> None:
    assert titles("NGINX") == titles("nginx")


@pytest.mark.parametrize("wanted", ["(", "*", "[a", "\\", ".+"])
def test_signs_mean_themselves(wanted: str) -> None:
    for place in search_manual(wanted):
        text = markdown_to_plain_text(place.section.text)
        assert wanted in f"{place.display_title} {text}".lower()


def test_nothing_is_found_without_words() -> None:
    assert search_manual("  ") == []


@pytest.mark.parametrize("wanted", ["mdav", "lower bound", "k", "--json", "team"])
def test_excerpts_show_the_words_and_are_of_the_text(wanted: str) -> None:
    words = tuple(wanted.split())
    for place in search_manual(wanted):
        text = markdown_to_plain_text(place.section.text)
        assert "".join(place.excerpt).strip("…") in text
        assert all(part.lower() in words for part in place.excerpt[1::2])
        if any(re.search(rf"(?<!\w){word}", text, re.IGNORECASE) for word in words):
            assert place.excerpt[1::2]


@CHAPTERS
def test_pieces_are_all_that_stands_below_a_heading(chapter: ManualChapter) -> None:
    for section in chapter.sections:
        page_text = " ".join(
            map(as_text, split_text_code_and_pictures(chapter, section))
        )
        whole = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", section.text)
        assert page_text.split() == markdown_to_plain_text(whole).split(), (
            section.anchor
        )


@CHAPTERS
def test_links_lead_to_sections_of_the_manual(chapter: ManualChapter) -> None:
    chapters = read_manual_chapters_by_name()
    for piece in chain.from_iterable(
        split_text_code_and_pictures(chapter, section) for section in chapter.sections
    ):
        if isinstance(piece, ManualPicture):
            assert piece.path.is_file()
            assert piece.alt
        if not isinstance(piece, str):
            continue
        assert not re.search(r"\]\([\w-]+\.md", piece)
        for name, _, anchor in re.findall(
            r"\]\(\?chapter=([\w-]+)(&at=([^)]+))?", piece
        ):
            anchors = [heading.anchor for heading in chapters[name].sections]
            assert anchor in anchors


def test_a_link_becomes_an_address_of_the_page() -> None:
    text = "See [that](fuzzy.md#centres-and-rules), [this](#here), [all](files.md)."
    assert split_text_code_and_pictures(*sample(text)) == [
        "See [that](?chapter=fuzzy&at=centres-and-rules), "
        "[this](?chapter=rules&at=here), [all](?chapter=files)."
    ]


def test_code_and_addresses_elsewhere_stay() -> None:
    text = "`[a](b.md)` and [here](https://doi.org/1)"
    assert split_text_code_and_pictures(
        *sample(f"{text}\n\n```sh\n[c](d.md)\n```")
    ) == [
        text,
        CodeBlock("[c](d.md)"),
    ]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("| a | b |\n| --- | --- |\n| `x\\|y` | **z** |", "a · b x|y · z"),
        ("* one\n* *two*", "one two"),
        ("1.16*exp16 + 1.07*exp7", "1.16*exp16 + 1.07*exp7"),
        ("```sh\ncoterie run\n```", "coterie run"),
    ],
)
def test_excerpts_are_readable(markdown: str, text: str) -> None:
    assert markdown_to_plain_text(markdown) == text
