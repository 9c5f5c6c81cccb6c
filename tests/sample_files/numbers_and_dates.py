"""Files whose numbers and dates are written as people write them in many places."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.sample_files.base import Expectation, sample_file, write_text

Draw = Callable[[np.random.Generator, int], str]


def _file(
    path: Path,
    rng: np.random.Generator,
    header: str,
    first: list[str],
    draw: Draw,
    delimiter: str = ";",
    encoding: str = "utf-8",
) -> None:
    lines = [header, *first, *(draw(rng, i) for i in range(40))]
    write_text(path, [line.replace("|", delimiter) for line in lines], encoding)


def _grouped(value: float, decimals: int, group: str, decimal: str) -> str:
    text = f"{value:,.{decimals}f}"
    return text.translate(str.maketrans({",": group, ".": decimal}))


@sample_file(
    "umsatz_de.csv",
    Expectation(
        n_records=42,
        numbers={"Umsatz": (1978593.18, 950.0), "Anteil": (12.5, 3.0)},
        dates={"Datum": ("2025-12-31", "2024-02-01")},
        texts={"PLZ": ("01067", "80331")},
    ),
)
def umsatz_de(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        amount = _grouped(rng.uniform(500, 3e6), 2, ".", ",")
        share = _grouped(rng.uniform(0, 40), 1, ".", ",")
        return f"{rng.integers(10000, 99999)}|{amount}|{share} %|0{1 + i % 9}.11.2023"

    first = ["01067|1.978.593,18|12,5 %|31.12.2025", "80331|950,00|3,0 %|01.02.2024"]
    _file(path, rng, "PLZ|Umsatz|Anteil|Datum", first, draw, encoding="cp1252")


@sample_file(
    "betrag_ch.csv",
    Expectation(n_records=42, numbers={"Betrag": (1978593.18, -950.5)}),
)
def betrag_ch(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        return f"K{i % 5}|{_grouped(rng.uniform(-5e4, 3e6), 2, chr(39), '.')}"

    first = ["K1|1'978'593.18", "K2|-950.50"]
    _file(path, rng, "Konto|Betrag", first, draw)


@sample_file(
    "montant_fr.csv",
    Expectation(
        n_records=42,
        numbers={"montant": (1978593.18, 12.5)},
        dates={"date": ("2024-12-25", "2024-01-03")},
    ),
)
def montant_fr(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        amount = _grouped(rng.uniform(1, 3e6), 2, "\u00a0", ",")
        return f"{amount} €|{1 + i % 28:02}/{1 + i % 12:02}/2024"

    first = ["1\u00a0978\u00a0593,18 €|25/12/2024", "12,50 €|03/01/2024"]
    _file(path, rng, "montant|date", first, draw)


@sample_file(
    "sales_us.csv",
    Expectation(
        n_records=42,
        numbers={"sales": (1200.0, -350.0)},
        dates={"sold": ("2025-12-31", "2025-01-02")},
        texts={"zip": ("02139", "94107")},
    ),
)
def sales_us(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        zip_code = f"{rng.integers(501, 99950):05}"
        day = f"{1 + i % 12:02}/{1 + i % 28:02}/25"
        return f'{zip_code}|"${rng.integers(1, 90) * 100:,}"|{day}'

    first = ['02139|"$1,200"|12/31/25', '94107|"($350)"|01/02/25']
    _file(path, rng, "zip|sales|sold", first, draw, ",")


@sample_file(
    "lakh_in.csv", Expectation(n_records=42, numbers={"income": (1234567, 98000)})
)
def lakh_in(path: Path, rng: np.random.Generator) -> None:
    def lakh(value: int) -> str:
        text = str(value)
        head, tail = text[:-3], text[-3:]
        pairs = []
        while head:
            pairs.insert(0, head[-2:])
            head = head[:-2]
        return ",".join([*pairs, tail])

    def draw(rng: np.random.Generator, i: int) -> str:
        return f'D{i % 6}|"{lakh(int(rng.integers(50_000, 9_000_000)))}"'

    first = [f'D1|"{lakh(1234567)}"', f'D2|"{lakh(98000)}"']
    _file(path, rng, "district|income", first, draw, ",")


@sample_file(
    "saldo_sap.csv", Expectation(n_records=42, numbers={"saldo": (1200.5, -300.25)})
)
def saldo_sap(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        amount = _grouped(rng.uniform(10, 9000), 2, ".", ",")
        return f"{i % 7}|{amount}{'-' if i % 4 == 0 else ''}"

    _file(path, rng, "konto|saldo", ["1|1.200,50", "2|300,25-"], draw)


@sample_file(
    "undecided_dates.csv",
    Expectation(
        n_records=42, texts={"seen": ("02/03/2024", "04/01/2024")}, asked=("seen",)
    ),
)
def undecided_dates(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        return f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/2024|{rng.integers(1, 9)}"

    _file(path, rng, "seen|n", ["02/03/2024|3", "04/01/2024|4"], draw, ",")


@sample_file(
    "undecided_thousands.csv",
    Expectation(n_records=42, texts={"wert": ("1.234", "5.678")}, asked=("wert",)),
)
def undecided_thousands(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        return f"{_grouped(int(rng.integers(1000, 9999)), 0, '.', ',')}|{i % 3}"

    _file(path, rng, "wert|gruppe", ["1.234|1", "5.678|2"], draw)


@sample_file(
    "months_en.csv",
    Expectation(
        n_records=42,
        dates={
            "born": ("1975-12-31", "1980-02-01"),
            "month": ("2025-12-01", "2024-01-01"),
            "quarter": ("2025-10-01", "2024-01-01"),
            "day": ("2025-12-31", "2024-01-15"),
        },
        numbers={"year": (2025, 2024)},
    ),
)
def months_en(path: Path, rng: np.random.Generator) -> None:
    names = [
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
        "Dec",
    ]

    def draw(rng: np.random.Generator, i: int) -> str:
        day, month = int(rng.integers(1, 29)), int(rng.integers(1, 13))
        born = f"{day} {names[month - 1]} {rng.integers(1940, 2005)}"
        whole = f"2023{month:02}{day:02}"
        return f"{born}|2023-{month:02}|2023Q{1 + i % 4}|{whole}|{2020 + i % 5}"

    first = ["31 Dec 1975|2025-12|2025Q4|20251231|2025"]
    first += ["1 Feb 1980|2024-01|2024Q1|20240115|2024"]
    _file(path, rng, "born|month|quarter|day|year", first, draw, ",")


@sample_file(
    "mesi_it.csv",
    Expectation(
        n_records=42,
        dates={"data": ("2024-03-14", "2023-08-01")},
        numbers={"spesa": (12.5, 1200.0)},
    ),
)
def mesi_it(path: Path, rng: np.random.Generator) -> None:
    names = [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ]

    def draw(rng: np.random.Generator, i: int) -> str:
        spent = _grouped(rng.uniform(5, 3000), 2, ".", ",")
        return f"{1 + i % 28} {names[i % 12]} 2022|€ {spent}"

    _file(
        path,
        rng,
        "data|spesa",
        ["14 marzo 2024|€ 12,50", "1 agosto 2023|€ 1.200,00"],
        draw,
    )


@sample_file(
    "sentinels.csv",
    Expectation(
        n_records=42,
        numbers={"age": (34, -9), "income": (2150, 999999), "points": (1.5, None)},
        missing={
            "age": {"-9": 2},
            "trust": {"98": 3, "99": 4},
            "income": {"999999": 3},
            "points": {"k.A.": 2},
            "job": {"keine Angabe": 2},
        },
    ),
)
def sentinels(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        age = -9 if i == 5 else rng.integers(18, 90)
        trust = 99 if i in (3, 9, 12) else 98 if i in (1, 7, 30) else i % 11
        income = 999999 if i in (8, 20) else rng.integers(900, 6000)
        points = "k.A." if i == 2 else _grouped(rng.uniform(1, 5), 1, "", ",")
        job = "keine Angabe" if i % 18 == 4 else rng.choice(["Koch", "Maler"])
        return f"{age}|{trust}|{income}|{points}|{job}"

    first = ["34|5|2150|1,5|Koch", "-9|99|999999|k.A.|Maler"]
    _file(path, rng, "age|trust|income|points|job", first, draw)


@sample_file(
    "codes_stay.csv",
    Expectation(
        n_records=42,
        texts={
            "phone": ("+49 30 1234567", "+49 40 7654321"),
            "mobile": ("612 345 678", "699 111 222"),
            "plz": ("01067", "12345"),
            "konto": ("0012345678", "9912345678"),
        },
    ),
)
def codes_stay(path: Path, rng: np.random.Generator) -> None:
    def draw(rng: np.random.Generator, i: int) -> str:
        mobile = f"6{rng.integers(10, 99)} {rng.integers(100, 999)} 123"
        phone = f"+49 {rng.integers(30, 99)} {rng.integers(1000000, 9999999)}"
        return f"{phone}|{mobile}|{rng.integers(10000, 99999)}|00{i:08}"

    first = ["+49 30 1234567|612 345 678|01067|0012345678"]
    first += ["+49 40 7654321|699 111 222|12345|9912345678"]
    _file(path, rng, "phone|mobile|plz|konto", first, draw)
