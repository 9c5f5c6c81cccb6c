"""Guide to analysing a release: what is valid as it is, and what to correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from engine.analysis.need.models.coverage import ModelCoverage
from engine.data.conversion.numeric import has_incomputable_values
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.report.model_guide import describe_interval_coverage

AS_IT_IS_TEXT = """\
## What may be used as it is

* Numbers of records, and means and totals of averaged columns: a group's mean keeps its
  members' total, up to rounding, medians, rules and winsorised values.
* Columns that were not changed, on their own: {unchanged}.

## What may not

* Variances of averaged columns are too small, by the share that the report names as
  information loss of each column, and correlations between them too large.
* Minima, maxima, quantiles in the tails and shares above a threshold: outliers were
  averaged with others.
* Squares, products and logarithms of averaged columns: the mean of squares is not the
  square of the mean. They are too small, by what the groups vary inside.
* Standard errors that statistics packages print for averaged columns, unless said
  below.
"""

SNIPPET_TEXT = """\
## The functions

Save this as `regression.py`. It needs numpy, pandas and scipy.

```python
{code}```

## Sources

* Schmid M, Schneeweiss H (2005). Estimation of a linear regression under
  microaggregation with the response variable as a sorting variable. Discussion Paper
  462, SFB 386, LMU Munich. doi:10.5282/ubm/epub.1831
* Schmid M (2006). The effect of single-axis sorting on the estimation of a linear
  regression. Discussion Paper 472, SFB 386, LMU Munich. doi:10.5282/ubm/epub.1840
* Schmid M, Schneeweiss H, Küchenhoff H (2005). Consistent estimation of a simple linear
  model under microaggregation. Discussion Paper 415, SFB 386, LMU Munich.
  doi:10.5282/ubm/epub.1784
