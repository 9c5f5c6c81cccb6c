"""Collect the facts of a report as plain values: data, method and results."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from engine.aggregate import aggregations
from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.verdict import Verdict
from engine.analysis.verdict.disclosure import fewer_people_than_k_message
from engine.bounds import CLOSED_GAP_PERCENT, LowerBound
from engine.certificate.certificate_conditions import reason_not_certifiable
from engine.core.arguments import check_arguments
from engine.core.message import Message, Topic
from engine.data.kinds import Role
from engine.data.table import Table
from engine.measures import Score, measures
from engine.measures.describe import describe_score, finite_or_none
from engine.methods import methods
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.scaling import scalings
from engine.release.checks import ReleaseCheck
from engine.report.intruder import intruder_facts
from engine.report.survival import column_survival_facts
from engine.report.tables import means_and_counts_facts

Audience = Literal["internal", "external"]
"""Who reads: ``external`` leaves out what would help somebody to undo the protection.

That is seeds, parameters, group sizes, the fingerprint and file name of the original,
where values were missing, and everything that is known of single columns' losses.
"""

FAMILY_TITLES = {
    "privacy": "What the release protects",
    "risk": "How risky it is",
    "loss": "What it costs",
}

_BOUND_TITLES = {
    "nearest": "LB0, nearest records",
    "persons": "LB0 of persons, nearest records of others",
    "edge-cover": "LB1, edge cover",
    "column-generation": "LB2, column generation",
    "per-attribute": "optimal groups of each attribute",
}


@check_arguments
def report_facts(
    outcome: Outcome,
    table: Table,
    scores: Mapping[str, Score] | None = None,
    checks: Iterable[ReleaseCheck] = (),
    override: str = "",
    audience: Audience = "internal",
    attack_results: Iterable[AttackResult] = (),
    knowledge: Knowledge | None = None,
    released: tuple[str, bytes] | None = None,
    by: str = "",
    verdict: Verdict | None = None,
) -> dict[str, Any]:
    """Return all contents of a report, ready for JSON.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected.
    scores : mapping of str to Score, optional
        What :func:`engine.pipeline.evaluate.evaluate` worked out; without it, the
        measures that every run works out.
    checks : iterable of ReleaseCheck
        Checks of the release as written, see :mod:`engine.release.verify`.
    override : str
        Why a release that fails a check may leave all the same; empty if nobody said
        that it may.
    audience : {"internal", "external"}
    attack_results : iterable of AttackResult
        Results of attacks on the release; empty if no attack was tried.
    knowledge : Knowledge, optional
        Knowledge of the intruder.
    released : tuple of str and bytes, optional
        Name and content of the file as written, which the report is tied to.
    by : str
        Column of few values by which tables before and after are made.
    verdict : Verdict, optional
        On the release, with the reasons of who leaves it so.
    """
    table.check_fingerprint(outcome.fingerprint)
    internal = audience == "internal"
    all_scores = dict(outcome.scores) | dict(scores or {})
    facts: dict[str, Any] = {
        "title": table.schema.title
        or (internal and table.origin.name)
        or "Protected table",
        "audience": audience,
        "data": _data_facts(outcome, table, internal),
        "released": None if released is None else _released_file_facts(*released),
        "columns": _column_facts(outcome.plan, table, internal),
        "method": _method_facts(outcome, internal),
        "groups": _group_facts(outcome, internal),
        "seeds": _seed_facts(outcome) if internal else None,
        "uniqueness": _uniqueness_facts(outcome),
        "survived": column_survival_facts(outcome) if internal else [],
        "measures": [
            describe_score(measures.info(name), score)
            | ({} if internal else {"columns": {}})
            for name, score in all_scores.items()
        ],
        "intruder": intruder_facts(outcome, attack_results, knowledge),
        "before_after": means_and_counts_facts(outcome, table, by)
        if internal
        else None,
        "left_out": _left_out_text(outcome),
        "bound": _bound(outcome, table),
        "checks": [
            {
                "title": each.title,
                "passed": each.passed,
                # It names identifiers, and the seed of a shuffle.
                "detail": each.detail if internal else "",
            }
            for each in checks
        ],
        "override": override,
        "verdict": _verdict_facts(verdict, outcome, internal),
        "warnings": list(outcome.warnings) if internal else [],
        "references": _cited_references(outcome, all_scores),
        "versions": dict(outcome.versions) if internal else {},
    }
    return facts


def _verdict_facts(
    verdict: Verdict | None, outcome: Outcome, internal: bool
) -> dict[str, Any] | None:
    """Return the verdict; recipients of the file are told of no column left out."""
    if verdict is None:
        return None
    content = verdict.summary()
    count = len(outcome.plan.identifiers)
    for line in content["lines"]:
        if not internal:
            line["mend"] = None
        if line["id"] == "found" and verdict.counts_records and not internal:
            line["says"] = fewer_people_than_k_message(outcome.plan.k)
        if line["id"] == "left-out" and count and not internal:
            line["says"] = Message(
                "{count} column of the original does not leave.",
                "{count} columns of the original do not leave.",
                count=count,
            )
    return content


def _data_facts(outcome: Outcome, table: Table, internal: bool) -> dict[str, Any]:
    records = table.record_rows.size
    chosen = len(select_row_numbers_and_messages(outcome.plan.only, table)[0])
    data: dict[str, Any] = {
        "records": outcome.partition.n_records,
        "columns": len(outcome.release.columns),
    }
    if internal:
        data |= {
            "file": table.origin.name,
            "fingerprint": outcome.fingerprint,
            "description": table.schema.description,
            "records_read": table.n_records,
            "records_left_out": table.n_records - outcome.partition.n_records,
            "of_nothing": table.n_records - records,
            "not_chosen": records - chosen,
            "only": outcome.plan.only or "",
            "lacking_values": chosen
            - outcome.partition.n_records
            - outcome.suppressed
            - outcome.surplus.records,
        }
    return data


def _released_file_facts(name: str, content: bytes) -> dict[str, str]:
    return {"name": name, "sha256": hashlib.sha256(content).hexdigest()}


def _column_facts(
    plan: ResolvedPlan, table: Table, internal: bool
) -> list[dict[str, str]]:
    quasi, identifiers = plan.quasi_identifiers, plan.identifiers
    lines = []
    for column in table.schema.columns:
        name = column.name
        if name in quasi:
            rule = aggregations.info(plan.aggregations[name])
            role, became = "Quasi-identifier", rule.became
        elif name in identifiers:
            undecided = column.role is Role.UNDECIDED
            role, became = "Undecided" if undecided else "Identifier", "left out"
        elif name in plan.confidential:
            role, became = "Confidential", "released as it is"
        elif name == plan.weights:
            role, became = "Weight", "released as it is"
        else:
            role, became = "Leaves as it is", "released as it is"
        if became == "left out" and not internal:
            continue
        kind = str(plan.kinds.get(name, column.kind))
        lines.append({"name": name, "role": role, "kind": kind, "became": became})
    return lines


def _method_facts(outcome: Outcome, internal: bool) -> dict[str, Any]:
    plan, info = outcome.plan, methods.info(outcome.plan.method)
    facts: dict[str, Any] = {
        "title": info.title,
        "summary": info.summary,
        "k": plan.k,
        "probabilistic": info.traits.probabilistic,
        "rules": list(outcome.release.rules),
    }
    if internal:
        choices = _choice_facts(plan)
        facts |= {choice["id"]: choice["value"] for choice in choices} | {
            "id": info.id,
            "parameters": dict(plan.parameters),
            "choices": choices,
            "polished": plan.polish,
            "missing": {
                name: plan.missing_columns.get(name, plan.missing)
                for name in plan.quasi_identifiers
            },
            "scaling": scalings.info(plan.scaling).title,
            "seconds": dict(outcome.seconds),
            "rules_broken_before": dict(outcome.rules_broken),
        }
    return facts


def _choice_facts(plan: ResolvedPlan) -> list[dict[str, Any]]:
    """Return the choices that nothing else in a report tells."""
    lines = []
    for name, value in plan.reported_choices().items():
        choice, field = choice_infos_of(Plan)[name], Plan.model_fields[name]
        default = field.get_default(call_default_factory=True)
        lines.append(
            {
                "id": name,
                "title": choice.label[0].upper() + choice.label[1:],
                "value": value,
                "words": _choice_text(name, getattr(plan, name)),
                "told": choice.option.always
                or getattr(plan, name) not in (default, EACH_RECORD),
            }
        )
    return lines


def _choice_text(name: str, value: Any) -> str:
    """Return what was chosen, in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "scaling":
        return scalings.info(value).title
    if isinstance(value, tuple):
        return "; ".join(
            part if isinstance(part, str) else ", ".join(part) for part in value
        )
    return "none" if value is None else str(value)


