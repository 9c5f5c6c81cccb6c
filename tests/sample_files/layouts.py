"""Files with more around the table than the table: titles, units, totals, notes."""

import datetime
from pathlib import Path

import numpy as np

from tests.sample_files.base import (
    Expectation,
    Shown,
    sample_file,
    write_rows,
    write_sheets,
    write_text,
)

REGIONS = ("Nord", "Süd", "Ost", "West")


def _comma(value: float, decimals: int = 1) -> str:
    return f"{value:.{decimals}f}".replace(".", ",")


@sample_file(
    "titel_und_summe_de.csv",
    Expectation(
        n_records=42,
        columns=("Region", "Umsatz", "Beschäftigte"),
        numbers={"Umsatz": (1250.5, 980.0), "Beschäftigte": (12, 9)},
        texts={"Region": ("Nord", "Süd")},
        left_out=(1, 2, 5, 48, 50),
    ),
)
def titel_und_summe(path: Path, rng: np.random.Generator) -> None:
    lines = [
        "Umsatz der Betriebe 2024",
        "Stand:;31.12.2024",
        "",
        "Region;Umsatz;Beschäftigte",
        ";EUR;Anzahl",
        "Nord;1250,5;12",
        "Süd;980,0;9",
    ]
    for _ in range(40):
        amount = _comma(float(rng.normal(1000, 100)))
        lines.append(f"{rng.choice(REGIONS)};{amount};{rng.integers(3, 40)}")
    lines += ["Summe;42123,4;800", "", "Quelle: Statistisches Amt, eigene Berechnung"]
    write_text(path, lines, encoding="cp1252", newline="\r\n")


@sample_file(
    "two_header_rows.csv",
    Expectation(
        n_records=30,
        columns=("Region", "2022 / net", "2022 / tax", "2023 / net", "2023 / tax"),
        numbers={"2022 / net": (10.5,), "2023 / tax": (3.25,)},
        left_out=(1,),
    ),
)
def two_header_rows(path: Path, rng: np.random.Generator) -> None:
    lines = [
        "Turnover by region,,,,",
        ",2022,,2023,",
        "Region,net,tax,net,tax",
        "North,10.5,1.25,12.5,3.25",
    ]
    for _ in range(29):
        cells = ",".join(f"{x:.2f}" for x in rng.uniform(1, 20, 4))
        lines.append(f"{rng.choice(['North', 'South'])},{cells}")
    write_text(path, lines)


@sample_file(
    "sep_line_and_bom.csv",
    Expectation(n_records=25, columns=("a", "b"), numbers={"a": (1, 2), "b": (0.5,)}),
)
def sep_line_and_bom(path: Path, rng: np.random.Generator) -> None:
    lines = ["sep=;", "a;b", "1;0,5", "2;1,5"]
    lines += [f"{i};{_comma(float(rng.uniform(0, 9)))}" for i in range(3, 26)]
    write_text(path, lines, encoding="utf-8-sig", newline="\r\n")


@sample_file(
    "empty_columns.csv",
    Expectation(
        n_records=30,
        columns=("clinic", "age", "bmi"),
        numbers={"age": (54, 37), "bmi": (24.5, 31.0)},
        left_out=(2,),
    ),
)
def empty_columns(path: Path, rng: np.random.Generator) -> None:
    rows: list[list[object]] = [
        [None] * 6,
        [None, "Patients admitted in spring", None, None, None, None],
        [None] * 6,
        [None, "clinic", "age", None, "bmi", None],
        [None, "A", 54, None, 24.5, None],
        [None, "B", 37, None, 31.0, None],
    ]
    for _ in range(28):
        bmi = round(float(rng.normal(26, 3)), 1)
        clinic = rng.choice(["A", "B"])
        rows.append([None, clinic, rng.integers(18, 90), None, bmi, None])
    write_rows(path, rows)


@sample_file(
    "repeated_header.csv",
    Expectation(n_records=60, columns=("day", "visits"), numbers={"visits": (31, 28)}),
)
def repeated_header(path: Path, rng: np.random.Generator) -> None:
    lines = ["day,visits", "2024-01-01,31", "2024-01-02,28"]
    for i in range(58):
        if i in (18, 38):
            lines.append("day,visits")
        lines.append(f"2024-{1 + i % 12:02}-{1 + i % 28:02},{rng.integers(5, 60)}")
    write_text(path, lines)


