"""Arrange a release for writing: format, order, and protection from formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.core.arguments import check_arguments
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.table import Origin, Table
from engine.files.base import STATA_VERSIONS, formats
from engine.files.format_compatibility import stored_frame_and_messages
from engine.files.layout import drop_layout_options
from engine.files.unprotected_columns import reread_input_columns
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.release.formulas import (
    count_formulas_by_column,
    neutralise_column_name,
    neutralise_formulas,
)


@check_arguments
@dataclass(frozen=True)
class WritingOptions:
    """Options for writing a release: format, order, and protection from formulas.

    Attributes
    ----------
    format : str
        Identifier in :data:`engine.files.formats`; empty means that of the table.
    shuffle : bool
        Whether records come in a random order, so that their places tell nothing.
    seed : int
        Seed of this order.
    neutralise : bool
        Whether text that a spreadsheet would run as a formula gets an apostrophe.
    delimiter : str
        Between the fields of delimited text; empty means that of the table.
    stata_version : int
        Oldest Stata that is to read a .dta file, of
        :data:`engine.files.base.STATA_VERSIONS`.

    Raises
    ------
    ParameterError
        If the seed is negative, or there is no such version of Stata.
    """

    format: str = ""
    shuffle: bool = False
    seed: int = 0
    neutralise: bool = False
    delimiter: str = ""
    stata_version: int = STATA_VERSIONS[-1]

    def __post_init__(self) -> None:
        if self.stata_version not in STATA_VERSIONS:
            raise ParameterError(
                "Files for Stata {version} cannot be written (--stata-version): say "
                "one of {known}.",
                version=self.stata_version,
                known=STATA_VERSIONS,
            )
        if self.seed < 0:
            raise ParameterError(
                "The seed of the order is {seed}, but must be 0 or more: name another "
                "one (--shuffle-seed), or leave it out.",
                seed=self.seed,
            )


_KEPT_IN_ALL_FORMATS = ("names", "decimals", "whole_decimals")
"""Options of a table's file that are of its columns, however they are stored."""


def release_format_id(origin: Origin, format_id: str = "") -> str:
    """Return a release's format id: the given or the table's; CSV if not writable."""
    chosen = format_id or origin.format or "csv"
    return chosen if formats.info(chosen).writable else "csv"


def origin_to_write_with(
    outcome: Outcome, origin: Origin, writing: WritingOptions
) -> Origin:
    """Return the origin (format and options) to write a release with.

    It is that of the table, unless another format is wanted; a format that can only be
    read becomes CSV. Why a protected value is missing is left out: statistical packages
    have several codes for that, such as refused and unknown, which would tell records
    apart that share all other values. Titles, units, totals and notes are left out too:
    a release is names and records, and totals would be those of others.
    """
    kept_options = {n: v for n, v in origin.options.items() if n != "empty"}
    origin = replace(origin, options=drop_layout_options(kept_options))
    chosen = release_format_id(origin, writing.format)
    if chosen != origin.format:
        suffix = formats.info(chosen).suffixes[0]
        name = str(PurePath(origin.name or "table").with_suffix(suffix))
        options = {
            n: kept_options[n] for n in _KEPT_IN_ALL_FORMATS if n in kept_options
        }
        origin = Origin(chosen, options, name=name)
    origin = replace(origin, options=_text_forms(outcome, origin.options))
    if writing.delimiter and "delimiter" in formats.info(chosen).options:
        options = {**origin.options, "delimiter": writing.delimiter}
        return replace(origin, options=options)
    if chosen == "stata":
        options = {**origin.options, "stata_version": writing.stata_version}
        origin = replace(origin, options=options)
    codes = origin.options.get("user_missing")
    if not codes:
        return origin
    protected = outcome.plan.quasi_identifiers
    codes_by_column = {
        name: column_codes
        for name, column_codes in codes.items()
        if name not in protected
    }
    return replace(origin, options={**origin.options, "user_missing": codes_by_column})


