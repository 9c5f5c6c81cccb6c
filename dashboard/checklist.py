"""What was done to every kind of column, in sentences to tick off."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard import text, text_choices
from engine.methods import methods
from engine.outcome import Outcome
from engine.table import Table

Line = tuple[str, str]
"""(sign, sentence); the signs are "done", "info" and "look"."""


def checklist(outcome: Outcome, table: Table) -> list[Line]:
    """Return what was done to every kind of column."""
    plan = outcome.plan
    identifiers, confidential = plan.identifiers or (), plan.confidential or ()
    lines: list[Line] = []
    if identifiers:
        lines.append(("done", f"Left out as identifiers: {_named(identifiers)}."))
    else:
        lines.append(("info", "No column is an identifier, so none was left out."))
    lines.append(_protected(outcome))
    lines += _grouping(outcome)
    lines += _missing(outcome, table)
    if outcome.release.rules:
        lines.append(("done", f"Rules kept: {_rules_kept(outcome)}."))
    if confidential:
        lines.append(
            ("info", f"Confidential, released as they are: {_named(confidential)}.")
        )
    if plan.weights is not None:
        lines.append(
            (
                "info",
                f"Weighs the records, and is released as it is: **{plan.weights}**.",
            )
        )
    treated = {*plan.quasi_identifiers, *identifiers, *confidential, plan.weights}
    others = [name for name in table.schema.names if name not in treated]
    if others:
        lines.append(("look", f"Released as they are: {_named(others)}."))
    return lines + [
        ("look", one)
        for one in outcome.warnings
        if "stopped early" in one
        or "below 3" in one
        or one.startswith("Blocks of columns")
    ]


def _protected(outcome: Outcome) -> Line:
    """Say how many records share their values, as far as that is promised."""
    names, drawn = _named(outcome.plan.quasi_identifiers), outcome.probabilistic
    if drawn is None and not outcome.k_verified:
        least = outcome.k_released
        noun = "record" if least == 1 else "records"
        return (
            "look",
            f"Changed: {names}. The combination of their values is shared by {least} "
            f"{noun} at the least, fewer than k = {outcome.plan.k}.",
        )
    if drawn is None:
        shared = f"at least {outcome.k_released - 1} others"
        return (
            "done",
            f"Protected: {names}. Every record shares its values with {shared}.",
        )
    words = f"Each record took the values of a centre drawn at random, {drawn.words}."
    return "look", f"Protected: {names}. {words} {drawn.sizes_in_words}"


def _grouping(outcome: Outcome) -> list[Line]:
    """Say what the groups became, and what was grouped apart."""
    plan = outcome.plan
    lines: list[Line] = []
    rules = set(plan.aggregations.values())
    if not methods.info(plan.method).traits.probabilistic and rules != {"mean"}:
        parts = [
            f"{words} {_named(names)}"
            for rule, words in text_choices.RULE_WORDS.items()
            if (names := [n for n, one in plan.aggregations.items() if one == rule])
        ]
        lines.append(("done", f"The records of a group share {'; '.join(parts)}."))
    if plan.interval_columns and "interval" in rules:
        lines.append(("done", "The ends of intervals are also columns of their own."))
    if plan.polish:
        lines.append(("done", text.POLISH_DONE))
    if plan.strata is not None:
        lines.append(("info", f"No group crosses the values of **{plan.strata}**."))
    if plan.enforces:
        lines += [("done", one) for one in outcome.warnings if " merged" in one]
    return lines + [
        ("look", one) for one in outcome.warnings if "are protected together" in one
    ]


def _missing(outcome: Outcome, table: Table) -> list[Line]:
    """Say what became of missing values."""
    lines: list[Line] = []
    dropped = table.n_records - len(outcome.release.frame)
    if dropped:
        lines.append(("info", f"Records left out for missing values: {dropped:,}."))
    return lines + [
        ("info", one) for one in outcome.warnings if one.startswith("Missing values")
    ]


def _rules_kept(outcome: Outcome) -> str:
    """Return the rules, each with how many records of the input broke it."""
    return "; ".join(
        f"`` {rule} ``" + (f" (broken by {count:,} of your records)" if count else "")
        for rule, count in outcome.rules_broken.items()
    )


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"**{name}**" for name in names)
