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
from dashboard.learn.lessons import effort, intruder, together
from engine.analysis.edited_centres import PRINTED_DISTANCES, DrawsSummary
from engine.analysis.sweep import SweepResult


def lesson_group_table(grouped: GroupedPoints) -> pd.DataFrame:
    """Return every group's size and centre."""
    first, second = grouped.plane.names
    return pd.DataFrame(
        {
            _("Group"): range(1, grouped.sizes.size + 1),
            _("Records"): grouped.sizes,
            first: grouped.centres[:, 0].round(1),
            second: grouped.centres[:, 1].round(1),
        }
    )


def lesson_line_table(line: GroupedLine) -> pd.DataFrame:
    """Return every value, its group and what it becomes."""
    return pd.DataFrame(
        {
            _("Value"): line.values,
            _("Group"): line.labels + 1,
            _("Mean"): line.means[line.labels].round(2),
        }
    )


def lesson_sweep_table(results: Sequence[SweepResult], name: str) -> pd.DataFrame:
    """Return loss and linkage for each value of a parameter."""
    return pd.DataFrame(
        {
            name: [one.value for one in results],
            _("IL (%)"): [one.loss for one in results],
            _("Records found (%)"): [one.linkage for one in results],
        }
    )


def column_share_table(now: ScalingResult) -> pd.DataFrame:
    """Return each column's share of the variation under one scaling."""
    return pd.DataFrame(
        {
            _("Column"): list(now.shares),
            _("Share of all variation (%)"): list(now.shares.values()),
        }
    )


def lesson_centre_table(drawn: DrawnCentres) -> pd.DataFrame:
    """Return every centre's expected and realised size."""
    first, second = drawn.plane.names
    return pd.DataFrame(
        {
            _("Centre"): range(1, len(drawn.centres) + 1),
            first: drawn.centres[:, 0].round(1),
            second: drawn.centres[:, 1].round(1),
            _("Expected size"): drawn.expected.round(2),
            _("Records"): drawn.sizes,
        }
    )


def centre_distance_table(spread: DrawsSummary) -> pd.DataFrame:
    """Return mean distances from the clean centres, and the printed ones."""
    columns: dict[str, object] = {
        _("Centre"): range(1, spread.free.shape[1] + 1),
        _("Without the rule"): spread.free.mean(axis=0),
        _("With the rule"): spread.ruled.mean(axis=0),
    }
    printed = PRINTED_DISTANCES.get(spread.deviation)
    if printed is not None:
        columns[_("Printed, without")], columns[_("Printed, with")] = printed
    return pd.DataFrame(columns)


def lesson_attack_table(known: int) -> pd.DataFrame:
    """Return the share found by intruders who know 1, 2, ... `known` attributes."""
    found = [intruder.attack_all_sizes(count) for count in range(1, known + 1)]
    content: dict[str, object] = {
        _("Attributes known"): range(1, known + 1),
    }
    for place, one in enumerate(found[0]):
        name = _("As it is") if one.k == 1 else f"k = {one.k}"
        content[f"{name} (%)"] = [row[place].share for row in found]
    return pd.DataFrame(content)


def composition_table() -> pd.DataFrame:
    """Return how many are found with each number of releases."""
    found = [
        together.compose_first_releases(count) for count in together.RELEASE_COUNTS
    ]
    return pd.DataFrame(
        {
            _("Releases"): list(together.RELEASE_COUNTS),
            "k": [", ".join(map(str, one.sizes)) for one in found],
            _("Found exactly"): [int(one.opened.sum()) for one in found],
        }
    )


def effort_name(steps: int) -> str:
    """Return what an amount of effort is called."""
    if steps < 2:
        return _("Polished") if steps else "MDAV"
    return _("{count} steps").format(count=f"{steps:,}")


def effort_table() -> pd.DataFrame:
    """Return loss, bound and gap of every effort."""
    all_of_it = [effort.effort_result(steps) for steps in effort.EFFORT_STEPS]
    return pd.DataFrame(
        {
            _("Effort"): [effort_name(one.steps) for one in all_of_it],
            _("IL (%)"): [one.loss for one in all_of_it],
            _("Lower bound (%)"): [one.bound for one in all_of_it],
            _("Gap (%)"): [one.gap for one in all_of_it],
        }
    )
