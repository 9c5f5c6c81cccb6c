"""Glossary terms: their pages, direction and sources."""

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
class Term:
    """One term; what it is called and what it means is in the module of texts.

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
    Term("record", ("data",)),
    Term("attribute", ("data",)),
    Term("role", ("data",), source=_BOOK_SOURCE),
    Term("identifier", ("data",), source=_BOOK_SOURCE),
    Term(
        "quasi-identifier",
        ("data",),
        source="Dalenius 1986, Journal of Official Statistics 2(3), 329-336",
    ),
    Term("confidential", ("data",), source=_BOOK_SOURCE),
    Term("other-role", ("data",)),
    Term("weight", ("data",), source=_BOOK_SOURCE),
    Term("kind", ("data",)),
    Term("hierarchy", ("data",), source=_GENERALISATION_SOURCE),
    Term("missing", ("data", "compare")),
    Term("rule", ("data", "release"), source=_FUZZY_SOURCE),
    Term("microaggregation", ("compare",), source=_PRACTICAL_SOURCE),
    Term("k", ("compare",), source=_K_ANONYMITY_SOURCE),
    Term("group", ("compare", "inspect")),
    Term("group-size", ("compare", "release")),
    Term("mean-size", ("compare",)),
    Term("smallest", ("compare",), HIGHER),
    Term("largest", ("compare",)),
    Term("class", ("inspect", "release"), source=_K_ANONYMITY_SOURCE),
    Term("centre", ("compare", "inspect")),
    Term("fixed-size", ("compare",), source=_PRACTICAL_SOURCE),
    Term("variable-size", ("compare",), source=_PRACTICAL_SOURCE),
    Term("common-value", ("compare",), source=_BOOK_SOURCE),
    Term("method", ("compare",)),
    Term("scaling", ("compare",)),
    Term(
        "polish",
        ("compare",),
        source="Kernighan & Lin 1970, https://doi.org/10.1002/j.1538-7305.1970.tb01770.x",
    ),
    Term("seed", ("compare", "release")),
    Term("strata", ("compare",), source=_BOOK_SOURCE),
    Term("blocks", ("compare",), source=_PRACTICAL_SOURCE),
    Term("seed-record", ("inspect",)),
    Term("reach", ("inspect",), LOWER),
    Term("seconds", ("compare",), LOWER),
    Term("sse", ("compare", "inspect"), LOWER, _PRACTICAL_SOURCE),
    Term("sst", ("compare",), source=_PRACTICAL_SOURCE),
    Term(
        "density",
        ("compare",),
        source="Wen, Lin & Wang, Density-based microaggregation methods, eq. 4",
        formula="Density(G) = sum over the k records of G of |x - mean of G|^2",
    ),
    Term("lower-bound", ("compare", "release"), HIGHER, _COLUMNS_SOURCE),
    Term("lb0", ("compare",)),
    Term("lb1", ("compare",)),
    Term("lb2", ("compare",), source=_COLUMNS_SOURCE),
    Term("gap", ("compare",), LOWER),
    Term("certificate", ("release",)),
    Term("lost", ("compare",), LOWER),
    Term("bound-kind", ("compare",)),
    Term("proven-optimal", ("compare",), source=_COLUMNS_SOURCE),
    Term("shares", ("inspect",)),
    Term(
        "components",
        ("compare", "inspect"),
        source="Pearson 1901, https://doi.org/10.1080/14786440109462720",
    ),
    Term(
        "membership",
        ("compare",),
        source="Bezdek 1981, https://doi.org/10.1007/978-1-4757-0450-1",
        formula="u_ki = 1 / sum_j (|x_k - v_i|^2 / |x_k - v_j|^2)^(1 / (m - 1))",
    ),
    Term("probabilistic", ("compare",), source=_FUZZY_SOURCE),
    Term("expected-size", ("compare",), source=_FUZZY_SOURCE),
    Term("below-k", ("compare",), LOWER, _FUZZY_SOURCE),
    Term("intruder", ("inspect",), source=_BOOK_SOURCE),
    Term("risk", ("inspect", "compare"), LOWER, _BOOK_SOURCE),
    Term("baseline", ("inspect",)),
    Term("interval-95", ("inspect",)),
    Term("direction", ("inspect",)),
    Term(
        "risk-utility-map",
        ("compare",),
        source=(
            "Duncan, Keller-McNulty & Stokes 2001, National Institute of Statistical "
            "Sciences, Technical Report 121"
        ),
    ),
    Term("efficient", ("compare",)),
    Term("keeps-k", ("compare", "release"), source=_K_ANONYMITY_SOURCE),
    Term("ceiling", ("compare",)),
    Term(
        "merging",
        ("compare",),
        source="Truta & Vinay 2006, https://doi.org/10.1109/ICDEW.2006.116",
    ),
    Term("plan", ("release", "data")),
    Term("release", ("release",)),
    Term("rounding", ("release", "compare")),
    Term("printed", ()),
    Term("difference", ()),
)
"""All terms, in the order in which they are met."""

LESSON_OF_TERM = {
    "microaggregation": "k",
    "k": "k",
    "group": "k",
    "group-size": "k",
    "centre": "k",
    "information-loss": "k",
    "mdav": "k",
    "scaling": "scaling",
    "scaling-zscore": "scaling",
    "scaling-none": "scaling",
    "sst": "scaling",
    "pairwise-systematic": "scaling",
    "fixed-size": "group-sizes",
    "variable-size": "group-sizes",
    "vmdav": "group-sizes",
    "membership": "fuzzy-groups",
    "probabilistic": "fuzzy-groups",
    "expected-size": "fuzzy-groups",
    "below-k": "fuzzy-groups",
    "fuzzy": "fuzziness",
    "hansen-mukherjee": "one-column",
    "intruder": "intruder",
    "risk": "intruder",
    "record-linkage": "intruder",
    "baseline": "intruder",
    "release": "two-files",
    "rule": "rules",
    "lower-bound": "bound",
    "lb0": "bound",
    "lb1": "bound",
    "lb2": "bound",
    "gap": "bound",
    "certificate": "bound",
    "polish": "bound",
    "iterated": "bound",
    "optimal": "bound",
    "proven-optimal": "bound",
    "printed": "published",
    "difference": "published",
}
"""Entries of the glossary that a lesson explains."""
