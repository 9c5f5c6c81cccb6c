"""Reference points: keeps and risks of an answer and of other protections."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from engine.analysis.attacks import AttackScene, Knowledge
from engine.analysis.attacks.shared_space import (
    embed_records,
    linkage_probability_per_target,
)
from engine.analysis.need.answer import (
    REFERENCE_TITLES,
    Promise,
    ReferencePoint,
    compare_with_keeps,
)
from engine.analysis.need.keeps import KeepScene
from engine.analysis.need.plan_search.search import PlanSearch, is_deadline_past
from engine.analysis.need.references.other_ways import (
    add_noise,
    draw_within_groups,
    mondrian_labels,
    recoded_frame_and_kept_rows,
    replace_by_midpoints_or_modes,
    scale_to_unit_range,
    synthesise_by_trees,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.message import Message
from engine.core.typing import Integers
from engine.data.conversion.numeric import is_numeric_column
from engine.data.persons import persons_per_class
from engine.measures.classes import record_classes
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.outcome import Outcome

N_NOISE_STEPS = 12
"""Halvings of the interval in which the amount of noise is looked for."""


def make_reference_points(
    search: PlanSearch, outcome: Outcome, seed: int, deadline: float | None = None
) -> tuple[ReferencePoint, ...]:
    """Return reference points of a need's release and of other protections, measured.

    They are measured in the order of :data:`REFERENCE_TITLES`, the noise, which takes
    longest, as the last one; those that no time is left for are left out.

    Parameters
    ----------
    search : PlanSearch
        With the keeps that were asked for.
    outcome : Outcome
        The answer's release, the first of the points.
    deadline : float, optional
        Reading of :func:`monotonic_without_compiling`.
    """
    names, k = list(outcome.plan.quasi_identifiers), outcome.plan.k
    rows = outcome.release.rows
    used = _used_columns(search, names)
    original = search.table.frame.iloc[rows][used].reset_index(drop=True)
    places = np.flatnonzero(original[names].notna().all(axis=1))
    original, rows = original.iloc[places].reset_index(drop=True), rows[places]
    persons = person_codes(outcome.plan, search.table, rows)
    scale = _Scale(search, names, rows, persons)
    released = outcome.release.frame.iloc[places].reset_index(drop=True)
    first_point = scale.measure(Message("This release"), "k", released)
    if len(original) < k:
        return ()
    rng = np.random.default_rng([seed, 41])
    labels = mondrian_labels(scale_to_unit_range(original[names]), k, persons)
    midpoints, drawn, recoding, trees, noise = REFERENCE_TITLES

    def measure_recoding() -> ReferencePoint:
        recoded, kept_rows = recoded_frame_and_kept_rows(original, names, k, persons)
        return scale.measure(recoding, "k", recoded, kept_rows)

    def measure_noise() -> ReferencePoint | None:
        noisy = _find_noise(scale, original, first_point.linkage or 0.0, seed, deadline)
        return None if noisy is None else scale.measure(noise, "other", noisy)

    ways: tuple[Callable[[], ReferencePoint | None], ...] = (
        lambda: scale.measure(
            midpoints, "k", replace_by_midpoints_or_modes(original, names, labels)
        ),
        lambda: scale.measure(
            drawn, "k", draw_within_groups(original, names, labels, rng), labels=labels
        ),
        measure_recoding,
        lambda: scale.measure(
            trees, "other", synthesise_by_trees(original, rng), is_of_nobody=True
        ),
        measure_noise,
    )
    points = (None if is_deadline_past(deadline) else way() for way in ways)
    return (first_point, *(point for point in points if point is not None))


def _used_columns(search: PlanSearch, names: Sequence[str]) -> list[str]:
    """Return the quasi-identifiers, and what models and keeps are about."""
    used = dict.fromkeys(names)
    for design in search.designs:
        used |= dict.fromkeys(design.model.columns(search.table.schema.names))
    for keep in search.keeps:
        used |= dict.fromkeys(keep.columns)
    return list(used)


class _Scale:
    """The measures of an answer, for other releases of the same records."""

    def __init__(
        self,
        search: PlanSearch,
        names: list[str],
        rows: Integers,
        persons: Integers | None = None,
    ) -> None:
        self.search, self.names, self.rows = search, names, rows
        self.persons = persons
        self.original = search.table.frame.iloc[rows]
        classes = record_classes(self.original, tuple(names))
        self._is_unique = np.bincount(classes)[classes] == 1

    def measure(
        self,
        title: Message,
        promise: Promise,
        frame: pd.DataFrame,
        kept: Integers | None = None,
        labels: Integers | None = None,
        is_of_nobody: bool = False,
    ) -> ReferencePoint:
        """Return what a release keeps, and its risks.

        Parameters
        ----------
        title : Message
        promise : {"k", "other"}
        frame : pandas.DataFrame
            A record for each of the original, or for each that is kept.
        kept : ndarray of int64, optional
            Places of its records among those of the original; all if left out.
        labels : ndarray of int64, optional
            Classes; those of equal values if left out.
        is_of_nobody : bool
            Whether its records are of no record of the original.
        """
        rows = self.rows if kept is None else self.rows[kept]
        original = self.search.table.frame.iloc[rows]
        numeric = tuple(
            name
            for name in self.names
            if is_numeric_column(original[name]) and is_numeric_column(frame[name])
        )
        loss = _loss_of_values(original, frame, numeric)
        scene = KeepScene(original, frame, loss, self.search.designs, numeric)
        keeps = self.search.whole_keeps
        classes = record_classes(frame, tuple(self.names)) if labels is None else labels
        persons = None if is_of_nobody else self.persons
        if persons is not None and kept is not None:
            persons = persons[kept]
        return ReferencePoint(
            title,
            promise,
            compare_with_keeps(keeps, [keep.reached(scene) for keep in keeps]),
            len(frame),
            int(persons_per_class(classes, persons).min()),
            None if is_of_nobody else self.linkage(frame, rows),
            self._repeated_uniques(frame),
        )

    def linkage(self, frame: pd.DataFrame, rows: Integers) -> float:
        """Return the share of records that are nearest to what is known of them."""
        scene = AttackScene(
            self.search.table,
            ReleaseWithOrigins("", frame, rows),
            Knowledge(tuple(self.names)),
            seed=self.search.base.seed,
        )
        return float(
            linkage_probability_per_target(embed_records(scene, self.names)).mean()
        )

    def _repeated_uniques(self, frame: pd.DataFrame) -> float:
        """Return the share of unique keys of the original that a release holds."""
        if not self._is_unique.any():
            return 0.0
        both = pd.concat([self.original, frame], ignore_index=True)
        classes = record_classes(both, tuple(self.names))
        keys, released = np.split(classes, [len(self.original)])
        return float(np.isin(keys[self._is_unique], released).mean())


def _loss_of_values(
    original: pd.DataFrame, frame: pd.DataFrame, names: Sequence[str]
) -> float:
    """Return the mean squared change of numbers, in per cent of their variances."""
    if not names:
        return math.nan
    before, after = (
        each[list(names)].to_numpy(np.float64) for each in (original, frame)
    )
    spread = np.maximum(before.var(axis=0), 1e-300)
    return 100.0 * float((((before - after) ** 2).mean(axis=0) / spread).mean())


def _find_noise(
    scale: _Scale,
    original: pd.DataFrame,
    linkage: float,
    seed: int,
    deadline: float | None,
) -> pd.DataFrame | None:
    """Return the original with the least noise that links no more records.

    None if time is over before.
    """
    low, high = -7.0, 3.0
    for _ in range(N_NOISE_STEPS):
        if is_deadline_past(deadline):
            return None
        middle = (low + high) / 2.0
        noisy = add_noise(original, scale.names, math.exp(middle), seed)
        if scale.linkage(noisy, scale.rows) > linkage:
            low = middle
        else:
            high = middle
    return add_noise(original, scale.names, math.exp(high), seed)
