"""Files as people have them: opened with what is wrong said once, or one sentence."""

import io

import numpy as np
import pytest
import xlsxwriter
from streamlit.testing.v1 import AppTest

from engine.analysis.protect.person_columns import leave_out_certain_person
from engine.analysis.protect.settle import decide_all_roles
from engine.data.kinds import Kind, Role
from engine.files import read_table
from tests.dashboard.pages import column_rows, labelled, open_page, workspace

QUASI, OTHER = Role.QUASI_IDENTIFIER, Role.OTHER


@pytest.fixture(scope="module")
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def opened(name: str, content: bytes) -> AppTest:
    """Return the Data page after a file was dropped on it."""
    page = open_page("data")
    page.file_uploader[0].set_value((name, content, "text/csv")).run()
    return page


def sentences(page: AppTest) -> list[str]:
    """Return what the page says is wrong or worth a look."""
    return [element.value for kind in (page.error, page.warning) for element in kind]


def reasons(page: AppTest) -> list[str]:
    """Return why each column has its role, as the table of columns says."""
    return [line["why"] for line in column_rows(page)]


def coloured(page: AppTest) -> list[str]:
    """Return the labels of the coloured buttons that can be pressed."""
    return [
        button.label
        for button in page.button
        if button.proto.type == "primary" and not button.disabled
    ]


def survey(rng: np.random.Generator) -> bytes:
    """Write a table as a German spreadsheet saves it, with two empty columns."""
    lines = ["Kundennr;Größe;Einkommen;leer;Ort;;Bemerkung"]
    for number in range(150):
        size = f"{rng.normal(170, 9):.1f}".replace(".", ",")
        income = f"{rng.lognormal(10, 0.4):.2f}".replace(".", ",")
        place = rng.choice(["Köln", "Essen"])
        lines.append(
            f"K{number:04};{size};{income};;{place};;{'' if number % 3 else 'ok'}"
        )
    return "\r\n".join(lines).encode("cp1252")


def test_semicolons_decimal_commas_and_empty_columns(rng: np.random.Generator) -> None:
    page = opened("survey.csv", survey(rng))
    table = workspace(page).table
    assert table.n_records == 150
    roles = {column.name: column.role for column in table.schema.columns}
    assert roles == {
        "Kundennr": Role.IDENTIFIER,
        "Größe": QUASI,
        "Einkommen": QUASI,
        "leer": OTHER,
        "Ort": QUASI,
        "Bemerkung": OTHER,
    }
    assert table.schema["Größe"].kind is Kind.CONTINUOUS
    assert 150.0 < table.frame["Größe"].mean() < 190.0
    assert all(reason.endswith(".") for reason in reasons(page))
    assert sentences(page) == []


def test_titles_above_a_sheet_s_columns_are_left_out_and_told() -> None:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        sheet = book.add_worksheet("Wages")
        sheet.write(0, 0, "Survey of wages 2025")
        sheet.write(1, 0, "Source: invented")
        sheet.write_row(3, 0, ["Age", "Wage", "Hours"])
        for row in range(60):
            sheet.write_row(4 + row, 0, [20 + row, 1000 + 7 * row * row, 40])
    page = opened("wages.xlsx", content.getvalue())
    table = workspace(page).table
    assert table.schema.names == ("Age", "Wage", "Hours")
    assert table.n_records == 60
    assert "names in row 4" in page.markdown[0].value
    # At the right, among what was settled without asking.
    assert any("titles in rows 1-2" in element.value for element in page.markdown)


def test_names_that_occur_twice_are_numbered_and_said() -> None:
    rows = [f"{i},{20 + i},{30 + i},{i * i},NL,{i * i + 1}" for i in range(60)]
    text = "\n".join(["id,age,age,income,country,income ", *rows])
    page = opened("twice.csv", text.encode())
    names = workspace(page).table.schema.names
    assert names == ("id", "age", "age (2)", "income", "country", "income (2)")
    assert any("equal names numbered" in element.value for element in page.markdown)


