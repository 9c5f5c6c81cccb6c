"""Assessments: measures and analyses of finished runs, in a worker process.

Beside ``table/`` a job's folder then holds ``assessment.json`` and ``outcomes/``; the
worker adds ``results/<position>/`` with figures for each outcome.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from dashboard.results.facts import plan_label
from engine.analysis import Analysis, analyse
from engine.analysis.attacks import Knowledge
from engine.analysis.attacks import Result as Attacked
from engine.analysis.attacks.run import attack_outcome
from engine.analysis.ledger import Ledger
from engine.analysis.left_out import SHARES, LeftOut, loss_against_left_out
from engine.core.context import RunContext
from engine.data.table import Table
from engine.measures import Score
from engine.pipeline.compare import Failure, Result
from engine.pipeline.evaluate import evaluate
from engine.pipeline.outcome import Outcome
from engine.pipeline.prepare import Preparations
from engine.pipeline.run import run
from engine.storage.outcomes import (
    load_outcome,
    load_scores,
    new_folder,
    read_json,
    save_outcome,
    save_scores,
    write_json,
)

FIRST = ("record-linkage",)
"""Measured of every result at once, for the risk-utility map."""

FIRST_RECORDS = 200_000
"""Records up to which that takes little more than a second of one core."""

SO_FAR_SECONDS = 0.4
"""Between two looks of the server at figures of one outcome."""

_FILE = "assessment.json"
_SCORES = "scores.json"
_SO_FAR = "so-far"
_ANALYSIS = "analysis.json"
_ATTACKS = "attacks.json"
_LEFT_OUT = "left-out.json"
_REGROUPED = "regrouped"
_ANALYSES = TypeAdapter(Analysis)
_CURVES = TypeAdapter(tuple[LeftOut, ...])


@dataclass(frozen=True)
class Assessment:
    """What to work out for each of some outcomes.

    Attributes
    ----------
    measures : tuple of str
        Identifiers; those that an outcome has already are not worked out again.
    target : str
        Column that a model predicts; empty for no analysis.
    model : str
        Identifier in :data:`engine.analysis.models`.
    knowledge : Knowledge or None
        What an intruder knows who attacks the releases; None for no attack.
    left_out : bool
        Whether the same is run with several budgets for outliers.
    regroup : {"", "same", "coarsen"}
        Whether the same is run with the groups of an earlier release, or with unions
        of them.
    ledger : str
        The file that has these groups.
    by_itself : bool
        Whether nobody has asked for it: it gives way to whatever somebody asks for.
    """

    measures: tuple[str, ...] = ()
    target: str = ""
    model: str = ""
    knowledge: Knowledge | None = None
    left_out: bool = False
    regroup: Literal["", "same", "coarsen"] = ""
    ledger: str = field(default="", repr=False)
    by_itself: bool = False

    def left_open(self, results: Mapping[int, Result]) -> dict[int, Outcome]:
        """Return the outcomes that do not have all that is asked, by position."""
        always = self.target or self.knowledge or self.left_out or self.regroup
        return {
            position: result
            for position, result in results.items()
            if isinstance(result, Outcome)
            and (always or not set(self.measures) <= set(result.scores))
        }


_ASSESSMENTS = TypeAdapter(Assessment)


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found of one outcome, beside its measures.

    Attributes
    ----------
    analysis : Analysis or None
    attacks : tuple of Result
        In the order of the registry; empty where nobody asked.
    left_out : tuple of LeftOut
        By rising budget; empty where nobody asked.
    regrouped : Outcome or None
        The same run with groups that an earlier release had, or unions of them.
    """

    analysis: Analysis | None = None
    attacks: tuple[Attacked, ...] = field(default=(), repr=False)
    left_out: tuple[LeftOut, ...] = ()
    regrouped: Outcome | None = field(default=None, repr=False)


def write(
    asked: Assessment, outcomes: Mapping[int, Outcome], table: Table, folder: Path
) -> None:
    """Write what the worker needs beside the table; outcomes by position."""
    (folder / "outcomes").mkdir()
    (folder / _SO_FAR).mkdir()
    for position, outcome in outcomes.items():
        save_outcome(outcome, _place(folder / "outcomes", position), table)
    write_json(folder / _FILE, asdict(asked) | {"positions": list(outcomes)})


def is_asked(folder: Path) -> bool:
    """Return whether a job's folder asks for an assessment."""
    return (folder / _FILE).exists()


