"""What the options of a command mean: a table, a plan, names and numbers."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import ParameterError

if TYPE_CHECKING:
    from engine.data.table import Table
    from engine.files import ReadOptions
    from engine.pipeline.plan import Plan

CHOICES = (
    "quasi_identifiers",
    "all_numeric",
    "identifiers",
    "confidential",
    "scaling",
    "kind",
    "hierarchy",
    "aggregation",
    "interval_columns",
    "rounding",
    "missing",
    "param",
    "polish",
    "constraint",
    "strata",
    "small_strata",
    "block",
    "weights",
    "p_sensitive",
    "t_close",
    "seed",
    "k",
    "method",
)
"""Options that are part of a plan."""


def table_of(options: argparse.Namespace) -> Table:
    """Read the table that a command names."""
    from engine.files import read_table

    return read_table(options.file, options=_read_options(options))


def _read_options(options: argparse.Namespace) -> ReadOptions:
    from engine.files import ReadOptions

    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
    return ReadOptions(
        delimiter=delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        sheet=options.sheet,
    )


def plan_of(
    options: argparse.Namespace,
    table: Table | None,
    method: str | None,
    k: int | None,
) -> Plan:
    """Return the plan that the options ask for; what they leave out has its default.

    Only ``--all-numeric`` looks at the table.
    """
    from engine.pipeline.plan import Plan

    choices: dict[str, Any] = {
        "quasi_identifiers": columns_of(options, table),
        "identifiers": names_in(options.identifiers),
        "confidential": names_in(options.confidential),
        "scaling": options.scaling,
        **_by_column(options.aggregation, "aggregation"),
        **_by_column(options.missing, "missing"),
        "kinds": dict(_pair(text, "--kind", "region=nominal") for text in options.kind),
        "hierarchies": _hierarchies(options),
        "interval_columns": options.interval_columns,
        "rounding": options.rounding,
        "small_strata": options.small_strata,
        "blocks": tuple(map(names_in, options.block)),
        "weights": options.weights,
        "p_sensitive": options.p_sensitive,
        "t_close": options.t_close,
        "constraints": tuple(options.constraint or ()),
        "strata": options.strata,
        "seed": options.seed,
        "polish": options.polish,
        "k": k,
    }
    if method is not None:
        choices |= {"method": method, "parameters": parameters_in(options.param)}
    given = {name: value for name, value in choices.items() if value is not None}
    return Plan(**given)


def _by_column(given: Sequence[str], option: str) -> dict[str, Any]:
    """Read ``RULE`` and ``COLUMN=RULE``, any number of them."""
    alone = [text for text in given if "=" not in text]
    if len(alone) > 1:
        raise ParameterError(
            "--{option} is given twice for all columns ({first} and {second}): "
            "say --{option} COLUMN={second} for single columns.",
            option=option,
            first=alone[0],
            second=alone[1],
        )
    pairs = [_pair(text, f"--{option}", "age=median") for text in given if "=" in text]
    columns = "aggregations" if option == "aggregation" else f"{option}_columns"
    return {option: alone[0] if alone else None, columns: dict(pairs)}


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Read ``NAME=VALUE``; the name may have equals signs in it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise ParameterError(
            "{option} is {text!r}, but must be COLUMN=VALUE, as in {example}.",
            option=option,
            text=text,
            example=example,
        )
    return name.strip(), value.strip()


def _hierarchies(options: argparse.Namespace) -> dict[str, Any]:
    from engine.hierarchy import read_hierarchy

    found = {}
    for text in options.hierarchy:
        name, equals, path = text.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise ParameterError(
                "--hierarchy is {text!r}, but must be COLUMN=FILE, as in "
                "diagnosis=levels.csv.",
                text=text,
            )
        found[name.strip()] = read_hierarchy(Path(path.strip())).rows
    return found


def columns_of(options: argparse.Namespace, table: Table | None) -> tuple[str, ...]:
    """Return the quasi-identifiers that were named; none is ever guessed here."""
    if not options.all_numeric:
        named = names_in(options.quasi_identifiers)
        if not named:
            raise ParameterError(
                "There is no quasi-identifier: name columns in --quasi-identifiers, "
                "or take all numbers with --all-numeric."
            )
        return named
    assert table is not None
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    left_out = names_in(getattr(options, "identifiers", None))
    left_out += names_in(getattr(options, "confidential", None))
    left_out += names_in(getattr(options, "strata", None))
    left_out += names_in(getattr(options, "weights", None))
    names = tuple(
        name
        for name, dtype in table.frame.dtypes.items()
        if is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and name not in left_out
    )
    if not names:
        raise ParameterError(
            "--all-numeric finds no numeric column: name quasi-identifiers that "
            "hold numbers."
        )
    return tuple(map(str, names))


def names_in(text: str | None) -> tuple[str, ...]:
    """Split at commas; a name with a comma in it is put between quotes."""
    if not text:
        return ()
    fields = next(csv.reader([text], skipinitialspace=True))
    return tuple(field.strip() for field in fields if field.strip())


def sizes_in(text: str) -> tuple[int, ...]:
    """Read values of k by commas."""
    try:
        return tuple(int(word) for word in names_in(text))
    except ValueError:
        raise ParameterError(
            "--k is {text!r}, but must be whole numbers by commas, as in 3,5,10.",
            text=text,
        ) from None


def parameters_in(pairs: Sequence[str] | None) -> dict[str, str]:
    """Read ``NAME=VALUE``, any number of them."""
    found = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                "--param is {pair!r}, but must be NAME=VALUE, as in gamma=0.2.",
                pair=pair,
            )
        found[name.strip()] = value.strip()
    return found


def refuse_streaming(options: argparse.Namespace) -> None:
    """Refuse options of ``--out-of-core`` without it."""
    for name in ("memory", "records_per_block", "dask"):
        if getattr(options, name) is not None:
            raise ParameterError(
                "--{option} is for Parquet files that are protected "
                "block by block: add --out-of-core, or leave it out.",
                option=name.replace("_", "-"),
            )


def plan_text(path: Path) -> str:
    """Return what a plan file holds."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            "The plan {path} cannot be read: name a plan file, or choices to write "
            "into it such as --quasi-identifiers.",
            path=path,
        ) from None
