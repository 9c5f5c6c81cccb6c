"""What the editor proposes fits the values, and what it edits stays a tree."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import sample_data
from dashboard.app_pages.data.hierarchy import hierarchies
from dashboard.app_pages.data.hierarchy.hierarchies import apply_level_edits
from dashboard.app_pages.data.hierarchy.hierarchy_recipes import (
    HierarchyRecipe,
    build_hierarchy_from_recipe,
    parse_number_list,
    propose_hierarchy_recipe,
    recipe_example_and_error,
)
from dashboard.state.new_tables.hierarchies import (
    carry_trees_with_notes,
    describe_uncovered_values,
)
from engine.core.errors import EngineError, InputError, ParameterError
from engine.data.kinds import Kind, Role
from engine.files import read_table
from engine.hierarchy import Hierarchy, flat_hierarchy
from tests.engine.hierarchy.strategies import hierarchies as any_hierarchy

CODES = Hierarchy(
    (
        ("A09", "A00-B99", "*"),
        ("A41", "A00-B99", "*"),
        ("I20", "I00-I99", "*"),
    )
)


def ages() -> pd.Series:
    return pd.Series([*range(1, 101), None], dtype="Int64")


@pytest.mark.parametrize(
    ("column", "way"),
    [
        ("postcode", "prefixes"),
        ("age", "intervals"),
        ("cost", "intervals"),
        ("admission", "dates"),
        ("sex", "flat"),
        ("care_grade", "flat"),
    ],
)
def test_the_proposal_fits_the_values(column: str, way: str) -> None:
    values = sample_data.load("hospital_discharges").frame[column]
    recipe = propose_hierarchy_recipe(values)
    assert recipe.way == way
    assert build_hierarchy_from_recipe(values, recipe).uncovered_values(values) == ()


def test_ages_are_proposed_in_steps_of_5_10_and_20_years() -> None:
    assert propose_hierarchy_recipe(ages()).widths == "5, 10, 20"
    tree = build_hierarchy_from_recipe(ages(), propose_hierarchy_recipe(ages()))
    assert tree.rows[46] == ("47", "[45, 49]", "[40, 49]", "[40, 59]", "*")


@pytest.mark.parametrize("scale", [1e-4, 0.3, 1, 7e8])
def test_proposed_widths_give_about_twenty_to_five_intervals(scale: float) -> None:
    values = pd.Series(np.linspace(0, 1, 400) * scale)
    tree = build_hierarchy_from_recipe(values, propose_hierarchy_recipe(values))
    narrow, wide = (len({row[level] for row in tree.rows}) for level in (1, 3))
    assert 8 <= narrow <= 22
    assert 2 <= wide <= 7


def test_times_of_day_are_proposed_to_become_days() -> None:
    moments = pd.Series(pd.to_datetime(["2023-01-05 14:30", "2023-02-05 09:00"]))
    assert propose_hierarchy_recipe(moments).periods[0] == "day"
    assert (
        build_hierarchy_from_recipe(moments, propose_hierarchy_recipe(moments)).rows[0][
            1
        ]
        == "2023-01-05"
    )


@pytest.mark.parametrize(
    ("recipe", "row"),
    [
        (HierarchyRecipe("prefixes", step=2), ("01152", "011**", "0****", "*")),
        (
            HierarchyRecipe("intervals", cuts="1000; 2000"),
            ("01152", "[1000, 1999]", "*"),
        ),
        (HierarchyRecipe("flat"), ("01152", "*")),
        (HierarchyRecipe("hand", levels=2), ("01152", "01152", "01152", "*")),
    ],
)
def test_a_recipe_builds_what_it_says(
    recipe: HierarchyRecipe, row: tuple[str, ...]
) -> None:
    assert build_hierarchy_from_recipe(pd.Series(["01152", None]), recipe).rows == (
        row,
    )


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        (HierarchyRecipe("intervals", widths="5, 12"), "do not fit"),
        (HierarchyRecipe("intervals", widths="5, ten"), "'ten' is no number"),
        (HierarchyRecipe("intervals"), "widths or cut points"),
        (HierarchyRecipe("dates"), "'1' is no date"),
    ],
)
def test_a_recipe_that_cannot_be_is_one_sentence(
    recipe: HierarchyRecipe, says: str
) -> None:
    with pytest.raises(EngineError, match=says):
        build_hierarchy_from_recipe(ages(), recipe)
    example, trouble = recipe_example_and_error(ages(), recipe)
    assert example == ""
    assert trouble.count(". ") == 0
    assert trouble.endswith(".")


def test_the_example_is_a_value_s_way_up() -> None:
    example, trouble = recipe_example_and_error(
        pd.Series(["4350"]), HierarchyRecipe("prefixes")
    )
    assert trouble == ""
    assert example == r"For instance 4350 → 435\* → 43\*\* → 4\*\*\* → \*"


def test_numbers_are_read_with_any_separator() -> None:
    assert parse_number_list(" 5, 10;20  0.5 ") == (5, 10, 20, 0.5)
    assert parse_number_list("") == ()
    with pytest.raises(ParameterError, match="'x'"):
        parse_number_list("1, x")


@given(any_hierarchy())
def test_the_level_table_without_edits_is_the_hierarchy(tree: Hierarchy) -> None:
    frame = hierarchies.level_table(tree)
    assert tuple(frame.itertuples(index=False, name=None)) == tree.rows
    assert apply_level_edits(tree, {}) == tree


def test_an_edited_cell_changes_the_tree() -> None:
    tree = apply_level_edits(CODES, {2: {"Level 1": "A00-B99"}})
    assert tree.rows[2] == ("I20", "A00-B99", "*")


def test_edits_applied_again_change_nothing_more() -> None:
    edits = {0: {"Level 1": "X"}, 1: {"Level 1": "X"}}
    level_rows = apply_level_edits(CODES, edits)
    assert apply_level_edits(level_rows, edits) == level_rows


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ({1: {"Level 1": ""}}, "'A41'.* is empty at level 1"),
        ({1: {"Level 1": None}}, "'A41'.* is empty at level 1"),
        ({0: {"Root": "all"}}, r"two roots, 'all' and '\*'"),
    ],
)
def test_edits_that_leave_no_tree_are_refused(
    edits: dict[int, dict[str, str]], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        apply_level_edits(CODES, edits)


def test_a_value_moves_to_the_place_that_is_written_for_it() -> None:
    frame = hierarchies.level_table(CODES, with_positions=True)
    assert frame[hierarchies.POSITION_HEADING].tolist() == [1, 2, 3]
    tree = apply_level_edits(CODES, {2: {hierarchies.POSITION_HEADING: 1}})
    assert tree.leaves == ("I20", "A09", "A41")
    assert (
        apply_level_edits(CODES, {0: {hierarchies.POSITION_HEADING: 99}}).leaves[-1]
        == "A09"
    )


def test_a_new_level_repeats_the_one_below_and_can_be_removed() -> None:
    tree = hierarchies.add_level(CODES)
    assert tree.rows[0] == ("A09", "A00-B99", "A00-B99", "*")
    assert hierarchies.remove_level(tree, 2) == CODES
    assert hierarchies.remove_level(CODES, 1) == flat_hierarchy(["A09", "A41", "I20"])


def test_values_that_are_missing_become_rows_of_their_own() -> None:
    tree = hierarchies.add_values_to_hierarchy(CODES, ("Z99",))
    assert tree.rows == (*CODES.rows, ("Z99", "Z99", "*"))


def test_a_missing_value_called_like_a_group_is_a_row_too() -> None:
    tall = Hierarchy((("a", "x", "p", "*"), ("b", "y", "p", "*")))
    tree = hierarchies.add_values_to_hierarchy(tall, ("x",))
    assert tree.rows == (*tall.rows, ("x", "*", "*", "*"))


def test_columns_that_need_a_hierarchy_come_first() -> None:
    table = sample_data.load("hospital_discharges").assign(
        roles={"sex": Role.OTHER, "cost": Role.OTHER},
        kinds={"care_grade": Kind.NOMINAL},
        hierarchies={"cost": flat_hierarchy([1.0])},
    )
    names = hierarchies.columns_for_hierarchy(table)
    assert set(names) == set(table.schema.names) - {"patient_number", "name"}
    assert names[:3] == ("postcode", "admission_type", "care_grade")
    assert names.index("age") < names.index("cost") < names.index("sex")


def test_only_words_and_unordered_values_need_a_hierarchy() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "grade": ["low", "high", "low"]})
    table = read_table(frame).assign(
        roles={"a": Role.QUASI_IDENTIFIER, "grade": Role.OTHER},
        kinds={"a": Kind.ORDINAL, "grade": Kind.ORDINAL},
    )
    assert not hierarchies.has_or_needs_hierarchy(table)
    assert hierarchies.is_ordinal_text(table, "grade")
    assert not hierarchies.is_ordinal_text(table, "a")
    for kind in (Kind.ORDINAL, Kind.NOMINAL):
        assert hierarchies.has_or_needs_hierarchy(
            table.assign({"grade": Role.QUASI_IDENTIFIER}, {"grade": kind})
        )
    tree = flat_hierarchy(frame["grade"])
    assert hierarchies.has_or_needs_hierarchy(table.assign(hierarchies={"grade": tree}))


def test_records_are_counted_by_leaf() -> None:
    values = pd.Series(["I20", None, "A09", "I20", "Z99"])
    counts = hierarchies.count_records_per_value(values)
    assert hierarchies.records_per_leaf(counts, CODES).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([3, None, 1, 3], dtype="Int64"),
        pd.Series([2.5, None, 1.0]),
        pd.Series(["b", "a", None, "b"]),
        pd.Series(pd.Categorical(["b", "a"], ["c", "b", "a"], ordered=True)),
        pd.Series(pd.to_datetime(["2023-01-05", None, "2022-03-01"])),
    ],
)
def test_the_tally_tells_a_hierarchy_all_that_the_column_does(
    values: pd.Series,
) -> None:
    distinct = hierarchies.count_records_per_value(values).index.to_series()
    assert flat_hierarchy(distinct) == flat_hierarchy(values)
    assert propose_hierarchy_recipe(distinct) == propose_hierarchy_recipe(values)
    assert flat_hierarchy(values).uncovered_values(distinct) == ()


def test_what_is_lacking_is_named_up_to_three() -> None:
    says = describe_uncovered_values("d", ("a", "b", "c", "d", "e"))
    assert "the values 'a', 'b', 'c' and 2 more" in says
    assert "the value 'a': add a row for it" in describe_uncovered_values("d", ("a",))


@pytest.mark.parametrize(
    ("values", "kept", "says"),
    [
        (["A09", "I20", None], True, None),
        (["A09", "Z99"], True, "'d' does not have the value 'Z99'"),
        (["Z98", "Z99"], False, "'d' has none of the new values"),
        ([None, None], True, None),
    ],
)
def test_a_new_table_keeps_the_hierarchies_that_fit(
    values: list[str | None], kept: bool, says: str | None
) -> None:
    before = read_table(pd.DataFrame({"d": ["A09"], "e": ["x"]}))
    before = before.assign(hierarchies={"d": CODES, "e": flat_hierarchy(["x"])})
    now = read_table(pd.DataFrame({"d": pd.Series(values, dtype=object)}))
    trees, notes = carry_trees_with_notes(before.schema, now)
    assert trees == ({"d": CODES} if kept else {})
    assert len(notes) == (says is not None)
    assert says is None or says in notes[0]


def test_a_problem_of_a_quasi_identifier_is_not_told_twice() -> None:
    before = read_table(pd.DataFrame({"d": ["A09"]})).assign(
        {"d": Role.QUASI_IDENTIFIER}, hierarchies={"d": CODES}
    )
    now = read_table(pd.DataFrame({"d": ["A09", "Z99"]}))
    assert carry_trees_with_notes(before.schema, now) == ({"d": CODES}, [])
