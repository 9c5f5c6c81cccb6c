"""Checklist of what a release did to its columns and groups, with warnings."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.i18n import text, text_person
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text, quote_name
from engine.aggregate import aggregations
from engine.core.message import Topic
from engine.data.kinds import Role
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.fields.records import NO_PERSON
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages

Line = tuple[str, str]
"""(sign, sentence); the signs are "done", "info" and "look"."""


SIGNS = {
    Topic.DIGITS: "info",
    Topic.MERGED: "done",
    Topic.MISSING: "info",
    Topic.ONLY: "info",
    Topic.SUPPRESSED: "info",
}
"""Signs of warnings that are no reason to look twice."""

SHOWN_ELSEWHERE = {Topic.IMPROVING, Topic.LOST, Topic.UNDECIDED, Topic.UNIQUENESS}
"""Topics that other parts of the pages tell: a result still improving, on Compare;
columns that lost what they said, above the table of columns; what nobody has decided,
above; who is told apart, on the release's badge."""


def column_checklist(outcome: Outcome, table: Table) -> list[Line]:
    """Return (sign, sentence) lines on the fate of columns, groups, rules and gaps."""
    plan = outcome.plan
    identifiers, confidential = plan.identifiers, plan.confidential
    undecided = table.schema.with_role(Role.UNDECIDED)
    decided_names = [name for name in identifiers if name not in undecided]
    lines: list[Line] = []
    if decided_names:
        words = _("Left out as identifiers: {columns}.")
        lines.append(("done", words.format(columns=_quote_names(decided_names))))
    if len(decided_names) < len(identifiers):
        words = _("Left out, because nobody has decided: {columns}.")
        gone = [name for name in identifiers if name in undecided]
        lines.append(("look", words.format(columns=_quote_names(gone))))
    if not identifiers:
        lines.append(("info", _("No column is an identifier, so none was left out.")))
    lines.append(_protection_line(outcome))
    lines += _grouping_lines(outcome)
    chosen = len(select_row_numbers_and_messages(plan.only, table)[0])
    dropped = chosen - len(outcome.release.frame) - outcome.suppressed
    dropped -= outcome.surplus.records
    if dropped:
        words = _("Records left out for missing values: {count}.")
        lines.append(("info", words.format(count=f"{dropped:,}")))
    if outcome.release.rules:
        words = _("Rules kept: {rules}.")
        lines.append(("done", words.format(rules=_rules_text(outcome))))
    if confidential:
        words = _("Confidential, released unchanged: {columns}.")
        lines.append(("info", words.format(columns=_quote_names(confidential))))
    if plan.weights is not None:
        words = _("Weighs the records, and is released as it is: **{column}**.")
        lines.append(("info", words.format(column=quote_name(plan.weights))))
    treated = {*plan.quasi_identifiers, *identifiers, *confidential, plan.weights}
    others = [name for name in table.schema.names if name not in treated]
    if others:
        words = _("Released unchanged: {columns}.")
        lines.append(("look", words.format(columns=_quote_names(others))))
    return lines + [
        (SIGNS.get(warning.topic, "look"), escape_text(_(warning)))
        for warning in outcome.warnings
        if warning.topic not in SHOWN_ELSEWHERE
    ]


def _protection_line(outcome: Outcome) -> Line:
    """Say how many records share their values, as far as that is promised."""
    names, drawn = _quote_names(outcome.plan.quasi_identifiers), outcome.probabilistic
    if drawn is None and not outcome.k_verified:
        k_released = outcome.k_released
        words = n_(
            "Changed: {columns}. The combination of their values is shared by {count} "
            "record at the least, fewer than k = {k}.",
            "Changed: {columns}. The combination of their values is shared by {count} "
            "records at the least, fewer than k = {k}.",
            k_released,
        )
        return "look", words.format(columns=names, count=k_released, k=outcome.plan.k)
    if drawn is None:
        words = _(
            "Protected: {columns}. Every record shares its values with at least "
            "{count} others."
        )
        if outcome.n_persons:
            words = _(
                "Protected: {columns}. Every record shares its values with those of at "
                "least {count} other people."
            )
            if outcome.plan.intruder_knows == "all":
                words = _(
                    "Protected: {columns}. Everybody has the same set of their values "
                    "as at least {count} others."
                )
            if outcome.plan.counts:
                words = _(
                    "Protected: {columns}. Everybody has the same values of them, each "
                    "equally often, as at least {count} others."
                )
        return "done", words.format(columns=names, count=outcome.k_released - 1)
    words = _(
        "Protected: {columns}. Each record took the values of a centre drawn at "
        "random, {kind}. {sizes}"
    )
    kind, sizes = _(drawn.kind_message), _(drawn.sizes_message)
    return "look", words.format(columns=names, kind=kind, sizes=sizes)


def _grouping_lines(outcome: Outcome) -> list[Line]:
    """Say what the groups became, and what was grouped apart."""
    plan = outcome.plan
    lines: list[Line] = []
    rules = set(plan.aggregations.values())
    if not methods.info(plan.method).traits.probabilistic and rules != {"mean"}:
        # What is still a number first, then what lies between two of them.
        infos = sorted(
            aggregations.infos(),
            key=lambda info: (not info.common.numeric, not info.common.interval),
        )
        parts = [
            _(info.shared).format(columns=_quote_names(names))
            for info in infos
            if (
                names := [
                    n for n, rule_id in plan.aggregations.items() if rule_id == info.id
                ]
            )
        ]
        words = _("The records of a group share {values}.")
        lines.append(("done", words.format(values="; ".join(parts))))
    if plan.interval_columns and any(
        aggregations.info(rule).common.interval for rule in rules
    ):
        words = _("The ends of intervals are also columns of their own.")
        lines.append(("done", words))
    if plan.polish:
        lines.append(("done", _(text.POLISH_DONE)))
    if plan.strata is not None:
        words = _("No group crosses the values of **{column}**.")
        lines.append(("info", words.format(column=quote_name(plan.strata))))
    if outcome.n_persons:
        words = _("k counts the {count} people of **{column}**.")
        column = ", ".join(map(quote_name, plan.person_columns))
        words = words.format(count=f"{outcome.n_persons:,}", column=column)
        lines.append(("done", words))
    elif plan.person == NO_PERSON:
        lines.append(("look", _(text_person.RECORDS_COUNT)))
    if plan.household is not None:
        words = _("Households of **{column}** are grouped whole.")
        lines.append(("info", words.format(column=quote_name(plan.household))))
    return lines


def _rules_text(outcome: Outcome) -> str:
    """Return the rules, each with how many records of the input broke it."""
    parts = []
    for rule, count in outcome.rules_broken.items():
        words = _("{rule} (broken by {count} of your records)") if count else "{rule}"
        parts.append(words.format(rule=f"`` {rule} ``", count=f"{count:,}"))
    return "; ".join(parts)


def _quote_names(names: Sequence[str]) -> str:
    return ", ".join(f"**{quote_name(name)}**" for name in names)
