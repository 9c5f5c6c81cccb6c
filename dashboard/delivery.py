"""The release as it leaves: bytes as written, k counted on them, files beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard import text
from dashboard.facts import lost_words, plan_title
from engine.command_line import protected_name
from engine.encode import scalings
from engine.errors import EngineError
from engine.methods import methods
from engine.outcome import Outcome
from engine.table import Table
from engine.verify import write_and_check

_MIME = {
    "csv": "text/csv",
    "excel": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}


@dataclass(frozen=True, eq=False)
class Delivery:
    """A release, written, read back and counted.

    Attributes
    ----------
    content : bytes
        Of the file; empty if it must not leave.
    k : int
        Counted on the file as written; 0 if it could not be read back.
    wrong : str
        Why the release must not leave, in a sentence; empty if it may.
    """

    content: bytes
    k: int
    wrong: str


def deliver(outcome: Outcome, table: Table) -> Delivery:
    """Return a release as it leaves; worked out once per session."""
    return _deliver(table.fingerprint, outcome.plan.digest(), outcome, table)


# Resources are kept as they are: a release is not copied at each look at it. One
# cache per session, keyed by the digests of data and plan.
@st.cache_resource(
    scope="session", max_entries=2, show_spinner="Writing the release and checking k"
)
def _deliver(fingerprint: str, plan: str, _outcome: Outcome, _table: Table) -> Delivery:
    return written(_outcome, _table)


def written(outcome: Outcome, table: Table) -> Delivery:
    """Write a release in the format of its table, read it back and check it."""
    asked = outcome.plan.k
    try:
        found = write_and_check(outcome, table)
    except EngineError as error:
        return Delivery(b"", 0, str(error))
    k = found.k
    others = [check for check in found.failed if check.id != "k"]
    if others:
        return Delivery(b"", k, f"{others[0].title}: {others[0].detail}")
    if k >= asked:
        return Delivery(found.content, k, "")
    traits = methods.info(outcome.plan.method).traits
    if outcome.plan.blocks:
        wrong = (
            f"Blocks of columns were grouped apart, and the release has k = {k}, fewer "
            f"than {asked}: group all columns together, or ask for a larger k."
        )
    elif traits.guarantees_k:
        wrong = (
            f"The file as written has k = {k}, fewer than {asked}: choose another "
            "method, and please report this."
        )
    else:
        wrong = (
            f"This method does not promise k, and the release has k = {k}, fewer than "
            f"{asked}: choose another method"
            + (", or another seed." if traits.uses_seed else ".")
        )
    return Delivery(b"", k, wrong)


def file_name(table: Table) -> str:
    """Return the name under which a release is offered."""
    return protected_name(table.origin.name or "table.csv")


def mime(table: Table) -> str:
    """Return the media type of a release."""
    return _MIME.get(table.origin.format, "application/octet-stream")


def groups_csv(outcome: Outcome, table: Table) -> bytes:
    """Return the group of every input row, as a file with one column ``group``."""
    groups = pd.Series(outcome.groups(table.n_records), name="group", dtype="Int64")
    return groups.to_csv(index=False).encode()


def result_label(outcome: Outcome) -> str:
    """Return one line that tells a result from the others."""
    return f"{plan_title(outcome.plan)}, k = {outcome.plan.k}: {lost_words(outcome)}"


def checklist(outcome: Outcome, table: Table) -> list[tuple[str, str]]:
    """Return what was done to every kind of column, as (icon, sentence)."""
    plan, schema = outcome.plan, table.schema
    identifiers, confidential = plan.identifiers or (), plan.confidential or ()
    lines = []
    if identifiers:
        lines.append(("done", f"Left out as identifiers: {_named(identifiers)}."))
    else:
        lines.append(("info", "No column is an identifier, so none was left out."))
    lines.append(
        (
            "done",
            f"Protected: {_named(plan.quasi_identifiers)}. Every record shares its "
            f"values with at least {outcome.k_released - 1} others.",
        )
    )
    if plan.polish:
        lines.append(("done", text.POLISH_DONE))
    dropped = table.n_records - len(outcome.release.frame)
    if dropped:
        lines.append(("info", f"Records left out for missing values: {dropped:,}."))
    elif plan.missing in ("median", "mode") and any(
        warning.startswith("Missing") for warning in outcome.warnings
    ):
        lines.append(
            ("info", f"Missing values were filled in with the {plan.missing}.")
        )
    if outcome.release.rules:
        lines.append(("done", f"Rules kept: {_rules_kept(outcome)}."))
    if confidential:
        lines.append(
            ("info", f"Confidential, released as they are: {_named(confidential)}.")
        )
    treated = {*plan.quasi_identifiers, *identifiers, *confidential}
    others = [name for name in schema.names if name not in treated]
    if others:
        lines.append(("look", f"Released as they are: {_named(others)}."))
    lines += [("look", one) for one in outcome.warnings if "stopped early" in one]
    if plan.k < 3:
        lines.append(("look", next(t for t in outcome.warnings if "below 3" in t)))
    return lines


def _rules_kept(outcome: Outcome) -> str:
    """Return the rules, each with how many records of the input broke it."""
    return "; ".join(
        f"`` {rule} ``" + (f" (broken by {count:,} of your records)" if count else "")
        for rule, count in outcome.rules_broken.items()
    )


def scaling_words(outcome: Outcome) -> str:
    """Return the scaling that losses were measured on, for use in a sentence."""
    return f"measured on {scalings.info(outcome.plan.scaling).title} scaling"


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"**{name}**" for name in names)
