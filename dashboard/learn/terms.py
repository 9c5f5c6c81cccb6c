"""Glossary terms: their pages, directions, sources and formulas; lessons on them."""

from __future__ import annotations

from dataclasses import dataclass

_K_ANONYMITY_SOURCE = "Samarati 2001, https://doi.org/10.1109/69.971193"
_PRACTICAL_SOURCE = (
    "Domingo-Ferrer & Mateo-Sanz 2002, https://doi.org/10.1109/69.979982"
)
_BOOK_SOURCE = "Hundepool et al. 2012, https://doi.org/10.1002/9781118348239"
_FUZZY_SOURCE = "Torra 2020, https://doi.org/10.3233/JIFS-189074"
_COLUMNS_SOURCE = "Aloise et al. 2014, https://doi.org/10.1007/s10898-014-0149-3"
_GENERALISATION_SOURCE = "Sweeney 2002, https://doi.org/10.1142/S021848850200165X"

LOWER, HIGHER = "lower is better", "higher is better"
"""Directions, as measures have them."""


@dataclass(frozen=True)
class GlossaryTerm:
    """Identifier, pages, direction, source and formula of a glossary term.

    Attributes
    ----------
    id : str
    pages : tuple of str
        Where it is met, as the files of the pages are called.
    direction, source : str
        Empty where there is none.
    formula : str
        Where it is made of signs alone; others are texts.
    """

    id: str
    pages: tuple[str, ...]
    direction: str = ""
    source: str = ""
    formula: str = ""


