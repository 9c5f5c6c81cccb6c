"""Assessment jobs: compute measures, attacks and analyses of finished runs.

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

from dashboard.results.figures import plan_label
from engine.analysis import ModelScores, analyse
from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.curves import suppression_curve
from engine.analysis.releases.ledger import Ledger
from engine.core.context import RunContext
from engine.data.table import Table
from engine.measures import Score
from engine.pipeline.compare import Failure, Result
from engine.pipeline.evaluate import evaluate
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.run import run
from engine.storage.outcomes import (
    create_folder_atomically,
    load_outcome,
    load_scores,
    read_json,
    save_outcome,
    save_scores,
    write_json,
)

INITIAL_MEASURES = ("record-linkage",)
"""Measures computed for every result at once, for the risk-utility map."""

MAX_INITIAL_MEASURE_RECORDS = 200_000
"""Largest table for which the initial measures take about a second of one core."""

PARTIAL_WRITE_SECONDS = 0.4
"""Seconds between two writes of an outcome's first figures by the worker, at least."""

_ASSESSMENT_FILE = "assessment.json"
_SCORES_FILE = "scores.json"
_SO_FAR = "so-far"
_ANALYSIS_FILE = "analysis.json"
_ATTACKS_FILE = "attacks.json"
_LEFT_OUT = "left-out.json"
_REGROUPED_FOLDER = "regrouped"
_ANALYSIS_ADAPTER = TypeAdapter(ModelScores)
_CURVES_ADAPTER = TypeAdapter(tuple[suppression_curve.BudgetResult, ...])


