"""Undecided columns are few questions, however many there are."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.table.open_questions import OpenQuestions
from dashboard.ui.table.undecided_groups import UndecidedGroup, copy_with_role
from engine.analysis.protect import protect
from engine.data.kinds import Role
from engine.data.questions import MAX_QUESTIONS
from engine.data.table import Table
from engine.files import read_table
from tests.dashboard.pages import button, open_page, texts, with_table, workspace

N = 200


@cache
def survey() -> Table:
    """Return ninety-five columns of which nobody has said what they are."""
    rng = np.random.default_rng(5)
    columns: dict[str, object] = {"size": rng.lognormal(3, 1, N).round(2)}
    columns |= {f"q{n}": rng.integers(1, 6, N) for n in range(24)}
    columns |= {f"scale{n}": rng.integers(0, 8 + n % 3, N) for n in range(20)}
    columns |= {f"flag{n}": rng.integers(0, 2, N) for n in range(10)}
    columns |= {f"word{n}": rng.choice(["red", "blue", "green"], N) for n in range(10)}
    columns |= {f"amount{n}": rng.normal(9, 2, N).round(3) for n in range(12)}
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D")
    columns |= {f"day{n}": days for n in range(4)}
    many = [f"place {n}" for n in range(40)]
    columns |= {f"text{n}": rng.choice(many, N) for n in range(10)}
    columns |= {
        f"name{n}": [f"Anna Meier {n} {row}" for row in range(N)] for n in (1, 2)
    }
    table = read_table(pd.DataFrame(columns))
    roles: dict[str, Role | str] = dict.fromkeys(table.schema.names, Role.UNDECIDED)
    return table.assign(roles | {"size": Role.QUASI_IDENTIFIER})


def questions_in_session(table: Table, is_singly: bool = False) -> OpenQuestions:
    """Return the questions on a table, as a page that is drawn asks them."""

    def app() -> None:
        import streamlit as st

        from dashboard.state.snapshots.snapshot import Upload
        from dashboard.ui.table.open_questions import (
            list_open_questions,
            set_one_question_per_column,
        )
        from tests.dashboard.pages import with_table

        session_table = st.session_state["table"]
        if st.session_state["singly"]:
            set_one_question_per_column(session_table)
        ws = with_table(session_table, upload=Upload("survey.csv", b""))
        st.session_state["questions"] = list_open_questions(ws)

    page = AppTest.from_function(app)
    page.session_state["table"], page.session_state["singly"] = table, is_singly
    page.run(timeout=60)
    questions: OpenQuestions = page.session_state["questions"]
    return questions


def groups_in_session(table: Table) -> tuple[UndecidedGroup, ...]:
    """Return the questions about undecided columns, as a page that is drawn asks."""
    return questions_in_session(table).roles


def test_ninety_columns_are_at_most_eight_questions_each_column_in_one() -> None:
    table = survey()
    names = table.schema.with_role(Role.UNDECIDED)
    assert len(names) > 90
    groups = groups_in_session(table)
    assert len(groups) <= MAX_QUESTIONS
    assert sorted(name for group in groups for name in group.names) == sorted(names)
    of = {name: group for group in groups for name in group.names}
    assert of["q3"].heading == "24 columns: answers 1 to 5"
    assert of["q3"].examples == "q0, q1, q2, q3, q4, q5 and 18 more"
    assert of["scale0"].names == tuple(f"scale{n}" for n in range(20))
    assert {"dates", "two different values"} <= {group.holds for group in groups}
    assert [group.singles_out for group in groups].count(True) <= 1


def test_few_columns_that_differ_are_asked_one_by_one_and_so_are_many_on_request() -> (
    None
):
    table = survey()
    names = table.schema.with_role(Role.UNDECIDED)
    decided = dict.fromkeys(names, Role.OTHER)
    some = ("q1", "q2", "scale1", "flag1", "text1", "name1", "name2")
    few = table.assign(decided | dict.fromkeys(some, Role.UNDECIDED))
    assert {group.names for group in groups_in_session(few)} == {(n,) for n in some}
    alike = groups_in_session(few.assign({"q3": Role.UNDECIDED}))
    assert [group.names for group in alike] == [
        ("q1", "q2", "q3"),
        *((name,) for name in some[2:]),
    ]
    singly = questions_in_session(table, is_singly=True).roles
    assert [group.names for group in singly] == [(name,) for name in names]


@pytest.mark.slow
def test_questions_on_formats_codes_and_people_count_among_the_eight(
    tmp_path: Path,
) -> None:
    frame = survey().frame.assign(
        respondent=np.repeat(np.arange(N // 2) + 7_000, 2),
        **{
            f"d{n}": [f"0{1 + i % 9}/0{1 + i % 7}/2020" for i in range(N)] for n in "ab"
        },
        **{f"m{n}": [f"{1 + i % 9}.{100 + i}" for i in range(N)] for n in "abc"},
        **{
            f"c{n}": np.where(np.arange(N) % 9, np.arange(N) % 7, 90 + n)
            for n in (7, 9)
        },
        **{
            f"w{n}": [("x", "y", f"{n}")[i % 3] for i in range(N)] for n in ("?", "n/a")
        },
    )
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    table = read_table(path)
    names = table.schema.with_role(Role.UNDECIDED)
    questions = questions_in_session(table)
    assert min(map(len, (questions.formats, questions.codes, questions.roles))) > 0
    assert len(questions) <= MAX_QUESTIONS
    asked_names = [name for group in questions.roles for name in group.names]
    assert sorted(asked_names) == sorted(names)
    dates = next(question for question in questions.formats if "da" in question.columns)
    assert dates.columns == ("da", "db")
    assert len(protect(path, shuffle_seed=1).questions) <= MAX_QUESTIONS


@pytest.mark.parametrize("n_names", [0, 3])
def test_many_weights_are_asked_about_as_weights_and_not_as_names(n_names: int) -> None:
    rng = np.random.default_rng(4)
    weights = {f"PWGTP{n}": rng.integers(1, 300, N) for n in range(1, 81)}
    names = {f"name{n}": [f"Anna Meier {n} {i}" for i in range(N)] for n in "abc"}
    some = dict(list(names.items())[:n_names])
    frame = pd.DataFrame({"PWGTP": rng.integers(1, 300, N), **weights, **some})
    table = read_table(frame.assign(age=rng.integers(18, 90, N)))
    table = table.assign(dict.fromkeys(some, Role.UNDECIDED))
    groups = groups_in_session(table)
    [weight_group] = [group for group in groups if group.weighs]
    assert weight_group.names == tuple(weights)
    assert not weight_group.can_leave_together
    assert not any(
        {*group.names} & {*weights} for group in groups if group is not weight_group
    )
    few = {*list(weights)[:-2]}  # decided one by one, the rest are still weights
    rest = groups_in_session(table.assign(dict.fromkeys(few, Role.IDENTIFIER)))
    assert {*weights} - few == {
        n for group in rest if group.weighs for n in group.names
    }
    page = open_page(ws=with_table(table))
    markdown_text = " ".join(texts(page.markdown))
    assert "weights of a survey" in markdown_text
    assert "name or number single people" not in markdown_text


def test_protecting_several_never_includes_what_names_somebody() -> None:
    frame = pd.DataFrame({"a": range(N), "full": [f"Anna Meier {n}" for n in range(N)]})
    table = read_table(frame)
    columns = [table.schema[name] for name in table.schema.names]
    table = table.assign({column.name: Role.UNDECIDED for column in columns})
    singling = [
        schema_column.name
        for schema_column in table.schema.columns
        if schema_column.singles_out
    ]
    decided = copy_with_role(table, table.schema.names, Role.QUASI_IDENTIFIER)
    for name in singling:
        assert decided.schema[name].role is Role.IDENTIFIER
        changed_table = copy_with_role(table, (name,), Role.QUASI_IDENTIFIER)
        assert changed_table.schema[name].role is Role.QUASI_IDENTIFIER


def test_the_data_page_asks_a_question_for_each_kind_with_examples() -> None:
    page = open_page(ws=with_table(survey()))
    count = len(groups_in_session(survey()))
    assert count <= MAX_QUESTIONS
    for _ in range(count):
        caption_text = " ".join(texts(page.caption))
        question_match = re.search(r"Question 1 of (\d+)", caption_text)
        assert question_match
        assert f"{question_match[1]} question" in caption_text
        named = [part.label for part in page.button]
        answer = "Remove them" if "Remove them" in named else "Remove it"
        button(page, answer).click().run()
    assert not any("Question 1" in part for part in texts(page.caption))
    assert not workspace(page).table.schema.with_role(Role.UNDECIDED)


def test_a_group_can_be_asked_one_by_one() -> None:
    page = open_page(ws=with_table(survey()))
    button(page, "One by one").click().run()
    assert not any("Question 1" in caption for caption in texts(page.caption))
    button(page, "Yes, protect it").click().run()
    roles = workspace(page).table.schema.with_role(Role.UNDECIDED)
    assert len(roles) == len(survey().schema.with_role(Role.UNDECIDED)) - 1
