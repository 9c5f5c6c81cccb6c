"""A plan is checked when made, and says the same thing as JSON."""

import json
import re
from collections.abc import Sequence
from importlib.metadata import version

import pandas as pd
import pytest

from engine.core.errors import ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan


@pytest.fixture
def table() -> Table:
    frame = pd.DataFrame({"id": [1, 2, 3], "age": [30, 40, 50], "ill": list("abc")})
    schema = Schema(
        (
            Column("id", Kind.NOMINAL, Role.IDENTIFIER),
            Column("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Column("ill", Kind.NOMINAL, Role.CONFIDENTIAL),
        )
    )
    return Table.from_frame(frame, schema)


def test_json_gives_the_same_plan() -> None:
    plan = Plan(method="vmdav", k=5, parameters={"gamma": "0.7"}, seed=3, strata="r")
    assert Plan.from_json(plan.to_json()) == plan
    assert plan.parameters == {"gamma": 0.7, "rest": "centroid"}


@pytest.mark.parametrize(
    "content",
    [
        {"version": "9.1.0", "method": "mdav", "k": 3, "wish": True},
        {"version": "9.1.0", "method": "unheard-of", "k": 3},
        {"version": "9.1.0", "answer": "yes", "plan": {"k": 3, "wish": True}},
    ],
)
def test_of_a_newer_plan_that_is_not_understood_both_versions_are_named(
    content: dict[str, object],
) -> None:
    message = (
        rf"Coterie 9\.1\.0 has written .* Coterie {re.escape(version('coterie'))} "
    )
    with pytest.raises(ParameterError, match=message):
        Plan.from_json(json.dumps(content))


@pytest.mark.parametrize("written", ["0.0.1", "unknown", "9" * 100, "", 9, None, []])
def test_who_has_written_a_plan_excuses_no_mistake(written: object) -> None:
    with pytest.raises(ParameterError, match="no entry called 'wish'"):
        Plan.from_json(json.dumps({"version": written, "wish": True}))
    assert Plan.from_json(json.dumps({"version": written, "k": 7})).k == 7


def test_equal_plans_have_equal_digests_and_hashes() -> None:
    assert Plan(k=4).digest() == Plan(k=4).digest()
    assert len({Plan(k=4), Plan(k=4), Plan(k=5)}) == 2


def test_an_alias_becomes_the_identifier() -> None:
    assert Plan(method="hdf").method == "dba1"


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"method": "mdaw"}, "no method called 'mdaw': did you mean mdav"),
        ({"scaling": "log"}, "no scaling called 'log'"),
        ({"aggregation": "sum"}, "no aggregation called 'sum'"),
        ({"missing": "zero"}, "missing"),
        ({"k": 1}, "k is 1, but must be a whole number of at least 2"),
        ({"k": True}, "k is True"),
        ({"k": 2.5}, "'k'"),
        ({"k": "many"}, "'k'"),
        ({"seed": -1}, "'seed'"),
        ({"parameters": {"gamma": 1}}, "mdav has no parameter called 'gamma'"),
        ({"method": "vmdav", "parameters": {"gamma": -1}}, "gamma is -1"),
        ({"quasi_identifiers": ["a", "a"]}, "'a' is named twice"),
        ({"quasi_identifiers": ["a"], "identifiers": ["a"]}, "'a' is both"),
        ({"quasi_identifiers": ["a"], "strata": "a"}, "'a' cannot both"),
        ({"colour": "red"}, "no entry called 'colour'"),
    ],
)
def test_a_wrong_choice_is_one_sentence(choices: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Plan(**choices)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_finite_number_is_none_in_a_plan(number: str) -> None:
    with pytest.raises(ParameterError, match=f"has the number {number}: "):
        Plan.from_json(f'{{"suppress": {number}}}')


@pytest.mark.parametrize("text", ["", "[]", "{", '{"k": "x"}', "nonsense"])
def test_text_that_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Plan.from_json(text)


def test_resolving_spells_out_the_columns_of_the_schema(table: Table) -> None:
    plan = resolve_plan(Plan(), table)
    assert plan.quasi_identifiers == ("age",)
    assert plan.identifiers == ("id",)
    assert plan.confidential == ("ill",)
    assert resolve_plan(plan, table) == plan


def test_a_column_that_is_named_wins_over_its_role(table: Table) -> None:
    plan = resolve_plan(Plan(quasi_identifiers=("id", "age")), table)
    assert plan.identifiers == ()


def test_resolving_refuses_unknown_columns_and_no_quasi_identifier(
    table: Table,
) -> None:
    with pytest.raises(ParameterError, match="no column called 'size'"):
        resolve_plan(Plan(quasi_identifiers=("size",)), table)
    with pytest.raises(ParameterError, match="no column called 'region'"):
        resolve_plan(Plan(strata="region"), table)
    bare = table.assign(roles={"age": "other"})
    with pytest.raises(ParameterError, match="no quasi-identifier"):
        resolve_plan(Plan(), bare)


def test_json_is_plain_and_sorted_by_the_plan_not_by_the_caller() -> None:
    content = json.loads(Plan(seed=1, k=7).to_json())
    assert list(content)[:2] == ["method", "k"]
    assert content["parameters"] == {}


def test_the_digest_is_that_of_the_choices_however_they_came_about() -> None:
    rows = (("4350", "43**", "*"), ("4411", "44**", "*"))
    first = Plan(k=4, hierarchies={"postcode": rows})
    assert hash(first) == hash(first.digest())
    assert Plan.from_json(first.to_json()).digest() == first.digest()
    assert first.replace(k=5).digest() == first.replace(k=5).digest()
    assert first.replace(k=5).digest() != first.digest()
    assert first.replace(hierarchies={}).digest() != first.digest()
    assert first == Plan(k=4, hierarchies={"postcode": rows})


@pytest.mark.parametrize("names", [["a"], ("a", "b"), ["a, b", "c"]])
def test_strata_are_named_by_a_list_or_a_text(names: Sequence[str]) -> None:
    plan = Plan(strata=names)
    assert plan.strata_columns(()) == tuple(names)
    assert Plan.from_json(plan.to_json()) == plan


def test_what_is_no_list_of_names_names_no_strata() -> None:
    for wrong in ([], [1], 3):
        with pytest.raises(ParameterError, match="--strata"):
            Plan(strata=wrong)
