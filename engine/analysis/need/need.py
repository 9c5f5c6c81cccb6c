"""Answers to needs: release found, nearest release, proof of impossibility, or open."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.analysis.need.answer import (
    Answer,
    Need,
    RequirementCheck,
    compare_with_keeps,
    joint_disclosure_message,
    ledger_disclosures,
    ledger_with_unwritten_release,
    unmeasured_rules_and_keeps,
)
from engine.analysis.need.keeps import Keep
from engine.analysis.need.models.formula import ModelFormula
from engine.analysis.need.models.slopes import SlopeComparison
from engine.analysis.need.parsed_need import (
    DEFAULT_OVERLAP,
    ParsedNeed,
    make_base_plan,
    parse_need,
    resolve_seconds,
)
from engine.analysis.need.plan_search.alternatives import (
    rule_checks_and_second_outcome,
    try_changes,
)
from engine.analysis.need.plan_search.search import PlanSearch, is_deadline_past
from engine.analysis.need.plan_search.sizes import plan_with_smallest_k
from engine.analysis.need.plan_search.trials import Trial, margin_per_keep
from engine.analysis.need.proofs import (
    prove_loss_impossible,
    prove_rules_impossible,
    prove_rules_impossible_by_one_group,
)
from engine.analysis.need.references.measure import make_reference_points
from engine.analysis.need.rules import Rule, read_rules_and_sets
from engine.analysis.need.subgroups import summarise_largest_losses
from engine.analysis.releases.ledger import Ledger
from engine.bounds import NO_BOUND, LowerBound
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError
from engine.core.message import Message, join_messages
from engine.data.table import Table
from engine.kernels.compilation.compiling import monotonic_without_compiling
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_bound_seconds

SEARCH_SHARE = 0.8
"""Of the time, for the search; the rest is for what would meet a missed keep."""

GIVE_UP_SHARE = 0.85
"""Of the time, after which trials of the search that are not over are given up."""

SHARE_BEFORE_REFERENCES = 0.6
"""Of the time, for all else where other ways to protect are measured as well."""

MAX_FIRST_SHARE = 0.5
"""Of the time, until the groups of the first plan are there."""

MAX_SIZES_SHARE = 0.25
"""Of the time, for k, before the groups of the first plan."""

RULE_CHECKS = 2.0
"""Times that attacks on a release take, left for them at the end of a search."""

MAX_CHECKED_TRIALS = 40
"""Trials whose rules are measured, the best ones first."""

_Checked = tuple[tuple[RequirementCheck, ...], Outcome | None]
"""Checks of the rules on a release, or on two with the outcome of the second."""


@check_arguments
def need(
    table: Table,
    rules: Sequence[Rule | str],
    keeps: Sequence[Keep | str] = (),
    seconds: float | None = None,
    *,
    base: Plan | None = None,
    models: Sequence[ModelFormula | str] = (),
    held_out: Sequence[ModelFormula | str] = (),
    subgroups: Sequence[str] = (),
    trials: int | None = None,
    references: bool = False,
    ledger: Ledger | None = None,
    second_keeps: Sequence[Keep | str] = (),
    second_models: Sequence[ModelFormula | str] = (),
    seed: int = 0,
    ctx: RunContext = SILENT,
) -> Need:
    """Return the answer to a need: a release, the nearest one, a proof, or none.

    Where a second release of the same records is asked for, both, with the same groups
    and common values of their own; rules hold for each and for both together.

    Parameters
    ----------
    table : Table
    rules : sequence of Rule or str
        Rules that the release must meet, as in ``"prosecutor <= 0.09"``, ``"k >= 11"``
        or the name of a rule set.
    keeps : sequence of Keep or str
        Results that must hold, as in ``"overlap >= 0.9"``.
    seconds : float, optional
        Time for all; 60 unless trials are said. It stops while kernels compile, which
        happens once on a machine.
    base : Plan, optional
        Choices that stay; quasi-identifiers are those of the table unless said.
    models : sequence of ModelFormula or str
        Models such as ``"logit y ~ a + b"``.
    held_out : sequence of ModelFormula or str
        Models of which the overlap is told, and which the search does not see.
    subgroups : sequence of str
        Columns within whose values the keeps of the first release must hold as well,
        and of which each value's loss is told.
    trials : int, optional
        Releases to try, in place of a time.
    references : bool
        Whether other ways to protect the same columns are measured as well.
    ledger : Ledger, optional
        Earlier releases of these records, beside which this one may open none.
    second_keeps : sequence of Keep or str
        Results that must hold in a second release of the same records.
    second_models : sequence of ModelFormula or str
        Models of the second release.
    seed : int
    ctx : RunContext

    Raises
    ------
    ParameterError
        If a rule, keep or model cannot be read or fitted, or there is no time.
    InfeasibleError
        If the first plan leaves records out or has rules, and cannot be met.
    """
    started, began = time.monotonic(), monotonic_without_compiling()
    budget = resolve_seconds(seconds, trials)
    limits = tuple(
        rule
        for each in rules
        for rule in ((each,) if isinstance(each, Rule) else read_rules_and_sets([each]))
    )
    plan = make_base_plan(table, base, limits, seed)
    request = parse_need(
        table,
        plan,
        limits,
        keeps,
        models,
        held_out,
        subgroups,
        second_keeps,
        second_models,
    )
    request = replace(request, ledger=ledger)
    own_share = SHARE_BEFORE_REFERENCES if references else 1.0
    own_budget = None if budget is None else own_share * budget
    answer, search = _answer(table, plan, request, trials, seed, began, own_budget, ctx)
    if references and search is not None and answer.outcome is not None:
        ctx.tick(0.9, 1.0, Message("Making reference points"))
        deadline = None if budget is None else began + budget
        points = make_reference_points(search, answer.outcome, seed, deadline)
        answer = replace(answer, references=points)
    last = answer.outcome
    if last is not None and answer.second_outcome is not None:
        ledger = ledger_with_unwritten_release(ledger or Ledger.new(), last, table)
        last = answer.second_outcome
    if ledger is not None and ledger.entries and last is not None:
        check = ledger_disclosures(ledger, last, table)
        answer = replace(answer, together=joint_disclosure_message(check))
    ctx.tick(1.0, 1.0, Message("Done"))
    counted = monotonic_without_compiling() - began
    return replace(answer, seconds=time.monotonic() - started, counted_seconds=counted)


def _answer(
    table: Table,
    plan: Plan,
    need: ParsedNeed,
    trials: int | None,
    seed: int,
    began: float,
    budget: float | None,
    ctx: RunContext,
) -> tuple[Need, PlanSearch | None]:
    deadline = None if budget is None else began + budget
    proof = prove_rules_impossible(table, plan, need.rules)
    proof = proof or prove_rules_impossible_by_one_group(table, plan, need.rules)
    if proof is not None:
        return _without_release("impossible", proof, need), None
    sizes_until = None if budget is None else began + MAX_SIZES_SHARE * budget
    plan = plan_with_smallest_k(table, plan, need.rules, sizes_until)
    first = None if budget is None else began + MAX_FIRST_SHARE * budget
    search = PlanSearch(
        table,
        plan,
        need.keeps,
        need.designs,
        seed,
        second_designs=need.second_designs,
        subgroups=need.subgroups,
    )
    need = replace(need, keeps=search.keeps)
    first_began = monotonic_without_compiling()
    try:
        search.begin(ctx, first)
    except InfeasibleError as error:
        if plan.constraints or plan.suppress:  # others may be kept, or left out
            raise
        return _without_release("impossible", error.message, need), search
    first_seconds = monotonic_without_compiling() - first_began
    until = give_up = None
    first_checks: dict[Plan, _Checked] = {}
    if budget is not None and deadline is not None:
        # Attacks on the best release need time after the search.
        attacks_began = monotonic_without_compiling()
        first_checks = _check_first_with_attacks(search, need, deadline, ctx)
        spare = RULE_CHECKS * (monotonic_without_compiling() - attacks_began)
        until = min(began + SEARCH_SHARE * budget, deadline - spare)
        give_up = min(began + GIVE_UP_SHARE * budget, deadline - spare)
    search.extend(trials, until, ctx.subcontext(0.0, SEARCH_SHARE), give_up)
    best, outcome, second, rules, n_checked = _best_within_rules(
        search, need, deadline, first_seconds, first_checks, ctx
    )
    if best is None or outcome is None:
        sentence = _open_sentence(len(search.trials), n_checked, rules)
        unmet = _without_release("open", sentence, need)
        return replace(unmet, rules=rules, tried=tuple(search.trials)), search
    keep_checks = compare_with_keeps(need.keeps, best.reached)
    is_found = all(keep.held for keep in keep_checks)
    if not is_found:
        proof = prove_loss_impossible(best.plan, need.keeps, table)
        if proof is not None:
            unmet = _without_release("impossible", proof, need)
            tried = tuple(search.trials)
            return replace(unmet, rules=rules, keeps=keep_checks, tried=tried), search
    changed = try_changes(search, best.plan, is_found, need, trials, deadline, ctx)
    rows = outcome.release.rows
    losses = search.losses_of(outcome.partition, rows)
    unasked = [name for name in search.names if name not in need.subgroups]
    answer = Need(
        "found" if is_found else "nearest",
        _sentence(need.keeps, keep_checks, best),
        best.plan,
        outcome,
        rules,
        keep_checks,
        tuple(search.trials),
        0.0,
        tuple(each.summary(rows, losses) for each in search.subgroups),
        changed.other_sizes,
        changed.alternatives,
        *_compare_models(search, need, outcome, second),
        second_outcome=second,
        untried=changed.untried,
        largest_losses=summarise_largest_losses(
            table, unasked, rows, losses, best.plan.k
        ),
    )
    return answer, search


def _check_first_with_attacks(
    search: PlanSearch, need: ParsedNeed, deadline: float, ctx: RunContext
) -> dict[Plan, _Checked]:
    """Return checks and second outcome of the first plan if a rule is on attacks.

    Nothing where a rule is missed, or none is on attacks.
    """
    if all(rule.measure != "attack" for rule in need.rules):
        return {}
    first = search.trials[0]
    checked = rule_checks_and_second_outcome(search, first, need, deadline, ctx)
    return {first.plan: checked} if all(rule.held for rule in checked[0]) else {}


def _best_within_rules(
    search: PlanSearch,
    need: ParsedNeed,
    deadline: float | None,
    trial_seconds: float,
    checked_plans: Mapping[Plan, _Checked],
    ctx: RunContext,
) -> tuple[
    Trial | None, Outcome | None, Outcome | None, tuple[RequirementCheck, ...], int
]:
    """Return the best trial whose releases meet the rules, and these one or two.

    With them come the rules' checks of the last one, and how many were checked. Each
    is run again, the best one first, and that one with its lower bound if time allows;
    none of them where none meets the rules. The last one's checks may lack a rule that
    time did not suffice for; that one is not counted.

    Parameters
    ----------
    checked_plans : mapping of Plan to tuple
        What is known to meet the rules, and stays when time is over.
    """
    compared: tuple[RequirementCheck, ...] = ()
    n_checked = 0
    ranked = search.best_trials()
    others = [
        trial for trial in ranked[MAX_CHECKED_TRIALS:] if trial.plan in checked_plans
    ]
    for trial in (*ranked[:MAX_CHECKED_TRIALS], *others):
        if trial.plan in checked_plans:
            compared, second = checked_plans[trial.plan]
        elif compared and is_deadline_past(deadline):
            continue
        else:
            compared, second = rule_checks_and_second_outcome(
                search, trial, need, deadline, ctx
            )
        if any(rule.reached is None for rule in compared):
            continue
        n_checked += 1
        if all(rule.held for rule in compared):
            bound: LowerBound | None = NO_BOUND
            # Where groups of people take long their bound does, too.
            needed = max(
                trial_seconds, expected_bound_seconds(trial.plan, search.table)
            )
            if deadline is None or monotonic_without_compiling() + needed < deadline:
                bound = None
            whole = search.outcome_of(trial.plan, bound)
            if second is not None:
                second = replace(second, bound=whole.bound)
            return trial, whole, second, compared, n_checked
    return None, None, None, compared, n_checked


def _compare_models(
    search: PlanSearch, need: ParsedNeed, outcome: Outcome, second: Outcome | None
) -> tuple[tuple[RequirementCheck, ...], tuple[SlopeComparison, ...]]:
    """Return the overlap of models that the search did not see, and all others' slopes.

    The overlap stands beside the one that is asked of the others.
    """
    keep = next(
        (keep for keep in need.keeps if keep.kind == "overlap"), DEFAULT_OVERLAP
    )
    scene = search.compare_release(outcome.partition, outcome.release)
    held_out = tuple(
        replace(check, asked=design.model.text)
        for design in need.held_out
        for check in compare_with_keeps(
            [keep], [keep.reached(replace(scene, designs=(design,)))]
        )
    )
    slopes = scene.slopes
    if second is not None:
        slopes += search.compare_release(
            second.partition, second.release, need.second_designs
        ).slopes
    return held_out, slopes


def _without_release(answer: Answer, sentence: Message, need: ParsedNeed) -> Need:
    unknown = unmeasured_rules_and_keeps(need.rules, need.keeps)
    return Need(answer, sentence, None, None, *unknown, (), 0.0)


def _open_sentence(
    n_tried: int, n_checked: int, rules: Sequence[RequirementCheck]
) -> Message:
    """Return a sentence on releases none of which is known to meet the rules."""
    missed = Message(
        "Of {count} release that was tried, the rules were checked on the best "
        "{checked}: it did not meet them, and nothing proves that none can.",
        "Of {count} releases that were tried, the rules were checked on the best "
        "{checked}: none met them, and nothing proves that none can.",
        count=n_tried,
        checked=n_checked,
    )
    unknown = [rule.asked for rule in rules if rule.reached is None]
    if not unknown:
        return missed
    late = Message(
        "Time was over before {rule!r} was measured: allow more seconds (--seconds).",
        rule=unknown[0],
    )
    return join_messages([missed if n_checked else "", late])


def _sentence(
    keeps: Sequence[Keep], compared: Sequence[RequirementCheck], best: Trial
) -> Message:
    if all(keep.held for keep in compared):
        return Message(
            "All rules hold, and all that must be kept is kept, by {method} with k = "
            "{k}, which loses {loss:.2f} %.",
            method=best.plan.name,
            k=best.plan.k,
            loss=best.loss,
        )
    margins = margin_per_keep(keeps, best.reached)
    worst = compared[margins.index(min(margins))]
    return Message(
        "All rules hold, but {asked!r} is missed: the best that was found reaches "
        "{reached}{where}.",
        asked=worst.asked,
        reached="-" if worst.reached is None else f"{worst.reached:.3f}",
        where=f" ({worst.weakest})" if worst.weakest else "",
    )