@dataclass(frozen=True)
class AssessmentRequest:
    """Request for measures, analyses, attacks and other findings on finished runs.

    Attributes
    ----------
    measures : tuple of str
        Identifiers; those that an outcome has already are not worked out again.
    target : str
        Column that a model predicts; empty for no analysis.
    model : str
        Identifier in :data:`engine.analysis.modelling.models`.
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

    def missing_outcomes(self, results: Mapping[int, Result]) -> dict[int, Outcome]:
        """Return the outcomes that lack a requested measure or finding, by position."""
        always = self.target or self.knowledge or self.left_out or self.regroup
        return {
            position: result
            for position, result in results.items()
            if isinstance(result, Outcome)
            and (always or not set(self.measures) <= set(result.scores))
        }


_ASSESSMENT_ADAPTER = TypeAdapter(AssessmentRequest)


@dataclass(frozen=True, eq=False)
class OutcomeFindings:
    """Findings on one outcome: analysis, attacks, suppression curve and regrouping.

    Attributes
    ----------
    analysis : ModelScores or None
    attacks : tuple of AttackResult
        In the order of the registry; empty where nobody asked.
    left_out : tuple of BudgetResult
        By rising budget; empty where nobody asked.
    regrouped : Outcome or None
        The run repeated with the groups of an earlier release, or unions of them.
    """

    analysis: ModelScores | None = None
    attacks: tuple[AttackResult, ...] = field(default=(), repr=False)
    left_out: tuple[suppression_curve.BudgetResult, ...] = ()
    regrouped: Outcome | None = field(default=None, repr=False)


def write_assessment_job(
    assessment: AssessmentRequest,
    outcomes_by_position: Mapping[int, Outcome],
    table: Table,
    folder: Path,
) -> None:
    """Write an assessment's request and its outcomes into a worker's job folder."""
    (folder / "outcomes").mkdir()
    (folder / _SO_FAR).mkdir()
    for position, outcome in outcomes_by_position.items():
        save_outcome(outcome, _place(folder / "outcomes", position), table)
    write_json(
        folder / _ASSESSMENT_FILE,
        asdict(assessment) | {"positions": list(outcomes_by_position)},
    )


def is_assessment_job(folder: Path) -> bool:
    """Return whether a job folder requests an assessment."""
    return (folder / _ASSESSMENT_FILE).exists()


def run_assessment_job(folder: Path, table: Table, ctx: RunContext) -> None:
    """Compute the assessment of a job folder; write its findings outcome by outcome."""
    content = read_json(folder / _ASSESSMENT_FILE)
    positions = content.pop("positions")
    request = _ASSESSMENT_ADAPTER.validate_python(content)
    preparations = PreparationCache(table, max_entries=1)
    for place, position in enumerate(positions):
        outcome = load_outcome(_place(folder / "outcomes", position), table)
        assert isinstance(outcome, Outcome)
        _assess(
            request,
            outcome,
            preparations,
            _place(folder / "results", position),
            _place(folder / _SO_FAR, position),
            ctx.subcontext(
                place / len(positions),
                (place + 1) / len(positions),
                plan_label(outcome.plan),
            ),
        )
    ctx.tick(1, 1, "Done")


def copy_with_initial_measures(
    outcome: Outcome, preparation_cache: PreparationCache
) -> Outcome:
    """Return the outcome with uniqueness and, up to 200,000 records, initial measures.

    Uniqueness is computed for many records, too: the server has other things to do.
    """
    outcome = outcome.with_uniqueness(outcome.uniqueness)
    if outcome.partition.n_records > MAX_INITIAL_MEASURE_RECORDS:
        return outcome
    table, seed = preparation_cache.table, outcome.plan.seed
    scores = evaluate(
        outcome, table, INITIAL_MEASURES, seed, preparations=preparation_cache
    )
    return outcome.with_scores(scores)


def _assess(
    request: AssessmentRequest,
    outcome: Outcome,
    preparations: PreparationCache,
    folder: Path,
    so_far: Path,
    ctx: RunContext,
) -> None:
    seed, table = outcome.plan.seed, preparations.table
    more = request.target or request.knowledge or request.left_out or request.regroup
    split = 0.5 if request.measures and more else float(bool(request.measures))
    with create_folder_atomically(folder) as part:
        scores = dict(outcome.scores)
        if request.measures:
            written = time.monotonic()

            def keep(score: Score) -> None:
                nonlocal written
                scores[score.measure] = score
                if time.monotonic() - written > PARTIAL_WRITE_SECONDS:
                    save_scores(scores, so_far)
                    written = time.monotonic()

            share = ctx.subcontext(0.0, split)
            evaluate(outcome, table, request.measures, seed, share, preparations, keep)
        save_scores(scores, part / _SCORES_FILE)
        if request.target:
            analysis = analyse(
                outcome,
                table,
                request.target,
                request.model,
                seed=seed,
                ctx=ctx.subcontext(split, 1.0),
                preparations=preparations,
            )
            write_json(part / _ANALYSIS_FILE, _ANALYSIS_ADAPTER.dump_python(analysis))
        rest = ctx.subcontext(split, 1.0)
        if request.knowledge is not None:
            results = run_attacks_on_outcome(outcome, table, request.knowledge, rest)
            write_json(part / _ATTACKS_FILE, [attack.to_json() for attack in results])
        if request.left_out:
            curve = suppression_curve.loss_per_suppression_budget(
                outcome.plan, table, suppression_curve.BUDGET_SHARES, rest
            )
            write_json(part / _LEFT_OUT, _CURVES_ADAPTER.dump_python(curve))
        if request.regroup:
            ledger = Ledger.from_bytes(request.ledger.encode(), _REGROUPED_FOLDER)
            groups = ledger.regroup_like_earlier(table, outcome.plan, request.regroup)
            new_outcome = run(outcome.plan, table, rest, preparations, regroup=groups)
            save_outcome(new_outcome, part / _REGROUPED_FOLDER, table)


def load_outcome_and_findings(
    result_folder: Path, outcome: Outcome, table: Table
) -> tuple[Outcome, OutcomeFindings]:
    """Return an outcome with its new scores, and the job's further findings on it.

    Parameters
    ----------
    result_folder : Path
        What the worker wrote for it.
    outcome : Outcome
        As it was before.
    table : Table
        The table that was protected.
    """
    measured = outcome.with_scores(load_scores(result_folder / _SCORES_FILE))
    analysis, attacks, curve = (
        read_json(result_folder / name) if (result_folder / name).exists() else None
        for name in (_ANALYSIS_FILE, _ATTACKS_FILE, _LEFT_OUT)
    )
    place = result_folder / _REGROUPED_FOLDER
    regrouped_outcome = load_outcome(place, table) if place.exists() else None
    assert not isinstance(regrouped_outcome, Failure)  # a failed run ends the job
    return measured, OutcomeFindings(
        None if analysis is None else _ANALYSIS_ADAPTER.validate_python(analysis),
        tuple(map(AttackResult.from_json, attacks or ())),
        _CURVES_ADAPTER.validate_python(curve or ()),
        regrouped_outcome,
    )


def load_partly_assessed_outcomes(
    folder: Path, outcomes_by_position: Mapping[int, Outcome]
) -> dict[int, Outcome]:
    """Return, by position, outcomes with the new scores that were written so far."""
    outcomes = {}
    for position, outcome in outcomes_by_position.items():
        place = _place(folder / _SO_FAR, position)
        if place.exists():
            more = outcome.with_scores(load_scores(place))
            if len(more.scores) > len(outcome.scores):
                outcomes[position] = more
    return outcomes


def _place(folder: Path, position: int) -> Path:
    return folder / f"{position:06d}"
