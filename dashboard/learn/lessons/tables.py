"""Data tables behind the lessons' pictures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.charts.lesson_inputs import (
    DrawnCentres,
    GroupedLine,
    GroupedPoints,
    ScalingResult,
)
from dashboard.i18n.language import _
from dashboard.learn.lessons import composition, effort, intruder
from engine.analysis.edited_centres import PRINTED_DISTANCES, DrawsSummary
from engine.analysis.sweep import SweepResult


def group_centre_table(grouped: GroupedPoints) -> pd.DataFrame:
    """Return a table of every group's size and centre."""
    first, second = grouped.plane.names
    return pd.DataFrame(
        {
            _("Group"): range(1, grouped.sizes.size + 1),
            _("Records"): grouped.sizes,
            first: grouped.centres[:, 0].round(1),
            second: grouped.centres[:, 1].round(1),
        }
    )


def value_group_table(grouped_line: GroupedLine) -> pd.DataFrame:
    """Return a table of every value, its group and the mean that replaces it."""
    return pd.DataFrame(
        {
            _("Value"): grouped_line.values,
            _("Group"): grouped_line.labels + 1,
            _("Mean"): grouped_line.means[grouped_line.labels].round(2),
        }
    )


def parameter_sweep_table(
    results: Sequence[SweepResult], parameter: str
) -> pd.DataFrame:
    """Return a table of loss and linkage for each value of a parameter."""
    return pd.DataFrame(
        {
            parameter: [one.value for one in results],
            _("IL (%)"): [one.loss for one in results],
            _("Records found (%)"): [one.linkage for one in results],
        }
    )


def variation_share_table(one_scaling: ScalingResult) -> pd.DataFrame:
    """Return a table of each column's share of the variation under one scaling."""
    return pd.DataFrame(
        {
            _("Column"): list(one_scaling.shares),
            _("Share of all variation (%)"): list(one_scaling.shares.values()),
        }
    )


def centre_size_table(drawn_centres: DrawnCentres) -> pd.DataFrame:
    """Return a table of every drawn centre's expected and realised group size."""
    first, second = drawn_centres.plane.names
    return pd.DataFrame(
        {
            _("Centre"): range(1, len(drawn_centres.centres) + 1),
            first: drawn_centres.centres[:, 0].round(1),
            second: drawn_centres.centres[:, 1].round(1),
            _("Expected size"): drawn_centres.expected.round(2),
            _("Records"): drawn_centres.sizes,
        }
    )


def centre_distance_table(draws_summary: DrawsSummary) -> pd.DataFrame:
    """Return a table of mean distances from the clean centres, and the printed ones."""
    columns: dict[str, object] = {
        _("Centre"): range(1, draws_summary.free.shape[1] + 1),
        _("Without the rule"): draws_summary.free.mean(axis=0),
        _("With the rule"): draws_summary.ruled.mean(axis=0),
    }
    printed = PRINTED_DISTANCES.get(draws_summary.deviation)
    if printed is not None:
        columns[_("Printed, without")], columns[_("Printed, with")] = printed
    return pd.DataFrame(columns)


def attack_share_table(max_known: int) -> pd.DataFrame:
    """Return the share of firms found by intruders who know 1, 2, ... attributes."""
    found = [intruder.attack_all_sizes(count) for count in range(1, max_known + 1)]
    content: dict[str, object] = {
        _("Attributes known"): range(1, max_known + 1),
    }
    for place, one in enumerate(found[0]):
        name = _("As it is") if one.k == 1 else f"k = {one.k}"
        content[f"{name} (%)"] = [row[place].share for row in found]
    return pd.DataFrame(content)


def revealed_by_releases_table() -> pd.DataFrame:
    """Return a table of how many are found with each number of releases."""
    found = [
        composition.compose_first_releases(count)
        for count in composition.RELEASE_COUNTS
    ]
    return pd.DataFrame(
        {
            _("Releases"): list(composition.RELEASE_COUNTS),
            "k": [", ".join(map(str, one.sizes)) for one in found],
            _("Found exactly"): [int(one.opened.sum()) for one in found],
        }
    )


def label_effort(effort_steps: int) -> str:
    """Return what an amount of effort is called: ``MDAV``, polished, or its steps."""
    if effort_steps < 2:
        return _("Polished") if effort_steps else "MDAV"
    return _("{count} steps").format(count=f"{effort_steps:,}")


def effort_table() -> pd.DataFrame:
    """Return a table of loss, lower bound and gap of every effort."""
    all_of_it = [effort.effort_result(steps) for steps in effort.EFFORT_STEPS]
    return pd.DataFrame(
        {
            _("Effort"): [label_effort(one.steps) for one in all_of_it],
            _("IL (%)"): [one.loss for one in all_of_it],
            _("Lower bound (%)"): [one.bound for one in all_of_it],
            _("Gap (%)"): [one.gap for one in all_of_it],
        }
    )
