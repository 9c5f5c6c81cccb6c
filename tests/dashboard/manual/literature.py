"""The manual's page on literature: the systems of the sources, and later ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.published import edited_centres
from engine.analysis.published.literature import (
    LossBasis,
    PrintedCell,
    cells_apart,
    printed_cells,
)
from engine.analysis.published.proven import best_known_losses_by_cell
from engine.methods import methods
from tests.readings import losses, results, verdicts

NOT_AT_HAND = (
    "not in Coterie: the source names this system, but does not describe the steps. We "
    "could not read the paper that describes the steps"
)

ABSTRACT_ALONE = (
    "not in Coterie: the source names this system, but does not describe the steps. We "
    "could read only the abstract of the paper that describes the steps ({doi})"
)


def _link(doi: str) -> str:
    return f"[{doi}](https://doi.org/{doi})"


def _abstract_alone(doi: str) -> str:
    return ABSTRACT_ALONE.format(doi=_link(doi))


def _edit_and_imputation_note() -> str:
    fit = edited_centres.fit_centres_with_and_without_rule(edited_centres.NOISY_RECORDS)
    imputed = edited_centres.distances_of_imputed_centres().mean()
    doi = _link("10.1080/01621459.2015.1040881")
    return (
        "this system forms no groups: if a record breaks rules, a model replaces its "
        f"values ({doi}, R package EditImputeCont). `coterie reproduce` compares the "
        "centres of noisy data (table 2 of the source) with the centres of clean "
        "data. After this replacement, the mean distance between both centres is "
        f"{imputed:.1f}. For fuzzy centres, the mean distance is "
        f"{fit.free_distances.mean():.1f} without the rule, and "
        f"{fit.constrained_distances.mean():.1f} with the rule"
    )


@dataclass(frozen=True)
class System:
    """A method or procedure that a source describes or names.

    Attributes
    ----------
    place : str
        Where the source has it.
    name : str
    here : str
        Method here, another name of the program in backticks, or nothing.
    note : str
        What is not there, or done otherwise, and why.
    """

    place: str
    name: str
    here: str = ""
    note: str = ""


KABIR, WEN, BOOK, TORRA, JIANG, MATEO = (
    "Kabir, Wang & Zhang 2010, [10.1109/ICDM.2010.111](https://doi.org/10.1109/ICDM.2010.111)",
    "Wen, Lin & Wang: Density-based microaggregation methods "
    "(Yuan Ze University, in Chinese; undated, its latest reference is of 2008)",
    "The chapter on microaggregation that defines MDAV with 3k "
    "(excerpt without title or year)",
    "Torra 2020, [10.3233/JIFS-189074](https://doi.org/10.3233/JIFS-189074)",
    "Jiang: Clustering-anonymity method for data-publishing privacy preservation "
    "(CAAT; undated, its latest reference is of 2014)",
    "Mateo-Sanz & Domingo-Ferrer: A comparative study of microaggregation methods "
    "(Qüestiió 22(3), 1998; no source quotes its figures)",
)

LATER = "Published since 2010"

BEGINNING_ALONE = (
    "not in Coterie: we could read only {what} of the paper. Some steps are not "
    "described there"
)

FROM_PROGRAM = (
    "we could not read the paper. Coterie's steps are from the abstract and from a "
    "public program ({address})"
)
EVEN_SIZED = FROM_PROGRAM.format(
    address="a later method of the same authors, https://github.com/azyobuzin/cocbo-glpk"
)
GATHER = FROM_PROGRAM.format(address="https://github.com/L0kayata/r-gather")
CELLULAR = _abstract_alone("10.1145/1798596.1798602")

SYSTEMS: dict[str, tuple[System, ...]] = {
    KABIR: (
        System("III", "Optimal microaggregation (definition 1)", "optimal"),
        System("IV", "MD", "md"),
        System("IV", "Diameter-based fixed-size", "dbfs"),
        System("IV", "MDAV", "mdav"),
        System("IV", "MDAV-1", "mdav1"),
        System("IV", "MDAV-generic", "mdav-generic"),
        System("IV", "Centroid-based fixed-size", "cbfs"),
        System(
            "IV",
            "V-MDAV",
            "vmdav",
            "last records join the nearest centroid. The cells of its own paper come "
            "out with the root of its gain and the nearest record (`rest=record`)",
        ),
        System("IV", "TFRP, first stage", "tfrp1"),
        System("IV", "TFRP, both stages", "tfrp2"),
        System("IV", "DBA-1", "dba1"),
        System("IV", "DBA-2", "dba2"),
        System(
            "IV",
            "MDAV-2",
            "mdav2",
            "the source does not say in which order groups are visited. If groups with "
            "a large SSE come first, 11 of 12 cells are equal, and one cell differs in "
            "one digit",
        ),
        System("IV", "Multivariate k-Ward", "k-ward"),
        System(
            "IV",
            "μ-Approx",
            "mu-approx",
            "its own paper drew trees and records at random, so its cells do not come "
            "out again",
        ),
        System("IV", "Hansen-Mukherjee", "hansen-mukherjee"),
        System("IV", "MDAV-MHM", "mdav-mhm"),
        System("IV", "MD-MHM", "md-mhm"),
        System("VI", "CBFS-MHM", "cbfs-mhm"),
        System("IV", "NPN-MHM", "npn-mhm"),
        System(
            "VI",
            "M-d",
            "mst-diameter",
            "the cells come out, but for two that miss by one hundredth, with "
            "`split=grown`",
        ),
        System("IV", "Adaptive fuzzy c-means", "fcm-adaptive"),
        System("V", "Pairwise systematic", "pairwise-systematic"),
        System(
            "refs. 7, 18", "Ordinal and categorical attributes, medians", "mdav-mixed"
        ),
        System("ref. 10", "Immune clonal selection (Han et al. 2008)", "", NOT_AT_HAND),
        System(
            "ref. 19",
            "Systematic clustering (Kabir & Wang 2010)",
            "",
            ABSTRACT_ALONE.format(doi="University of Southern Queensland"),
        ),
        System(
            "ref. 20",
            "Systematic clustering for l-diversity (Kabir et al. 2010)",
            "",
            f"{NOT_AT_HAND}; `--p-sensitive` and `--entropy-l` ask for diversity",
        ),
        System(
            "ref. 21",
            "Median-based (Kabir & Wang, in press)",
            "",
            ABSTRACT_ALONE.format(doi="University of Southern Queensland"),
        ),
    ),
    WEN: (
        System("2.1", "CBFS, MDAV, DBFS, TFRP, V-MDAV, k-Ward, NPN-MHM: as above"),
        System("2.1", "Genetic algorithm", "genetic"),
        System("2.1", "MDAV, then a genetic algorithm", "mdav-genetic"),
        System("2.1", "Minimum spanning tree", "mst"),
        System("3", "LDF", "ldf"),
        System("3", "HDF, which is DBA-1", "dba1"),
    ),
    BOOK: (
        System("text", "Individual ranking", "individual-ranking"),
        System("text", "Sum of z-scores", "zscore-projection"),
        System("text", "First principal component", "pca-projection"),
        System("text", "Optimal univariate microaggregation", "hansen-mukherjee"),
        System(
            "steps 1-5",
            "MDAV with 3k, as in Domingo-Ferrer & Torra 2005",
            "mdav-generic",
        ),
    ),
    TORRA: (
        System("2.1", "Fuzzy c-means, with and without entropy", "fuzzy"),
        System("2.2", "Parts of the variables", "`--block`"),
        System("algorithm 1", "Fuzzy microaggregation", "fuzzy"),
        System("3", "Linear rules of centres", "`--constraint`"),
        System(
            "prop. 2, 8",
            "What large m does",
            "fuzzy",
            "both propositions are not always true: see "
            "[Fuzzy groups](fuzzy.md#centres-and-rules)",
        ),
        System("4", "Centres of noisy data", "`coterie reproduce`"),
        System("5", "How to choose m and lambda (later work)", "`coterie sweep`"),
        System(
            "2.3",
            "A variable that governs another",
            "`--constraint`",
            "if rules have conditions, all records of a group meet the same conditions",
        ),
        System("refs. 2, 3, 31", "Rules of groups' means", "`--constraint`"),
        System(
            "ref. 8",
            "Even-sized clustering (Endo et al. 2018)",
            "even-sized",
            f"{EVEN_SIZED}; Coterie has no variants for outliers and curved clusters",
        ),
        System(
            "ref. 12", "Fuzzified even-sized (Kitajima et al. 2018)", "", NOT_AT_HAND
        ),
        System(
            "refs. 10, 11",
            "Edit and imputation (Kim et al. 2015)",
            "",
            _edit_and_imputation_note(),
        ),
        System(
            "ref. 13",
            "Iterated local search (Laszlo & Mukherjee 2015)",
            "",
            f"{NOT_AT_HAND}; `iterated` is a search of our own",
        ),
        System("ref. 17", "FDM (Mortazavi & Jalili 2014)", "", NOT_AT_HAND),
        System(
            "ref. 18",
            "Several objectives (Mortazavi & Jalili 2015)",
            "",
            f"{NOT_AT_HAND}; `coterie need` weighs loss and risk",
        ),
        System(
            "ref. 19",
            "Grouping attributes (Nin et al. 2008)",
            "`--block`",
            "the user chooses the columns of each block",
        ),
        System("ref. 22", "Dependence-based (Oommen & Fayyoumi 2013)", "", NOT_AT_HAND),
        System(
            "ref. 24",
            "Principal components first (Rebollo-Monedero et al. 2019)",
            "",
            NOT_AT_HAND,
        ),
        System("ref. 26", "TBM (Salari et al. 2017)", "", NOT_AT_HAND),
        System(
            "refs. 28, 29",
            "Noise under edits (Shlomo & De Waal 2005, 2008)",
            "",
            "this system forms no groups: `coterie sweep` adds noise to values, and "
            "then changes the values so that the rules hold",
        ),
    ),
    JIANG: (
        System("algorithm 1", "CAAT", "caat"),
        System("ref. 3", "KACA", "kaca"),
        System(
            "figures 1, 2",
            "Run times",
            "`coterie time`",
            "the source shows curves without numbers, so we compare only their shapes",
        ),
        System(
            "ref. 4",
            "r-gather (Aggarwal et al. 2010)",
            "r-gather",
            f"{GATHER}; Coterie does not leave out outlying records",
        ),
        System("ref. 4", "r-cellular (Aggarwal et al. 2010)", "", CELLULAR),
        System("ref. 5", "L-clustering (Wang et al. 2010)", "", NOT_AT_HAND),
        System("ref. 6", "EBKC (Zhang et al. 2014)", "", NOT_AT_HAND),
    ),
    MATEO: (
        System(
            "3.1",
            "MFS, maximum distance",
            "mfs",
            "the vector closest to a group is here the one closest to its mean",
        ),
        System(
            "3.2",
            "MDO (multivariate k-Ward)",
            "k-ward",
            "it begins by the sum of z-scores, by the component, or with MFS's groups: "
            "`ends`. Of the last the source prints ranges, in which ours are; of a "
            "particular variable it prints the best and the worst",
        ),
        System("2", "UFS, first principal component", "pca"),
        System(
            "2",
            "UFS, a particular variable",
            "single",
            "the source prints the best and the worst variable",
        ),
        System(
            "2",
            "UFS and UDO (univariate k-Ward), sum of z-scores",
            "",
            "not here: `zscore-projection` cuts the same order optimally",
        ),
    ),
    LATER: (
        System(
            _link("10.1007/s10489-013-0431-y"),
            "IMHM (Mortazavi et al. 2013)",
            "imhm",
            "the paper does not say where the blocks of EIA end",
        ),
        System(
            f"{_link('10.1007/s10489-013-0431-y')}, 5.4",
            "RIMHM (Mortazavi et al. 2013)",
            "rimhm",
            'records are sorted "based on z-score": here by the sum of their z-scores',
        ),
        System(
            "University of Southern Queensland",
            "K-means (Kabir, Mahmood & Mustafa)",
            "",
            "not here: its step 3 takes the best of all possible clusters, which "
            "nobody can look at; of its eight cells, five are below the proven bound",
        ),
        System(
            _link("10.3390/sym13060916"),
            "TSP and MDAV (Maya-López et al. 2021)",
            "tour-mhm",
            "the paper tries many tours (orders of all records). Coterie tries one "
            "tour, and shortens this tour by a local search (2-opt). The table above "
            "has no figures of this paper",
        ),
        System(
            "IEEE TKDE",
            "GSMS (Panagiotakis & Tziritas 2013)",
            "gsms",
            "only the first stage of this method",
        ),
        System(
            _link("10.3390/sym10070262"),
            "Iterative group decomposition (Khomnotai et al. 2018)",
            "",
            BEGINNING_ALONE.format(what="the abstract and fragments of section 4"),
        ),
        System(
            _link("10.18420/sicherheit2018_05"),
            "MDAV* (Thaeter & Reischuk 2018)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "SECRYPT 2021",
            "ONA, MONA, Mondrian V (Thaeter & Reischuk 2021)",
            "",
            BEGINNING_ALONE.format(what="the conclusion"),
        ),
        System(
            "ACEEE IJCSI 3(1)",
            "Greedy and Quick Borůvka tours (Heaton & Mukherjee 2012)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            _link("10.5121/csit.2012.2110"),
            "MDAV2K (Chettri & Borah 2012)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            _link("10.1109/TCC.2015.2469649"),
            "Sorting framework (Kabir et al. 2015)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            _link("10.1007/978-3-030-26773-5_29"),
            "Near-optimal variable size (Soria-Comas et al. 2019)",
            "",
            BEGINNING_ALONE.format(what="the introduction"),
        ),
        System(
            _link("10.1007/978-3-031-13945-1_1"),
            "Column generation heuristic (Castro et al. 2022)",
            "",
            BEGINNING_ALONE.format(what="the introduction"),
        ),
        System(
            _link("10.1007/s10898-014-0149-3"),
            "Column generation bounds (Aloise et al. 2014)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "IJE, Damghan University",
            "Repeated record ordering (Mortazavi)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "CBIC 2017",
            "BRKGA (Fadel et al. 2017)",
            "",
            "not here: the author's program has the steps "
            "(https://github.com/augustofadel/magga), but we could read only the "
            "abstract of the paper, and so no figures",
        ),
        System(
            "no paper that we know",
            "Compress-TSP-MHM (Maya-López)",
            "",
            "not here: we found only the author's program "
            "(https://github.com/armandomayalopez/Compress-TSP-MHM), and no figures",
        ),
        System(
            _link("10.22042/isecure.2015.7.1.3"),
            "Local search (Mortazavi & Jalili 2015)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "[dissertation](https://nsuworks.nova.edu/gscis_etd/1118)",
            "ILSMC (Nova Southeastern University 2020)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            _link("10.3390/data6050053"),
            "Recursive genetic (2021)",
            "",
            BEGINNING_ALONE.format(what="the introduction"),
        ),
        System(
            _link("10.48550/arXiv.1812.01790"),
            "HM-pfsom (Abidi et al. 2018)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "IJRET 2, special issue 2",
            "Density-based clusters (Das & Borah 2013)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            "Victoria University",
            "Dependency tree (Sun et al. 2012)",
            "",
            BEGINNING_ALONE.format(what="the abstract"),
        ),
        System(
            _link("10.19734/j.issn.1001-3695.2018.06.0464"),
            "V-GRAV (Zhang & Zheng 2018)",
            "",
            "not in Coterie: the paper shows losses as curves without numbers. These "
            "curves are above the curve of V-MDAV",
        ),
    ),
}
"""By source, in the order of its text."""

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def systems_tables(table: Table) -> str:
    """Return a heading and a table for each source, and for later publications."""
    head = ("system", "where", "here", "readings tried", "cells", "what is not there")
    return "\n\n".join(
        _source_heading(source) + table(head, map(_system_row, systems))
        for source, systems in SYSTEMS.items()
    )


def _source_heading(source: str) -> str:
    title, _, link = source.partition(", [")
    return f"### {title}\n\n" + (f"[{link}\n\n" if link else "")


def _system_row(system: System) -> tuple[str, ...]:
    our_method = f"`{system.here}`" if system.here in methods else system.here
    tried = results.stored_results().get(system.here)
    return (
        system.name,
        system.place,
        our_method,
        f"{tried['readings']:,}" if tried else "",
        _verdict_text(system.here),
        system.note,
    )


def _verdict_text(name: str) -> str:
    counts = (verdicts.stored_counts() | verdicts.stored_counts("apart")).get(name, {})
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    if name in (differences := verdicts.stored_differences()):
        minimum, greatest = differences[name]
        words += f" ({minimum:+.1f} to {greatest:+.1f} %)".replace("-", "−")
    return words


def cells_table(table: Table) -> str:
    """Return the printed losses of each method on each reference table."""
    return _cells_table(table, printed_cells())


def apart_table(table: Table) -> str:
    """Return the cells that are counted apart, with what they are."""
    return (
        f"Counted apart are {len(cells_apart())} cells of methods' own papers that no "
        "source quotes (`coterie reproduce FOLDER --apart`). Their verdicts: "
        f"{_totals('apart')}. Of `rimhm`, whose figures are means of ten draws, one "
        "draw within two printed deviations counts as close.\n\n"
        f"{_cells_table(table, cells_apart())}"
    )


def _cells_table(table: Table, cells: Sequence[PrintedCell]) -> str:
    rows: dict[tuple[str, str, str], dict[int, str]] = {}
    for cell in cells:
        row = rows.setdefault((cell.dataset, cell.method, cell.source), {})
        row[cell.k] = cell.text + (f" ± {cell.spread:.2f}" if cell.spread else "")
    sizes = sorted({k for row in rows.values() for k in row})
    return table(
        ("table", "method", *(f"k = {k}" for k in sizes), "source"),
        (
            (casc_name(name), f"`{way}`", *(row.get(k, "") for k in sizes), source)
            for (name, way, source), row in rows.items()
        ),
    )


def losses_table(table: Table) -> str:
    """Return the losses of quick methods with and without clusters."""
    head = (
        "method",
        "sizes",
        *(f"{casc_name(name)}, k = {k}" for name, k in losses.CELLS),
    )
    optima = best_known_losses_by_cell()
    least_losses = [optima[name, k, LossBasis()].loss for name, k in losses.CELLS]
    stored = losses.stored_losses()
    rows = [(way.title, way.sizes, stored[way.title]) for way in losses.WAYS]
    rows.append(("least known", "variable", least_losses))
    return table(
        head,
        (
            (title, sizes, *(f"{value:.4f}" for value in row_losses))
            for title, sizes, row_losses in rows
        ),
    )


def casc_name(name: str) -> str:
    """Return how a reference table is called in the text."""
    return name.upper() if name == "eia" else name.title()


def readings_table(table: Table) -> str:
    """Return the best single reading of each method that leaves something open."""
    head = (
        "method",
        "readings",
        "best of them",
        "cells equal",
        "expected by chance",
        "mean deviation",
    )
    return table(
        head,
        (
            (
                f"`{name}`",
                f"{summary['readings']:,}",
                "; ".join(
                    f"{what}: {_value_text(how)}"
                    for what, how in summary["reading"].items()
                ),
                f"{summary['equal']} of {summary['cells']}",
                f"{summary['by_chance']:.1f}",
                f"{summary['deviation']:.2f} %",
            )
            for name, summary in results.stored_results().items()
        ),
    )


def _value_text(how: str | list[str]) -> str:
    return how if isinstance(how, str) else ", ".join(how) or "nothing"


def verdict_totals() -> str:
    """Return how many of the printed cells have each verdict."""
    n = len(printed_cells())
    return f"The {n} printed cells have these verdicts: {_totals('cells')}."


def _totals(key: str) -> str:
    counts = verdicts.stored_counts(key).values()
    kinds = dict.fromkeys(kind for tally in counts for kind in tally)
    return ", ".join(
        f"{sum(tally.get(kind, 0) for tally in counts)} {kind}" for kind in kinds
    )


def centres_table(table: Table) -> str:
    """Return the printed fuzzy centres of the noisiest data beside ours."""
    fit = edited_centres.fit_centres_with_and_without_rule(edited_centres.NOISY_RECORDS)
    printed = edited_centres.PRINTED_NOISY[1.5]
    return table(
        ("rule", "printed v1, v2, v3", "Coterie's v1, v2, v3", "distance"),
        (
            (
                way,
                _centre_text(both[place]),
                _centre_text(our_centre),
                f"{np.linalg.norm(np.subtract(both[place], our_centre)):.2f}",
            )
            for way, place, our_centres in (
                ("without rule", 0, fit.free),
                ("with rule", 1, fit.ruled),
            )
            for both, our_centre in zip(printed, our_centres, strict=True)
        ),
    )


def _centre_text(centre: Iterable[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in centre)
