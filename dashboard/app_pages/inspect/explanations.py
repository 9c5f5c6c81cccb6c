"""Explanations as sentences and tables: a group, a record, an attribute."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.results.digits import format_short
from dashboard.results.figures import table_row_of_record
from engine.analysis.explain import Explainer, GroupExplanation, RecordExplanation
from engine.data.formats.display import format_special_columns
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.outcome import Outcome


def group_explanation_sentences(
    explanation: GroupExplanation, outcome: Outcome
) -> list[str]:
    """Return sentences on a group's loss, formation, width and cheapest merger."""
    title = _(methods.info(outcome.plan.method).title)
    number = f"{explanation.group + 1:,}"
    words = [
        n_(
            "Group {number} of {groups} has **{count} record** and makes up **{share} "
            "%** of all that is lost ({loss} of {all} percentage points).",
            "Group {number} of {groups} has **{count} records** and makes up **{share} "
            "%** of all that is lost ({loss} of {all} percentage points).",
            explanation.size,
        ).format(
            number=number,
            groups=f"{explanation.n_groups:,}",
            count=explanation.size,
            share=format_short(explanation.share),
            loss=format_short(explanation.loss),
            all=format_short(outcome.information_loss),
        )
    ]
    if explanation.seed is not None:
        words.append(
            _(
                "{title} formed it as number {number}, around **record {record}**: its "
                "other records were the nearest to that one which had no group yet, or "
                "joined it afterwards."
            ).format(
                title=title,
                number=number,
                record=f"{table_row_of_record(outcome, explanation.seed):,}",
            )
        )
    elif outcome.plan.polish:
        words.append(
            _(
                "Its records were exchanged with other groups by polishing, so it has "
                "no single record that it began with."
            )
        )
    else:
        words.append(
            _(
                "{title} does not form groups around single records, or this one was "
                "made of what was left at the end."
            ).format(title=title)
        )
    return [*words, _width_sentence(explanation), *_cost_sentences(explanation)]


def _cost_sentences(story: GroupExplanation) -> list[str]:
    """Say what costs most in a group, and with which other it would merge best."""
    words = _costliest_sentence(
        story,
        _("What costs most here is **{name}**, with {share} % of the group's loss."),
    )
    if story.nearest is not None:
        words.append(
            _(
                "The group that is cheapest to merge with is **group {number}**: "
                "together they would lose {cost} percentage points more than apart."
            ).format(
                number=f"{story.nearest.group + 1:,}",
                cost=format_short(story.nearest.cost),
            )
        )
    return words


def _width_sentence(story: GroupExplanation) -> str:
    if story.wider == 0:
        words = _(
            "Its farthest record lies {radius} from the group's mean, on the scale "
            "that was grouped on; no other group reaches as far."
        )
    elif story.wider == story.n_groups - 1:
        words = _(
            "Its farthest record lies {radius} from the group's mean, on the scale "
            "that was grouped on; every other group reaches farther."
        )
    else:
        words = _(
            "Its farthest record lies {radius} from the group's mean, on the scale "
            "that was grouped on; {count} of the other groups reach farther."
        )
    return words.format(radius=format_short(story.radius), count=f"{story.wider:,}")


def record_explanation_sentences(
    explanation: RecordExplanation, outcome: Outcome
) -> list[str]:
    """Return sentences on how far a record moved, and on the best other group."""
    n = outcome.partition.n_records
    words = [
        _(
            "Record {record} is in **group {group}** and lies {distance} from that "
            "group's mean; {count} of {all} records lie farther from theirs."
        ).format(
            record=f"{table_row_of_record(outcome, explanation.record):,}",
            group=f"{explanation.group + 1:,}",
            distance=format_short(explanation.distance),
            count=f"{explanation.farther:,}",
            all=f"{n:,}",
        )
    ]
    template = _("Most of the way, {share} % of its loss, is **{name}**.")
    return [
        *words,
        *_costliest_sentence(explanation, template),
        _alternative_sentence(explanation),
    ]


def _costliest_sentence(
    story: GroupExplanation | RecordExplanation, sentence: str
) -> list[str]:
    """Return a sentence about the attribute that loses most, if any loses."""
    name, share = next(iter(story.attributes.items()), ("", 0.0))
    return (
        [sentence.format(name=escape_text(name), share=f"{share:.0f}")]
        if share > 0.0
        else []
    )


def _alternative_sentence(story: RecordExplanation) -> str:
    """Say whether a record would be better off in another group."""
    other = story.alternative
    if other is None:
        return _("There is no other group that it could be in.")
    if other.cost >= 0.0:
        words = _(
            "It is where it belongs: in **group {group}**, the next best one, the "
            "release would lose {cost} percentage points more."
        )
    elif other.possible:
        words = _(
            "It would be better off in **group {group}**: that would save {cost} "
            "percentage points, and k would still hold. Polishing finds such moves."
        )
    else:
        words = _(
            "It would be better off in **group {group}**, by {cost} percentage points; "
            "but the group that it left would then have fewer than k records."
        )
    return words.format(
        group=f"{other.group + 1:,}", cost=format_short(abs(other.cost))
    )


def group_members_table(
    explanation: GroupExplanation, outcome: Outcome, table: Table
) -> pd.DataFrame:
    """Return a table of a group's values before and after, a line per record."""
    names = list(outcome.plan.quasi_identifiers)
    rows = outcome.release.rows[explanation.members]
    before = format_special_columns(table.frame[names].iloc[rows], table.origin)
    after = format_special_columns(
        outcome.release.frame[names].iloc[explanation.members], table.origin
    )
    columns: dict[str, pd.Series] = {_("Record"): pd.Series(rows + 1)}
    for name in names:
        columns[name] = before[name].reset_index(drop=True)
        columns[f"{name} →"] = after[name].reset_index(drop=True)
    return pd.DataFrame(columns)


def loss_shares_table(shares: Mapping[str, float]) -> pd.DataFrame:
    """Return a table of each attribute's share of a loss."""
    return pd.DataFrame(
        {
            _("Attribute"): list(shares),
            _("Share of the loss (%)"): list(shares.values()),
        }
    )


def record_moves_table(
    explanation: RecordExplanation, outcome: Outcome, table: Table
) -> pd.DataFrame:
    """Return a table of a record's values before and after, a line per attribute."""
    names = list(outcome.plan.quasi_identifiers)
    row = int(outcome.release.rows[explanation.record])
    before = format_special_columns(table.frame[names].iloc[[row]], table.origin).iloc[
        0
    ]
    released = outcome.release.frame[names].iloc[[explanation.record]]
    after = format_special_columns(released, table.origin).iloc[0]
    return pd.DataFrame(
        {
            _("Attribute"): names,
            _("Before"): [str(before[name]) for name in names],
            _("After"): [str(after[name]) for name in names],
            _("Share of its loss (%)"): [
                explanation.attributes.get(name) for name in names
            ],
        }
    )


def costliest_groups_table(
    explainer: Explainer, attribute: str | None, max_groups: int
) -> pd.DataFrame:
    """Return a table of the groups of largest loss, in all attributes or in one."""
    stories = [
        explainer.explain_group(group)
        for group in explainer.costliest_groups(attribute, max_groups)
    ]
    loss_shares = [
        story.share
        if attribute is None
        else story.share * story.attributes[attribute] / 100.0
        for story in stories
    ]
    return pd.DataFrame(
        {
            _("Group"): [story.group + 1 for story in stories],
            _("Records"): [story.size for story in stories],
            _("Share of all loss (%)"): loss_shares,
            _("Farthest record"): [story.radius for story in stories],
        }
    )
