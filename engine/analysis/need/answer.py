"""Types of the answer to a need, and checks of its rules (risk) and keeps (utility)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from engine.analysis.need.held_releases import HeldReleases
from engine.analysis.need.keeps import Keep, KeepValue
from engine.analysis.need.models.slopes import SlopeComparison
from engine.analysis.need.plan_search.search import (
    context_cancelled_at_deadline,
    is_deadline_past,
)
from engine.analysis.need.plan_search.trials import Trial
from engine.analysis.need.rules import Rule
from engine.analysis.releases.disclosure_check import LedgerDisclosureCheck
from engine.analysis.releases.ledger import OPENS_NOTHING_CHECK, Ledger
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled
from engine.core.message import NO_MESSAGE, Message, join_messages
from engine.core.text.versions import own_version
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

Answer = Literal["found", "nearest", "open", "impossible"]
"""All rules and keeps hold; the rules do; no release met the rules; none can."""

Promise = Literal["k", "other"]
"""Groups of at least k, or something else, which no k says."""

LEDGER_KIND = "ledger"
"""Kind of the check against earlier releases, in the place of a rule's measure."""

REFERENCES_PROMISE = Message(
    "Synthetic data and noise promise another thing than groups of k: no rule that "
    "counts people holds for them, and their risk is the share of unique keys that are "
    "in them again, or of records that are found by distance."
)
"""What stands beside reference points."""

REFERENCE_TITLES = (
    Message("Mondrian, midpoints"),
    Message("Mondrian, generalised: values drawn from what it says"),
    Message("recoding with suppression"),
    Message("synthetic data by trees (CART)"),
    Message("noise at equal linkage"),
)
"""Titles of the reference points beside the answer, in the order of measuring."""

MAX_CHARTED_TRIALS = 400
"""Best trials in the chart of risk against what is kept."""


@dataclass(frozen=True)
class RequirementCheck:
    """The limit of a rule or a keep, and the value that the release reaches.

    Attributes
    ----------
    asked : str
        As it was written.
    kind : str
        Of :data:`RULE_MEASURES` or :data:`KEEP_KINDS`.
    limit : float
    reached : float or None
        None where the release tells nothing, or time was over before it was measured.
    held : bool
    weakest : str
        The slope, column or cell that is worst, or the attack that gains most; empty
        for other rules.
    source : str
        Of a rule.
    release : int
        That it is about, 1 or 2, where there are two; 0 of what both tell together.
    """

    asked: str
    kind: str
    limit: float
    reached: float | None
    held: bool
    weakest: str = ""
    source: str = ""
    release: int = 1

    def summary(self) -> dict[str, Any]:
        """Return the check as plain values, ready for JSON."""
        extra: dict[str, Any] = {"weakest": self.weakest} if self.weakest else {}
        extra |= {"source": self.source} if self.source else {}
        extra |= {"release": self.release} if self.release != 1 else {}
        figures = {"asked": self.asked, "reached": self.reached, "held": self.held}
        return figures | extra


def compare_with_rules(
    rules: Sequence[Rule],
    outcome: Outcome,
    table: Table,
    ledger: Ledger | None = None,
    deadline: float | None = None,
    ctx: RunContext = SILENT,
) -> tuple[RequirementCheck, ...]:
    """Return a check of each rule for a release, and one more if a ledger has entries.

    With a ledger, the last one is that it opens no record beside earlier releases.

    Parameters
    ----------
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`; attacks that are not over then
        leave the rule's value unknown.
    """
    releases = HeldReleases(
        outcome, table, ctx=context_cancelled_at_deadline(ctx, deadline)
    )
    rows = [_check_rule(rule, releases, deadline) for rule in rules]
    if ledger is not None and ledger.entries:
        rows.append(_check_ledger(ledger, outcome, table))
    return tuple(rows)


def compare_second_and_both_with_rules(
    rules: Sequence[Rule],
    first: Outcome,
    second: Outcome,
    table: Table,
    ledger: Ledger | None = None,
    deadline: float | None = None,
    ctx: RunContext = SILENT,
) -> tuple[RequirementCheck, ...]:
    """Return checks of rules on a second release, then of rules and ledger on both.

    The last one is that both, with those of a ledger, give back no record. The
    deadline is that of :func:`compare_with_rules`.
    """
    second_checks = compare_with_rules(rules, second, table, None, deadline, ctx)
    limited = context_cancelled_at_deadline(ctx, deadline)
    releases = HeldReleases(first, table, second, limited)
    joint_checks = [_check_rule(rule, releases, deadline) for rule in rules]
    new_ledger = ledger_with_unwritten_release(ledger or Ledger.new(), first, table)
    joint_checks.append(_check_ledger(new_ledger, second, table))
    return (
        *(replace(each, release=2) for each in second_checks),
        *(replace(each, release=0) for each in joint_checks),
    )