ALL_TERMS = (
    GlossaryTerm("record", ("data",)),
    GlossaryTerm("attribute", ("data",)),
    GlossaryTerm("role", ("data",), source=_BOOK_SOURCE),
    GlossaryTerm("identifier", ("data",), source=_BOOK_SOURCE),
    GlossaryTerm(
        "quasi-identifier",
        ("data",),
        source="Dalenius 1986, Journal of Official Statistics 2(3), 329-336",
    ),
    GlossaryTerm("confidential", ("data",), source=_BOOK_SOURCE),
    GlossaryTerm("other-role", ("data",)),
    GlossaryTerm("weight", ("data",), source=_BOOK_SOURCE),
    GlossaryTerm("kind", ("data",)),
    GlossaryTerm("hierarchy", ("data",), source=_GENERALISATION_SOURCE),
    GlossaryTerm("missing", ("data", "compare")),
    GlossaryTerm("rule", ("data", "release"), source=_FUZZY_SOURCE),
    GlossaryTerm("microaggregation", ("compare",), source=_PRACTICAL_SOURCE),
    GlossaryTerm("k", ("compare",), source=_K_ANONYMITY_SOURCE),
    GlossaryTerm("anonymity", ("compare", "release"), source=_K_ANONYMITY_SOURCE),
    GlossaryTerm(
        "diversity",
        ("compare", "inspect"),
        source="Machanavajjhala et al. 2007, https://doi.org/10.1145/1217299.1217302",
    ),
    GlossaryTerm(
        "closeness",
        ("compare", "inspect"),
        source="Li et al. 2007, https://doi.org/10.1109/ICDE.2007.367856",
    ),
    GlossaryTerm(
        "differential-privacy",
        ("compare",),
        source="Dwork 2006, https://doi.org/10.1007/11787006_1",
    ),
    GlossaryTerm("recoding", ("compare",), source=_BOOK_SOURCE),
    GlossaryTerm("suppression", ("compare",), source=_BOOK_SOURCE),
    GlossaryTerm("top-coding", ("compare",), source=_BOOK_SOURCE),
    GlossaryTerm(
        "mondrian",
        ("need",),
        source="LeFevre et al. 2006, https://doi.org/10.1109/ICDE.2006.101",
    ),
    GlossaryTerm("pseudonym", ("data",)),
    GlossaryTerm("linkage", ("inspect",), source=_BOOK_SOURCE),
    GlossaryTerm("composition", ("release",)),
    GlossaryTerm("release-ledger", ("release",)),
    GlossaryTerm("complexity", ("compare",)),
    GlossaryTerm("group", ("compare", "inspect")),
    GlossaryTerm("group-size", ("compare", "release")),
    GlossaryTerm("mean-size", ("compare",)),
    GlossaryTerm("smallest", ("compare",), HIGHER),
    GlossaryTerm("largest", ("compare",)),
    GlossaryTerm("class", ("inspect", "release"), source=_K_ANONYMITY_SOURCE),
    GlossaryTerm("centre", ("compare", "inspect")),
    GlossaryTerm("fixed-size", ("compare",), source=_PRACTICAL_SOURCE),
    GlossaryTerm("variable-size", ("compare",), source=_PRACTICAL_SOURCE),
    GlossaryTerm("common-value", ("compare",), source=_BOOK_SOURCE),
    GlossaryTerm("method", ("compare",)),
    GlossaryTerm("scaling", ("compare",)),
    GlossaryTerm(
        "polish",
        ("compare",),
        source="Kernighan & Lin 1970, https://doi.org/10.1002/j.1538-7305.1970.tb01770.x",
    ),
    GlossaryTerm("seed", ("compare", "release")),
    GlossaryTerm("strata", ("compare",), source=_BOOK_SOURCE),
    GlossaryTerm("blocks", ("compare",), source=_PRACTICAL_SOURCE),
    GlossaryTerm("seed-record", ("inspect",)),
    GlossaryTerm("reach", ("inspect",), LOWER),
    GlossaryTerm("seconds", ("compare",), LOWER),
    GlossaryTerm("sse", ("compare", "inspect"), LOWER, _PRACTICAL_SOURCE),
    GlossaryTerm("sst", ("compare",), source=_PRACTICAL_SOURCE),
    GlossaryTerm(
        "density",
        ("compare",),
        source="Wen, Lin & Wang, Density-based microaggregation methods, eq. 4",
        formula="Density(G) = sum over the k records of G of |x - mean of G|^2",
    ),
    GlossaryTerm("lower-bound", ("compare", "release"), HIGHER, _COLUMNS_SOURCE),
    GlossaryTerm("lb0", ("compare",)),
    GlossaryTerm("lb1", ("compare",)),
    GlossaryTerm("lb2", ("compare",), source=_COLUMNS_SOURCE),
    GlossaryTerm("gap", ("compare",), LOWER),
    GlossaryTerm("certificate", ("release",)),
    GlossaryTerm("lost", ("compare",), LOWER),
    GlossaryTerm("bound-kind", ("compare",)),
    GlossaryTerm("proven-optimal", ("compare",), source=_COLUMNS_SOURCE),
    GlossaryTerm("shares", ("inspect",)),
    GlossaryTerm(
        "components",
        ("compare", "inspect"),
        source="Pearson 1901, https://doi.org/10.1080/14786440109462720",
    ),
    GlossaryTerm(
        "membership",
        ("compare",),
        source="Bezdek 1981, https://doi.org/10.1007/978-1-4757-0450-1",
        formula="u_ki = 1 / sum_j (|x_k - v_i|^2 / |x_k - v_j|^2)^(1 / (m - 1))",
    ),
    GlossaryTerm("probabilistic", ("compare",), source=_FUZZY_SOURCE),
    GlossaryTerm("expected-size", ("compare",), source=_FUZZY_SOURCE),
    GlossaryTerm("below-k", ("compare",), LOWER, _FUZZY_SOURCE),
    GlossaryTerm("intruder", ("inspect",), source=_BOOK_SOURCE),
    GlossaryTerm("risk", ("inspect", "compare"), LOWER, _BOOK_SOURCE),
    GlossaryTerm("baseline", ("inspect",)),
    GlossaryTerm("interval-95", ("inspect",)),
    GlossaryTerm("direction", ("inspect",)),
    GlossaryTerm(
        "risk-utility-map",
        ("compare",),
        source=(
            "Duncan, Keller-McNulty & Stokes 2001, National Institute of Statistical "
            "Sciences, Technical Report 121"
        ),
    ),
    GlossaryTerm("efficient", ("compare",)),
    GlossaryTerm("keeps-k", ("compare", "release"), source=_K_ANONYMITY_SOURCE),
    GlossaryTerm("ceiling", ("compare",)),
    GlossaryTerm(
        "merging",
        ("compare",),
        source="Truta & Vinay 2006, https://doi.org/10.1109/ICDEW.2006.116",
    ),
    GlossaryTerm("regression", ("release",)),
    GlossaryTerm("plan", ("release", "data")),
    GlossaryTerm("release", ("release",)),
    GlossaryTerm("verdict", ("release",)),
    GlossaryTerm("rounding", ("release", "compare")),
    GlossaryTerm("printed", ()),
    GlossaryTerm("difference", ()),
)
"""All terms, in the order in which they are met."""

_TERMS_OF_LESSON: dict[str, tuple[str, ...]] = {
    "groups-by-hand": ("microaggregation", "k"),
    "loss": ("group", "group-size", "centre", "information-loss"),
    "mdav": ("mdav",),
    "scaling": (
        "scaling",
        "scaling-zscore",
        "scaling-none",
        "sst",
        "pairwise-systematic",
    ),
    "fixed-size": ("fixed-size",),
    "variable-size": ("variable-size", "vmdav"),
    "fuzzy-groups": (
        "membership",
        "probabilistic",
        "expected-size",
        "below-k",
        "fuzzy",
    ),
    "one-column": ("hansen-mukherjee",),
    "intruder": ("intruder", "risk", "record-linkage", "baseline"),
    "two-files": ("release",),
    "rules": ("rule",),
    "bound": ("lower-bound", "lb0", "gap"),
    "effort": (
        "lb1",
        "lb2",
        "certificate",
        "polish",
        "iterated",
        "optimal",
        "proven-optimal",
    ),
    "published": ("printed", "difference"),
}

LESSON_OF_TERM = {
    term: lesson for lesson, terms in _TERMS_OF_LESSON.items() for term in terms
}
"""Lessons that explain entries of the glossary, or the published tables."""
