"""What a catalogue is told of a released file: nothing that the file does not show."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pandas as pd

from engine.data.table import Table
from engine.files import formats
from engine.pipeline.outcome import Outcome
from engine.release.verify import Written
from engine.report.facts import report_facts


@dataclass(frozen=True)
class Variable:
    """A column of the released file.

    Attributes
    ----------
    name, label, role : str
        `label` is what the schema says for people; may be empty.
    became : str
        What protection made of its values; empty if nothing.
    type : {"integer", "number", "date", "boolean", "text"}
        Of its released values.
    """

    name: str
    label: str
    role: str
    became: str
    type: str


@dataclass(frozen=True)
class Description:
    """A released file, as catalogues know it.

    Attributes
    ----------
    title, file, format, media_type : str
        `file` is the name that it leaves under.
    sha256 : str
        Of its bytes, in hexadecimal digits.
    records, k : int
    variables : tuple of Variable
        In the order of the file.
    method, loss, references : str
        In words.
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
    variables: tuple[Variable, ...]
    method: str
    loss: str
    references: tuple[str, ...]
    certificate: str = ""

    @property
    def promise(self) -> str:
        """What the file keeps, in a sentence."""
        if self.k < 2:
            return "No size of groups is promised."
        return (
            f"Every record shares its protected values with at least {self.k - 1} "
            "others, counted on the file as written."
        )

    @property
    def proof(self) -> str:
        """Where the loss is proven; empty if nowhere."""
        if not self.certificate:
            return ""
        return f"Certificate of the loss: SHA-256 {self.certificate}."


def described(
    outcome: Outcome, table: Table, written: Written, file: str, proof: bytes = b""
) -> Description:
    """Return what a catalogue is told of a release as written.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected.
    written : Written
    file : str
        The name that the file leaves under.
    proof : bytes
        The certificate of the run; empty if there is none.
    """
    facts = report_facts(outcome, table, checks=written.checks, audience="external")
    frame = outcome.release.frame
    labels = {one.name: one.description for one in table.schema.columns}
    info = formats.info(written.origin.format)
    method = facts["method"]["title"]
    return Description(
        title=facts["title"],
        file=file,
        format=info.title,
        media_type=info.media_type,
        sha256=hashlib.sha256(written.content).hexdigest(),
        records=facts["data"]["records"],
        k=written.k,
        variables=tuple(
            Variable(
                name=one["name"],
                label=labels.get(one["name"], ""),
                role=one["role"],
                became=one["became"] if one["role"] == "Quasi-identifier" else "",
                type=_type(frame[one["name"]]),
            )
            for one in facts["columns"]
        ),
        method=f"Microaggregation by {method}: groups of at least "
        f"{outcome.plan.k} similar records, of which each shares one common value.",
        loss=_loss(outcome, facts),
        references=tuple(facts["references"][:1]),
        certificate=hashlib.sha256(proof).hexdigest() if proof else "",
    )


def _loss(outcome: Outcome, facts: dict[str, object]) -> str:
    bound = facts["bound"]
    lost = f"Information loss {outcome.information_loss:.4f} % of the variation"
    if not isinstance(bound, dict):
        return f"{lost}."
    return f"{lost}; no such groups can lose less than {bound['per_cent']:.4f} %."


def _type(values: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(values.dtype):
        return "boolean"
    if pd.api.types.is_integer_dtype(values.dtype):
        return "integer"
    if pd.api.types.is_numeric_dtype(values.dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return "date"
    return "text"