def privacy_promise_sentence(outcome: Outcome) -> Message:
    """Return in words how many others share the values of each record or person."""
    others = outcome.k_released - 1
    if outcome.n_persons == 0:
        promise = Message(
            "every record shares its quasi-identifiers with at least {count} other",
            "every record shares its quasi-identifiers with at least {count} others",
            count=others,
        )
        if outcome.plan.person != NO_PERSON:
            return promise
        return Message(
            "{said}; k counts records, of which somebody may have several", said=promise
        )
    if outcome.plan.counts:
        return Message(
            "each of {people:,} people has the same released quasi-identifiers, each "
            "combination equally often, as at least {count} other",
            "each of {people:,} people has the same released quasi-identifiers, each "
            "combination equally often, as at least {count} others",
            people=outcome.n_persons,
            count=others,
        )
    if outcome.plan.intruder_knows == "all":
        return Message(
            "each of {people:,} people has the same set of released quasi-identifiers "
            "as at least {count} other; how often a combination repeats is not covered",
            "each of {people:,} people has the same set of released quasi-identifiers "
            "as at least {count} others; how often a combination repeats is not "
            "covered",
            people=outcome.n_persons,
            count=others,
        )
    return Message(
        "of {people:,} people, every record shares its quasi-identifiers with those "
        "of at least {count} other",
        "of {people:,} people, every record shares its quasi-identifiers with those "
        "of at least {count} others",
        people=outcome.n_persons,
        count=others,
    )


