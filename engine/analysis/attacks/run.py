"""Run all attacks on one release."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.analysis.attacks.base import (
    AttackResult,
    AttackScene,
    Knowledge,
    attacks,
    untried_result,
)
from engine.analysis.released import MatchedRelease
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.persons import persons_of

SHUFFLED = Message(
    "Cannot be judged: the records were shuffled, so that nobody can say whose record "
    "an intruder finds. Name columns that both files keep (--match)."
)
"""Why no attack is tried on a release in another order."""


def run_attacks(
    scene: AttackScene, names: Iterable[str] | None = None
) -> list[AttackResult]:
    """Return the results of attacks on a scene, in the order of the registry.

    Parameters
    ----------
    scene : AttackScene
    names : iterable of str, optional
        Identifiers or aliases; all if left out.

    Raises
    ------
    ParameterError
        If the release has no column that the intruder knows, or an attack does not
        exist.
    Cancelled
    """
    if not scene.known_columns:
        raise ParameterError(
            "{name} has none of the columns that the intruder knows: name some that "
            "it has.",
            name=scene.release.name,
        )
    chosen = [attacks.resolve(name) for name in (attacks if names is None else names)]
    found = []
    for done, name in enumerate(chosen):
        scene.ctx.tick(done, len(chosen), attacks.info(name).title)
        attack = attacks.get(name)
        found.append(
            attack(scene) if scene.is_matched else untried_result(name, SHUFFLED)
        )
    scene.ctx.tick(1, 1, Message("Done"))
    return found


def attack_outcome(
    outcome: Outcome,
    table: Table,
    knowledge: Knowledge,
    ctx: RunContext = SILENT,
    names: Iterable[str] | None = None,
) -> tuple[AttackResult, ...]:
    """Return the results of attacks on a run's release, in the order of the registry.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected.
    knowledge : Knowledge
        Of the original; samples are drawn with the plan's seed.
    ctx : RunContext
    names : iterable of str, optional
        As in :func:`run_attacks`.

    Raises
    ------
    ParameterError
        If the release has no column that the intruder knows.
    Cancelled
    """
    plan = outcome.plan
    scene = AttackScene(
        table,
        MatchedRelease.from_outcome(outcome),
        knowledge,
        plan.confidential,
        seed=plan.seed,
        ctx=ctx,
        persons=persons_of(plan, table, np.arange(table.n_records)),
    )
    return tuple(run_attacks(scene, names))