def test_ids_and_columns_that_never_change_are_no_quasi_identifiers() -> None:
    rows = [
        f"{i},{i % 61 + 20},{i * i},NL,{i * 2654435761 % 2**32:x}" for i in range(200)
    ]
    page = opened("ids.csv", "\n".join(["id,age,income,country,uuid", *rows]).encode())
    roles = {c.name: c.role for c in workspace(page).table.schema.columns}
    assert roles["id"] is roles["uuid"] is Role.IDENTIFIER
    assert roles["age"] is roles["income"] is QUASI
    assert roles["country"] is OTHER
    assert sentences(page) == []


def asking() -> bytes:
    lines = ["Visitors 2025;;;", "visit;age;score;net"]
    for i in range(60):
        score = 99 if i % 10 == 3 else i % 11
        net = -9 if i < 4 else i
        lines.append(f"{1 + i % 12:02}/{1 + i % 11:02}/2024;{20 + i};{score};{net}")
    return "\n".join([*lines, "Total;;;1716", "* provisional"]).encode()


def press(page: AppTest, label: str, at: int = 0) -> None:
    [button for button in page.button if button.label == label][at].click().run()
    assert not page.error, [e.value for e in page.error]


def test_questions_come_one_by_one_and_every_answer_can_be_undone() -> None:
    page = opened("visitors.csv", asking())
    assert any("day or the month" in entry.value for entry in page.subheader)
    press(page, "01/02/2025 is 1 February 2025")
    table = workspace(page).table
    assert str(table.frame["visit"].iloc[1]) == "2024-02-02 00:00:00"
    assert table.schema["visit"].kind is Kind.ORDINAL
    assert any("score: is 99 a missing" in entry.value for entry in page.subheader)
    press(page, "No, a value")
    assert any("net: is" in entry.value for entry in page.subheader)
    assert any("9: 4 records. All other" in entry.value for entry in page.markdown)
    press(page, "Yes, missing")
    table = workspace(page).table
    assert (table.frame["net"].isna().sum(), table.frame["score"].max()) == (4, 99)
    assert not any("missing value" in entry.value for entry in page.subheader)
    # In the order in which they are listed: what was left out, then the answers.
    lines = [entry.value for entry in page.markdown]
    for words in ("title in row 1", "totals in row 63", "note in row 64"):
        assert any(words in entry for entry in lines), words
    assert any(entry == "visit: the day comes before the month" for entry in lines)
    press(page, "Undo it", 3)
    assert workspace(page).table.frame["net"].isna().sum() == 0
    press(page, "Yes, missing")
    press(page, "Undo it", 4)
    assert workspace(page).table.frame["visit"].iloc[1] == "02/02/2024"


def test_columns_with_the_same_code_are_one_question() -> None:
    answers = ("Often", "Never", "No answer", "Rarely")
    rows = [
        ",".join(
            [
                str(20 + i % 40),
                *(answers[(i * (2 * j + 1) + j) % 4] for j in range(1, 13)),
            ]
        )
        for i in range(80)
    ]
    head = ",".join(["age", *(f"q{j}" for j in range(1, 13))])
    page = opened("answers.csv", "\n".join([head, *rows]).encode())
    assert any(
        "12 columns: is No answer a" in element.value for element in page.subheader
    )
    press(page, "Missing")
    frame = workspace(page).table.frame
    assert frame["q1"].isna().any()
    assert not frame["q2"].isna().any()
    assert any(
        "11 columns: is No answer a" in element.value for element in page.subheader
    )
    press(page, "Yes, missing")
    assert (
        workspace(page).table.frame[[f"q{j}" for j in range(1, 13)]].isna().any().all()
    )
    assert not any("missing value" in element.value for element in page.subheader)


def test_the_encoding_of_a_refused_file_can_be_chosen() -> None:
    rows = "\n".join(f"{20 + i % 40};M\u00fcller" for i in range(60))
    page = opened("dos.csv", f"age;name\n{rows}".encode("cp850"))
    assert any("neither in UTF-8" in element.value for element in page.error)
    choice = labelled(page.selectbox, "Encoding of dos.csv")
    choice.set_value("cp850").run()
    assert not page.error
    assert set(workspace(page).table.frame["name"]) == {"Müller"}
    assert not [
        element for element in page.selectbox if element.label == "Encoding of dos.csv"
    ]


