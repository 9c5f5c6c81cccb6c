"""Guide to the analysis of a release: what holds as it is, and what to correct."""

from __future__ import annotations

from importlib.resources import files

from engine.methods import methods
from engine.pipeline.outcome import Outcome

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


def regression_module() -> str:
    """Return the Python module that guides contain, as it is tested."""
    folder = files("engine.report") / "templates"
    return (folder / "regression.py").read_text(encoding="utf-8")


def analysis_guide(outcome: Outcome) -> str:
    """Return Markdown on how to analyse a release, with a Python module that runs.

    Parameters
    ----------
    outcome : Outcome
    """
    unchanged = [
        str(name)
        for name in outcome.release.frame.columns
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
        f"## Linear regression\n\n{_regression_text(outcome)}\n",
        SNIPPET_TEXT.format(code=regression_module()),
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
    formed = [n for n in plan.quasi_identifiers if plan.attribute_weights.get(n) != 0.0]
    averaged = [n for n in plan.quasi_identifiers if n not in formed]
    strata = plan.strata_columns(outcome.release.frame.columns)
    together = dict.fromkeys([*plan.quasi_identifiers, *strata])
    columns = ", ".join(repr(name) for name in together)
    sorters = ", ".join(repr(name) for name in formed)
    lines = [
        f"The groups were formed by {', '.join(map(_code, formed))}"
        + (
            f"; {', '.join(map(_code, averaged))} were averaged in them."
            if averaged
            else "."
        ),
        "",
        "* **The response did not form the groups** (it is not in that list): "
        "`by_groups` is exact, with any regressors that did form them or were "
        "averaged along. A regressor that was left as it is must not be used.",
        "* **The response formed the groups**: least squares is biased, the more so "
        "the fewer columns formed the groups. `sorted_by` corrects it where all "
        "columns that did not form the groups were averaged in them. What the columns "
        "that did form them lost inside the groups stays lost: look at their "
        "information loss, which bounds it.",
        "",
        "```python",
        "import pandas as pd",
        "from regression import by_groups, sorted_by",
        "",
        'frame = pd.read_csv("protected.csv")',
        f"grouped = [{columns}]",
        f"sorters = [{sorters}]",
        '# by_groups(frame, "response", ["x1", "x2"], grouped).table()',
        '# sorted_by(frame, "response", ["x1", "x2"], grouped, sorters).table()',
        "```",
    ]
    return "\n".join(lines)
