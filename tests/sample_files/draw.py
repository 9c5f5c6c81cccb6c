"""Draws columns as people have them: names, addresses, numbers, dates, codes."""

import csv
import datetime
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.sample_files.base import Expectation, sample_file

Draw = Callable[[np.random.Generator, int], Sequence[object]]

GONE = ("identifier",)
"""Direct identifiers: nothing else will do."""
KNOWN = ("quasi-identifier",)
SECRET = ("confidential",)
WEIGHT = ("weight",)
KNOWN_OR_SECRET = ("quasi-identifier", "confidential")
ASK = ("undecided", "quasi-identifier", "confidential")
"""What an expert would look at twice; to let it leave would be wrong."""
GONE_OR_ASK = ("identifier", "undecided")
HARMLESS = ("other", "undecided")

RECORDS = 120

NAMES: Mapping[str, tuple[str, str]] = {
    "en": (
        "Olivia Amelia Jack Harry Priya Mohammed Grace Callum Siobhan Duncan Megan "
        "Rhys "
        "Aisha Thomas Poppy Lewis Freya Oscar Niamh Ewan",
        "Smith Jones Taylor Patel Khan Hughes Wright Thompson O'Brien Campbell Murphy "
        "Walker Shaw Hussain Clarke Mason Fletcher Reid Palmer Whitehead",
    ),
    "de": (
        "Anna Lukas Sabine Jürgen Heike Uwe Fatma Björn Mareike Holger Gudrun Torsten "
        "Yusuf Annegret Dieter Kerstin Ralf Ulrike Emre Leonie",
        "Müller Schmidt Yilmaz Krause Lehmann Köhler Vogel Brandt Nowak Winter Sommer "
        "Öztürk Heinrich Böhm Jäger Kaiser Fuchs Weiß Seidel Hahn",
    ),
    "fr": (
        "Camille Léa Thierry Jean-Luc Amélie Mathilde Karim Sylvie Gérard Nathalie "
        "Benoît "
        "Fatoumata Élodie Pascal Hugo Solène Didier Aurélie Yannick Brigitte",
        "Martin Durand Lefèvre Moreau Benali Girard Roussel Fontaine Traoré Chevalier "
        "Garnier Perrin Dubois Blanchard Marchand Barbier Le Goff Colin Renard Picard",
    ),
    "es": (
        "María Javier Lucía Álvaro Carmen Iker Rocío Sergio Begoña Jordi Pilar Raúl "
        "Marta Nerea Ignacio Dolores Ximena Rubén Laia Gonzalo",
        "García Fernández Ibáñez Muñoz Ortega Castro Delgado Vidal Ramírez Serrano "
        "Molina Iglesias Cabrera Peña Carrasco Soler Domínguez Vega Prieto Nieto",
    ),
    "it": (
        "Giulia Marco Chiara Lorenzo Francesca Alessandro Elisa Matteo Rosa Salvatore "
        "Ilaria Davide Concetta Simone Beatrice Pietro Valentina Luca Ornella Gennaro",
        "Rossi Russo Bianchi Esposito Colombo Ricci Marino Greco Bruno Gallo Conti "
        "De Luca Mancini Costa Giordano Rizzo Lombardi Moretti Barbieri Fontana",
    ),
    "pt": (
        "João Maria Tiago Beatriz Inês Rui Catarina Gonçalo Marta Nuno Leonor Duarte "
        "Sofia Vasco Luísa Rodrigo Carolina Miguel Helena André",
        "Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Sousa "
        "Fernandes "
        "Gonçalves Gomes Lopes Marques Almeida Alves Ribeiro Pinto Carvalho Teixeira",
    ),
    "nl": (
        "Sanne Daan Femke Jeroen Lotte Bram Marijke Pieter Fleur Wouter Anouk Ruud "
        "Mieke Sjoerd Esra Thijs Willemijn Gijs Joke Maarten",
        "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker "
        "Brouwer "
        "Dijkstra Kuipers Vermeulen Kok Schouten Willems Hoekstra Koster",
    ),
    "pl": (
        "Agnieszka Piotr Małgorzata Krzysztof Zofia Tomasz Katarzyna Łukasz Ewa "
        "Wojciech "
        "Magdalena Grzegorz Barbara Paweł Joanna Marek Dorota Michał Beata Jakub",
        "Nowak Kowalski Wiśniewska Wójcik Kowalczyk Kamiński Lewandowska Zieliński "
        "Szymańska Woźniak Dąbrowski Kozłowska Jankowski Mazur Krawczyk Piotrowska "
        "Grabowski Pawłowska Michalski Król",
    ),
    "zh": (
        "伟 芳 娜 秀英 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀兰 霞",
        "王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 高 林 罗",
    ),
    "sv": (
        "Elsa Lars Astrid Björn Ingrid Nils Maja Gustav Sigrid Olle",
        "Andersson Johansson Lindqvist Nyström Bergman Sjöberg Holm Ekström Lund "
        "Wallin",
    ),
    "cs": (
        "Jana Petr Lenka Tomáš Věra Jiří Hana Ondřej Markéta Zdeněk",
        "Novák Svobodová Dvořák Černá Procházka Kučerová Veselý Horáková Němec Pokorná",
    ),
    "ro": (
        "Ioana Andrei Mihaela Bogdan Raluca Vlad Alina Sorin Gabriela Răzvan",
        "Popescu Ionescu Dumitru Stan Gheorghe Rusu Munteanu Matei Constantin Lazăr",
    ),
}


