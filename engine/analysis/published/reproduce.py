"""Published losses compared with this program's for the same table, method and k.

What was printed, and on which basis it may have been measured, is in
:mod:`engine.analysis.published.literature`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.analysis.published.literature import (
    DATASET_SHAPES,
    RAW_VALUES_METHOD,
    LossBasis,
    PrintedCell,
    cells_apart,
    possible_loss_bases,
    runnable_cells,
)
from engine.analysis.published.proven import (
    ProvenOptimum,
    best_known_losses_by_cell,
    has_published_values,
)
from engine.core.errors import InputError
from engine.core.message import Message
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.compare import Failure, Result, compare
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

Choice = tuple[str, int, str, int]
"""Method, k, scaling and number of attributes of a run."""

VERDICT_KINDS = ("equal", "slip", "close", "lower", "higher", "impossible")


@dataclass(frozen=True)
class ComparisonRow:
    """A published loss and this program's loss for the same cell.

    Attributes
    ----------
    printed : PrintedCell
    basis : LossBasis
        On which the column of the printed table comes out, or is nearest to it.
    ours, bound : float
        Information loss and proven lower bound on this basis, per cent.
    others : tuple of (LossBasis, float)
        Our figures on the other bases that were tried.
    optimum : ProvenOptimum or None
        What is proven of the best groups on this basis.
    """

    printed: PrintedCell
    basis: LossBasis
    ours: float
    bound: float
    others: tuple[tuple[LossBasis, float], ...] = ()
    optimum: ProvenOptimum | None = None

    @property
    def relative_difference(self) -> float:
        """Our loss minus the printed one, in per cent of the printed one."""
        return 100.0 * (self.ours - self.printed.value) / self.printed.value

    @property
    def is_impossible(self) -> bool:
        """Whether the printed loss is below the proven lower bound."""
        return self.printed.max_rounded < self.strongest_bound

    @property
    def strongest_bound(self) -> float:
        """Highest proven lower bound of the loss, per cent."""
        proven = 0.0 if self.optimum is None else self.optimum.bound
        return max(self.bound, proven)

    @property
    def printed_excess(self) -> float | None:
        """Excess of the printed loss over the smallest known one, in per cent of it."""
        if self.optimum is None:
            return None
        return self.optimum.excess(self.printed.value)

    @property
    def is_equal(self) -> bool:
        """Whether our loss, rounded, equals the printed digits, and not by chance."""
        decimals = self.printed.decimals
        text, printed_text = (
            f"{loss:.{decimals}f}" for loss in (self.ours, self.printed.value)
        )
        return self.printed.spread is None and text == printed_text

    @property
    def is_within_spread(self) -> bool:
        """Whether our draw is within two deviations of the mean of those printed."""
        spread = self.printed.spread
        return spread is not None and abs(self.ours - self.printed.value) <= 2 * spread

    @property
    def is_slip(self) -> bool:
        """Whether our loss equals the printed one after its misprint is corrected."""
        text = f"{self.ours:.{self.printed.decimals}f}"
        return text == self.printed.corrected_text

    @property
    def verdict_text(self) -> Message:
        """Verdict on how the two losses compare."""
        if self.is_equal:
            return Message("equal to every printed digit")
        if self.is_slip:
            return Message("equal but for a slip of one printed digit")
        if self.is_impossible:
            return Message("proven impossible")
        if self.is_within_spread:
            return Message("within two deviations of the printed mean of draws")
        if abs(self.relative_difference) < 0.1:
            return Message("equal within 0.1 %")
        if self.relative_difference > 0:
            return Message(
                "{by:.1f} % higher than printed", by=self.relative_difference
            )
        return Message("{by:.1f} % lower than printed", by=-self.relative_difference)

    @property
    def difference_reason(self) -> Message | None:
        """Known reason why the losses differ; else None."""
        return None if self.is_equal else self.printed.open_reason


@dataclass(frozen=True)
class RawAndZscoreRow:
    """A cell of the pairwise systematic method, with losses and bounds on two scalings.

    Attributes
    ----------
    printed : PrintedCell
    raw, zscored : float
        Our figure on values as they are, and standardised.
    mdav_raw, mdav_zscored : float
        MDAV's on the same basis.
    bound_raw, bound_zscored : float
        What no method can stay below on the same basis.
    without : tuple of str
        Columns of the table that are left out.
    optimum : ProvenOptimum or None
        What is proven of the best groups of values as they are.
    """

    printed: PrintedCell
    raw: float
    zscored: float
    mdav_raw: float
    mdav_zscored: float
    bound_raw: float
    bound_zscored: float
    without: tuple[str, ...] = ()
    optimum: ProvenOptimum | None = None

    @property
    def is_impossible(self) -> bool:
        """Whether the printed loss is below the proven bound for z-scores."""
        return self.printed.max_rounded < self.bound_zscored

    def row_on(self, scaling: str) -> ComparisonRow:
        """Return the cell compared with our loss on one scaling."""
        loss, bound = (
            (self.raw, self.bound_raw)
            if scaling == "none"
            else (self.zscored, self.bound_zscored)
        )
        optimum = self.optimum if scaling == "none" else None
        basis = LossBasis(scaling, self.without)
        return ComparisonRow(self.printed, basis, loss, bound, optimum=optimum)


def recognise_dataset(table: Table) -> str | None:
    """Return the name of the reference table of this shape; None if no shape fits."""
    shape = table.frame.shape
    return next((name for name, size in DATASET_SHAPES.items() if size == shape), None)


def read_reference_tables(folder: Path) -> dict[str, Table]:
    """Return the reference tables in a folder, read from their files, by name.

    Raises
    ------
    InputError
        If the folder does not exist or holds none of them, or one has another shape.
    """
    if not folder.is_dir():
        raise InputError(
            "{folder} is not a folder: name the one with census.csv, "
            "tarragona.csv or eia.csv.",
            folder=folder,
        )
    tables = {}
    for name in DATASET_SHAPES:
        path = folder / f"{name}.csv"
        if path.is_file():
            table = read_table(path)
            if recognise_dataset(table) != name:
                n_records, n_columns = DATASET_SHAPES[name]
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
            tables[name] = table
    if not tables:
        raise InputError(
            "{folder} holds neither census.csv nor tarragona.csv nor eia.csv: the CASC "
            "project published them.",
            folder=folder,
        )
    return tables


def plans_to_reproduce(dataset: str, table: Table) -> tuple[Plan, ...]:
    """Return the plans needed to reproduce the published figures of one dataset."""
    names = tuple(map(str, table.frame.columns))
    runs: dict[tuple[str, tuple[tuple[str, str], ...], int, LossBasis], None] = {}
    for cell in runnable_cells(dataset):
        for basis in possible_loss_bases(dataset):
            runs[cell.method, cell.parameters, cell.k, basis] = None
            if cell.method == RAW_VALUES_METHOD:
                for method in (RAW_VALUES_METHOD, "mdav"):
                    for scaling in ("none", "zscore"):
                        other = LossBasis(scaling, basis.without)
                        runs[method, (), cell.k, other] = None
    return tuple(
        Plan(
            method=method,
            k=k,
            parameters=dict(parameters),
            scaling=basis.scaling,
            quasi_identifiers=basis.attribute_columns(names),
        )
        for method, parameters, k, basis in runs
    )


def comparison_and_scaling_rows(
    dataset: str, outcomes: Mapping[Choice, Outcome], *, is_known: bool = False
) -> tuple[tuple[ComparisonRow, ...], tuple[RawAndZscoreRow, ...]]:
    """Return comparison rows and scaling rows for one table's printed cells.

    A cell whose outcomes are not all there is left out. Where several bases are
    possible, all cells of a printed column are on those to which the column as a
    whole is nearest: a single cell may be near the others by chance.

    Parameters
    ----------
    dataset : str
    outcomes : mapping
        Outcomes by method, k, scaling and number of attributes, as
        :func:`outcomes_by_choices` gives them.
    is_known : bool
        Whether the values are those of :func:`has_published_values`: proofs of the
        best groups are about them.

    Returns
    -------
    tuple of ComparisonRow
        Cells of all methods but the pairwise systematic one, on z-scores.
    tuple of RawAndZscoreRow
        Cells of the pairwise systematic method.
    """
    columns: dict[str, list[PrintedCell]] = {}
    for cell in runnable_cells(dataset):
        columns.setdefault(cell.method, []).append(cell)
    possible = possible_loss_bases(dataset)
    lookup = _Found(outcomes)
    plain = [
        row
        for method, printed in columns.items()
        if method != RAW_VALUES_METHOD
        for row in _best_terms_rows(printed, possible, lookup)
    ]
    sets = [
        _scaling_rows(columns.get(RAW_VALUES_METHOD, ()), basis, lookup)
        for basis in possible
    ]
    complete = [some for some in sets if len(some) == max(map(len, sets))]
    scaled = min(
        complete,
        key=lambda some: _mean_deviation([pair.row_on("none") for pair in some]),
    )
    if is_known:
        optima = best_known_losses_by_cell()
        plain = [
            replace(row, optimum=optima.get((dataset, row.printed.k, row.basis)))
            for row in plain
        ]
        scaled = [
            replace(
                pair,
                optimum=optima.get(
                    (dataset, pair.printed.k, LossBasis("none", pair.without))
                ),
            )
            for pair in scaled
        ]
    return tuple(plain), tuple(scaled)


class _Found:
    """Outcomes by loss basis: all attributes are as many as some run has at most."""

    def __init__(self, results: Mapping[Choice, Outcome]) -> None:
        self._results = results
        self._width = max((choice[3] for choice in results), default=0)

    def get_outcome(self, method: str, k: int, basis: LossBasis) -> Outcome | None:
        width = self._width - len(basis.without)
        return self._results.get((method, k, basis.scaling, width))


def _best_terms_rows(
    printed: Sequence[PrintedCell], possible: Sequence[LossBasis], known: _Found
) -> list[ComparisonRow]:
    """Return the cells of one method on the loss basis that fits them best."""
    columns = dict[LossBasis, list[ComparisonRow]]((basis, []) for basis in possible)
    for cell in printed:
        outcomes = {
            basis: outcome
            for basis in possible
            if (outcome := known.get_outcome(cell.method, cell.k, basis)) is not None
        }
        if len(outcomes) < len(possible):
            continue
        losses = [(basis, case.information_loss) for basis, case in outcomes.items()]
        for basis, outcome in outcomes.items():
            others = tuple(other for other in losses if other[0] != basis)
            bound = outcome.bound.per_cent
            row = ComparisonRow(cell, basis, outcome.information_loss, bound, others)
            columns[basis].append(row)
    return min(columns.values(), key=_mean_deviation)


def _mean_deviation(column: Sequence[ComparisonRow]) -> float:
    return sum(abs(row.relative_difference) for row in column)


def _scaling_rows(
    printed: Sequence[PrintedCell], basis: LossBasis, known: _Found
) -> list[RawAndZscoreRow]:
    rows = []
    for cell in printed:
        lookups = [
            known.get_outcome(name, cell.k, LossBasis(scaling, basis.without))
            for name in (RAW_VALUES_METHOD, "mdav")
            for scaling in ("none", "zscore")
        ]
        outcomes = [outcome for outcome in lookups if outcome is not None]
        if len(outcomes) < len(lookups):
            continue
        raw, zscored, mdav_raw, mdav_zscored = outcomes
        rows.append(
            RawAndZscoreRow(
                printed=cell,
                raw=raw.information_loss,
                zscored=zscored.information_loss,
                mdav_raw=mdav_raw.information_loss,
                mdav_zscored=mdav_zscored.information_loss,
                bound_raw=raw.bound.per_cent,
                bound_zscored=zscored.bound.per_cent,
                without=basis.without,
            )
        )
    return rows


def outcomes_by_choices(outcomes: tuple[Result, ...]) -> dict[Choice, Outcome]:
    """Return outcomes, but no failures, by method, k, scaling and attribute count."""
    return {
        (
            result.plan.method,
            result.plan.k,
            result.plan.scaling,
            len(result.plan.quasi_identifiers),
        ): result
        for result in outcomes
        if isinstance(result, Outcome)
    }


def count_verdicts(
    comparisons: Sequence[ComparisonRow], scaling_rows: Sequence[RawAndZscoreRow]
) -> dict[str, int]:
    """Return counts of verdicts: equal, slip, close, lower, higher, impossible.

    A pairwise systematic cell is counted on z-scores, as its paper compares it.
    """
    counts = dict.fromkeys(VERDICT_KINDS, 0)
    for row in (*comparisons, *(pair.row_on("zscore") for pair in scaling_rows)):
        counts[verdict_of_comparison(row)] += 1
    return counts


def count_verdicts_by_table(
    comparisons: Sequence[ComparisonRow], scaling_rows: Sequence[RawAndZscoreRow]
) -> dict[str, dict[str, int]]:
    """Return the counts of :func:`count_verdicts` for each reference table."""
    cells = [row.printed for row in comparisons] + [
        pair.printed for pair in scaling_rows
    ]
    names = dict.fromkeys(cell.dataset for cell in cells)
    return {
        name: count_verdicts(
            [row for row in comparisons if row.printed.dataset == name],
            [row for row in scaling_rows if row.printed.dataset == name],
        )
        for name in names
    }


def verdict_of_comparison(comparison: ComparisonRow) -> str:
    """Return the verdict of a row, a key of :func:`count_verdicts`."""
    if comparison.is_equal:
        return "equal"
    if comparison.is_slip:
        return "slip"
    if comparison.is_impossible:
        return "impossible"
    if comparison.is_within_spread or abs(comparison.relative_difference) < 0.1:
        return "close"
    return "higher" if comparison.relative_difference > 0 else "lower"


def unjudged_cell_messages(
    tables: Mapping[str, Table], cells: Sequence[PrintedCell]
) -> tuple[Message, ...]:
    """Return messages on those of some printed cells that the tables cannot judge.

    Parameters
    ----------
    tables : mapping of str to Table
        As :func:`read_reference_tables` returns them.
    cells : sequence of PrintedCell
    """
    messages = []
    for name in DATASET_SHAPES:
        count = sum(cell.dataset == name for cell in cells)
        if name not in tables:
            messages.append(
                Message(
                    "{file} is not in the folder: its {count} cells cannot be judged.",
                    file=f"{name}.csv",
                    count=count,
                )
            )
        elif not has_published_values(name, tables[name]):
            messages.append(
                Message(
                    "{file} is as large as the reference table but holds other values, "
                    "or the same in another order: its {count} cells are compared, but "
                    "cannot be judged, and nothing is proven of its best groups.",
                    file=f"{name}.csv",
                    count=count,
                )
            )
    return tuple(messages)


def run_and_compare_published_cells(
    tables: Mapping[str, Table],
) -> tuple[tuple[ComparisonRow, ...], tuple[RawAndZscoreRow, ...]]:
    """Run the given tables' published cells; return comparison and scaling rows.

    Parameters
    ----------
    tables : mapping of str to Table
        As :func:`read_reference_tables` returns them.

    Raises
    ------
    InputError
        If a run gave no result.
    """
    plain: list[ComparisonRow] = []
    scaled: list[RawAndZscoreRow] = []
    for name, table in tables.items():
        results = _run_all(name, plans_to_reproduce(name, table), table)
        first, second = comparison_and_scaling_rows(
            name,
            outcomes_by_choices(results),
            is_known=has_published_values(name, table),
        )
        plain += first
        scaled += second
    return tuple(plain), tuple(scaled)


def run_and_compare_cells_apart(
    tables: Mapping[str, Table],
) -> tuple[ComparisonRow, ...]:
    """Run the cells that are counted apart; return them compared, on z-scores.

    Parameters
    ----------
    tables : mapping of str to Table
        As :func:`read_reference_tables` returns them.

    Raises
    ------
    InputError
        If a run gave no result.
    """
    rows: list[ComparisonRow] = []
    basis = LossBasis()
    optima = best_known_losses_by_cell()
    for name, table in tables.items():
        cells = [cell for cell in cells_apart() if cell.dataset == name]
        plans = [
            Plan(
                method=cell.method,
                k=cell.k,
                parameters=dict(cell.parameters),
                scaling=basis.scaling,
                quasi_identifiers=tuple(map(str, table.frame.columns)),
            )
            for cell in cells
        ]
        is_known = has_published_values(name, table)
        for cell, outcome in zip(cells, _run_all(name, plans, table), strict=True):
            optimum = optima.get((name, cell.k, basis)) if is_known else None
            loss, bound = outcome.information_loss, outcome.bound.per_cent
            rows.append(ComparisonRow(cell, basis, loss, bound, optimum=optimum))
    return tuple(rows)


def _run_all(name: str, plans: Sequence[Plan], table: Table) -> tuple[Outcome, ...]:
    """Return the outcomes of all plans on a reference table; refuse a failure."""
    outcomes = []
    for result in compare(plans, table):
        if isinstance(result, Failure):
            raise InputError(
                "{method}, k = {k}, on {file}: {problem}",
                method=result.plan.method,
                k=result.plan.k,
                file=f"{name}.csv",
                problem=result.message,
            )
        outcomes.append(result)
    return tuple(outcomes)