def _check_rule(
    rule: Rule, releases: HeldReleases, deadline: float | None
) -> RequirementCheck:
    """Return the check of a rule; its value is unknown where time was over before."""
    unknown = _unknown_rule(rule)
    try:
        value, weakest = rule.measured(releases)
    except Cancelled:
        if is_deadline_past(deadline):
            return unknown
        raise
    return replace(
        unknown, reached=float(value), held=rule.holds(value), weakest=weakest
    )


def _check_ledger(ledger: Ledger, outcome: Outcome, table: Table) -> RequirementCheck:
    opened = ledger_disclosures(ledger, outcome, table).n_opened
    title = str(OPENS_NOTHING_CHECK)
    return RequirementCheck(title, LEDGER_KIND, 0.0, float(opened), opened == 0)


def ledger_with_unwritten_release(
    ledger: Ledger, outcome: Outcome, table: Table
) -> Ledger:
    """Return a ledger with a further entry, of a release that is not written yet."""
    return ledger.with_entry(ledger.entry_for(outcome, table, "", b""))


def ledger_disclosures(
    ledger: Ledger, outcome: Outcome, table: Table
) -> LedgerDisclosureCheck:
    """Return the check of records that a release and a ledger's ones open together."""
    entry = ledger.entry_for(outcome, table, "", b"")
    return ledger.check_release(entry, table, outcome.release.rows)


def joint_disclosure_message(check: LedgerDisclosureCheck) -> Message:
    """Return a message on what an intruder learns from a release and earlier ones."""
    return Message(
        "{said} Whoever knows somebody's groups in all of them is left with {count:,} "
        "record at least.",
        "{said} Whoever knows somebody's groups in all of them is left with {count:,} "
        "records at least.",
        said=check.to_message,
        count=check.smallest_class,
    )


def _unknown_rule(rule: Rule) -> RequirementCheck:
    return RequirementCheck(
        rule.text, rule.measure, float(rule.limit), None, False, source=rule.source
    )


def unmeasured_rules_and_keeps(
    rules: Sequence[Rule], keeps: Sequence[Keep]
) -> tuple[tuple[RequirementCheck, ...], tuple[RequirementCheck, ...]]:
    """Return rules' checks and keeps' checks, values unknown, without a release."""
    unknown = KeepValue(math.nan)
    return (
        tuple(map(_unknown_rule, rules)),
        compare_with_keeps(keeps, [unknown] * len(keeps)),
    )


def compare_with_keeps(
    keeps: Sequence[Keep], keep_results: Sequence[KeepValue]
) -> tuple[RequirementCheck, ...]:
    """Return a check of each keep, with the value that a release reaches."""
    return tuple(
        RequirementCheck(
            keep.text,
            keep.kind,
            keep.limit,
            None if math.isnan(each.value) else each.value,
            keep.holds(each.value),
            each.weakest,
            release=keep.release,
        )
        for keep, each in zip(keeps, keep_results, strict=True)
    )


@dataclass(frozen=True)
class Alternative:
    """A plan tried in place of one that misses a keep, with the values it reaches.

    Attributes
    ----------
    change : Message
        What would be done otherwise.
    plan : Plan
    keeps : tuple of RequirementCheck
    holds : bool
        Whether all rules that it does not change, and all keeps, hold.
    """

    change: Message
    plan: Plan
    keeps: tuple[RequirementCheck, ...]
    holds: bool

    def summary(self) -> dict[str, Any]:
        """Return the alternative as plain values, ready for JSON."""
        keeps = [keep.summary() for keep in self.keeps]
        plan = self.plan.model_dump(mode="json")
        change = str(self.change)
        return {"change": change, "keeps": keeps, "holds": self.holds, "plan": plan}


@dataclass(frozen=True)
class ReferencePoint:
    """Kept results and risks of a release, or of another protection of its columns.

    Attributes
    ----------
    title : Message
    promise : {"k", "other"}
    keeps : tuple of RequirementCheck
    n_records : int
        That it has.
    smallest : int
        People in its smallest class of quasi-identifiers, or records of nobody.
    linkage : float or None
        Share of records that are nearest to what is known of them; None where none
        is of anybody.
    repeated_uniques : float
        Share of the original's unique keys that it holds again, 0 to 1.
    """

    title: Message
    promise: Promise
    keeps: tuple[RequirementCheck, ...]
    n_records: int
    smallest: int
    linkage: float | None
    repeated_uniques: float

    @property
    def risk(self) -> float:
        """Risk: 1 / smallest class under k, else the share linked or repeated."""
        if self.promise == "k":
            return 1.0 / self.smallest
        return self.repeated_uniques if self.linkage is None else self.linkage

    def summary(self) -> dict[str, Any]:
        """Return the point as plain values, ready for JSON."""
        return {
            "title": str(self.title),
            "promise": self.promise,
            "keeps": [keep.summary() for keep in self.keeps],
            "n_records": self.n_records,
            "smallest": self.smallest,
            "risk": self.risk,
            "linkage": self.linkage,
            "repeated_uniques": self.repeated_uniques,
        }


