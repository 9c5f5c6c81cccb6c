"""Describe a released file and its columns for catalogues."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from engine.core.message import others_message
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.files import formats
from engine.pipeline.outcome import Outcome
from engine.release.verify import WrittenRelease
from engine.report.facts import report_facts

MAX_CATEGORIES = 100
"""Distinct texts up to which a column counts as categorical."""


@dataclass(frozen=True)
class CategoryDescription:
    """A category of a column, its meaning, and its number of records."""

    value: str
    label: str
    count: int


@dataclass(frozen=True)
class VariableDescription:
    """A column of the released file: label, role, values and treatment.

    Attributes
    ----------
    name, label, role : str
        `label` is what the schema says for people; may be empty.
    became : str
        What protection made of its values; empty if nothing.
    type : {"integer", "number", "date", "datetime", "time", "boolean", "text"}
        Of its released values.
    categories : tuple of CategoryDescription
        Of texts, booleans, and numbers that are codes or that the file has labels for.
    missing : int
        How many records have no value.
    invalid : tuple of str
        Values of the file that say that there is none.
    """

    name: str
    label: str
    role: str
    became: str
    type: str
    categories: tuple[CategoryDescription, ...] = ()
    missing: int = 0
    invalid: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReleaseDescription:
    """A released file as catalogues describe it: title, format, columns.

    Attributes
    ----------
    title, file, format, media_type : str
        `file` is the name that it leaves under.
    layout : str
        How a delimited text is written, in words; empty for other formats.
    charset : str
        Encoding of delimited text; empty for other formats.
    sha256 : str
        Of its bytes, in hexadecimal digits.
    records, k : int
    variables : tuple of VariableDescription
        In the order of the file.
    method, loss : str
        In words.
    references : tuple of str
        Source of the method.
    certificate : str
        SHA-256 of the certificate of its loss; empty if there is none.
    """

    title: str
    file: str
    format: str
    media_type: str
    sha256: str
    records: int
    k: int
    variables: tuple[VariableDescription, ...]
    method: str
    loss: str
    references: tuple[str, ...]
    certificate: str = ""
    layout: str = ""
    charset: str = ""

    @property
    def promise_text(self) -> str:
        """Privacy promise of the file, in a sentence."""
        if self.k < 2:
            return "No size of groups is promised."
        return (
            f"Every record shares its protected values with at least "
            f"{others_message(self.k - 1)}, counted on the file as written."
        )

    @property
    def proof_text(self) -> str:
        """Reference to the certificate of the loss; empty without one."""
        if not self.certificate:
            return ""
        return f"Certificate of the loss: SHA-256 {self.certificate}."


def describe_release(
    outcome: Outcome,
    table: Table,
    written: WrittenRelease,
    file_name: str,
    certificate: bytes = b"",
) -> ReleaseDescription:
    """Return the description of a written release for catalogues.

    Parameters
    ----------
    table : Table
        The table that was protected.
    written : WrittenRelease
    file_name : str
        The name that the file leaves under.
    certificate : bytes
        The certificate of the run; empty if there is none.
    """
    facts = report_facts(outcome, table, checks=written.checks, audience="external")
    frame = outcome.release.frame
    labels = {column.name: column.description for column in table.schema.columns}
    kinds = {
        column.name: column.kind for column in table.schema.columns
    } | outcome.plan.kinds
    codes = {name for name, kind in kinds.items() if kind is Kind.NOMINAL}
    options = written.origin.options
    info = formats.info(written.origin.format)
    method = facts["method"]["title"]
    return ReleaseDescription(
        title=facts["title"],
        file=file_name,
        format=info.title,
        media_type=info.media_type,
        sha256=hashlib.sha256(written.content).hexdigest(),
        records=facts["data"]["records"],
        k=written.k,
        variables=tuple(
            VariableDescription(
                name=column["name"],
                label=labels.get(column["name"], ""),
                role=column["role"],
                became=column["became"] if column["role"] == "Quasi-identifier" else "",
                **_column_values(
                    frame[column["name"]],
                    options,
                    column["role"] != "Quasi-identifier",
                    column["name"] in codes,
                ),
            )
            for column in facts["columns"]
        ),
        method=f"Microaggregation by {method}: groups of at least "
        f"{outcome.plan.k} similar records, of which each shares one common value.",
        loss=_loss_text(outcome, facts),
        references=tuple(facts["references"][:1]),
        certificate=hashlib.sha256(certificate).hexdigest() if certificate else "",
        layout=_layout_text(options) if info.id == "csv" else "",
        charset=options.get("encoding", "utf-8") if info.id == "csv" else "",
    )


_SEPARATORS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "bars",
    " ": "blanks",
}


def _layout_text(options: Mapping[str, Any]) -> str:
    """Return what a reader of delimited text needs to know."""
    delimiter = options.get("delimiter", ",")
    decimal = "comma" if options.get("decimal") == "," else "point"
    names = "the first line has" if options.get("header", True) else "no line has"
    return (
        f"Fields are parted by {_SEPARATORS.get(delimiter, delimiter)}, decimals by a "
        f"{decimal}; {names} the names of the columns; letters are in "
        f"{options.get('encoding', 'utf-8')}."
    )


def _loss_text(outcome: Outcome, facts: dict[str, object]) -> str:
    bound = facts["bound"]
    sentence = f"Information loss {outcome.information_loss:.4f} % of the variation"
    if not isinstance(bound, dict):
        return f"{sentence}."
    return f"{sentence}; no such groups can lose less than {bound['per_cent']:.4f} %."


def _column_values(
    column: pd.Series, options: Mapping[str, Any], leaves: bool, codes: bool
) -> dict[str, Any]:
    """Return what a column of the release holds, as `VariableDescription` takes it.

    Parameters
    ----------
    column : Series
    options : mapping
        Of the file that was written: labels of values, times, codes of missing values.
    leaves : bool
        Whether it leaves as it is.
    codes : bool
        Whether numbers are codes of categories.
    """
    name = column.name
    kind = "time" if name in options.get("times", ()) else _type(column)
    invalid = list(options.get("user_missing", {}).get(name, {}).get("values", ()))
    if leaves:  # with its cells as they came
        for option in ("missing", "words"):
            invalid += options.get(option, {}).get(name, ())
    labels = {
        _format_value(a): str(b)
        for a, b in options.get("value_labels", {}).get(name, ())
    }
    counts: Counter[str] = Counter(map(_format_value, column.dropna()))
    lacking = dict.fromkeys(map(_format_value, invalid))
    values = [*labels, *(value for value in sorted(counts) if value not in labels)]
    some = bool(labels) or kind == "boolean"
    counted = kind == "text" or (codes and kind in ("integer", "number"))
    some = some or (counted and len(counts) <= MAX_CATEGORIES)
    return {
        "type": kind,
        "categories": tuple(
            CategoryDescription(value, labels.get(value, ""), counts[value])
            for value in (values if some else [])
            if value not in lacking
        ),
        "missing": int(column.isna().sum()),
        "invalid": tuple(lacking),
    }


def _format_value(value: object) -> str:
    """Return a value as text, whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


_TRUTH_TEXTS = frozenset({"True", "False", "true", "false", "TRUE", "FALSE"})
_TIME_PATTERN = re.compile(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d")

_KIND_NAMES = {
    "boolean": "boolean",
    "integer": "integer",
    "floating": "number",
    "mixed-integer-float": "number",
    "decimal": "number",
    "date": "date",
    "time": "time",
}
"""What pandas infers of cells, and what they are."""


def _type(values: pd.Series) -> str:
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.categories.to_series()
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        dates = values.dropna()
        return "date" if (dates == dates.dt.normalize()).all() else "datetime"
    kind = _KIND_NAMES.get(pd.api.types.infer_dtype(values, skipna=True))
    if kind is not None:
        return kind
    # Delimited text has no other way to say them.
    texts = set(values.dropna().unique())
    if texts and texts <= _TRUTH_TEXTS:
        return "boolean"
    return (
        "time"
        if texts and all(map(_TIME_PATTERN.fullmatch, map(str, texts)))
        else "text"
    )
