"""What other tools for microdata can do, with sources, beside what is here.

What is here is counted from the registries, or names the option that does it, which a
test finds; what others have is what their own documents say, and a dash where those
that are named say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.aggregate import aggregations
from engine.files import formats
from engine.measures import measures
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of

PEERS = ("sdcMicro with sdcApp", "ARX", "μ-ARGUS")

NOTHING = "–"

SOURCES = {
    "1": "[sdcApp's manual](https://sdcappdocs.readthedocs.io/en/latest/) and "
    "[vignette](https://sdctools.r-universe.dev/sdcMicro/doc/sdcMicro.Rmd)",
    "2": "[sdcMicro 5.8.1, `microaggregation`]"
    "(https://sdctools.github.io/sdcMicro/reference/microaggregation.html)",
    "3": "sdcMicro issues [311](https://github.com/sdcTools/sdcMicro/issues/311) and "
    "[105](https://github.com/sdcTools/sdcMicro/issues/105), both open",
    "4": "[ARX, overview](https://arx.deidentifier.org/overview/) and "
    "[tool](https://arx.deidentifier.org/anonymization-tool/)",
    "5": "[ARX's source](https://github.com/arx-deidentifier/arx) (`arx/io`) and issue "
    "[428](https://github.com/arx-deidentifier/arx/issues/428)",
    "6": "[μ-ARGUS 5.1, manual](https://github.com/sdcTools/manuals/raw/master/mu-argus/"
    "MUmanual5.1.pdf) and [questions](https://research.cbs.nl/casc/FAQ.htm)",
    "7": "[`argus_microaggregation`](https://search.r-project.org/CRAN/refmans/sdcMicro/"
    "html/argus_microaggregation.html) and [`argus_rankswap`]"
    "(https://search.r-project.org/CRAN/refmans/sdcMicro/html/00Index.html)",
}
"""Documents by the number that stands behind a fact."""


def here(*fields: str) -> str:
    """Return the options of some choices."""
    declared = choice_infos_of(Plan)
    return ", ".join(f"`{declared[name].option.flag}`" for name in fields)


def files(writable: bool) -> str:
    """Return the formats that are read, or written."""
    format_infos = (info for info in formats.infos() if info.writable or not writable)
    return ", ".join(info.title for info in format_infos)


def grouping() -> str:
    """Return how many methods there are, and how many of them keep k."""
    infos = list(methods.infos())
    free = sum(info.family == "variable-size" for info in infos)
    return f"{len(infos)} methods, {free} of them made for groups of variable size"


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Give a line for each feature: what it is, here, and in each of the peers."""
    yield (
        "files read",
        files(writable=False),
        "R, SPSS, SAS, Stata, CSV (1)",
        "CSV, Excel, databases by JDBC (5)",
        "fixed and free format with metadata, SPSS (6)",
    )
    yield (
        "files written",
        files(writable=True),
        "R, SPSS, Stata, CSV (1)",
        "CSV; databases through the API alone (5)",
        "text, with its metadata (6)",
    )
    yield (
        "ways to group",
        grouping(),
        "12 names (2)",
        "one: aggregates inside generalised groups (4)",
        "one, and the optimum for one variable (7)",
    )
    yield (
        "groups of k records, and larger groups where these lose less",
        "yes",
        "no, asked for (3)",
        "groups follow from generalisation (4)",
        "for one variable (7)",
    )
    yield (
        "how far from the best possible",
        "lower bound and optimality gap, "
        "[with few exceptions](near-optimal.md#lower-bounds); "
        "`--certificate`",
        *[NOTHING] * 3,
    )
    yield (
        "common values",
        ", ".join(info.id for info in aggregations.infos()),
        "mean, median, trim, onestep (2)",
        "several functions, or the generalised value (4)",
        "mean (6)",
    )
    yield (
        "numbers, categories and hierarchies in one distance",
        "yes",
        "numbers (2); numbers and categories by `microaggrGower` (7)",
        "hierarchies generalise, no distance (4)",
        "numbers (7)",
    )
    yield (
        "confidential values in groups",
        here("p_sensitive", "entropy_l", "recursive_c", "t_close"),
        "l-diversity is measured (1)",
        "l-diversity, t-closeness, δ-presence and others (4)",
        NOTHING,
    )
    yield ("strata", here("strata"), "yes (2)", NOTHING, NOTHING)
    yield ("records to release", here("only"), NOTHING, "random samples (4)", NOTHING)
    yield (
        "households",
        f"groups of whole households: {here('household')}",
        "in risk figures; groups of households asked for (1, 3)",
        NOTHING,
        "in risk figures (6)",
    )
    yield (
        "leave out a few outliers",
        here("suppress"),
        "local suppression of categories (1)",
        "suppression limit (4)",
        "local suppression of categories (6)",
    )
    yield ("rules between columns are kept", here("constraints"), *[NOTHING] * 3)
    yield (
        "figures of loss, risk and privacy",
        f"{len(list(measures.infos()))} measures, attacks with controls",
        "IL1s, eigenvalues, individual and global risk (1)",
        "several of each (4)",
        "individual and household risk (6)",
    )
    yield (
        "noise, swapping, PRAM, top coding",
        "no: see [where to go](analysis.md#what-is-out-of-scope)",
        "noise, PRAM, top coding, swapping (1)",
        "top and bottom coding, differential privacy (4)",
        "PRAM, rank swapping, top coding (6, 7)",
    )
    yield (
        "report",
        "for your office and for recipients; HTML, Markdown, JSON, paper",
        "for your office and for recipients; HTML (1)",
        "PDF with checksum (4)",
        "HTML (6)",
    )
    yield (
        "to do it again",
        "plan, script, notebook, command line",
        "R script (1)",
        "project file, Java API (4)",
        "batch file (6)",
    )


def sources() -> str:
    """Return the documents, each after its number."""
    return "\n".join(f"{number}. {text}" for number, text in SOURCES.items())