def _group_facts(outcome: Outcome, internal: bool) -> dict[str, Any]:
    sizes = outcome.partition.sizes
    facts: dict[str, Any] = {
        "k_released": outcome.k_released,
        "k_verified": outcome.k_verified,
        "promise": privacy_promise_sentence(outcome),
        "drawn": None,
    }
    if outcome.n_persons:
        facts["n_persons"] = outcome.n_persons
    if outcome.probabilistic is not None:
        drawn = outcome.probabilistic.summary()
        public = ("words", "expected_group_size", "share_below_k")
        facts["drawn"] = drawn if internal else {name: drawn[name] for name in public}
    if internal:
        distinct_sizes, counts = np.unique(sizes, return_counts=True)
        facts |= {
            "number": outcome.partition.n_groups,
            "smallest": int(sizes.min()),
            "mean": float(sizes.mean()),
            "largest": int(sizes.max()),
            "sizes": dict(zip(distinct_sizes.tolist(), counts.tolist(), strict=True)),
        }
    return facts


_VARYING_FIGURES = {
    "information_loss": ("Information loss", "%"),
    "certainty_penalty": ("Certainty penalty", "%"),
    "n_groups": ("Groups", ""),
    "seconds": ("Time for the groups", "s"),
}
"""Titles and units of the figures that vary over seeds."""


