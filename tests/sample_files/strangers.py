"""Files of other trades: a questionnaire's export, a census, a season, a firm panel."""

from pathlib import Path

import numpy as np

from tests.sample_files.base import Expectation, sample_file, write_rows, write_text

N_QUESTIONS = 30

PROTECTED = ("quasi-identifier",)
OUT = ("identifier",)
WEIGHING = ("weight", "identifier", "undecided")


@sample_file(
    "questionnaire_export.csv",
    Expectation(
        roles={"IPAddress": OUT, "ResponseId": OUT, "Q1": PROTECTED, "Q2": PROTECTED},
        n_records=242,
        numbers={"Q1": (34, 61), "Q3_1": (4, None)},
        texts={"Q2": ("Female", "Male")},
        left_out=(2, 3),
    ),
)
def questionnaire_export(path: Path, rng: np.random.Generator) -> None:
    """Write questions and codes for import below the names, as survey programs do."""
    items = [f"Q3_{number}" for number in range(1, N_QUESTIONS + 1)]
    names = ["StartDate", "IPAddress", "ResponseId", "Q1", "Q2", *items]
    questions = ["Start Date", "IP Address", "Response ID", "How old are you?"]
    questions += [
        "What is your gender?",
        *(f"I like number {name[3:]}" for name in items),
    ]
    codes = [f'"{{""ImportId"":""{name}""}}"' for name in names]
    rows: list[list[object]] = [names, questions, codes]
    opinion = rng.normal(size=(242, 3))
    for i in range(242):
        answers: list[object] = []
        for number in range(N_QUESTIONS):
            drawn = 3 + opinion[i, number % 3] + rng.normal(scale=0.7)
            answers.append(int(np.clip(round(drawn), 1, 5)))
        profile: list[object] = [rng.integers(18, 80), rng.choice(["Female", "Male"])]
        if i < 2:
            profile = [[34, "Female"], [61, "Male"]][i]
            answers[0] = (4, None)[i]
        day = f"2026-03-{rng.integers(1, 29):02} {rng.integers(8, 22):02}:15:00"
        address = ".".join(map(str, rng.integers(1, 255, 4)))
        rows.append(
            [day, address, f"R_{rng.integers(10**9, 10**10)}", *profile, *answers]
        )
    write_rows(path, rows)


@sample_file(
    "census_extract.csv",
    Expectation(
        roles={
            "SERIALNO": OUT,
            "AGEP": PROTECTED,
            "PWGTP": WEIGHING,
            "PWGTP1": WEIGHING,
            "RAC1P": ("quasi-identifier", "undecided"),
        },
        kinds={"RAC1P": ("nominal",), "INDP": ("nominal",)},
        n_records=400,
        numbers={"AGEP": (44, 3), "PINCP": (52000, None)},
    ),
)
def census_extract(path: Path, rng: np.random.Generator) -> None:
    """Write codes of race and industry, weights with replicates, and gaps."""
    weights = ["PWGTP", *(f"PWGTP{number}" for number in range(1, 9))]
    names = ["SERIALNO", "PUMA", "AGEP", "SEX", "RAC1P", "INDP", "WKHP", "PINCP"]
    rows: list[list[object]] = [[*names, *weights]]
    for i in range(400):
        age = (44, 3)[i] if i < 2 else int(rng.integers(0, 95))
        works = age >= 16
        income = 100 * int(rng.lognormal(5.6, 0.8)) if works else None
        weight = rng.integers(20, 180)
        rows.append(
            [
                f"2024HU{1_000_000 + 7 * i}",
                rng.choice(["00101", "00102", "00200"]),
                age,
                rng.integers(1, 3),
                rng.choice([1, 2, 3, 6, 8, 9], p=[0.7, 0.1, 0.02, 0.08, 0.06, 0.04]),
                rng.choice([170, 3895, 6470, 7860, 8680]) if works else None,
                rng.choice([20, 40, 40, 45, 99]) if works else None,
                52000 if i == 0 else income,
                weight,
                *(max(1, weight + rng.integers(-30, 30)) for _ in weights[1:]),
            ]
        )
    write_rows(path, rows)


@sample_file(
    "season_en.csv",
    Expectation(
        roles={"Rk": OUT, "Player": OUT, "Born": PROTECTED},
        n_records=260,
        numbers={"MP": (9, 38), "xG": (8.8, 2.3)},
    ),
)
def season(path: Path, rng: np.random.Generator) -> None:
    """Write players of several seasons with their clubs, goals and prices."""
    first = ["Oliver", "Liam", "Noah", "Jack", "Leo", "Hugo", "Mateo", "Luca"]
    last = ["Williams", "Jones", "Garcia", "Rossi", "Müller", "Novak", "Silva", "Khan"]
    people = [f"{first_name} {other}" for first_name in first for other in last]
    lines = ["Rk,Player,Nation,Pos,Born,MP,Min,Gls,Ast,xG,MarketValue"]
    for i in range(260):
        games = (9, 38)[i] if i < 2 else int(rng.integers(1, 39))
        expected = (8.8, 2.3)[i] if i < 2 else round(float(rng.gamma(1.2, 2.5)), 1)
        cells = [
            i + 1,
            people[i % 64],
            rng.choice(["ENG", "BRA", "FRA", "POR"]),
            rng.choice(["GK", "DF", "MF", "FW"]),
            1986 + (i % 64) // 4,
            games,
            games * int(rng.integers(20, 90)),
            rng.poisson(2),
            rng.poisson(1),
            expected,
            f"€{rng.gamma(2.0, 6.0) + 0.1:.1f}m",
        ]
        lines.append(",".join(map(str, cells)))
    write_text(path, lines)


@sample_file(
    "firm_panel.csv",
    Expectation(
        roles={"vat_id": OUT, "firm": OUT, "turnover_keur": PROTECTED},
        kinds={"nace": ("nominal",)},
        n_records=360,
        numbers={"employees": (42, 43), "turnover_keur": (4891.5, 4380.5)},
    ),
)
def firm_panel(path: Path, rng: np.random.Generator) -> None:
    """Write six years of sixty firms, whose codes and amounts change little."""
    rows: list[list[object]] = [
        ["vat_id", "firm", "year", "nace", "region", "employees", "turnover_keur"]
    ]
    for firm in range(60):
        size = 42 if firm == 0 else int(rng.lognormal(3.2, 1.0)) + 1
        nace = rng.choice(["47.10", "56.21", "41.92", "25.62", "62.01"])
        region = rng.choice(["East", "North", "South", "West"])
        name = f"{rng.choice(['Nowak', 'Meyer', 'Kraus'])} {firm} Bau GmbH"
        for year in range(6):
            turnover = round(size * float(rng.normal(110, 10)), 1)
            if firm == 0 and year < 2:
                turnover = (4891.5, 4380.5)[year]
            rows.append(
                [
                    f"DE8110{firm:05}",
                    name,
                    2017 + year,
                    nace,
                    region,
                    size + year,
                    turnover,
                ]
            )
    write_rows(path, rows)
