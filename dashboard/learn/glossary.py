"""Glossary of terms, measures and methods: entries, search and tooltips."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from dashboard.i18n.language import _, capitalize_first
from dashboard.i18n.text_glossary import FORMULAS, MEANINGS, TITLES
from dashboard.learn.terms import ALL_TERMS
from engine.aggregate import aggregations
from engine.core.registry import Registry
from engine.measures import MeasureInfo, measures
from engine.methods import MethodInfo, methods
from engine.points.scaling import scalings

TERM, MEASURE, METHOD = "term", "measure", "method"

MEASURE_PAGES = ("compare", "inspect", "release")

_DOI_PATTERN = re.compile(r"https?://doi\.org/(\S+?)(?=[,;.)]?(?:\s|$))")


@dataclass(frozen=True)
class GlossaryEntry:
    """One glossary entry in English: title, meaning, formula, source and pages.

    Attributes
    ----------
    id : str
        As the page's address has it: unique among all kinds.
    title, kind : str
    meaning : str
    formula, direction, source : str
        Empty where there is none.
    pages : tuple of str
        Where it is met, as the files of the pages are called.
    words : tuple of str
        Other names, for the search.
    """

    id: str
    title: str
    kind: str
    meaning: str
    formula: str = ""
    direction: str = ""
    source: str = ""
    pages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def source_links(self) -> tuple[tuple[str, str], ...]:
        """Text and DOI of each source; the DOI is empty if there is none."""
        return tuple(map(_split_source, filter(None, self.source.split("; "))))


def _split_source(source: str) -> tuple[str, str]:
    doi_match = _DOI_PATTERN.search(source)
    if doi_match is None:
        return source, ""
    rest = source[: doi_match.start()] + source[doi_match.end() :]
    return rest.strip(" ,"), doi_match.group(1)


_CHOICE_REGISTRIES: tuple[tuple[str, Registry[Any, Any], tuple[str, ...]], ...] = (
    ("scaling", scalings, ("scaling",)),
    ("value", aggregations, ("common value", "aggregation")),
)
"""Beginnings of identifiers, and other names, of what can be chosen on Compare."""


@lru_cache(maxsize=1)
def glossary_entries() -> MappingProxyType[str, GlossaryEntry]:
    """Return all glossary entries by identifier: terms, measures and methods."""
    entries = [
        GlossaryEntry(
            term.id,
            TITLES[term.id],
            TERM,
            MEANINGS[term.id],
            FORMULAS.get(term.id, term.formula),
            term.direction,
            term.source,
            term.pages,
        )
        for term in ALL_TERMS
    ]
    entries += [
        GlossaryEntry(
            f"{prefix}-{info.id}",
            info.title,
            TERM,
            info.summary,
            pages=("compare",),
            words=(*words, info.id),
        )
        for prefix, registry, words in _CHOICE_REGISTRIES
        for info in registry.infos()
    ]
    entries += [_measure_entry(info) for info in measures.infos()]
    entries += [_method_entry(info) for info in methods.infos()]
    by_id = {entry.id: entry for entry in entries}
    if len(by_id) < len(entries):
        raise ValueError("two entries of the glossary have one identifier")
    return MappingProxyType(by_id)


def _measure_entry(info: MeasureInfo) -> GlossaryEntry:
    return GlossaryEntry(
        info.id,
        info.title,
        MEASURE,
        info.summary,
        info.formula,
        info.direction,
        info.reference,
        MEASURE_PAGES,
        (info.family, *info.aliases),
    )


def _method_entry(info: MethodInfo) -> GlossaryEntry:
    doi = f", https://doi.org/{info.reference.doi}" if info.reference.doi else ""
    # Written as the other sources are; a list of references parts by semicolons.
    return GlossaryEntry(
        info.id,
        info.title,
        METHOD,
        info.summary,
        source=info.reference.text.replace("; ", ", ") + doi,
        pages=("compare",),
        words=(
            info.family,
            info.id,
            *info.aliases,
            *(
                name
                for parameter in info.parameters
                for name in (parameter.name, *parameter.also)
            ),
        ),
    )


def search_glossary(query: str, entry_kind: str = "") -> list[GlossaryEntry]:
    """Return entries that have all words of a query, those with them in names first.

    Parameters
    ----------
    query : str
        Words, or parts of words; none for all entries.
    entry_kind : str, optional
        One of :data:`dashboard.i18n.text_glossary.KINDS`.
    """
    words = query.casefold().split()
    ranked = []
    for place, entry in enumerate(glossary_entries().values()):
        if entry_kind and entry.kind != entry_kind:
            continue
        name = " ".join(
            (_(entry.title), entry.title, entry.id, *entry.words)
        ).casefold()
        rest = " ".join((_(entry.meaning), entry.meaning, entry.source)).casefold()
        if all(word in name for word in words):
            ranked.append((0, place, entry))
        elif all(word in name or word in rest for word in words):
            ranked.append((1, place, entry))
    return [entry for _rank, _place, entry in sorted(ranked, key=lambda hit: hit[:2])]


def glossary_tooltip(entry_id: str) -> str:
    """Return an entry's meaning and any formula and direction as Markdown.

    Raises
    ------
    KeyError
        If there is no such entry: a mistake in the program.
    """
    entry = glossary_entries()[entry_id]
    lines = [_(entry.meaning)]
    if entry.formula:
        lines.append(f"`{_(entry.formula)}`")
    if entry.direction:
        lines.append(f"{capitalize_first(_(entry.direction))}.")
    return "  \n".join(lines)