@sample_file(
    "footnotes_fr.csv",
    Expectation(
        n_records=30,
        columns=("commune", "habitants", "revenu médian"),
        numbers={"habitants": (12850, 942), "revenu médian": (21350.5, 19870.0)},
        left_out=(1, 34, 35, 36),
    ),
)
def footnotes_fr(path: Path, rng: np.random.Generator) -> None:
    narrow = "\u202f"

    def grouped(value: float, decimals: int) -> str:
        text = f"{value:,.{decimals}f}".replace(",", narrow)
        return text.replace(".", ",")

    lines = [
        "Revenus par commune en 2023;;",
        ";;",
        "commune;habitants;revenu médian",
        f"Arles;{grouped(12850, 0)};{grouped(21350.5, 1)}",
        f"Bages;942;{grouped(19870, 1)}",
    ]
    for i in range(28):
        people = grouped(int(rng.integers(200, 30000)), 0)
        lines.append(f"Ville{i};{people};{grouped(float(rng.normal(21000, 900)), 1)}")
    lines += [
        "Ensemble;812 345;20 950,0",
        "Source : Insee, fichier localisé",
        "Note : revenus déclarés par les ménages",
    ]
    write_text(path, lines)


@sample_file(
    "notes_sheet.xlsx",
    Expectation(
        n_records=35,
        sheet="Daten",
        columns=("Betrieb", "Umsatz", "Gründung"),
        numbers={"Umsatz": (120.5, 99.0)},
        dates={"Gründung": ("1999-04-01", "2005-10-15")},
        left_out=(1, 39),
    ),
)
def notes_sheet(path: Path, rng: np.random.Generator) -> None:
    notes = [["Hinweise"], ["Diese Datei enthält Betriebe."], ["Stand 2024"]]
    code = [["Schlüssel", "Bedeutung"]] + [[f"K{i}", f"Klasse {i}"] for i in range(90)]
    rows: list[list[object]] = [
        ["Betriebe in der Region", None, None],
        [None, None, None],
        ["Betrieb", "Umsatz", "Gründung"],
        ["Huber", 120.5, datetime.date(1999, 4, 1)],
        ["Maier", 99.0, datetime.date(2005, 10, 15)],
    ]
    for i in range(33):
        year = int(rng.integers(1980, 2020))
        amount = round(float(rng.normal(100, 9)), 1)
        rows.append([f"Firma {i}", amount, datetime.date(year, 1 + i % 12, 3)])
    rows.append(["Gesamt", 3500.0, None])
    write_sheets(path, Hinweise=notes, Daten=rows, Schlüssel=code)


@sample_file(
    "text_cells.xlsx",
    Expectation(
        n_records=32,
        columns=("plz", "betrag", "datum", "anteil"),
        numbers={"betrag": (1234.5, 980.25), "anteil": (0.125, 0.5)},
        dates={"datum": ("2024-12-31", "2023-02-01")},
        texts={"plz": ("01067", "80331")},
    ),
)
def text_cells(path: Path, rng: np.random.Generator) -> None:
    rows: list[list[object]] = [
        ["plz", "betrag", "datum", "anteil"],
        ["01067", "1.234,50", "31.12.2024", Shown(0.125, "0.0%")],
        ["80331", "980,25", "01.02.2023", Shown(0.5, "0.0%")],
    ]
    for i in range(30):
        amount = f"{rng.uniform(100, 5000):,.2f}"
        amount = amount.translate(str.maketrans(",.", ".,"))
        day = f"{1 + i % 28:02}.{1 + i % 12:02}.2022"
        share = Shown(round(float(rng.uniform()), 3), "0.0%")
        rows.append([f"{rng.integers(10000, 99999)}", amount, day, share])
    write_sheets(path, Tabelle1=rows)


@sample_file(
    "合计.csv",
    Expectation(
        n_records=30,
        columns=("地区", "收入", "人数"),
        numbers={"收入": (5200.5, 4100.0), "人数": (3, 5)},
        left_out=(1, 33),
    ),
)
def total_zh(path: Path, rng: np.random.Generator) -> None:
    lines = ["2023年各地区收入,,", "地区,收入,人数", "北京,5200.5,3", "上海,4100.0,5"]
    for _ in range(28):
        income = f"{rng.normal(4500, 300):.1f}"
        lines.append(f"{rng.choice(['北京', '上海'])},{income},{rng.integers(1, 9)}")
    lines.append("合计,138000.5,150")
    write_text(path, lines, encoding="utf-8-sig")


@sample_file(
    "only_words.csv",
    Expectation(n_records=30, columns=("city", "colour", "team"), left_out=(1,)),
)
def only_words(path: Path, rng: np.random.Generator) -> None:
    lines = ["Teams in the league", "", "city,colour,team"]
    for i in range(30):
        colour = rng.choice(["red", "blue", "green"])
        lines.append(f"City{i % 7},{colour},Team {i}")
    write_text(path, lines)
