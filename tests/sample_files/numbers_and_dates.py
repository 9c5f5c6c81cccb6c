"""Files whose numbers and dates are written as people write them in many places."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from babel.dates import get_month_names

from tests.sample_files.base import Expectation, sample_file, write_text

Draw = Callable[[np.random.Generator, int], str]


def drawn_file(
    name: str,
    header: str,
    *first: str,
    delimiter: str = ";",
    encoding: str = "utf-8",
    **expects: Any,
) -> Callable[[Draw], Draw]:
    """Register a file of some lines and forty drawn ones, cells parted by ``|``.

    Expectations are named as in :class:`Expectation`.
    """

    def register(draw: Draw) -> Draw:
        def write(path: Path, rng: np.random.Generator) -> None:
            lines = [header, *first, *(draw(rng, i) for i in range(40))]
            write_text(path, [line.replace("|", delimiter) for line in lines], encoding)

        n_records = len(first) + 40
        sample_file(name, Expectation(n_records=n_records, **expects))(write)
        return draw

    return register


def _grouped(value: float, decimals: int, group: str, decimal: str) -> str:
    text = f"{value:,.{decimals}f}"
    return text.translate(str.maketrans({",": group, ".": decimal}))


@drawn_file(
    "umsatz_de.csv",
    "PLZ|Umsatz|Anteil|Datum",
    "01067|1.978.593,18|12,5 %|31.12.2025",
    "80331|950,00|3,0 %|01.02.2024",
    encoding="cp1252",
    numbers={"Umsatz": (1978593.18, 950.0), "Anteil": (12.5, 3.0)},
    dates={"Datum": ("2025-12-31", "2024-02-01")},
    texts={"PLZ": ("01067", "80331")},
)
def umsatz_de(rng: np.random.Generator, i: int) -> str:
    amount = _grouped(rng.uniform(500, 3e6), 2, ".", ",")
    share = _grouped(rng.uniform(0, 40), 1, ".", ",")
    return f"{rng.integers(10000, 99999)}|{amount}|{share} %|0{1 + i % 9}.11.2023"


@drawn_file(
    "betrag_ch.csv",
    "Konto|Betrag",
    "K1|1'978'593.18",
    "K2|-950.50",
    numbers={"Betrag": (1978593.18, -950.5)},
)
def betrag_ch(rng: np.random.Generator, i: int) -> str:
    return f"K{i % 5}|{_grouped(rng.uniform(-5e4, 3e6), 2, chr(39), '.')}"


@drawn_file(
    "montant_fr.csv",
    "montant|date",
    "1\u00a0978\u00a0593,18 €|25/12/2024",
    "12,50 €|03/01/2024",
    numbers={"montant": (1978593.18, 12.5)},
    dates={"date": ("2024-12-25", "2024-01-03")},
)
def montant_fr(rng: np.random.Generator, i: int) -> str:
    amount = _grouped(rng.uniform(1, 3e6), 2, "\u00a0", ",")
    return f"{amount} €|{1 + i % 28:02}/{1 + i % 12:02}/2024"


@drawn_file(
    "sales_us.csv",
    "zip|sales|sold",
    '02139|"$1,200"|12/31/25',
    '94107|"($350)"|01/02/25',
    delimiter=",",
    numbers={"sales": (1200.0, -350.0)},
    dates={"sold": ("2025-12-31", "2025-01-02")},
    texts={"zip": ("02139", "94107")},
)
def sales_us(rng: np.random.Generator, i: int) -> str:
    zip_code = f"{rng.integers(501, 99950):05}"
    day = f"{1 + i % 12:02}/{1 + i % 28:02}/25"
    return f'{zip_code}|"${rng.integers(1, 90) * 100:,}"|{day}'


def lakh(value: int) -> str:
    text = str(value)
    head, tail = text[:-3], text[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*pairs, tail])


@drawn_file(
    "lakh_in.csv",
    "district|income",
    f'D1|"{lakh(1234567)}"',
    f'D2|"{lakh(98000)}"',
    delimiter=",",
    numbers={"income": (1234567, 98000)},
)
def lakh_in(rng: np.random.Generator, i: int) -> str:
    return f'D{i % 6}|"{lakh(int(rng.integers(50_000, 9_000_000)))}"'


@drawn_file(
    "saldo_sap.csv",
    "konto|saldo",
    "1|1.200,50",
    "2|300,25-",
    numbers={"saldo": (1200.5, -300.25)},
)
def saldo_sap(rng: np.random.Generator, i: int) -> str:
    amount = _grouped(rng.uniform(10, 9000), 2, ".", ",")
    return f"{i % 7}|{amount}{'-' if i % 4 == 0 else ''}"


@drawn_file(
    "undecided_dates.csv",
    "seen|n",
    "02/03/2024|3",
    "04/01/2024|4",
    delimiter=",",
    texts={"seen": ("02/03/2024", "04/01/2024")},
    asked=("seen",),
)
def undecided_dates(rng: np.random.Generator, i: int) -> str:
    return f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/2024|{rng.integers(1, 9)}"


@drawn_file(
    "undecided_thousands.csv",
    "wert|gruppe",
    "1.234|1",
    "5.678|2",
    texts={"wert": ("1.234", "5.678")},
    asked=("wert",),
)
def undecided_thousands(rng: np.random.Generator, i: int) -> str:
    return f"{_grouped(int(rng.integers(1000, 9999)), 0, '.', ',')}|{i % 3}"


MONTHS_EN = get_month_names("abbreviated", locale="en")


@drawn_file(
    "months_en.csv",
    "born|month|quarter|day|year",
    "31 Dec 1975|2025-12|2025Q4|20251231|2025",
    "1 Feb 1980|2024-01|2024Q1|20240115|2024",
    delimiter=",",
    dates={
        "born": ("1975-12-31", "1980-02-01"),
        "month": ("2025-12-01", "2024-01-01"),
        "quarter": ("2025-10-01", "2024-01-01"),
        "day": ("2025-12-31", "2024-01-15"),
    },
    numbers={"year": (2025, 2024)},
)
def months_en(rng: np.random.Generator, i: int) -> str:
    day, month = int(rng.integers(1, 29)), int(rng.integers(1, 13))
    born = f"{day} {MONTHS_EN[month]} {rng.integers(1940, 2005)}"
    whole = f"2023{month:02}{day:02}"
    return f"{born}|2023-{month:02}|2023Q{1 + i % 4}|{whole}|{2020 + i % 5}"


MONTHS_IT = get_month_names("wide", locale="it")


@drawn_file(
    "mesi_it.csv",
    "data|spesa",
    "14 marzo 2024|€ 12,50",
    "1 agosto 2023|€ 1.200,00",
    dates={"data": ("2024-03-14", "2023-08-01")},
    numbers={"spesa": (12.5, 1200.0)},
)
def mesi_it(rng: np.random.Generator, i: int) -> str:
    spent = _grouped(rng.uniform(5, 3000), 2, ".", ",")
    return f"{1 + i % 28} {MONTHS_IT[1 + i % 12]} 2022|€ {spent}"


@drawn_file(
    "sentinels.csv",
    "age|trust|income|points|job",
    "34|5|2150|1,5|Koch",
    "-9|99|999999|k.A.|Maler",
    numbers={"age": (34, -9), "income": (2150, 999999), "points": (1.5, None)},
    missing={
        "age": {"-9": 2},
        "trust": {"98": 3, "99": 4},
        "income": {"999999": 3},
        "points": {"k.A.": 2},
        "job": {"keine Angabe": 2},
    },
)
def sentinels(rng: np.random.Generator, i: int) -> str:
    age = -9 if i == 5 else rng.integers(18, 90)
    trust = 99 if i in (3, 9, 12) else 98 if i in (1, 7, 30) else i % 11
    income = 999999 if i in (8, 20) else rng.integers(900, 6000)
    points = "k.A." if i == 2 else _grouped(rng.uniform(1, 5), 1, "", ",")
    job = "keine Angabe" if i % 18 == 4 else rng.choice(["Koch", "Maler"])
    return f"{age}|{trust}|{income}|{points}|{job}"


@drawn_file(
    "codes_stay.csv",
    "phone|mobile|plz|konto",
    "+49 30 1234567|612 345 678|01067|0012345678",
    "+49 40 7654321|699 111 222|12345|9912345678",
    texts={
        "phone": ("+49 30 1234567", "+49 40 7654321"),
        "mobile": ("612 345 678", "699 111 222"),
        "plz": ("01067", "12345"),
        "konto": ("0012345678", "9912345678"),
    },
)
def codes_stay(rng: np.random.Generator, i: int) -> str:
    mobile = f"6{rng.integers(10, 99)} {rng.integers(100, 999)} 123"
    phone = f"+49 {rng.integers(30, 99)} {rng.integers(1000000, 9999999)}"
    return f"{phone}|{mobile}|{rng.integers(10000, 99999)}|00{i:08}"
