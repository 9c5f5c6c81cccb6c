"""What a sample file is, and the list of all of them.

A module of this package registers functions that write one file each::

    @sample_file("turnover.csv", Expectation(n_records=40, numbers={"net": (1.5, 2.0)}))
    def turnover(path: Path, rng: np.random.Generator) -> None:
        write_text(path, ["net;tax", "1,50;0,30", *more(rng)], encoding="cp1252")

Write the first records by hand, so that expectations can name their values, and draw
the others. Every file has a generator of its own: files do not depend on each other.
"""

import datetime
import importlib
import pkgutil
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xlsxwriter

import tests.sample_files

SEED = 15

Write = Callable[[Path, np.random.Generator], None]


@dataclass(frozen=True)
class Expectation:
    """What an expert would say of a file; what is not said is not checked.

    Attributes
    ----------
    roles : mapping of str to collection of str
        Roles that are acceptable for a column.
    kinds : mapping of str to collection of str
        Kinds that are acceptable for a column.
    n_records : int or None
    columns : tuple of str
        All names, in their order.
    numbers : mapping of str to tuple of float
        First values of columns that hold numbers; None where one is missing.
    dates : mapping of str to tuple of str
        First values of columns that hold dates, as in ISO 8601.
    texts : mapping of str to tuple of str
        First values of columns that stay text, to the letter.
    missing : mapping of str to mapping of str to int
        Codes that stand for a missing value, and how often each occurs: those that are
        offered as well as those that are certain.
    asked : collection of str
        Columns of which only people can say how they are to be read.
    left_out : tuple of int
        Rows of the file or sheet, from 1, that are not records, beside names and blank
        rows.
    sheet : str
        Of a workbook.
    """

    roles: Mapping[str, Collection[str]] = field(default_factory=dict)
    kinds: Mapping[str, Collection[str]] = field(default_factory=dict)
    n_records: int | None = None
    columns: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    dates: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    texts: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    asked: Collection[str] = ()
    left_out: tuple[int, ...] | None = None
    sheet: str = ""


@dataclass(frozen=True)
class SampleFile:
    """A file that people could have.

    Attributes
    ----------
    name : str
    expects : Expectation
    write : callable
        Puts it where a path says, drawing from a generator.
    """

    name: str
    expects: Expectation
    write: Write

    def make(self, folder: Path) -> Path:
        """Write the file into a folder, the same bytes each time; return its path."""
        path = folder / self.name
        self.write(path, np.random.default_rng([SEED, zlib.crc32(self.name.encode())]))
        return path


_files: dict[str, SampleFile] = {}


def sample_file(name: str, expects: Expectation) -> Callable[[Write], Write]:
    """Register a function that writes the file of this name."""

    def register(write: Write) -> Write:
        if name in _files:
            raise ValueError(f"two sample files are called {name}")
        _files[name] = SampleFile(name, expects, write)
        return write

    return register


def sample_files() -> tuple[SampleFile, ...]:
    """Return all sample files, by name."""
    for module in pkgutil.iter_modules(tests.sample_files.__path__):
        if not module.name.startswith(("test_", "__")):
            importlib.import_module(f"tests.sample_files.{module.name}")
    return tuple(_files[name] for name in sorted(_files))


def write_all(folder: Path) -> list[Path]:
    """Write every sample file into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return [sample.make(folder) for sample in sample_files()]


def write_text(
    path: Path, lines: Iterable[str], encoding: str = "utf-8", newline: str = "\n"
) -> None:
    """Write lines of text."""
    text = "".join(f"{line}{newline}" for line in lines)
    path.write_bytes(text.encode(encoding))


def write_rows(
    path: Path,
    rows: Iterable[Sequence[object]],
    delimiter: str = ",",
    encoding: str = "utf-8",
    newline: str = "\n",
) -> None:
    """Write rows of cells that need no quotation marks; None is an empty cell."""
    lines = [
        delimiter.join("" if cell is None else str(cell) for cell in row)
        for row in rows
    ]
    write_text(path, lines, encoding, newline)


@dataclass(frozen=True)
class Shown:
    """A number in a workbook, and the format that shows it, such as ``0.0%``."""

    value: float
    number_format: str


def write_sheets(path: Path, **sheets: Sequence[Sequence[Any]]) -> None:
    """Write a workbook; text goes in as text, whatever it looks like."""
    with xlsxwriter.Workbook(path) as book:
        book.set_properties({"created": datetime.datetime(2000, 1, 1)})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, Shown):
                        cell_format = book.add_format(
                            {"num_format": cell.number_format}
                        )
                        sheet.write_number(i, j, cell.value, cell_format)
                    elif isinstance(cell, datetime.date):
                        sheet.write_datetime(i, j, cell, day)
                    elif isinstance(cell, str):
                        sheet.write_string(i, j, cell)
                    elif isinstance(cell, bool):
                        sheet.write_boolean(i, j, cell)
                    elif cell is not None:
                        sheet.write_number(i, j, float(cell))