@dataclass(frozen=True, eq=False)
class Need:
    """What `need` returns: an answer, its release or proof if any, and trials.

    Attributes
    ----------
    answer : {"found", "nearest", "open", "impossible"}
        All rules and keeps hold; only the rules do; no release met the rules, but no
        proof shows that none can; a proof shows it.
    sentence : Message
        The answer in words, with the proof of what is impossible.
    plan : Plan or None
    outcome : Outcome or None
        The release of an answer that has one.
    rules, keeps : tuple of RequirementCheck
    tried : tuple of Trial
    seconds : float
    subgroups : tuple of dict
        Records and loss of each subgroup. The loss is the mean squared distance of the
        subgroup's records from the means of their groups, in per cent of the mean
        squared distance of all records from the mean of all. It can pass 100.
        With them, what too few records of it leave unasked.
    largest_losses : tuple of dict
        Of each quasi-identifier with few values that is not among the subgroups, the
        value whose records lose most, with their number and loss.
    other_sizes : tuple of Trial
        The same plan with smaller and larger groups.
    alternatives : tuple of Alternative
    held_out : tuple of RequirementCheck
        Keeps that the search did not see.
    slopes : tuple of SlopeComparison
        Slopes of the requested models, before and after.
    references : tuple of ReferencePoint
        This release and other ways to protect its columns, where they were asked for.
    together : Message or None
        What an intruder learns from this and earlier releases, or from two releases
        made at once; None without other releases.
    second_outcome : Outcome or None
        The second release, where two were asked for. Its plan differs from the first
        one's in nothing but common values: both have the same groups.
    counted_seconds : float
        Seconds without those in which kernels were compiled.
    untried : tuple of Message
        Changes that no time was left to try, where a keep is missed.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    answer: Answer
    sentence: Message
    plan: Plan | None
    outcome: Outcome | None
    rules: tuple[RequirementCheck, ...]
    keeps: tuple[RequirementCheck, ...]
    tried: tuple[Trial, ...]
    seconds: float
    subgroups: tuple[dict[str, Any], ...] = ()
    other_sizes: tuple[Trial, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    held_out: tuple[RequirementCheck, ...] = ()
    slopes: tuple[SlopeComparison, ...] = ()
    references: tuple[ReferencePoint, ...] = ()
    together: Message | None = None
    second_outcome: Outcome | None = None
    counted_seconds: float = 0.0
    untried: tuple[Message, ...] = ()
    largest_losses: tuple[dict[str, Any], ...] = ()

    @property
    def about_alternatives(self) -> Message:
        """Which changes no time was left to try; may be empty."""
        if not self.untried:
            return NO_MESSAGE
        return Message(
            "No time was left to try {count} change: {changes}.",
            "No time was left to try {count} changes: {changes}.",
            count=len(self.untried),
            changes=join_messages(self.untried, "; "),
        )

    @property
    def overfitting(self) -> Message:
        """How much the search used the original table, in one sentence."""
        return Message(
            "{count} release of the original was tried, and compared by what was asked "
            "to be kept and by nothing else.",
            "{count:,} releases of the original were compared by what was asked to be "
            "kept and by nothing else; the choice among them tells an intruder which "
            "of them does best in that.",
            count=len(self.tried),
        )

    @property
    def about_references(self) -> Message:
        """What reference points promise, and which ones are missing; may be empty."""
        if not self.references:
            return NO_MESSAGE
        measured = [point.title for point in self.references]
        missing = [
            Message("Time was over before {title} was measured.", title=title)
            for title in REFERENCE_TITLES
            if title not in measured
        ]
        return join_messages([REFERENCES_PROMISE, *missing])

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        outcome = {} if self.outcome is None else self.outcome.summary()
        return {
            "version": own_version(),
            "answer": self.answer,
            "sentence": str(self.sentence),
            "plan": None if self.plan is None else self.plan.model_dump(mode="json"),
            "rules": [rule.summary() for rule in self.rules],
            "keeps": [keep.summary() for keep in self.keeps],
            "tried": [trial.summary() for trial in self.tried],
            "n_tried": len(self.tried),
            "seconds": self.seconds,
            "subgroups": list(self.subgroups),
            "largest_losses": list(self.largest_losses),
            "other_sizes": [trial.summary() for trial in self.other_sizes],
            "would_meet": [each.summary() for each in self.alternatives],
            "about_would_meet": str(self.about_alternatives),
            "held_out": [each.summary() for each in self.held_out],
            "slopes": [slope.summary() for slope in self.slopes],
            "references": [each.summary() for each in self.references],
            "about_references": str(self.about_references),
            "second": (
                {}
                if self.second_outcome is None
                else {
                    "plan": self.second_outcome.plan.model_dump(mode="json"),
                    "outcome": self.second_outcome.summary(),
                }
            ),
            "together": None if self.together is None else str(self.together),
            "overfitting": str(self.overfitting),
            "outcome": outcome,
        }