def test_totals_come_back_as_a_record() -> None:
    page = opened("visitors.csv", asking())
    assert workspace(page).table.n_records == 60
    press(page, "Undo it", 1)
    table = workspace(page).table
    assert table.n_records == 61
    assert table.frame["net"].iloc[-1] == 1716
    assert any("note in row 64" in element.value for element in page.markdown)
    assert not any("totals" in element.value for element in page.markdown)


def test_the_coloured_answer_spoils_no_codes() -> None:
    race, word = (1, 2, 6, 8, 9), "ab"
    rows = [
        f"{race[i % 5]},{-9 if i < 9 else i * i},{20 + i % 8},{word[i % 2]}"
        for i in range(300)
    ]
    content = "\n".join(["race,income,hours,what", *rows]).encode()
    page = opened("races.csv", content)
    questions = [entry.value for entry in page.subheader if "missing" in entry.value]
    assert [entry.replace("\\", "") for entry in questions] == [
        "income: is -9 a missing value?"
    ]
    assert coloured(page) == ["Yes, missing"]


def test_a_number_that_may_be_a_value_is_kept_by_the_coloured_answer() -> None:
    rows = [f"{99 if i % 10 == 3 else 5 + i % 86},{'ab'[i % 2]}" for i in range(300)]
    page = opened("scores.csv", "\n".join(["score,what", *rows]).encode())
    assert any("99" in element.value for element in page.subheader)
    assert coloured(page) == ["No, a value"]


def test_gaps_are_settled_by_the_one_coloured_button() -> None:
    rows = [
        f"{20 + i % 8},{'' if i % 9 == 4 else i % 31},{'ab'[i % 2]}" for i in range(300)
    ]
    page = opened("gaps.csv", "\n".join(["age,sick days,sex", *rows]).encode())
    (label,) = coloured(page)
    assert label == "Keep gaps, choose protection"


def panel() -> bytes:
    """Write years of workshops, whose numbers have a name that nobody knows."""
    rows = [
        f"{91_000_000 + i // 4 * 7919},{2019 + i % 4},{'abc'[i % 3]},{i * i % 97}"
        for i in range(480)
    ]
    return "\n".join(["vkz,year,trade,staff", *rows]).encode()


def test_the_page_knows_of_each_column_what_the_engine_proposes() -> None:
    page = opened("workshops.csv", panel())
    table = read_table(panel(), name="workshops.csv")
    expected = leave_out_certain_person(table, (), 5)[0].schema.columns
    page_columns = workspace(page).table.schema.columns
    assert any(column.singles_out for column in expected)
    assert [
        (schema_column.name, schema_column.role, schema_column.singles_out)
        for schema_column in page_columns
    ] == [
        (schema_column.name, schema_column.role, schema_column.singles_out)
        for schema_column in expected
    ]


def test_what_numbers_firms_is_removed_without_a_question_and_counts_them() -> None:
    page = opened("workshops.csv", panel())
    assert not any("vkz" in element.value for element in page.subheader)
    assert workspace(page).table.schema["vkz"].role is Role.IDENTIFIER
    assert any(
        "120 people, 4 records each" in element.value for element in page.markdown
    )


def test_protect_all_protects_nothing_that_numbers_firms() -> None:
    lines = panel().decode().splitlines()
    more = [f"{line},{i % 7}" for i, line in enumerate(lines)]
    content = "\n".join([more[0][:-1] + "zz", *more[1:]]).encode()
    page = opened("workshops.csv", content)
    press(page, "Protect all")
    roles = {
        column.name: column.role for column in workspace(page).table.schema.columns
    }
    assert (roles["vkz"], roles["zz"]) == (Role.IDENTIFIER, QUASI)


def test_names_of_what_records_are_about_are_asked_for_and_then_removed() -> None:
    """A group's commonest school would name one school of five."""
    rows = [f"town {i // 2},{40 + i % 9},{i * i % 97}" for i in range(200)]
    page = opened("schools.csv", "\n".join(["school,age,staff", *rows]).encode())
    table = workspace(page).table
    assert table.schema["school"].role is Role.UNDECIDED
    assert coloured(page) == ["Yes, remove it"]
    expected_schema = decide_all_roles(read_table(table.frame), 5).table.schema
    press(page, "Yes, remove it")
    page_schema = workspace(page).table.schema
    assert {column.name: column.role for column in page_schema.columns} == {
        column.name: column.role for column in expected_schema.columns
    }
