"""Glossary pages: search for terms, measures and methods, and one entry in full."""

from __future__ import annotations

import streamlit as st

from dashboard.class_file.words import lesson_titles
from dashboard.i18n import text, text_glossary, text_lessons
from dashboard.i18n.language import _
from dashboard.i18n.text_glossary import KINDS
from dashboard.learn import glossary
from dashboard.learn.terms import LESSON_OF_TERM, LOWER
from dashboard.state import session
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header import learn_links
from engine.measures import measures
from engine.methods import FAMILY_TITLES, MethodInfo, methods

_ALL_KINDS = "all"

_PAGE_ICONS = {
    "data": (":material/table:", "Data"),
    "compare": (":material/bar_chart:", "Compare"),
    "inspect": (":material/search:", "Inspect"),
    "release": (":material/download:", "Release"),
}
"""Icon and title of the pages where terms are met."""


def show_glossary() -> None:
    """Show the glossary's search field, and the entries found: links and meanings."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(_("Glossary"), anchor=False, help=_(text_glossary.GLOSSARY_INTRO))
        learn_links.show_link_to_all_lessons()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.text_input(
            _("Search"),
            placeholder=_("A term, a method, an author"),
            icon=":material/search:",
            help=_(text_glossary.SEARCH_HELP),
            key=session.widget_key("glossary search"),
            persist_state="session",
        )
        kind = st.segmented_control(
            _("Show"),
            [_ALL_KINDS, *KINDS],
            default=_ALL_KINDS,
            required=True,
            format_func=lambda key: _("All") if key == _ALL_KINDS else _(KINDS[key]),
            help=_("All entries, or those of one kind."),
            key=session.widget_key("glossary kind"),
            persist_state="session",
        )
    entries = glossary.search_glossary(
        query or "", "" if kind in (None, _ALL_KINDS) else kind
    )
    if not entries:
        st.info(_(text_glossary.NOTHING), icon=":material/search_off:")
        return
    for group, title in KINDS.items():
        some = [entry for entry in entries if entry.kind == group]
        if some:
            st.subheader(f"{_(title)} · {len(some)}", anchor=False)
            _show_cards(some)


def _show_cards(entries: list[glossary.GlossaryEntry]) -> None:
    """Show each entry's name, which is a link, and its first sentence."""
    for first in range(0, len(entries), 3):  # so that a narrow screen keeps their order
        line = entries[first : first + 3]
        for column, entry in zip(st.columns(3, gap="medium"), line, strict=False):
            with column:
                learn_links.show_link_to_term(f"**{_(entry.title)}**", entry.id)
                st.caption(_(entry.meaning))


def show_glossary_entry(entry_id: str) -> None:
    """Show a glossary entry's meaning, formula, direction, pages and source."""
    entry = glossary.glossary_entries()[entry_id]
    with make_row(horizontal_alignment="distribute"):
        st.header(_(entry.title), anchor=False, width="content")
        with st.container(horizontal=True, width="content"):
            learn_links.show_link_to_learn_part(
                _("Glossary"), learn_links.GLOSSARY, ":material/arrow_back:"
            )
            learn_links.show_learn_address_button(term=entry_id)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(_(entry.meaning))
        if entry.formula:
            st.caption(_("Formula"))
            st.code(_(entry.formula), language=None, wrap_lines=True)
        if entry.direction:
            lower = entry.direction == LOWER
            st.markdown(
                f"{':material/south:' if lower else ':material/north:'} "
                f"**{_(text.LOWER if lower else text_glossary.HIGHER)}**"
            )
        if entry_id in measures:
            _measure(entry_id)
        if entry.kind == glossary.METHOD:
            _show_method(methods.info(entry_id))
    with right, st.container(border=True):
        _show_sources(entry)
        st.markdown(_to_bold(_("Where it is found")))
        for page in entry.pages:
            icon, title = _PAGE_ICONS[page]
            st.page_link(f"app_pages/{page}/view.py", label=_(title), icon=icon)
        if entry_id in LESSON_OF_TERM:
            lesson, part = LESSON_OF_TERM[entry_id], learn_links.PUBLISHED
            title = text_lessons.PUBLISHED_TITLE
            if lesson != part:
                title, part = lesson_titles()[lesson], learn_links.CLASS_PREFIX + lesson
            label = _("Lesson: {title}").format(title=_(title))
            learn_links.show_link_to_learn_part(label, part, ":material/school:")


