"""Runs of all or the named attacks on one release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    MATCHINGS,
    SHUFFLED,
    AttackResult,
    AttackScene,
    Knowledge,
    Matching,
    attacks,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.data.conversion.numeric import floats_or_none, has_incomputable_values
from engine.data.table import Table
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.outcome import Outcome


def run_attacks(
    scene: AttackScene, attack_names: Iterable[str] | None = None
) -> list[AttackResult]:
    """Return the results of the named attacks on a scene, in order; of all by default.

    Parameters
    ----------
    attack_names : iterable of str, optional
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
    chosen = [
        attacks.resolve(name)
        for name in (attacks if attack_names is None else attack_names)
    ]
    scene = _copy_with_ranks(scene)
    results = []
    for done, name in enumerate(chosen):
        scene.ctx.tick(done, len(chosen), attacks.info(name).title)
        can_judge = MATCHINGS.index(scene.matching) >= MATCHINGS.index(
            _required_matching(scene, name)
        )
        attack = attacks.get(name)
        results.append(
            attack(scene) if can_judge else AttackResult.impossible(name, SHUFFLED)
        )
    scene.ctx.tick(1, 1, Message("Done"))
    return results


def _copy_with_ranks(scene: AttackScene) -> AttackScene:
    """Return a scene with ranks for the numbers of columns that have no mean.

    Those are columns with infinite or huge numbers; of other scenes it is the same.
    """
    pair = before, after = scene.original.frame, scene.release.frame
    ranked = {
        name: np.unique(numbers[~np.isnan(numbers)])
        for name in dict.fromkeys((*scene.known_columns, *scene.secret_columns))
        if any(name in side and has_incomputable_values(side[name]) for side in pair)
        and (numbers := floats_or_none(before[name])) is not None
    }
    if not ranked:
        return scene

    def with_ranks(frame: pd.DataFrame) -> pd.DataFrame:
        columns = {}
        for name, levels in ranked.items():
            numbers = floats_or_none(frame[name]) if name in frame else None
            if numbers is not None:  # no words for intervals
                ranks = np.searchsorted(levels, numbers).astype(np.float64)
                ranks[np.isnan(numbers)] = np.nan
                columns[name] = pd.Series(ranks, index=frame.index)
        return frame.assign(**columns)

    return replace(
        scene,
        original=replace(scene.original, frame=with_ranks(before)),
        release=replace(scene.release, frame=with_ranks(after)),
    )


def _required_matching(scene: AttackScene, name: str) -> Matching:
    """Return what has to be known of whose record is whose to judge an attack."""
    needs = attacks.info(name).needs
    if needs != "values":
        return needs
    for column in (*scene.known_columns, *scene.secret_columns):
        before, after = scene.original.frame[column], scene.release.frame[column]
        # What a word such as "10-20" says of numbers is learnt from whose it is.
        if (floats_or_none(before) is None) != (floats_or_none(after) is None):
            return "classes"
    return needs


def run_attacks_on_outcome(
    outcome: Outcome,
    table: Table,
    knowledge: Knowledge,
    ctx: RunContext = SILENT,
    attack_names: Iterable[str] | None = None,
) -> tuple[AttackResult, ...]:
    """Return the results of the named attacks on a run's release, all by default.

    Parameters
    ----------
    table : Table
        The table that was protected.
    knowledge : Knowledge
        Of the original; samples are drawn with the plan's seed.
    attack_names : iterable of str, optional
        As in :func:`run_attacks`.

    Raises
    ------
    ParameterError
        As from :func:`run_attacks`.
    Cancelled
    """
    plan = outcome.plan
    scene = AttackScene(
        table,
        ReleaseWithOrigins.from_outcome(outcome),
        knowledge,
        plan.confidential,
        seed=plan.seed,
        ctx=ctx,
        persons=person_codes(plan, table, np.arange(table.n_records)),
    )
    return tuple(run_attacks(scene, attack_names))
