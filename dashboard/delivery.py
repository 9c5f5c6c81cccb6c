"""The release as it leaves: bytes as written, k counted on them, files beside them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard.facts import lost_words, plan_title
from engine.command_line import hierarchy_name, protected_name
from engine.errors import EngineError
from engine.hierarchy import Hierarchy
from engine.methods import methods
from engine.outcome import Outcome
from engine.plan import Plan
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
    if k >= asked or outcome.probabilistic is not None:
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


def verdict(outcome: Outcome, delivered: Delivery) -> None:
    """Say whether the file may leave, and what it promises."""
    drawn = outcome.probabilistic
    if delivered.wrong:
        st.error(f"**Not for release.** {delivered.wrong}", icon=":material/block:")
    elif drawn is not None:
        st.warning(
            f"**{drawn.words.capitalize()}.** {drawn.warning} Release it only if that "
            "is enough.",
            icon=":material/casino:",
        )
    else:
        st.success(
            f"**k = {outcome.plan.k} verified on the file as written.** It was read "
            "back: every combination of quasi-identifiers occurs at least "
            f"{delivered.k} times.",
            icon=":material/verified_user:",
        )


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


def hierarchy_files(plan: Plan) -> dict[str, bytes]:
    """Return the level files that the command line names, by their file names."""
    return {
        hierarchy_name(column): Hierarchy(rows).to_csv().encode()
        for column, rows in plan.hierarchies.items()
    }


def hierarchy_download(plan: Plan) -> tuple[str, bytes] | None:
    """Return name and bytes of one download: a level file, or several as a zip.

    None if the plan has no hierarchies. The same plan gives the same bytes.
    """
    files = hierarchy_files(plan)
    if len(files) < 2:
        return next(iter(files.items()), None)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return "hierarchies.zip", content.getvalue()