def carry_out(folder: Path, table: Table, ctx: RunContext) -> None:
    """Work out what a job's folder asks for, outcome by outcome."""
    content = read_json(folder / _FILE)
    positions = content.pop("positions")
    asked = _ASSESSMENTS.validate_python(content)
    preparations = Preparations(table, most=1)
    for place, position in enumerate(positions):
        outcome = load_outcome(_place(folder / "outcomes", position), table)
        assert isinstance(outcome, Outcome)
        _assess(
            asked,
            outcome,
            preparations,
            _place(folder / "results", position),
            _place(folder / _SO_FAR, position),
            ctx.part(
                place / len(positions),
                (place + 1) / len(positions),
                plan_label(outcome.plan),
            ),
        )
    ctx.tick(1, 1, "Done")


def measured(outcome: Outcome, preparations: Preparations) -> Outcome:
    """Return a new outcome with the figures that the first look at it needs.

    Who is told apart goes with it, of many records too: the server has other things to
    do than to compare them all.
    """
    outcome = outcome.knowing(outcome.uniqueness)
    if outcome.partition.n_records > FIRST_RECORDS:
        return outcome
    table, seed = preparations.table, outcome.plan.seed
    found = evaluate(outcome, table, FIRST, seed, preparations=preparations)
    return outcome.with_scores(found)


def _assess(
    asked: Assessment,
    outcome: Outcome,
    preparations: Preparations,
    folder: Path,
    so_far: Path,
    ctx: RunContext,
) -> None:
    seed, table = outcome.plan.seed, preparations.table
    more = asked.target or asked.knowledge or asked.left_out or asked.regroup
    split = 0.5 if asked.measures and more else float(bool(asked.measures))
    with new_folder(folder) as part:
        scores = dict(outcome.scores)
        if asked.measures:
            written = time.monotonic()

            def keep(score: Score) -> None:
                nonlocal written
                scores[score.measure] = score
                if time.monotonic() - written > SO_FAR_SECONDS:
                    save_scores(scores, so_far)
                    written = time.monotonic()

            share = ctx.part(0.0, split)
            evaluate(outcome, table, asked.measures, seed, share, preparations, keep)
        save_scores(scores, part / _SCORES)
        if asked.target:
            analysis = analyse(
                outcome,
                table,
                asked.target,
                asked.model,
                seed=seed,
                ctx=ctx.part(split, 1.0),
                preparations=preparations,
            )
            write_json(part / _ANALYSIS, _ANALYSES.dump_python(analysis))
        rest = ctx.part(split, 1.0)
        if asked.knowledge is not None:
            results = attack_outcome(outcome, table, asked.knowledge, rest)
            write_json(part / _ATTACKS, [one.to_json() for one in results])
        if asked.left_out:
            curve = loss_against_left_out(outcome.plan, table, SHARES, rest)
            write_json(part / _LEFT_OUT, _CURVES.dump_python(curve))
        if asked.regroup:
            ledger = Ledger.from_bytes(asked.ledger.encode(), _REGROUPED)
            groups = ledger.regroup(table, outcome.plan, asked.regroup)
            again = run(outcome.plan, table, rest, preparations, regroup=groups)
            save_outcome(again, part / _REGROUPED, table)


def load(folder: Path, outcome: Outcome, table: Table) -> tuple[Outcome, Findings]:
    """Return an outcome with its new figures, and what else was found of it.

    Parameters
    ----------
    folder : Path
        What the worker wrote for it.
    outcome : Outcome
        As it was before.
    table : Table
        The table that was protected.
    """
    measured = outcome.with_scores(load_scores(folder / _SCORES))
    analysis, attacks, curve = (
        read_json(folder / name) if (folder / name).exists() else None
        for name in (_ANALYSIS, _ATTACKS, _LEFT_OUT)
    )
    place = folder / _REGROUPED
    again = load_outcome(place, table) if place.exists() else None
    assert not isinstance(again, Failure)  # a failed run ends the job
    return measured, Findings(
        None if analysis is None else _ANALYSES.validate_python(analysis),
        tuple(map(Attacked.from_json, attacks or ())),
        _CURVES.validate_python(curve or ()),
        again,
    )


def found_so_far(folder: Path, outcomes: Mapping[int, Outcome]) -> dict[int, Outcome]:
    """Return the outcomes in a job's folder with the figures that are there already."""
    found = {}
    for position, outcome in outcomes.items():
        place = _place(folder / _SO_FAR, position)
        if place.exists():
            more = outcome.with_scores(load_scores(place))
            if len(more.scores) > len(outcome.scores):
                found[position] = more
    return found


def _place(folder: Path, position: int) -> Path:
    return folder / f"{position:06d}"
