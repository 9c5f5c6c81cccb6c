"""Answers to why, in words and tables: a group, a record, an attribute."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from engine.errors import EngineError
from engine.explain import Explainer, GroupStory, RecordStory
from engine.methods import methods
from engine.outcome import Outcome
from engine.table import Table


def explainer(outcome: Outcome, table: Table) -> Explainer | str:
    """Return who answers, worked out once per session, or why nobody can."""
    try:
        return _explainer(table.fingerprint, outcome.plan.digest(), outcome, table)
    except EngineError as error:
        return str(error)


# Keyed by the digests of data and plan, and one cache per session.
@st.cache_resource(scope="session", max_entries=2, show_spinner="Looking at the groups")
def _explainer(
    fingerprint: str, plan: str, _outcome: Outcome, _table: Table
) -> Explainer:
    return Explainer(_outcome, _table)


def group_words(story: GroupStory, outcome: Outcome) -> list[str]:
    """Return what is to be said about a group, in sentences."""
    title = methods.info(outcome.plan.method).title
    words = [
        f"Group {story.group + 1:,} of {story.n_groups:,} has **{story.size} records** "
        f"and makes up **{story.share:.2f} %** of all that is lost "
        f"({story.loss:.4f} of {outcome.information_loss:.2f} percentage points)."
    ]
    if story.seed is not None:
        words.append(
            f"{title} formed it as number {story.group + 1:,}, around **record "
            f"{row_of(outcome, story.seed):,}**: its other records were the nearest to "
            "that one which had no group yet, or joined it afterwards."
        )
    elif outcome.plan.polish:
        words.append(
            "Its records were exchanged with other groups by polishing, so it has no "
            "single record that it began with."
        )
    else:
        words.append(
            f"{title} does not form groups around single records, or this one was made "
            "of what was left at the end."
        )
    words.append(_width_words(story))
    if story.attributes:
        name, share = next(iter(story.attributes.items()))
        if share > 0.0:
            words.append(
                f"What costs most here is **{name}**, with {share:.0f} % of the "
                "group's loss."
            )
    if story.nearest is not None:
        words.append(
            f"The group that is cheapest to merge with is **group "
            f"{story.nearest.group + 1:,}**: together they would lose "
            f"{story.nearest.cost:.4f} percentage points more than apart."
        )
    return words


def _width_words(story: GroupStory) -> str:
    if story.wider == 0:
        place = "no other group reaches as far"
    elif story.wider == story.n_groups - 1:
        place = "every other group reaches farther"
    else:
        place = f"{story.wider:,} of the other groups reach farther"
    return (
        f"Its farthest record lies {story.radius:.3f} from the group's mean, on the "
        f"scale that was grouped on; {place}."
    )


def record_words(story: RecordStory, outcome: Outcome) -> list[str]:
    """Return what is to be said about a record, in sentences."""
    n = outcome.partition.n_records
    words = [
        f"Record {row_of(outcome, story.record):,} is in **group {story.group + 1:,}** "
        f"and lies {story.distance:.3f} from that group's mean; {story.farther:,} of "
        f"{n:,} records lie farther from theirs."
    ]
    if story.attributes:
        name, share = next(iter(story.attributes.items()))
        if share > 0.0:
            words.append(f"Most of the way, {share:.0f} % of its loss, is **{name}**.")
    other = story.alternative
    if other is None:
        words.append("There is no other group that it could be in.")
        return words
    where = f"**group {other.group + 1:,}**"
    if other.cost >= 0.0:
        words.append(
            f"It is where it belongs: in {where}, the next best one, the release would "
            f"lose {other.cost:.4f} percentage points more."
        )
    elif other.possible:
        words.append(
            f"It would be better off in {where}: that would save {-other.cost:.4f} "
            "percentage points, and k would still hold. Polishing finds such moves."
        )
    else:
        words.append(
            f"It would be better off in {where}, by {-other.cost:.4f} percentage "
            "points; but the group that it left would then have fewer than k records."
        )
    return words


def row_of(outcome: Outcome, record: int) -> int:
    """Return the row of the table, counted from 1, of a record of the release."""
    return int(outcome.release.rows[record]) + 1


def record_of(outcome: Outcome, row: int) -> int | None:
    """Return the record of the release for a row counted from 1; None if left out."""
    place = int(np.searchsorted(outcome.release.rows, row - 1))
    rows = outcome.release.rows
    return place if place < rows.size and rows[place] == row - 1 else None


def members_table(story: GroupStory, outcome: Outcome, table: Table) -> pd.DataFrame:
    """Return a group's quasi-identifiers before and after, a record a line."""
    names = list(outcome.plan.quasi_identifiers)
    rows = outcome.release.rows[story.members]
    before = table.frame[names].iloc[rows].reset_index(drop=True)
    after = outcome.release.frame[names].iloc[story.members].reset_index(drop=True)
    columns: dict[str, pd.Series] = {"Record": pd.Series(rows + 1)}
    for name in names:
        columns[name] = before[name]
        columns[f"{name} →"] = after[name]
    return pd.DataFrame(columns)


def shares_table(shares: Mapping[str, float]) -> pd.DataFrame:
    """Return each attribute's share of a loss."""
    return pd.DataFrame(
        {"Attribute": list(shares), "Share of the loss (%)": list(shares.values())}
    )


def moves_table(story: RecordStory, outcome: Outcome, table: Table) -> pd.DataFrame:
    """Return a record's quasi-identifiers before and after, an attribute a line."""
    names = list(outcome.plan.quasi_identifiers)
    before = table.frame[names].iloc[int(outcome.release.rows[story.record])]
    after = outcome.release.frame[names].iloc[story.record]
    return pd.DataFrame(
        {
            "Attribute": names,
            "Before": [str(before[name]) for name in names],
            "After": [str(after[name]) for name in names],
            "Share of its loss (%)": [story.attributes.get(name) for name in names],
        }
    )


def costliest_table(why: Explainer, attribute: str | None, most: int) -> pd.DataFrame:
    """Return the groups that lose most, in all numbers or in one."""
    stories = [why.group(group) for group in why.costliest(attribute, most)]
    lost = [
        story.share
        if attribute is None
        else story.share * story.attributes[attribute] / 100.0
        for story in stories
    ]
    return pd.DataFrame(
        {
            "Group": [story.group + 1 for story in stories],
            "Records": [story.size for story in stories],
            "Share of all loss (%)": lost,
            "Farthest record": [story.radius for story in stories],
        }
    )
