"""Membership: whether somebody is in the file at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import AttackInfo, Result, Scene, attacks
from engine.analysis.attacks.compared import Compared, compared, nearest
from engine.analysis.released import Released
from engine.core.typing import Values
from engine.data.schema import Schema
from engine.data.table import Table
from engine.measures.sampling import drawn


@attacks.register(
    AttackInfo(
        id="membership",
        title="Membership",
        does="tells whether a person is in the file",
        summary="Says of a person that he or she is in the file where a released "
        "record is near enough; how near is learnt from others.",
        against="tossing a coin: half of those asked about are in the file",
        reference="Homer et al. 2008, https://doi.org/10.1371/journal.pgen.1000167; "
        "Shokri et al. 2017, https://doi.org/10.1109/SP.2017.41",
    )
)
def membership(scene: Scene) -> Result:
    """Return how often it is right, of as many people in the file as outside.

    Without outsiders, each person stands for one as well: in a file without them, all
    other groups as they are and their own one without them.
    """
    pair = compared(scene, scene.columns)
    inside = nearest(pair.known, pair.seen)[0]
    outside = _without(pair) if scene.outsiders is None else _outsiders(scene)
    limit = _threshold(inside[::2], outside[::2])
    hits = inside[1::2] <= limit, outside[1::2] > limit
    shares = [float(each.mean()) for each in hits if each.size]
    attempts = sum(each.size for each in hits)
    rate = float(np.mean(shares)) if shares else float("nan")
    return Result("membership", rate, attempts, 0.5)


def _without(pair: Compared) -> Values:
    """Return distances of the targets in files that they are not in."""
    least, second, which = nearest(pair.known, pair.seen)
    size = pair.sizes[pair.own].astype(np.float64)[:, np.newaxis]
    rest = (size * pair.seen[pair.own] - pair.known) / np.maximum(size - 1.0, 1.0)
    own = np.square(pair.known - rest).sum(axis=1)
    own[size[:, 0] == 1.0] = np.inf
    others = np.where(which == pair.own, second, least)
    return np.asarray(np.minimum(own, others))


def _outsiders(scene: Scene) -> Values:
    """Return distances of people that were not in the file."""
    assert scene.outsiders is not None
    table, release = scene.outsiders, scene.release
    few = drawn(table.n_records, scene.knowledge.about, scene.seed)
    # They are put beside the release in place of its own people.
    names = scene.columns
    both = pd.concat([scene.original.frame[names], table.frame[names]])
    schema = Schema(tuple(scene.original.schema[name] for name in names))
    originals = Table.from_frame(both.reset_index(drop=True), schema)
    shown = pd.concat([release.frame[names], release.frame[names].iloc[[0] * few.size]])
    rows = np.concatenate([release.rows, scene.original.n_records + few])
    joined = Released(release.name, shown.reset_index(drop=True), rows)
    everybody = replace(scene.knowledge, about=rows.size)
    there = replace(scene, original=originals, release=joined, knowledge=everybody)
    pair = compared(there, names)
    return nearest(pair.known[release.rows.size :], pair.seen)[0]


def _threshold(inside: Values, outside: Values) -> float:
    """Return the distance that tells both apart best."""
    line = np.concatenate([inside, outside])
    is_in = np.repeat([True, False], [inside.size, outside.size])
    order = np.argsort(line, kind="stable")
    hit = np.cumsum(is_in[order]) / max(1, inside.size)
    false = np.cumsum(~is_in[order]) / max(1, outside.size)
    last = np.append(np.diff(line[order]) > 0.0, True)
    gain = np.where(last, hit - false, -np.inf)
    return float(line[order][int(np.argmax(gain))])