def roles_file(
    name: str,
    columns: Mapping[str, tuple[Collection[str], Draw]],
    kinds: Mapping[str, Collection[str]] | None = None,
    delimiter: str = ",",
    encoding: str = "utf-8",
    records: int = RECORDS,
) -> None:
    """Register a file of which an expert says what its columns are.

    Parameters
    ----------
    name : str
    columns : mapping of str to (roles, draw)
        Acceptable roles, and how the values are drawn.
    kinds : mapping of str to collection of str
    delimiter, encoding : str
    records : int
    """
    expects = Expectation(
        roles={column: roles for column, (roles, _draw) in columns.items()},
        kinds=kinds or {},
    )

    @sample_file(name, expects)
    def _write(path: Path, rng: np.random.Generator) -> None:
        drawn = [draw(rng, records) for _roles, draw in columns.values()]
        with path.open("w", encoding=encoding, newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(columns)
            writer.writerows(zip(*drawn, strict=True))


def of(*values: object, missing: float = 0.0) -> Draw:
    """Draw from values."""

    def draw(rng: np.random.Generator, n: int) -> list[object]:
        drawn_values = [values[i] for i in rng.integers(0, len(values), n)]
        return [None if rng.random() < missing else value for value in drawn_values]

    return draw


def words(text: str, missing: float = 0.0) -> Draw:
    """Draw from the words of a text."""
    return of(*text.split(), missing=missing)


def given(language: str) -> Draw:
    """Draw given names."""
    return words(NAMES[language][0])


def family(language: str) -> Draw:
    """Draw family names."""
    return words(NAMES[language][1])


def full(language: str, form: str = "{given} {family}") -> Draw:
    """Draw whole names in a form."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        pairs = zip(given(language)(rng, n), family(language)(rng, n), strict=True)
        return [form.format(given=a, family=b, initial=str(a)[0]) for a, b in pairs]

    return draw


def made(form: str, low: int = 0, high: int = 10**6) -> Draw:
    """Draw different whole numbers in a form, such as ``P-{:05}``."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        return [
            form.format(number + low) for number in rng.choice(high - low, n, False)
        ]

    return draw


def whole(low: int, high: int, missing: float = 0.0) -> Draw:
    """Draw whole numbers, both ends included."""
    return lambda rng, n: [
        None if rng.random() < missing else int(number)
        for number in rng.integers(low, high + 1, n)
    ]


