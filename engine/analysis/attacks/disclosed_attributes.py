"""Disclosed attributes: classes whose members (nearly) share a confidential value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.analysis.attacks.base import (
    SHUFFLED,
    AttackInfo,
    AttackResult,
    AttackScene,
    attacks,
)
from engine.analysis.attacks.shared_space import embed_records
from engine.core.typing import Values
from engine.measures.confidential import NOTHING_CONFIDENTIAL
from engine.measures.risk.attribute_disclosure import (
    count_right_guesses,
    values_and_tolerance,
)

NO_ROWS = np.empty(0, dtype=np.int64)
"""Rows of the original that fall, where nobody knows whose record is whose."""


@attacks.register(
    AttackInfo(
        id="disclosed-attributes",
        title="Disclosed attributes",
        does="reads what all of a class share",
        summary="A class consists of all records with the same released "
        "quasi-identifiers. The intruder knows a person's class. If all "
        "records of this class have the same confidential value, the intruder "
        "learns this value. The intruder learns a number if all numbers of the "
        "class lie within a tenth of the column's standard deviation of the "
        "intruder's guess.",
        against="classes of the same sizes drawn at random",
        reference="Machanavajjhala et al. 2007, https://doi.org/10.1145/1217299.1217302",
        needs="values",
    )
)
def attack_disclosed_attributes(scene: AttackScene) -> AttackResult:
    """Return the result of reading a confidential value that a class (nearly) shares.

    Of several columns, the one with the largest share beyond chance counts.
    """
    if scene.persons is not None and scene.matching == "values":
        return AttackResult.impossible("disclosed-attributes", SHUFFLED)
    results, schema = [], scene.original.schema
    pair, targets = embed_records(scene, scene.known_columns), scene.target_rows()
    n_targets_by_class = np.bincount(pair.own).astype(np.float64)
    for name in scene.secret_columns:
        values, near = values_and_tolerance(scene.release.frame[name], schema[name])
        shared = count_right_guesses(pair.classes, values, near)
        alike = shared == np.bincount(pair.classes)
        right = alike[pair.own].astype(np.float64)
        drawn = values if scene.persons is None else values[targets]
        chance = chance_of_near_agreement_per_class(drawn, near, pair.sizes)
        control = float(chance[pair.own].mean())
        results.append(
            scene.make_result(
                "disclosed-attributes",
                right,
                control,
                column=name,
                n_columns=len(scene.secret_columns),
                # Whoever is in one class succeeds together.
                n_independent=right.size**2
                / max(1, int((n_targets_by_class**2).sum())),
            )
        )
    if not results:
        return AttackResult.impossible("disclosed-attributes", NOTHING_CONFIDENTIAL)
    result = max(results, key=lambda candidate: candidate.rate - candidate.control)
    return result if scene.matching != "values" else replace(result, fallen=NO_ROWS)


def chance_of_near_agreement_per_class(
    values: Values, max_gap: float, class_sizes: NDArray[np.int64]
) -> Values:
    """Return, per class, the chance that as many values drawn at random nearly agree.

    Of the C(n, s) sets of s values, those lie within twice `max_gap` in which the s - 1
    values above the smallest are among the r - 1 that it reaches: C(r - 1, s - 1),
    added up over all values, in rising order.

    Parameters
    ----------
    values : ndarray of float64, shape (n_values,)
    max_gap : float
        A guess is right for values at most so far away.
    class_sizes : ndarray of int64, shape (n_classes,)

    Returns
    -------
    ndarray of float64, shape (n_classes,)
    """
    line, n = np.sort(values), values.size
    end = np.searchsorted(line, line + 2.0 * max_gap + 1e-12, side="right")
    reach, times = np.unique(end - np.arange(n), return_counts=True)
    chance = np.zeros(int(class_sizes.max()) + 1)
    share = times / n
    for size in range(1, min(chance.size, n + 1)):
        chance[size] = size * share.sum()
        share = share * np.maximum(reach - size, 0) / max(1, n - size)
        if not share.any():
            break
    return np.asarray(chance[class_sizes])