def _text_forms(outcome: Outcome, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how columns of text are written, and codes for missing ones, afterwards.

    The ends of intervals are written as their column is, and what has become text is
    not read as anything else.
    """
    frame, plan = outcome.release.frame, outcome.plan
    new_options: dict[str, dict[str, Any]] = {
        key: {} for key in ("forms", "decimals", "whole_decimals") if key in options
    }
    for name in map(str, frame.columns):
        stem = name.rstrip("_").removesuffix("_from").removesuffix("_to")
        own = name if name in outcome.survived else stem
        for key, said in new_options.items():
            if own in options[key]:
                said[name] = options[key][own]
    for name in new_options.get("forms", ()):
        if isinstance(frame[name].dtype, pd.StringDtype):
            new_options["forms"][name] = "text"
    new_options["missing"] = {
        name: codes
        for name, codes in options.get("missing", {}).items()
        if name not in plan.quasi_identifiers and name in frame
    }
    excluded_names = ("asked", "words", "written", *new_options)
    kept_options = {
        name: value for name, value in options.items() if name not in excluded_names
    }
    return kept_options | {
        name: value
        for name, value in new_options.items()
        if value or name == "decimals"
    }


def check_release_format(table: Table, plan: ResolvedPlan, format_id: str) -> None:
    """Raise if a format cannot store column names, unprotected values or time zones.

    Checked are the names of all columns that stay, the values of unprotected columns,
    and the time zones of protected ones.

    Parameters
    ----------
    format_id : str
        As in :attr:`WritingOptions.format`.

    Raises
    ------
    InputError
        Names the first column that does not fit, and the formats that do.
    """
    chosen = release_format_id(table.origin, format_id)
    stay = [name for name in table.schema.names if name not in plan.identifiers]
    formats.get(chosen)().check_names(stay)
    policies = [
        plan.missing_columns.get(name, plan.missing) for name in plan.quasi_identifiers
    ]
    if all(policy == "keep" for policy in policies):
        formats.get(chosen)().check_records(table.frame[stay])
    for name in plan.quasi_identifiers:
        column = table.frame[name]
        numeric = aggregations.info(plan.aggregations[name]).common.numeric
        if isinstance(column.dtype, pd.DatetimeTZDtype) and numeric:
            sample = column.dropna().iloc[:1].dt.tz_convert("UTC").dt.floor("s")
            stored_frame_and_messages(sample.to_frame(), chosen)
    others = unprotected_columns(table, plan)
    if chosen == table.origin.format and table.carried is not None:
        return  # what came in it can leave in it
    stored_frame_and_messages(
        table.frame[others], chosen, reread_input_columns(table, others, chosen)
    )


def unprotected_columns(table: Table, plan: ResolvedPlan) -> list[str]:
    """Return the columns that are released unchanged."""
    protected = {*plan.quasi_identifiers, *plan.identifiers}
    return [name for name in table.schema.names if name not in protected]


@dataclass(frozen=True, eq=False)
class ArrangedRelease:
    """A release's frame as stored in the file, its records' order, and messages.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns as the format holds them.
    order : ndarray of int64, shape (n_records,)
        Place in the release of each record written.
    carried : mapping of str to str
        Columns of the file that came in: what they are called in `frame`, and there.
    said : tuple of Message
        What the format does not hold as it was.
    """

    frame: pd.DataFrame
    order: NDArray[np.int64]
    carried: Mapping[str, str]
    said: tuple[Message, ...]


def arrange_release(
    outcome: Outcome, table: Table, origin: Origin, writing: WritingOptions
) -> ArrangedRelease:
    """Return a release in the order and stored form in which it is written.

    Parameters
    ----------
    table : Table
        What was protected: columns that are not come from the file that it came in.
    origin : Origin
        What :func:`origin_to_write_with` gave.
    writing : WritingOptions

    Raises
    ------
    InputError
        If the format cannot hold the release, or the file that came in is gone.
    """
    frame, order = frame_and_record_order_to_write(outcome, writing)
    rows = outcome.release.rows[order]
    others = unprotected_columns(table, outcome.plan)
    if writing.neutralise:
        counts = count_formulas_by_column(table.frame[others].iloc[rows])
        others = [name for name in others if name not in counts]
    names = {neutralise_column_name(n) if writing.neutralise else n: n for n in others}
    input_columns = reread_input_columns(table, others, origin.format)
    carried = {
        written: replace(
            input_columns[name],
            column=input_columns[name].column.iloc[rows].set_axis(frame.index),
        )
        for written, name in names.items()
        if name in input_columns
    }
    stored_frame, messages = stored_frame_and_messages(frame, origin.format, carried)
    return ArrangedRelease(
        stored_frame, order, {each: names[each] for each in carried}, messages
    )


def frame_and_record_order_to_write(
    outcome: Outcome, writing: WritingOptions
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return a release's frame, reordered and neutralised if asked, and the order.

    Returns
    -------
    frame : pandas.DataFrame
    order : ndarray of int64, shape (n_records,)
        Place in the release of each record written.
    """
    frame = outcome.release.frame
    order = np.arange(len(frame), dtype=np.int64)
    if writing.shuffle:
        order = np.random.default_rng(writing.seed).permutation(order)
        frame = frame.iloc[order]
    if writing.neutralise:
        frame = frame.apply(neutralise_formulas).rename(columns=neutralise_column_name)
    return frame, order