def real(mean: float, spread: float, decimals: int = 2, comma: bool = False) -> Draw:
    """Draw positive numbers with decimals, in writing."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        drawn = np.abs(rng.normal(mean, spread, n)) + 10.0**-decimals
        texts = [f"{number:.{decimals}f}" for number in drawn]
        return [text.replace(".", ",") if comma else text for text in texts]

    return draw


def day(form: str = "%Y-%m-%d", first: int = 1940, last: int = 2024) -> Draw:
    """Draw days in a form."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        start = datetime.date(first, 1, 1).toordinal()
        end = datetime.date(last, 12, 31).toordinal()
        days = rng.integers(start, end, n)
        return [
            datetime.date.fromordinal(int(ordinal)).strftime(form) for ordinal in days
        ]

    return draw


def mail(language: str, host: str = "example.org") -> Draw:
    """Draw e-mail addresses."""
    from engine.data.propose.names import normalised_words

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        people = full(language)(rng, n)
        return [
            f"{'.'.join(normalised_words(str(name)))}{int(rng.integers(1, 99))}@{host}"
            for name in people
        ]

    return draw


def digits(form: str) -> Draw:
    """Draw a form whose signs ``#`` are digits and ``@`` capital letters."""

    alphabets = {"#": "0123456789", "@": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        signs = [np.array(list(alphabets.get(sign, sign))) for sign in form]
        drawn = [some[rng.integers(0, len(some), n)] for some in signs]
        return ["".join(line) for line in zip(*drawn, strict=True)]

    return draw


def iban(country: str, account: str) -> Draw:
    """Draw account numbers with check digits as in ISO 13616."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        ibans = []
        for account_digits in digits(account)(rng, n):
            number = int(
                "".join(str(int(c, 36)) for c in f"{account_digits}{country}00")
            )
            ibans.append(f"{country}{98 - number % 97:02}{account_digits}")
        return ibans

    return draw


def checked(form: str, module: str) -> Draw:
    """Draw a form of digits until its check digits fit.

    Parameters
    ----------
    form : str
        As in :func:`digits`.
    module : str
        Of python-stdnum.
    """
    import importlib

    valid = importlib.import_module(f"stdnum.{module}").is_valid

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        numbers: list[str] = []
        while len(numbers) < n:
            numbers += [number for number in digits(form)(rng, 500) if valid(number)]
        return numbers[:n]

    return draw


def running(start: int = 1) -> Draw:
    """Count the records."""
    return lambda rng, n: list(range(start, start + n))


def uuids(rng: np.random.Generator, n: int) -> list[str]:
    """Draw UUIDs."""
    return [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(n)]


def street(words_: str, form: str = "{street} {number}") -> Draw:
    """Draw streets with numbers of houses."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        names = words(words_)(rng, n)
        numbers = rng.integers(1, 150, n)
        return [
            form.format(street=str(a).replace("_", " "), number=b)
            for a, b in zip(names, numbers, strict=True)
        ]

    return draw


def sentence(*parts: str) -> Draw:
    """Draw remarks: two parts each, some empty."""

    def draw(rng: np.random.Generator, n: int) -> list[str | None]:
        some = [
            f"{parts[i]} {parts[j]}"
            for i, j in rng.integers(0, len(parts), (n, 2)).tolist()
        ]
        return [
            None if rng.random() < 0.4 else f"{text} ({number})"
            for number, text in enumerate(some)
        ]

    return draw


def firm(names: str, forms: str) -> Draw:
    """Draw names of firms; underscores are blanks."""

    def draw(rng: np.random.Generator, n: int) -> list[str]:
        pairs = zip(words(names)(rng, n), words(forms)(rng, n), strict=True)
        return [
            f"{str(a).replace('_', ' ')} {int(rng.integers(1, 40))} "
            f"{str(b).replace('_', ' ')}"
            for a, b in pairs
        ]

    return draw


def household(size: int = 3) -> Draw:
    """Number households, several records each."""
    return lambda rng, n: [1000 + i // size for i in range(n)]
