"""What of a released file says which records are one person's is named."""

import numpy as np
import pandas as pd
import pytest

from engine import Plan, Table, read_table, run
from engine.pipeline.outcome import Outcome
from engine.release.links import find_person_links
from engine.release.people import k_of_people
from engine.release.verify import release_bytes_and_checks


def panel(order: str) -> Table:
    person, wave = np.divmod(np.arange(72), 6)
    frame = pd.DataFrame({"x": wave, "y": wave % 3, "id": person, "wave": wave})
    frame["sex"] = frame["id"] % 2
    if order == "by wave":
        frame = frame.sort_values("wave", kind="stable")
    elif order == "by wave with gaps":
        frame = frame.sort_values("wave", kind="stable").drop(index=range(0, 72, 5))
    elif order == "by wave there and back":
        back = frame["id"].where(frame["wave"] % 2 == 0, -frame["id"])
        frame = frame.assign(back=back).sort_values(["wave", "back"])
        frame = frame.drop(columns="back")
    elif order == "by household":
        frame = frame.assign(home=frame["id"] // 4).sort_values(["home", "wave"])
        frame = frame.drop(columns="home")
    elif order == "mixed":
        frame = frame.sample(frac=1.0, random_state=1)
    return read_table(frame.reset_index(drop=True))


def protected(table: Table, **choices: object) -> Outcome:
    plan = {
        "method": "mdav",
        "k": 3,
        "quasi_identifiers": ("x", "y"),
        "person": "id",
        "identifiers": ("id", "sex"),
    }
    return run(Plan(**{**plan, **choices}), table)  # type: ignore[arg-type]


def test_without_a_link_nothing_is_said() -> None:
    table = panel("mixed")
    assert not find_person_links(protected(table), table, False)


@pytest.mark.parametrize(
    "order",
    [
        "by person",
        "by wave",
        "by wave with gaps",
        "by wave there and back",
        "by household",
    ],
)
def test_the_order_of_a_panel_links_its_records_until_they_are_shuffled(
    order: str,
) -> None:
    table = panel(order)
    outcome = protected(table)
    assert find_person_links(outcome, table, False).by_order
    assert not find_person_links(outcome, table, True)


def test_columns_that_stay_the_same_for_a_person_link() -> None:
    table = panel("mixed")
    links = find_person_links(protected(table, identifiers=()), table, False)
    assert (links.pseudonyms, links.constant) == (("id",), ("sex",))
    assert "'id' and 'sex'" in links.said[0]


def test_a_pseudonym_that_is_written_as_number_and_as_text_links() -> None:
    table = panel("mixed")
    ids = [
        int(person_id) if at % 2 else str(person_id)
        for at, person_id in enumerate(table.frame["id"])
    ]
    frame = table.frame.assign(id=pd.Series(ids, dtype=object))
    frame["twin"] = frame["id"]
    table = read_table(frame)
    outcome = protected(table, identifiers=())
    assert find_person_links(outcome, table, False).pseudonyms == ("id", "twin")


def test_nobody_is_linked_whose_whole_history_is_protected() -> None:
    table = panel("by person")
    outcome = protected(table, identifiers=(), intruder_knows="all")
    assert not find_person_links(outcome, table, False)


def test_the_written_file_is_counted_in_people() -> None:
    table = panel("by wave")
    outcome = protected(table)
    written = release_bytes_and_checks(outcome, table)
    check = next(check for check in written.checks if check.id == "k")
    assert check.passed
    assert "12 people of 'id'" in check.detail
    assert written.k == outcome.k_released == 12


def test_people_are_counted_whatever_they_are_called() -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 2, 2, None, None]})
    who = pd.DataFrame({"id": ["a", "a", "b", "a", None, "a", "b"]})
    assert k_of_people(frame, ["x"], who) == 1
    assert k_of_people(frame.iloc[[0, 2, 5, 6]], ["x"], who.iloc[[0, 2, 5, 6]]) == 2
    whole = frame.iloc[:4], ["x"], who.iloc[:4], "all"
    assert k_of_people(*whole) == 1
    assert k_of_people(frame.iloc[[4]], ["x"], who.iloc[[4]]) == 0
