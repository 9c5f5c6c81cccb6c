"""Values tell who somebody is: names, addresses, telephones and plates."""

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Role
from engine.data.propose import suggest_columns
from tests.engine.data.propose.columns import IDENTIFIER, QUASI, UNDECIDED, N, propose

FULL = ["Anna Meier", "Ben Okafor", "Carla Rossi", "Hans Müller"]


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (FULL, IDENTIFIER),
        ([name.upper() for name in FULL], IDENTIFIER),
        ([name.lower() for name in FULL], IDENTIFIER),
        (["Meier, Anna", "Okafor, Ben", "Rossi, Carla"] * 9, IDENTIFIER),
        (["A. Meier", "B. Murphy", "C. Rossi", "H. Müller"] * 9, IDENTIFIER),
        (["Dr. Huber", "Prof. Dr. Mayr"] * 9, IDENTIFIER),
        ([f'("{name}")' for name in FULL], IDENTIFIER),
        (["王伟", "李娜", "张敏", "刘洋"] * 5, UNDECIDED),
        (["red", "blue", "white"] * 9, UNDECIDED),
        (["52.5200, 13.4050", "48.8566, 2.3522"] * 9, QUASI),
        (["none"] * 40 + ["ask hans@example.org"], IDENTIFIER),
        (["none", "+49 171 1234567 call"] * 9, IDENTIFIER),
        (["Meier GmbH", "Okafor Ltd", "Rossi S.p.A."] * 9, IDENTIFIER),
        (["m", "w", "d"] * 9, QUASI),
        (
            ["\\N"] * 400 + [f"She lost {n} laptops in the ward" for n in range(60)],
            IDENTIFIER,
        ),
        (["USA"] * 400 + ["Canada", "Mexico", "Brazil", "Peru"] * 15, UNDECIDED),
    ],
)
def test_values_tell_who_somebody_is_without_any_hint(
    values: list[str], role: Role
) -> None:
    assert propose("v7", values).column.role is role


def test_an_address_is_found_wherever_it_stands_in_a_long_column() -> None:
    values = [f"w{i % 400}" for i in range(50_000)]
    assert propose("v7", values).column.role is UNDECIDED
    values[43_210] = "see anna.meier@example.org"
    assert propose("v7", values).column.role is IDENTIFIER


@pytest.mark.parametrize(
    "places",
    [
        ["Goethestr. {}", "Am Markt {}", "Lindenweg {}a"],
        ["{} rue des Lilas", "{} bis avenue Foch"],
        ["Calle Mayor {}", "Avda. de América, {}"],
        ["Via Garibaldi {}", "Corso Italia {}"],
        ["Rua das Flores {}", "Avenida da Liberdade {}"],
        ["Dorpsstraat {}", "Kerklaan {}bis"],
        ["ul. Długa {}", "al. Wolności {}/4"],
        ["{} High Street", "Flat {}, Mill Lane"],
        ["北京市海淀区中关村大街{}号", "体育西路{}号"],
    ],
)
def test_addresses_are_known_by_streets_and_numbers(places: list[str]) -> None:
    suggestion = propose(
        "v4", [places[i % len(places)].format(1 + i) for i in range(N)]
    )
    assert suggestion.column.role is IDENTIFIER
    assert suggestion.about == "address"


def test_plates_are_no_dates() -> None:
    signs = "BDFGHJKLNPRSTVXZ"
    plates = [
        f"{i % 9 + 1}-{signs[i % 16]}{signs[i // 3 % 16]}{signs[i // 5 % 16]}-{10 + i}"
        for i in range(N)
    ]
    assert propose("k2", plates).column.role is IDENTIFIER
    days = [f"{1 + i % 28}-{('Jan', 'Feb', 'Mar')[i % 3]}-{1960 + i}" for i in range(N)]
    assert propose("k2", days).column.role is QUASI


def test_other_words_for_what_names_somebody_do_not_leave_either() -> None:
    people = [
        f"{first_name} {family}"
        for first_name in ("Anna", "Ben", "Carla", "Hans")
        for family in ("Meier", "Okafor", "Rossi", "Huber")
    ]
    person = np.arange(160) % 16
    frame = pd.DataFrame(
        {
            "who": [people[n] for n in person],
            "query": [f"q{7 * n % 16}/all" for n in person],
            "part": [f"q{7 * n % 16 // 2}/all" for n in person],
            "wage": np.random.default_rng(3).normal(size=160),
        }
    )
    roles = {
        suggestion.column.name: suggestion.column.role
        for suggestion in suggest_columns(frame)
    }
    assert roles["who"] is roles["query"] is IDENTIFIER
    assert roles["part"] is not IDENTIFIER
    suggestions = suggest_columns(frame.drop(columns="who"))
    assert suggestions[0].column.role is not IDENTIFIER


