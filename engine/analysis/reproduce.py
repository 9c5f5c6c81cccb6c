"""Published figures beside ours: the same table, method and k, digit by digit.

The printed values are those of Kabir, Wang and Zhang (2010), doi:10.1109/ICDM.2010.111,
who quote the tables of earlier papers, and of Wen, Lin and Wang. The tables that they
were measured on are the user's own copies of the CASC reference data; a column of
pairwise systematic figures was measured on values that were not standardised.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from engine.core.context import SILENT, RunContext
from engine.core.errors import InputError
from engine.core.message import Message
from engine.data.table import Table
from engine.files import read_table
from engine.methods import methods
from engine.pipeline.compare import Failure, Result, compare
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

SIZES = {"tarragona": (834, 13), "census": (1080, 13)}
"""Records and attributes by which a reference table is recognised."""

RAW = "pairwise-systematic"
"""The method whose printed column was measured on values as they are."""


@dataclass(frozen=True)
class Printed:
    """One cell of a published table.

    Attributes
    ----------
    dataset, method : str
    k : int
    text : str
        The information loss in per cent, with the digits that were printed.
    source : str
    """

    dataset: str
    method: str
    k: int
    text: str
    source: str

    @property
    def value(self) -> float:
        """The printed information loss in per cent."""
        return float(self.text)

    @property
    def digits(self) -> int:
        """Digits printed after the decimal point."""
        return len(self.text.partition(".")[2])


@dataclass(frozen=True)
class Row:
    """A printed cell beside our figure.

    Attributes
    ----------
    printed : Printed
    scaling : str
        On which our figure was measured.
    ours, bound : float
        Information loss and proven lower bound on that scaling, per cent.
    """

    printed: Printed
    scaling: str
    ours: float
    bound: float

    @property
    def difference(self) -> float:
        """Ours less printed, in per cent of the printed value."""
        return 100.0 * (self.ours - self.printed.value) / self.printed.value

    @property
    def verdict(self) -> Message:
        """What the two numbers say about each other."""
        if f"{self.ours:.{self.printed.digits}f}" == self.printed.text:
            return Message("equal to every printed digit")
        if abs(self.difference) < 0.1:
            return Message("equal within 0.1 %")
        if self.difference > 0:
            return Message("{by:.1f} % higher than printed", by=self.difference)
        return Message("{by:.1f} % lower than printed", by=-self.difference)


@dataclass(frozen=True)
class ScalingRow:
    """The pairwise systematic cell, and what scaling does to it; all per cent.

    Attributes
    ----------
    printed : Printed
    raw, zscored : float
        Our figure on values as they are, and standardised.
    mdav_raw, mdav_zscored : float
        MDAV's on the same terms.
    bound_raw, bound_zscored : float
        What no method can stay below on the same terms.
    """

    printed: Printed
    raw: float
    zscored: float
    mdav_raw: float
    mdav_zscored: float
    bound_raw: float
    bound_zscored: float


@cache
def published() -> tuple[Printed, ...]:
    """Return all printed cells."""
    text = (files("engine.analysis") / "published.csv").read_text(encoding="utf-8")
    return tuple(
        Printed(row["dataset"], row["method"], int(row["k"]), row["il"], row["source"])
        for row in csv.DictReader(text.splitlines())
    )


def cells(dataset: str) -> tuple[Printed, ...]:
    """Return the printed cells of one table whose method exists here."""
    return tuple(
        cell
        for cell in published()
        if cell.dataset == dataset and cell.method in methods
    )


def recognise(table: Table) -> str | None:
    """Return which reference table this is, by its size; None for any other."""
    shape = table.frame.shape
    return next((name for name, size in SIZES.items() if size == shape), None)


def find(folder: Path) -> dict[str, Table]:
    """Read the reference tables in a folder.

    Raises
    ------
    InputError
        If the folder does not exist or holds none of them.
    """
    if not folder.is_dir():
        raise InputError(
            "{folder} is not a folder: name the one with census.csv and tarragona.csv.",
            folder=folder,
        )
    found = {}
    for name in SIZES:
        path = folder / f"{name}.csv"
        if path.is_file():
            table = read_table(path)
            if recognise(table) != name:
                n_records, n_columns = SIZES[name]
                raise InputError(
                    "{file} has {found_records:,} records and {found_columns} columns, "
                    "but the reference table has {n_records:,} and {n_columns}: find a "
                    "copy of the original.",
                    file=path.name,
                    found_records=table.frame.shape[0],
                    found_columns=table.frame.shape[1],
                    n_records=n_records,
                    n_columns=n_columns,
                )
            found[name] = table
    if not found:
        raise InputError(
            "{folder} holds neither census.csv nor tarragona.csv: the CASC project "
            "published both.",
            folder=folder,
        )
    return found


def plans(dataset: str, table: Table) -> tuple[Plan, ...]:
    """Return the runs that the published cells of one table need."""
    columns = tuple(map(str, table.frame.columns))
    wanted = {(cell.method, cell.k, "zscore"): None for cell in cells(dataset)}
    for cell in cells(dataset):
        if cell.method == RAW:
            for method in (RAW, "mdav"):
                for scaling in ("none", "zscore"):
                    wanted[method, cell.k, scaling] = None
    return tuple(
        Plan(method=method, k=k, scaling=scaling, quasi_identifiers=columns)
        for method, k, scaling in wanted
    )


def rows(
    dataset: str, results: Mapping[tuple[str, int, str], Outcome]
) -> tuple[tuple[Row, ...], tuple[ScalingRow, ...]]:
    """Put outcomes beside the printed cells of one table.

    A cell whose outcomes are not all there is left out.

    Parameters
    ----------
    dataset : str
    results : mapping
        Outcomes by (method, k, scaling), as :func:`by_choice` gives them.

    Returns
    -------
    tuple of Row
        All methods but the one below, on z-scores.
    tuple of ScalingRow
        The pairwise systematic column.
    """
    plain, scaled = list[Row](), list[ScalingRow]()
    for cell in cells(dataset):
        wanted = [(cell.method, "zscore")]
        if cell.method == RAW:
            wanted += [(RAW, "none"), ("mdav", "zscore"), ("mdav", "none")]
        found = [results.get((name, cell.k, scaling)) for name, scaling in wanted]
        there = [outcome for outcome in found if outcome is not None]
        if len(there) < len(found):
            continue
        if cell.method == RAW:
            scaled.append(_scaling_row(cell, *there))
        else:
            ours = there[0]
            loss, bound = ours.information_loss, ours.bound.per_cent
            plain.append(Row(cell, "zscore", loss, bound))
    return tuple(plain), tuple(scaled)


def _scaling_row(
    cell: Printed,
    zscored: Outcome,
    raw: Outcome,
    mdav_zscored: Outcome,
    mdav_raw: Outcome,
) -> ScalingRow:
    return ScalingRow(
        printed=cell,
        raw=raw.information_loss,
        zscored=zscored.information_loss,
        mdav_raw=mdav_raw.information_loss,
        mdav_zscored=mdav_zscored.information_loss,
        bound_raw=raw.bound.per_cent,
        bound_zscored=zscored.bound.per_cent,
    )


def by_choice(results: tuple[Result, ...]) -> dict[tuple[str, int, str], Outcome]:
    """Return outcomes by (method, k, scaling); failures are left out."""
    return {
        (result.plan.method, result.plan.k, result.plan.scaling): result
        for result in results
        if isinstance(result, Outcome)
    }


def reproduce(
    folder: Path, ctx: RunContext = SILENT
) -> tuple[tuple[Row, ...], tuple[ScalingRow, ...]]:
    """Run every published cell on the reference tables in a folder.

    Parameters
    ----------
    folder : Path
        With ``census.csv``, ``tarragona.csv`` or both.
    ctx : RunContext

    Raises
    ------
    InputError
        If the folder holds neither, a table is not the original, or a run gave no
        result.
    """
    tables = find(folder)
    plain: list[Row] = []
    scaled: list[ScalingRow] = []
    for position, (name, table) in enumerate(tables.items()):
        part = ctx.part(position / len(tables), (position + 1) / len(tables))
        results = compare(plans(name, table), table, part)
        for result in results:
            if isinstance(result, Failure):
                raise InputError(
                    "{method}, k = {k}, on {file}: {problem}",
                    method=result.plan.method,
                    k=result.plan.k,
                    file=f"{name}.csv",
                    problem=result.message,
                )
        first, second = rows(name, by_choice(results))
        plain += first
        scaled += second
    return tuple(plain), tuple(scaled)
