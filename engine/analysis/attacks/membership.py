"""Membership inference: whether a person is in the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    SHUFFLED,
    AttackInfo,
    AttackResult,
    AttackScene,
    Knowledge,
    attacks,
)
from engine.analysis.attacks.shared_space import (
    ComparedPoints,
    embed_records,
    nearest_points_and_sq_dists,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.typing import Values
from engine.data.schema import Schema
from engine.data.table import Table


@attacks.register(
    AttackInfo(
        id="membership",
        title="Membership",
        does="tells whether a person is in the file",
        summary="The intruder says that a person is in the file if a released record "
        "is near enough. The intruder knows whether some other people are in "
        "the file, and uses them to choose which distance is near enough.",
        against="a coin toss, because half of the people in question are in the file",
        reference="Homer et al. 2008, https://doi.org/10.1371/journal.pgen.1000167; "
        "Shokri et al. 2017, https://doi.org/10.1109/SP.2017.41",
        needs="values",
    )
)
def attack_membership(scene: AttackScene) -> AttackResult:
    """Return the result of telling members of the file from non-members.

    Without outsiders, each person stands for one as well: in a file without any of
    their records, all other groups as they are and their own without them.
    """
    if scene.matching == "values" and scene.outsiders is None:
        return AttackResult.impossible("membership", SHUFFLED)
    pair = embed_records(scene, scene.known_columns)
    inside = nearest_points_and_sq_dists(pair.known, pair.seen)[1]
    outside = (
        _dist_without_self(scene, pair)
        if scene.outsiders is None
        else _outsider_distances(scene)
    )
    limit = _best_threshold(inside[::2], outside[::2])
    reach = _with_rounding(limit)
    hits = inside[1::2] <= reach, outside[1::2] > reach
    shares = [float(each.mean()) for each in hits if each.size]
    attempts = sum(each.size for each in hits)
    rate = float(np.mean(shares)) if shares else float("nan")
    return AttackResult("membership", rate, attempts, 0.5)


def _dist_without_self(scene: AttackScene, pair: ComparedPoints) -> Values:
    """Return distances of the targets to files without them."""
    persons, columns = scene.released_persons, scene.known_columns
    n_released = scene.release.rows.size
    everything = Knowledge(scene.knowledge.columns, about=n_released)
    values = embed_records(replace(scene, knowledge=everything, persons=None), columns)
    if persons is None:
        persons = np.arange(n_released)
    order = np.argsort(persons, kind="stable")
    whose = persons[scene.target_rows()]
    starts = np.searchsorted(persons[order], whose, side="left")
    ends = np.searchsorted(persons[order], whose, side="right")
    min_dists = np.empty(whose.size)
    for i, point in enumerate(pair.known):
        own_rows = order[starts[i] : ends[i]]
        classes, of = np.unique(pair.classes[own_rows], return_inverse=True)
        own_counts, size = np.bincount(of), values.sizes[classes]
        rest = size[:, np.newaxis] * pair.seen[classes]
        np.subtract.at(rest, of, values.known[own_rows])
        has_others = size > own_counts
        means = rest[has_others] / (size - own_counts)[has_others, np.newaxis]
        sq_dists = np.square(pair.seen - point).sum(axis=1)
        sq_dists[classes] = np.inf
        own_apart = np.square(means - point).sum(axis=1)
        min_dists[i] = min(sq_dists.min(), own_apart.min(initial=np.inf))
    return min_dists


def _outsider_distances(scene: AttackScene) -> Values:
    """Return distances of people that are not in the file."""
    assert scene.outsiders is not None
    table, release = scene.outsiders, scene.release
    few = scene.outside_rows()
    # They are put beside the release in place of its own people.
    names = scene.known_columns
    both = pd.concat([scene.original.frame[names], table.frame[names]])
    schema = Schema(tuple(scene.original.schema[name] for name in names))
    originals = Table.from_frame(both.reset_index(drop=True), schema)
    frame = pd.concat([release.frame[names], release.frame[names].iloc[[0] * few.size]])
    rows = np.concatenate([release.rows, scene.original.n_records + few])
    joined = ReleaseWithOrigins(release.name, frame.reset_index(drop=True), rows)
    everybody = replace(scene.knowledge, about=rows.size)
    mixed_scene = replace(
        scene, original=originals, release=joined, knowledge=everybody, persons=None
    )
    pair = embed_records(mixed_scene, names)
    outsiders = pair.known[release.rows.size :]
    return nearest_points_and_sq_dists(outsiders, pair.seen)[1]


def _best_threshold(inside: Values, outside: Values) -> float:
    """Return the distance that tells both apart best."""
    line = np.concatenate([inside, outside])
    is_in = np.repeat([True, False], [inside.size, outside.size])
    order = np.argsort(line, kind="stable")
    hit = np.cumsum(is_in[order]) / max(1, inside.size)
    false = np.cumsum(~is_in[order]) / max(1, outside.size)
    line = line[order]
    last = np.append(line[1:] > _with_rounding(line[:-1]), True)
    gain = np.where(last, hit - false, -np.inf)
    return float(line[int(np.argmax(gain))])


def _with_rounding(sq_dists: Any) -> Any:
    """Return squared distances up to which others are the same but for rounding."""
    return sq_dists * (1.0 + 1e-9) + 1e-15