def _seed_facts(outcome: Outcome) -> dict[str, Any] | None:
    """Return the variation of figures over seeds; None for a deterministic method."""
    spread_by_figure = outcome.spreads
    if not spread_by_figure:
        return None
    lines = [
        {"title": title, "unit": unit}
        | {
            part: finite_or_none(value)
            for part, value in asdict(spread_by_figure[name]).items()
        }
        for name, (title, unit) in _VARYING_FIGURES.items()
    ]
    return {"number": len(outcome.by_seed), "figures": lines}


def _uniqueness_facts(outcome: Outcome) -> dict[str, Any]:
    """Return how many records are unique in the released columns."""
    uniqueness = outcome.uniqueness
    warnings = [
        warning for warning in outcome.warnings if warning.topic is Topic.UNIQUENESS
    ]
    return {
        **uniqueness.summary(),
        "safe": uniqueness.is_safe,
        "remark": warnings[0] if warnings else "",
    }


def _left_out_text(outcome: Outcome) -> str:
    """Return how many records were left out, and why; never which."""
    warnings = [
        warning for warning in outcome.warnings if warning.topic is Topic.SUPPRESSED
    ]
    return " ".join(warnings)


_CERTIFICATE_TEXT = (
    "Whoever may see the original table can have this limit proven in a certificate. "
    "It names the groups and the numbers from which the limit follows, and a program "
    "of fewer than 700 lines, independent of this one, confirms or refuses it without "
    "rounding. It holds original values, so it is to be kept as safe as they are."
)
"""What a certificate is, for people who answer for a release."""

_MISSING_VALUES_TEXT = (
    " What fills missing values is worked out again from the table, and records whose "
    "gaps stay are held against groups that lack the same."
)
"""What it says of a table with missing values, besides."""


def _certificate_text(outcome: Outcome, table: Table) -> str | None:
    """Return what a certificate would say; None where there can be none."""
    if reason_not_certifiable(outcome.plan, table) is not None:
        return None
    quasi = list(outcome.plan.quasi_identifiers)
    gaps = bool(table.frame[quasi].isna().any(axis=None))
    return _CERTIFICATE_TEXT + _MISSING_VALUES_TEXT if gaps else _CERTIFICATE_TEXT


def _limit(outcome: Outcome) -> str:
    """Return what the groups lose and what none can lose less than: rounded down."""
    counted = "people" if outcome.n_persons else "records"
    if outcome.n_persons and outcome.plan.intruder_knows == "all":
        counted = "people with all of their records"
    start = f"No groups of at least {outcome.plan.k} {counted} can lose less than "
    loss = outcome.information_loss
    if outcome.gap <= CLOSED_GAP_PERCENT:
        return f"{start}these: their loss of {loss:.2f} % is proven best possible."
    limit = math.floor(100.0 * outcome.bound.per_cent) / 100.0
    return f"{start}{limit:.2f} %; these lose {loss:.2f} %."


def _bound(outcome: Outcome, table: Table) -> dict[str, Any] | None:
    """Return what the lower bound says.

    Nothing where no number was protected, or groups may have any size.
    """
    bound: LowerBound = outcome.bound
    loss = outcome.information_loss
    if math.isnan(loss) or outcome.probabilistic is not None:
        return None
    return {
        "kind": _BOUND_TITLES.get(bound.kind, bound.kind),
        "per_cent": bound.per_cent,
        "gap": outcome.gap,
        "meaning": _limit(outcome),
        "certificate": _certificate_text(outcome, table),
    }


def _cited_references(outcome: Outcome, scores: Mapping[str, Score]) -> list[str]:
    """Return the sources of the method and of all measures, each one once."""
    reference = methods.info(outcome.plan.method).reference
    method_reference = reference.text
    if reference.doi:
        method_reference += f" https://doi.org/{reference.doi}"
    return list(
        dict.fromkeys([method_reference, *(measures.info(n).reference for n in scores)])
    )
