"""The Data page says whom k counts, asks in doubt, and lets it be undone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.state.workspace import Workspace, counted_person_columns, resolve_plans
from engine.analysis.protect import protect
from engine.data.kinds import Role
from engine.files import read_table
from tests.dashboard.pages import column_rows, labelled, open_page, workspace


def panel(name: str = "patient") -> Workspace:
    person, wave = np.divmod(np.arange(60), 4)
    frame = pd.DataFrame(
        {name: 100 + person, "visit": wave, "a": person % 3, "b": wave + person % 2}
    )
    roles = {name: "identifier", "visit": "other"}
    roles |= dict.fromkeys("ab", "quasi-identifier")
    return Workspace(
        table=read_table(frame, roles=roles), methods=("mdav",), sizes=(3,)
    )


def words(page) -> str:
    return " ".join(element.value for element in [*page.markdown, *page.caption])


def found(page) -> str:
    return " ".join(element.proto.body for element in page.get("html"))


def button(page, label: str):
    return next(candidate for candidate in page.button if candidate.label == label)


def test_persons_are_counted_by_themselves_until_that_is_undone() -> None:
    page = open_page("data", panel())
    assert "15 people, 4 records each: k counts people." in words(page)
    assert "one of 4 records, such as" in words(page)
    assert "of 15 people are the only ones" in found(page)
    assert [plan.person for plan in resolve_plans(workspace(page))] == [("patient",)]
    button(page, "Undo it").click().run()
    assert [plan.person for plan in resolve_plans(workspace(page))] == ["none"]
    assert "k counts records" in words(page)
    assert "of 60 records are the only ones" in found(page)
    button(page, "Count the people of patient").click().run()
    assert counted_person_columns(workspace(page)) == ("patient",)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("subj", "S-{:04}"),
        pytest.param("who", "Q{:03}", marks=pytest.mark.slow),
        pytest.param("pid", "{}", marks=pytest.mark.slow),
    ],
)
def test_columns_of_counted_people_do_not_leave_and_nobody_is_asked(
    name: str, number: str
) -> None:
    """The page does with a file what `protect` does with it."""
    person, visit = np.divmod(np.arange(120), 4)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            name: [number.format(3 * each + 21) for each in person],
            "visit": visit + 1,
            "sex": np.array(["f", "m"])[person % 2],
            "age": rng.integers(20, 80, 30)[person],
            "score": rng.normal(50, 9, 120).round(1),
        }
    )
    page = open_page("data")
    content = frame.to_csv(index=False).encode()
    page.file_uploader[0].set_value(("visits.csv", content, "text/csv")).run()
    ws = workspace(page)
    assert ws.table is not None
    assert counted_person_columns(ws) == (name,)
    assert ws.table.schema[name].role is Role.IDENTIFIER
    result = protect(frame)
    assert result.plan.person == (name,)
    assert name not in result.release
    [why] = [entry.why for entry in result.left_out if entry.column == name]
    [line] = [entry for entry in column_rows(page) if entry["name"] == name]
    assert line["why"].startswith(why)
    question_columns = {name for entry in result.questions for name in entry.columns}
    assert name not in question_columns


@pytest.mark.parametrize(
    ("answer", "person", "role", "open_questions"),
    [
        ("Yes, count its people", ("patient",), Role.IDENTIFIER, 0),
        ("No, count records", "none", Role.UNDECIDED, 1),
    ],
)
def test_a_column_that_may_name_people_is_one_question_first(
    answer: str, person: object, role: Role, open_questions: int
) -> None:
    rng = np.random.default_rng(1)
    who = rng.integers(0, 40, 240)
    frame = pd.DataFrame(
        {
            "patient": [f"P{each:02}" for each in who],
            "age": rng.integers(20, 80, 40)[who],
            "ward": rng.choice(["A", "B", "C"], 240),
        }
    )
    page = open_page("data")
    content = frame.to_csv(index=False).encode()
    page.file_uploader[0].set_value(("visits.csv", content, "text/csv")).run()
    assert "1 question is open" in words(page)
    assert "which person a record is about?" in words(page)
    assert not [widget for widget in page.button if widget.label == "One by one"]
    yes = button(page, "Yes, count its people")
    assert yes.proto.type == "primary", "the one answer that is coloured"
    button(page, answer).click().run()
    ws = workspace(page)
    assert ws.table is not None
    assert (ws.shared_plan.person, ws.table.schema["patient"].role) == (person, role)
    assert ("question is open" in words(page)) == bool(open_questions)


def test_what_an_intruder_knows_is_asked_with_an_example() -> None:
    page = open_page("data", panel())
    group = labelled(page.get("button_group"), "intruder know")
    group.set_value("all").run()
    assert resolve_plans(workspace(page))[0].intruder_knows == "all"
    assert "all 4 records" in words(page)


def test_counts_are_asked_where_the_whole_history_is_known() -> None:
    page = open_page("data", panel())
    assert not page.checkbox
    group = labelled(page.get("button_group"), "intruder know")
    group.set_value("all").run()
    (counts,) = page.checkbox
    counts.check().run()
    assert [plan.counts for plan in resolve_plans(workspace(page))] == [True]
    assert "each equally often" in words(page)
    group = labelled(page.get("button_group"), "intruder know")
    group.set_value("one").run()
    assert not page.checkbox
    assert [plan.counts for plan in resolve_plans(workspace(page))] == [False]


def test_what_may_be_a_group_is_asked_with_both_answers() -> None:
    page = open_page("data", panel("household"))
    assert "Does it say which person a record is about?" in words(page)
    assert [plan.person for plan in resolve_plans(workspace(page))] == ["each"]
    button(page, "It is a group: keep it whole").click().run()
    ws = workspace(page)
    assert (ws.shared_plan.person, ws.shared_plan.household) == ("none", "household")
    page = open_page("data", panel("household"))
    button(page, "Yes, count its people").click().run()
    assert resolve_plans(workspace(page))[0].person == ("household",)


def test_columns_that_are_chosen_no_longer_leave_unless_somebody_says_so() -> None:
    ws = panel()
    assert ws.table is not None
    frame = ws.table.frame.assign(hospital=ws.table.frame["patient"] % 2)
    roles = {"patient": "identifier", "hospital": "other", "visit": "other"}
    roles |= dict.fromkeys("ab", "quasi-identifier")
    page = open_page("data", replace(ws, table=read_table(frame, roles=roles)))
    field = labelled(page.multiselect, "k counts")
    field.set_value(["hospital", "patient"]).run()
    now = workspace(page)
    plan = resolve_plans(now)[0]
    assert plan.person == ("hospital", "patient")
    assert {*plan.identifiers} == {"hospital", "patient"}
    assert now.table is not None
    new_ws = replace(now, table=now.table.assign({"hospital": Role.OTHER}))
    page = open_page("data", new_ws)
    assert resolve_plans(workspace(page))[0].identifiers == ("patient",)
    field = labelled(page.multiselect, "k counts")
    field.set_value([]).run()
    assert resolve_plans(workspace(page))[0].person == "none"
    assert resolve_plans(workspace(page))[0].identifiers == ("patient",)


def test_a_table_of_one_record_each_asks_nothing() -> None:
    assert "Who a record is about" not in [
        element.value for element in open_page().subheader
    ]


def odd(ids: list[object], roles: dict[str, str] | None = None) -> Workspace:
    """Return a panel with given identifiers, 60 of them."""
    ws = panel()
    assert ws.table is not None
    frame = ws.table.frame.assign(patient=ids)
    roles = {"patient": "identifier", "visit": "other"} | (roles or {})
    roles = {"a": "quasi-identifier", "b": "quasi-identifier"} | roles
    table = read_table(frame, roles=roles)
    return replace(ws, table=table, person=("patient",))


def test_what_is_odd_about_identifiers_is_said_where_they_are_chosen() -> None:
    whose = [f"P{number // 4}" for number in range(60)]
    page_text = words(open_page("data", odd([*whose[:58], None, " "])))
    assert "2 records have nothing in 'patient'" in page_text
    assert "15 people, about 3.9 records each" in page_text
    page_text = words(open_page("data", odd(["p0 ", *whose[1:]])))
    assert "1 identifier of 'patient' equals another one but for case" in page_text
    page_text = words(open_page("data", odd(["P0"] * 40 + whose[40:])))
    assert "One person has 40 of the 60 records of 'patient'" in page_text


def test_fewer_people_than_k_are_said_before_anything_runs() -> None:
    page = open_page("data", odd(["P1", "P2"] * 30))
    assert any("2 people, k = 3" in element.value for element in page.warning)


def test_few_people_in_a_stratum_or_with_the_same_gaps_are_said_before_a_run() -> None:
    ws = panel()
    assert ws.table is not None
    few = ws.table.frame["patient"] < 102  # eight records of two people
    frame = ws.table.frame.assign(ward=np.where(few, "n", "s"))
    gappy = frame.assign(b=frame["b"].where(~few))
    roles = {"patient": "identifier"} | dict.fromkeys("ab", "quasi-identifier")
    for data, choices, says in (
        (frame, {"strata": "ward"}, "records of 2 people, fewer than k = 3"),
        (gappy, {"missing": "keep"}, "of 2 people, fewer than k = 3"),
        (frame, {"strata": "ward", "sizes": (2, 3)}, "of 2 people, fewer than k = 3"),
    ):
        table = read_table(data, roles=roles)
        new_ws = replace(ws, table=table, person=("patient",), automatic=False)
        new_ws = replace(new_ws, **choices)
        page = open_page("compare", new_ws)
        assert any(says in element.value for element in page.warning)
        can_run = any(element.label == "Run" for element in page.button)
        assert can_run == (len(new_ws.sizes) > 1)
        if "missing" in choices:
            assert any("(8 filled)" in element.label for element in page.button)


def test_what_does_not_go_together_with_people_is_one_sentence() -> None:
    """A person column that is a quasi-identifier too, and households beside people."""
    whose = [f"P{number // 4}" for number in range(60)]
    both = odd(whose, {"patient": "quasi-identifier"})
    firms = replace(odd(whose), household="visit")
    for ws, says in (
        (both, "cannot say who a record is about and be"),
        (firms, "does not go together"),
    ):
        page = open_page("data", ws)
        page_text = " ".join(element.value for element in [*page.warning, *page.error])
        assert says in page_text


def test_whose_people_are_counted_is_no_longer_changed_and_one_button_is_coloured() -> (
    None
):
    firm, year = np.divmod(np.arange(96), 8)
    frame = pd.DataFrame(
        {"firm": firm + 1, "year": 2010 + year, "sales": np.arange(96) * 7 % 89}
    )
    roles = dict.fromkeys(("firm", "sales"), "quasi-identifier") | {"year": "other"}
    table = read_table(frame, roles=roles)
    page = open_page(
        "data", Workspace(table=table, methods=("mdav",), sizes=(3,), automatic=False)
    )
    coloured = [
        widget.label for widget in page.button if widget.proto.type == "primary"
    ]
    assert coloured == ["Yes, count its people"]
    button(page, "Yes, count its people").click().run()
    assert [plan.person for plan in resolve_plans(workspace(page))] == [("firm",)]


def test_rows_of_nothing_are_neither_nobody_s_records_nor_missing_values() -> None:
    ws = panel()
    assert ws.table is not None
    roles = {entry.name: str(entry.role) for entry in ws.table.schema.columns}
    rows = [*range(30), None, *range(30, 60), None, None]
    frame = ws.table.frame.reindex(rows).reset_index(drop=True)
    page = open_page("data", replace(ws, table=read_table(frame, roles=roles)))
    assert "15 people, 4 records each: k counts people." in words(page)
    assert "have nothing in" not in words(page)
    assert not any("missing" in row["count"] for row in column_rows(page))
    button(page, "Undo it").click().run()
    assert "of 60 records are the only ones" in found(page)
    frame.loc[7, "b"] = None
    page = open_page("data", replace(ws, table=read_table(frame, roles=roles)))
    missing = [row["name"] for row in column_rows(page) if "missing" in row["count"]]
    assert missing == ["b"]
    settle = labelled(page.get("button_group"), "Or another way")
    assert any("59 of 60 remain" in option for option in settle.options)