def _show_sources(entry: glossary.GlossaryEntry) -> None:
    if not entry.source:
        return
    st.markdown(_to_bold(_("Source")))
    for words, doi in entry.source_links:
        st.markdown(words)
        if doi:
            st.link_button(
                f"doi:{doi}",
                f"https://doi.org/{doi}",
                icon=":material/open_in_new:",
                help=_("Opens the source at doi.org, outside Coterie."),
            )


def _measure(name: str) -> None:
    """Show what a measure is compared with, its range, and when it is worked out."""
    info = measures.info(name)
    if info.baseline:
        st.markdown(_to_bold(_("Compare with")) + f": {_(info.baseline)}")
    low, high = info.limits
    unit = f" {_(info.unit)}" if info.unit else ""
    st.markdown(
        _to_bold(_("Range"))
        + ": "
        + (
            _("{low}{unit} and more").format(low=f"{low:g}", unit=unit)
            if high == float("inf")
            else _("{low} to {high}{unit}").format(
                low=f"{low:g}", high=f"{high:g}", unit=unit
            )
        )
    )
    st.caption(_(text_glossary.ON_DEMAND if info.on_demand else text_glossary.ALWAYS))


def _show_method(info: MethodInfo) -> None:
    """Show what a method promises, what it costs, and its parameters."""
    st.markdown(_to_bold(_("Family")) + f": {_(FAMILY_TITLES[info.family])}")
    st.markdown("\n".join(f"- {words}" for words in method_promise_sentences(info)))
    st.markdown(
        _to_bold(_("Time grows with"))
        + f" `{info.traits.cost.growth}`: "
        + _("n records, p attributes, k the group size.")
    )
    st.markdown(_to_bold(_("On the command line")) + f": `--method {info.id}`")
    if info.parameters:
        st.markdown(_to_bold(_("Parameters")))
    for parameter in info.parameters:
        st.markdown(
            _("**{label}** (`{name}`, {allowed}; default {default}): {help}").format(
                label=_(parameter.label),
                name=parameter.name,
                allowed=_(parameter.describe()),
                default=f"`{parameter.default}`",
                help=_(parameter.help),
            )
        )


def method_promise_sentences(info: MethodInfo) -> list[str]:
    """Return sentences on what a method guarantees, its limits, seed and polishing."""
    traits, sentences = info.traits, []
    if traits.probabilistic:
        sentences.append(_(text.PROBABILISTIC))
    elif traits.per_attribute:
        sentences.append(_(text_glossary.K_PER_ATTRIBUTE))
    elif traits.guarantees_k:
        sentences.append(_(text_glossary.K_PROMISED))
    else:
        sentences.append(_(text.NO_PROMISE))
    if traits.max_group_size:
        sentences.append(
            _("The largest group has {size} records.").format(
                size=traits.max_group_size
            )
        )
    if traits.exact:
        sentences.append(_(text_glossary.EXACT))
    if traits.univariate:
        sentences.append(_("It takes exactly one quasi-identifier."))
    is_mixed = info.family == "mixed"
    sentences.append(_(text_glossary.MIXED if is_mixed else text_glossary.POINTS))
    if traits.uses_seed:
        sentences.append(_(text_glossary.USES_SEED))
    if traits.max_records is not None:
        sentences.append(
            _("It takes at most {count} records.").format(
                count=f"{traits.max_records:,}"
            )
        )
    if info.can_be_refined:
        sentences.append(_("Its groups can be polished by local search."))
    return sentences


def _to_bold(words: str) -> str:
    return f"**{words}**"