def test_of_an_address_few_states_are_places_and_lines_are_identifiers() -> None:
    states = np.random.default_rng(1).choice(["CA", "NY", "TX", "ND"], 300)
    lines = [f"{number} Main Street" for number in range(300)]
    frame = pd.DataFrame({"addr_state": states, "address_city": lines})
    roles = [suggestion.column.role for suggestion in suggest_columns(frame)]
    assert roles == [Role.QUASI_IDENTIFIER, Role.IDENTIFIER]


def test_what_shares_most_of_its_names_with_a_column_of_names_is_asked_with_it() -> (
    None
):
    first_names, family = (
        ("Anna", "Karl", "Maria", "Paul"),
        ("Huber", "Weber", "Schmidt"),
    )
    people = [f"{one} {other}" for one in first_names for other in family]
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "first": rng.choice(people, 120),
            "second": rng.choice(["Jorgeous", people[3], people[7]], 120),
            "third": rng.choice(["Jorgeous", "Zebedee"], 120),
            "answer": rng.choice(["yes", "no", "perhaps"], 120),
        }
    )
    column_by_name = {one.column.name: one.column for one in suggest_columns(frame)}
    assert column_by_name["first"].role is IDENTIFIER
    assert column_by_name["second"].role is not QUASI
    assert (
        column_by_name["second"].singles_out
        or column_by_name["second"].role is IDENTIFIER
    )
    assert not column_by_name["third"].singles_out
    assert not column_by_name["answer"].singles_out


def test_places_called_after_people_are_no_people() -> None:
    people = ["Wrigley", "Crosley", "Griffith", "Connie Mack", "Henry Ford", "Kelly"]
    ends = ("Park", "Field", "Stadium", "Grounds", "Hospital", "School")
    places = [f"{name} {end}" for name in people for end in ends]
    assert propose("v2", places * 3).column.role is UNDECIDED
    singers = ["Jane Park", "Linda Field"]
    singers += [
        f"{first_name} {name}" for first_name in ("Anna", "Karl") for name in people[4:]
    ]
    singers += ["Grace Miller", "Eva Huber", "Maria Schmidt", "Paul Weber"]
    assert propose("v1", singers * 3).column.role is IDENTIFIER
    choir = [
        f"{first_name} {family}"
        for first_name in ("Grace", "John", "Mary", "Peter")
        for family in ("Park", "Church", "Field", "Castle", "Bridge", "Smith")
    ]
    assert propose("v1", choir * 3).column.role is IDENTIFIER


def test_abbreviations_are_no_names_and_words_without_digits_no_telephones() -> None:
    teams = ["Mon", "Hou", "Det", "Bal", "LA", "Oak", "Sea", "Cle", "Max", "Ann", "Tom"]
    assert not propose("v1", teams * 9).singles_out
    causes = ["Avalanche", "Fall", "Exposure", "Illness", "Crevasse", "Rock"]
    assert not propose("death_cause", causes * 4).singles_out
    minds = ["Bisexual", "Homosexual", "Other", "Fluid"]
    assert propose("gsm", minds * 30).column.role is not IDENTIFIER
    assert propose("gsm", [f"0171 {n} 44" for n in range(99)]).column.role is IDENTIFIER


@pytest.mark.parametrize(
    ("code", "gap", "about"),
    [
        ("S-{:04d}", 1, ""),
        ("{:05d}", 1, ""),
        ("02-{:03d}", 1, ""),
        ("S-{:04d}", 7, "postcode"),
        ("{:05d}", 7, "postcode"),
        ("02-{:03d}", 7, "postcode"),
        ("{:04d} AB", 1, "postcode"),
    ],
)
def test_numbers_that_count_on_are_no_postcodes(
    code: str, gap: int, about: str
) -> None:
    codes = [code.format(1 + gap * number) for number in range(100)] * 2
    (suggestion,) = suggest_columns(pd.DataFrame({"zq": codes}))
    assert suggestion.about == about