"""


def regression_module_source() -> str:
    """Return the source of the tested Python module that guides contain."""
    folder = files("engine.report") / "templates"
    return (folder / "regression.py").read_text(encoding="utf-8")


def analysis_guide(outcome: Outcome, models: Sequence[ModelCoverage] = ()) -> str:
    """Return a guide to analysing a release in Markdown, with a Python module.

    Parameters
    ----------
    models : sequence of ModelCoverage
        What to expect of the models of those who receive it.
    """
    unchanged = [
        str(name)
        for name in outcome.release.columns
        if name not in outcome.plan.quasi_identifiers
    ]
    names = ", ".join(map(_code, unchanged)) if unchanged else "none"
    parts = [
        "# How to analyse this file\n",
        f"Its records were protected by microaggregation ({outcome.plan.method}, "
        f"k = {outcome.plan.k}): {_averaging_text(outcome)}\n",
        *_selection_lines(outcome),
        AS_IT_IS_TEXT.format(unchanged=names),
        *_panel(outcome),
        *(f"{describe_interval_coverage(each)}\n" for each in models),
        f"## {'Other models' if models else 'Your model'}\n\n{_model_text(outcome)}\n",
        f"## Linear regression\n\n{_regression_text(outcome)}\n",
        SNIPPET_TEXT.format(code=regression_module_source()),
    ]
    return "\n".join(parts)


def _selection_lines(outcome: Outcome) -> list[str]:
    """Say which records the file is about, where they were chosen."""
    if outcome.plan.only is None:
        return []
    condition = _code(outcome.plan.only)
    return [f"It has only records of which {condition} was true in the original.\n"]


def _panel(outcome: Outcome) -> list[str]:
    """Say how records of one person are to be analysed, where k counts persons."""
    if outcome.n_persons == 0:
        return []
    shared = (
        "All records of a person are hidden together: the same set of values is that "
        "of at least k people, and what is constant for a person stays constant."
        if outcome.plan.intruder_knows == "all"
        else "Each record is hidden among those of k people on its own, so that what "
        "is constant for a person may vary from record to record."
    )
    return [
        "## Several records of one person\n",
        f"It has {outcome.partition.n_records:,} records of {outcome.n_persons:,} "
        f"people. {shared}\n",
        "* Means and totals over records, such as those of a wave, are right; records "
        "of one person are not independent, so that standard errors need clusters, "
        "which only whoever has the identifiers can make.\n"
        "* Averaging across people takes away more of the change *within* a person "
        "than of the differences between people: effects of fixed-effects and other "
        "within-person models are too small, and must be asked for at the source.\n"
        "* Random effects and transitions from one record to the next of a person "
        "cannot be estimated without the identifier, which did not leave.\n",
    ]


def _code(name: str) -> str:
    """Return a name as code, on one line."""
    plain = " ".join(name.replace("`", "'").split())
    return f"`{plain or ' '}`"  # two signs and nothing between would begin code


def _averaging_text(outcome: Outcome) -> str:
    names = ", ".join(map(_code, outcome.plan.quasi_identifiers))
    if methods.info(outcome.plan.method).traits.per_attribute:
        return f"each of {names} was grouped on its own."
    return f"in every group of records these columns have common values: {names}."


def _regression_text(outcome: Outcome) -> str:
    plan = outcome.plan
    traits = methods.info(plan.method).traits
    if plan.blocks or not (traits.guarantees_k or traits.per_attribute):
        return (
            "Groups were formed in blocks of columns, or by lot: none of the "
            "corrections below is proven for that. Ask whoever released the file for "
            "the figures that you need."
        )
    if traits.per_attribute:
        return (
            "Least squares on the records (`plain`) is right in the limit of many "
            "records: averaging neighbours in the order of one column moves its values "
            "little (Schmid 2006). With few records, or a large k, slopes are slightly "
            "biased."
        )
    formed, averaged = _formed_columns(outcome)
    strata = plan.strata_columns(outcome.release.columns)
    grouped_columns = dict.fromkeys([*plan.quasi_identifiers, *strata])
    columns = ", ".join(repr(name) for name in grouped_columns)
    sorters = ", ".join(repr(name) for name in [*formed, *strata])
    averaged_text = ", ".join(map(_code, averaged))
    lines = [
        f"The groups were formed by {', '.join(map(_code, formed))}"
        + (f"; {averaged_text} were averaged in them." if averaged else ".")
        + (
            f" No group has different values of {', '.join(map(_code, strata))}."
            if strata
            else ""
        ),
        "",
        "* **The response did not form the groups** (it is not in that list): "
        "`by_groups`, with every column that formed them among the regressors, and any "
        "others that were averaged along. A regressor that was left as it is must not "
        "be used.",
        "* **The response formed the groups**: least squares is biased, the more so "
        "the fewer columns formed the groups. `sorted_by` corrects it where all "
        "columns that did not form the groups were averaged in them.",
        *_flawed_columns(outcome),
        "",
        "```python",
        "import pandas as pd",
        "from regression import by_groups, sorted_by",
        "",
        'frame = pd.read_csv("protected.csv")',
        f"grouped = [{columns}]",
        f"sorters = [{sorters}]",
        '# by_groups(frame, "response", ["x1", "x2"], grouped, sorters).table()',
        '# sorted_by(frame, "response", ["x1", "x2"], grouped, sorters).table()',
        "```",
    ]
    return "\n".join(lines)


def _formed_columns(outcome: Outcome) -> tuple[list[str], list[str]]:
    """Return quasi-identifiers that formed the groups, and those averaged along."""
    plan = outcome.plan
    formed = [n for n in plan.quasi_identifiers if plan.attribute_weights.get(n) != 0.0]
    return formed, [n for n in plan.quasi_identifiers if n not in formed]


def _flawed_columns(outcome: Outcome) -> list[str]:
    """Say which common values are no means, and which were rounded too far."""
    plan, frame = outcome.plan, outcome.release.frame
    others = [
        name
        for name in plan.quasi_identifiers
        if plan.aggregations[name] != "mean" or has_incomputable_values(frame[name])
    ]
    lines = []
    if others:
        lines.append(
            f"* {', '.join(map(_code, others))}: not means of their groups, so that "
            "neither function is right with them. Slopes of such regressors are mostly "
            "too near to 0."
        )
    for name in plan.quasi_identifiers:
        decimals = outcome.survived[name].decimals_after
        if name in others or decimals is None or decimals < 0:
            continue
        variance = float(frame[name].astype("float64").var())
        # Sheppard: rounding to steps of h adds a variance of h^2 / 12.
        share = 0.01**decimals / 12.0 / variance if variance > 0.0 else 0.0
        if share > MAX_ROUNDING_SHARE:
            lines.append(
                f"* {_code(name)} was rounded: as a regressor, its slope is too near "
                f"to 0 by {100.0 * share:.1f} % or more."
            )
    return lines


MAX_ROUNDING_SHARE = 0.001
"""Share of a column's variance that rounding may add without being told."""


