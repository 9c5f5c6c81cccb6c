"""Find choices of a plan that cannot be combined, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.methods import methods
from engine.pipeline.fields.grouping import GroupingFields
from engine.pipeline.planning.choices import ChoiceInfo, Exclusion, choice_infos_of


def check_exclusions(plan: GroupingFields) -> None:
    """Raise if a used choice, person apart, excludes another used one or the method.

    Not for the persons whom records are about: whether k counts them may follow from
    the table, see :func:`engine.pipeline.planning.resolve_plan.resolve_plan`.

    Raises
    ------
    ParameterError
    """
    for name, declared in _excluding_choices(type(plan)).items():
        if name == "person" or not is_choice_used(plan, name):
            continue
        for what, reason in iterate_exclusions(plan, name):
            raise ParameterError(
                "The choice {choice!r} ({flag}) does not go together with {what}, "
                "because {reason}: leave one of both out, or choose another.",
                choice=Message(declared.label),
                flag=declared.option.flag,
                what=what,
                reason=reason,
            )


def iterate_exclusions(
    plan: GroupingFields, name: str
) -> Iterator[tuple[Message, Message]]:
    """Yield each used choice, or the method, that `name` excludes, and the reason.

    Parameters
    ----------
    name : str
        Field of the choice that declares what it excludes.
    """
    declared = choice_infos_of(type(plan))
    for exclusion in _exclusions_in_force(plan, declared[name]):
        for other in exclusion.choices:
            if is_choice_used(plan, other):
                yield _named(declared[other]), exclusion.reason
        if exclusion.methods is not None:
            info = methods.info(plan.method)
            if exclusion.methods(info):
                yield Message("the method {method}", method=info.id), exclusion.reason


def excluded_choices(plan: GroupingFields) -> dict[str, tuple[str, Message]]:
    """Return the unused choices that a plan's choices exclude, each with the reason.

    Returns
    -------
    dict of str to (str, Message)
        By the excluded field: that of the other choice, and why.
    """
    reason_by_choice: dict[str, tuple[str, Message]] = {}
    for name, declared in _excluding_choices(type(plan)).items():
        for exclusion in _exclusions_in_force(plan, declared):
            for other in exclusion.choices:
                for used_choice, unused_choice in ((name, other), (other, name)):
                    if is_choice_used(plan, used_choice) and not is_choice_used(
                        plan, unused_choice
                    ):
                        reason_by_choice.setdefault(
                            unused_choice, (used_choice, exclusion.reason)
                        )
    return reason_by_choice


def is_choice_used(plan: GroupingFields, name: str) -> bool:
    """Return True if a plan uses a choice and also any choice that it depends on.

    Parameters
    ----------
    name : str
        Field of the choice.
    """
    declared = choice_infos_of(type(plan))[name]
    beside = not declared.beside or is_choice_used(plan, declared.beside)
    return beside and declared.asks(getattr(plan, name))


def _exclusions_in_force(
    plan: GroupingFields, declared: ChoiceInfo
) -> Iterator[Exclusion]:
    for exclusion in declared.excludes:
        if all(getattr(plan, each) == value for each, value in exclusion.when.items()):
            yield exclusion


@cache
def _excluding_choices(plan_class: type[GroupingFields]) -> dict[str, ChoiceInfo]:
    """Return the choices that exclude something, by their fields."""
    declared = choice_infos_of(plan_class)
    return {name: info for name, info in declared.items() if info.excludes}


def _named(declared: ChoiceInfo) -> Message:
    return Message(
        "the choice {choice!r} ({flag})",
        choice=Message(declared.label),
        flag=declared.option.flag,
    )
