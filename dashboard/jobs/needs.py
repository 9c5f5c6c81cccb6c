"""Need jobs: a worker searches for a release that keeps given rules and analyses.

Beside ``table/`` a job's folder then holds ``need.json``; the worker adds
``answer.json``, and ``release/`` and ``second/`` for the releases that it has.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from engine.analysis.need import Need, need
from engine.analysis.releases.ledger import Ledger
from engine.core.context import RunContext
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.storage.outcomes import load_outcome, read_json, save_outcome, write_json

_NEED_FILE = "need.json"
_ANSWER_FILE = "answer.json"
_RELEASE_FOLDERS = ("release", "second")


@dataclass(frozen=True)
class NeedRequest:
    """Request of a need: rules, keeps and models of the release, and search seconds.

    Attributes
    ----------
    rules, keeps, models, held_out, subgroups : tuple of str
        As :func:`engine.need` reads them.
    seconds : float
    seed : int
    references : bool
        Whether other ways to protect the same columns are measured as well.
    ledger : str
        Earlier releases of the same records, as the ledger's file; empty without.
    second_keeps, second_models : tuple of str
        Of a second release of the same records.
    """

    rules: tuple[str, ...]
    keeps: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()
    seconds: float = 60.0
    seed: int = 0
    references: bool = False
    ledger: str = ""
    second_keeps: tuple[str, ...] = ()
    second_models: tuple[str, ...] = ()


_REQUEST_ADAPTER = TypeAdapter(NeedRequest)
_ANSWER_ADAPTER = TypeAdapter(Need)


def write_need_job(request: NeedRequest, base: Plan, folder: Path) -> None:
    """Write a need's request and base plan into a job folder, for a worker."""
    content = {"request": asdict(request), "plan": base.to_json()}
    write_json(folder / _NEED_FILE, content)


def is_need_job(folder: Path) -> bool:
    """Return whether a job folder requests the answer to a need."""
    return (folder / _NEED_FILE).exists()


def run_need_job(folder: Path, table: Table, ctx: RunContext) -> None:
    """Search for the release of a job folder's need; write the answer to the folder."""
    content = read_json(folder / _NEED_FILE)
    request = _REQUEST_ADAPTER.validate_python(content["request"])
    ledger = None
    if request.ledger:
        ledger = Ledger.from_bytes(request.ledger.encode(), "ledger")
    answer = need(
        table,
        request.rules,
        request.keeps,
        request.seconds,
        base=Plan.from_json(content["plan"]),
        models=request.models,
        held_out=request.held_out,
        subgroups=request.subgroups,
        references=request.references,
        ledger=ledger,
        second_keeps=request.second_keeps,
        second_models=request.second_models,
        seed=request.seed,
        ctx=ctx,
    )
    for outcome, name in zip(
        (answer.outcome, answer.second_outcome), _RELEASE_FOLDERS, strict=True
    ):
        if outcome is not None:
            save_outcome(outcome, folder / name, table)
    plain = replace(answer, outcome=None, second_outcome=None)
    write_json(folder / _ANSWER_FILE, _ANSWER_ADAPTER.dump_python(plain, mode="json"))


def load_need_answer(folder: Path, table: Table) -> Need | None:
    """Return the answer in a job folder with its releases; None if it has none yet."""
    if not (folder / _ANSWER_FILE).exists():
        return None
    answer = _ANSWER_ADAPTER.validate_python(read_json(folder / _ANSWER_FILE))
    first, second = (
        load_outcome(folder / name, table) if (folder / name).exists() else None
        for name in _RELEASE_FOLDERS
    )
    assert first is None or isinstance(first, Outcome)
    assert second is None or isinstance(second, Outcome)
    return replace(answer, outcome=first, second_outcome=second)