@dataclass(frozen=True)
class ExpectedCoverageAndBias:
    """Expected coverage and bias of a linear model for one treatment of its response.

    Attributes
    ----------
    response, function, bias : str
    coverage : tuple of int
        Fewest and most 95 % intervals of slopes that held the truth, in per cent, over
        the simulations of ``tests/engine/report/test_guide.py``.
    skewed_coverage : tuple of int
        The same where regressors are log-normal.
    """

    response: str
    function: str
    bias: str
    coverage: tuple[int, int]
    skewed_coverage: tuple[int, int]


LEFT = ExpectedCoverageAndBias(
    "was left as it is, or averaged without forming the groups",
    "`by_groups`",
    "none",
    (93, 97),
    (81, 98),
)
SORTED_ALONE = ExpectedCoverageAndBias(
    "formed the groups alone; all regressors were averaged along",
    "`sorted_by`",
    "none beyond a few per cent; below 92 % with 80 groups or fewer and skewed errors",
    (88, 97),
    (65, 97),
)
SORTED_WITH_SOME = ExpectedCoverageAndBias(
    "formed the groups with some regressors; the others were averaged along",
    "`sorted_by`, with caution",
    "slopes of regressors that were averaged along up to 20 % too near to 0, the more "
    "the larger k and the more skewed the errors",
    (65, 98),
    (10, 97),
)
SORTED_WITH_ALL = ExpectedCoverageAndBias(
    "formed the groups with all regressors",
    "none: do not run it, ask whoever released the file",
    "slopes too far from 0, by 3 to 25 %, the more the larger k",
    (0, 75),
    (0, 75),
)
ON_ITS_OWN = ExpectedCoverageAndBias(
    "and every other column was grouped on its own",
    "`plain`",
    "slightly towards 0 with few records or a large k",
    (92, 97),
    (72, 98),
)


def _model_text(outcome: Outcome) -> str:
    """Say what to expect of a model of each column."""
    plan = outcome.plan
    traits = methods.info(plan.method).traits
    formed, averaged = _formed_columns(outcome)
    expected: dict[ExpectedCoverageAndBias, list[str]] = {}
    if traits.per_attribute:
        expected[ON_ITS_OWN] = list(plan.quasi_identifiers)
    elif not plan.blocks and traits.guarantees_k:
        grouped_columns = formed + averaged
        unchanged = [
            name for name in outcome.release.columns if name not in grouped_columns
        ]
        expected[LEFT] = averaged + unchanged
        if averaged:
            expected[SORTED_ALONE if len(formed) == 1 else SORTED_WITH_SOME] = formed
        if len(formed) > 1:
            expected[SORTED_WITH_ALL] = formed
    lines = [
        "| response | what happened | function | bias | 95 % intervals hold | the "
        "same, log-normal regressors |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each, names in expected.items():
        if names:
            coverage_texts = [
                f"{low} to {high} %"
                for low, high in (each.coverage, each.skewed_coverage)
            ]
            lines.append(
                f"| {', '.join(map(_code, names))} | {each.response} | {each.function} "
                f"| {each.bias} | {' | '.join(coverage_texts)} |"
            )
    if len(lines) == 2:
        lines = ["No linear regression of this file is known to be right.", ""]
    lines += [
        "",
        "That is of simulated linear models of two normal regressors, with 400 and "
        "1,000 records, k = 5 and 12, and errors that are normal, log-normal, or vary "
        "with a regressor. The last column is of regressors that are as skewed as "
        "log-normal ones: slopes by `plain` were up to 17 % too near to 0 then, and by "
        "`sorted_by` up to 43 %, after groups by the response and some regressors.",
        "",
        "* **Logit and Poisson models.** Where the response was left as it is, and the "
        "regressors formed the groups, the ordinary fit to the records is right within "
        "a few per cent, its intervals hold 91 to 98 % (with log-normal regressors, "
        "within 13 %, and 79 to 97 %). Where the response formed the "
        "groups, do not run them: slopes were up to 35 % too far from 0, and intervals "
        "held 27 to 93 %.",
        "* **A column that formed the groups and is no regressor** makes the others' "
        "slopes wrong in either direction: `by_groups` refuses it.",
        "* **Tests of normality, of equal variances and of independence** say nothing "
        "here: averaging makes the first two, and takes away the last.",
    ]
    return "\n".join(lines)
