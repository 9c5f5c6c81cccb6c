"""Choices that do not go together are refused, and told from either side."""

from itertools import combinations
from typing import Any

import pytest

from engine.core.errors import ParameterError
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.exclusions import (
    excluded_choices,
    is_choice_used,
    iterate_exclusions,
)

ASKED: dict[str, dict[str, Any]] = {
    "household": {"household": "home"},
    "blocks": {"blocks": (("a",), ("b",))},
    "suppress": {"suppress": 0.1},
    "suppress_by": {"suppress": 0.1, "suppress_by": "person"},
    "suppress_cells": {"suppress": 0.1, "suppress_cells": True},
    "p_sensitive": {"p_sensitive": 2},
    "t_close": {"t_close": 0.2},
    "entropy_l": {"entropy_l": 1.5},
    "recursive_c": {"recursive_c": 2.0},
    "k_map": {"k_map": 9},
    "sampling_fraction": {"sampling_fraction": 0.1},
    "weights": {"weights": "w"},
    "polish_for": {"polish": True, "polish_for": "release"},
    "person": {"person": ("id",)},
}
"""What asks for each choice that excludes another, or is excluded."""


def is_refused(**choices: Any) -> bool:
    try:
        Plan(**choices)
    except ParameterError as error:
        return "does not go together with" in str(error)
    return False


def excludes(first: str, second: str) -> bool:
    excluded = excluded_choices(Plan(**ASKED[first]))
    return not excluded.keys().isdisjoint(ASKED[second])


def test_every_choice_that_excludes_or_is_excluded_is_tried() -> None:
    named = set()
    for name, choice in choice_infos_of(Plan).items():
        for exclusion in choice.excludes:
            named |= {name, *exclusion.choices}
    assert named == {*ASKED}
    for name, choices in ASKED.items():
        assert is_choice_used(Plan(**choices), name)
        assert not is_choice_used(Plan(), name)


@pytest.mark.parametrize(("first", "second"), list(combinations(ASKED, 2)))
def test_two_choices_are_refused_where_either_excludes_the_other(
    first: str, second: str
) -> None:
    is_excluded = excludes(first, second)
    assert is_excluded == excludes(second, first)
    refused = is_refused(**(ASKED[first] | ASKED[second]))
    # Whether k counts persons is known once a plan is resolved.
    assert refused == (is_excluded and {first, second} != {"person", "household"})


@pytest.mark.parametrize("name", ["household", "blocks", "k_map", "t_close"])
def test_a_method_is_refused_where_a_choice_excludes_it(name: str) -> None:
    refused = 0
    for info in methods.infos():
        excluded = list(iterate_exclusions(Plan(method=info.id), name))
        assert is_refused(method=info.id, **ASKED[name]) == bool(excluded)
        refused += bool(excluded)
    assert 0 < refused < len(methods)


@pytest.mark.parametrize(
    "choices",
    [
        {"p_sensitive": 1},
        {"entropy_l": 1.0},
        {"person": "none"},
        {"suppress_cells": True},
        {"polish_for": "release"},
        {"suppress_by": "person"},
    ],
    ids=str,
)
def test_what_asks_for_nothing_excludes_nothing(choices: dict[str, Any]) -> None:
    assert not excluded_choices(Plan(**choices))
    assert not is_refused(household="home", **choices)


def test_a_whole_history_excludes_more_than_one_record_of_it() -> None:
    person_plan = Plan(person=("id",), intruder_knows="one")
    history = person_plan.replace(intruder_knows="all")
    assert "blocks" not in excluded_choices(person_plan)
    assert excluded_choices(history)["blocks"][0] == "person"
