"""Check that an out-of-core run supports a plan's choices."""

from __future__ import annotations

from engine.core.errors import ParameterError
from engine.core.message import Message, join_with_and
from engine.methods import methods
from engine.methods.base import MethodInfo
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of

BLOCK_SIZE_MARGIN = 1.5
"""How much larger than planned a block may come out, see :mod:`.split`."""


def check_streaming_choices(plan: Plan, records_per_block: int) -> None:
    """Raise if an out-of-core run does not support a plan's choices or block size.

    Parameters
    ----------
    plan : Plan
        Before or after its columns are known; nothing has to be read for this.
    records_per_block : int

    Raises
    ------
    ParameterError
        With one sentence that names the choice and says what to do.
    """
    info = methods.info(plan.method)
    for is_chosen, what, remedy in _unsupported_choices(plan, info):
        if is_chosen:
            raise ParameterError(
                "Out of core, {what}: {remedy}.", what=what, remedy=remedy
            )
    _check_others(plan)
    if records_per_block < 2 * plan.k:
        raise ParameterError(
            "Blocks of {records_per_block:,} records are too small for groups of "
            "k = {k}: say --records-per-block {least} or more.",
            records_per_block=records_per_block,
            k=plan.k,
            least=max(1000, 20 * plan.k),
        )
    limit = info.traits.max_records
    if limit is not None and records_per_block * BLOCK_SIZE_MARGIN > limit:
        raise ParameterError(
            "{method} takes at most {limit:,} records, and blocks of about "
            "{records_per_block:,} may be larger than that: say "
            "--records-per-block {most} or fewer, or choose a faster "
            "method.",
            method=info.id,
            limit=limit,
            records_per_block=records_per_block,
            most=int(limit / BLOCK_SIZE_MARGIN),
        )


def _check_others(plan: Plan) -> None:
    """Refuse choices of which nobody has said that blocks keep them."""
    for name, choice in choice_infos_of(Plan).items():
        default = Plan.model_fields[name].get_default(call_default_factory=True)
        if not choice.out_of_core and getattr(plan, name) != default:
            raise ParameterError(
                "Out of core, the choice {choice!r} is not supported: leave {flag} "
                "out, or protect the table in memory.",
                choice=choice.label,
                flag=choice.option.flag,
            )


def _unsupported_choices(
    plan: Plan, info: MethodInfo
) -> tuple[tuple[bool, Message, Message], ...]:
    """Return (whether chosen, why it is impossible, what to do) for each."""
    traits = info.traits
    policies = {plan.missing, *plan.missing_columns.values()}
    other = sorted(policies - {"refuse", "drop"})
    timed = bool(traits.time_budget) and not plan.parameters.get("iterations")
    promise = not traits.guarantees_k or traits.per_attribute or traits.probabilistic
    return (
        (
            promise,
            Message(
                "k is counted for whole records in each block, which {method} does not "
                "promise",
                method=info.id,
            ),
            Message("choose another method"),
        ),
        (
            timed,
            Message(
                "a run must give the same release when it is resumed, and {method} "
                "goes by the clock",
                method=info.id,
            ),
            Message("give it a number of steps instead, as in --param iterations=1000"),
        ),
        (
            bool(plan.person_columns) and plan.polish and plan.polish_for == "release",
            Message(
                "polishing for the values that are written may part the records of a "
                "person"
            ),
            Message("polish for the groups (--polish-for groups)"),
        ),
        (
            plan.counts,
            Message(
                "which records people have too many of is decided for all people at "
                "once, and blocks are protected one by one"
            ),
            Message("leave --counts out, or protect the table in memory"),
        ),
        (
            plan.strata is not None,
            Message(
                "a stratum may be spread over blocks that each have fewer than k of it"
            ),
            Message("leave --strata out, or protect the strata in separate runs"),
        ),
        (
            bool(plan.blocks),
            Message(
                "k is promised for whole records, which columns grouped apart do not "
                "keep"
            ),
            Message("leave --block out"),
        ),
        (
            plan.enforces_diversity,
            Message(
                "p-sensitive, l-diverse and t-close groups cannot be had, because what "
                "is confidential is compared with the whole table"
            ),
            Message(
                "leave --p-sensitive, --entropy-l, --recursive-c and --t-close out"
            ),
        ),
        (
            plan.interval_columns,
            Message(
                "intervals are released as text alone, as columns are those of the "
                "input"
            ),
            Message("leave --interval-columns out"),
        ),
        (
            bool(other),
            Message(
                "missing values cannot be treated by {policies}, which looks at the "
                "whole table",
                policies=join_with_and(other) if other else "",
            ),
            Message("drop these records (--missing drop), or fill them in beforehand"),
        ),
    )
