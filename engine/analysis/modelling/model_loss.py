"""Model loss: how much worse a model is when fitted to the release.

It is tried on original records that it has not seen, beside the same model fitted to
original records.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from engine.analysis.modelling.model_inputs import (
    inputs_before_and_after,
    target_before_and_after,
)
from engine.analysis.modelling.models import ModelInfo, models
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import InputError, ParameterError
from engine.core.message import NO_MESSAGE, Message
from engine.core.numerics.statistics import total_sum_of_squares
from engine.core.typing import Values
from engine.data.schema import unknown_column_error
from engine.data.table import Table
from engine.measures.reidentification.sampling import sample_indices, sampling_note
from engine.pipeline.evaluate import make_measured_release
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome

MAX_MODEL_RECORDS = 10_000
"""Records that models see, at most; of more, a random sample."""


@dataclass(frozen=True)
class ModelScores:
    """Cross-validated scores of a model fitted to original and released records.

    Attributes
    ----------
    target : str
    features : tuple of str
    model : str
        Identifier in :data:`models`.
    measure : {"R squared", "accuracy"}
        Higher is better; at most 1.
    original, protected : tuple of float
        Score in each fold of the model fitted to original records, and to the same
        records as released.
    baseline : tuple of float
        Score of the mean, or of the most frequent category, of original records.
    n_records : int
        Records used.
    n_slopes : int
        Slopes of the model; 0 of one that has none, such as trees.
    sign_changes : tuple of str
        Inputs whose slope has another sign when fitted to the release.
    note : Message
        Of how many records the scores are estimated; empty if of all.
    """

    target: str
    features: tuple[str, ...]
    model: str
    measure: str
    original: tuple[float, ...]
    protected: tuple[float, ...]
    baseline: tuple[float, ...]
    n_records: int
    n_slopes: int = 0
    sign_changes: tuple[str, ...] = ()
    note: Message = NO_MESSAGE

    @property
    def score_loss(self) -> float:
        """Mean score of the original's model minus that of the release's."""
        return float(np.mean(self.original) - np.mean(self.protected))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the score loss.

        References
        ----------
        Nadeau & Bengio 2003, https://doi.org/10.1023/A:1024068626366: folds share
        records they were fitted to, so they vary less than new data would.
        """
        from scipy.stats import t

        folds = len(self.original)
        differences = np.subtract(self.original, self.protected)
        spread = float(differences.var(ddof=1)) * (1 / folds + 1 / (folds - 1))
        half = float(t.ppf(0.975, folds - 1)) * math.sqrt(spread)
        return self.score_loss - half, self.score_loss + half

    @property
    def kept_share(self) -> float:
        """Share of the original model's gain over the baseline that is kept, per cent.

        From 0 to 100: a model of the release that does better in these folds, or worse
        than the baseline, has kept all or nothing. NaN where the original model is no
        better than the baseline.
        """
        baseline = float(np.mean(self.baseline))
        gain = float(np.mean(self.original)) - baseline
        if gain <= 0.0:
            return float("nan")
        share = 100.0 * (float(np.mean(self.protected)) - baseline) / gain
        return min(100.0, max(0.0, share))


@check_arguments
def analyse(
    outcome: Outcome,
    table: Table,
    target: str,
    model: str,
    features: Sequence[str] = (),
    folds: int = 5,
    seed: int = 0,
    ctx: RunContext = SILENT,
    preparations: PreparationCache | None = None,
) -> ModelScores:
    """Return scores on original records of a model fitted to them and to a release.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        The table that was protected.
    target : str
        Column to predict.
    model : str
        Identifier in :data:`models`.
    features : sequence of str, optional
        Columns to predict by; the quasi-identifiers if left out.
    folds : int
        Parts of the cross-validation: each is held out once.
    seed : int
        Seed of the folds, the sample and the model.
    ctx : RunContext
        Progress and cancel.
    preparations : PreparationCache, optional
        Preparations of the same table, if they exist.

    Raises
    ------
    ParameterError
        If a column or the model does not exist, or a choice makes no sense.
    InputError
        If the target does not suit the model.
    Cancelled
    """
    info = models.info(model)
    chosen = tuple(features) or tuple(
        name for name in outcome.plan.quasi_identifiers if name != target
    )
    _check(outcome, target, chosen, folds)
    ctx.tick(0, 1, Message("Reading the release"))
    protected = make_measured_release(outcome, table, seed, preparations)
    y_before, y_after = target_before_and_after(protected, target, info)
    rows = np.flatnonzero((y_before.notna() & y_after.notna()).to_numpy())
    if rows.size < 2 * folds:
        raise InputError(
            "Column {column!r} has a value in {count} record only, too few for "
            "{folds} parts: choose another column, or fewer parts.",
            "Column {column!r} has a value in {count} records only, too few for "
            "{folds} parts: choose another column, or fewer parts.",
            column=target,
            count=rows.size,
            folds=folds,
        )
    records = rows[sample_indices(rows.size, MAX_MODEL_RECORDS, seed)]
    y_before, y_after = y_before.iloc[records], y_after.iloc[records]
    *sides, inputs = inputs_before_and_after(protected, chosen)
    before, after = (side[records] for side in sides)
    parts = np.random.default_rng(seed).permutation(records.size) % folds
    scores: list[tuple[float, float, float]] = []
    for part in range(folds):
        out = parts == part
        unseen, truth = before[out], y_before[out]
        pair = []
        for turn, (side, answers) in enumerate(((before, y_before), (after, y_after))):
            stage = Message(
                "Fitting models, part {part} of {all}", part=part + 1, all=folds
            )
            ctx.tick(part + turn / 2, folds, stage)
            pair.append(_score(info, seed, side[~out], answers[~out], unseen, truth))
        scores.append(
            (pair[0], pair[1], _constant_model_score(info, y_before[~out], truth))
        )
    slopes = [
        _slopes(info, seed, side, answers)
        for side, answers in ((before, y_before), (after, y_after))
    ]
    ctx.tick(1, 1, Message("Done"))
    original, released, baseline = zip(*scores, strict=True)
    return ModelScores(
        target=target,
        features=chosen,
        model=info.id,
        measure="accuracy" if info.classifies else "R squared",
        original=original,
        protected=released,
        baseline=baseline,
        n_records=records.size,
        n_slopes=len(slopes[0]),
        sign_changes=_sign_changes(slopes[0], slopes[1], inputs),
        note=sampling_note(records.size, rows.size),
    )


def _check(
    outcome: Outcome, target: str, features: tuple[str, ...], folds: int
) -> None:
    names = outcome.release.columns
    for name in (target, *features):
        if name not in names:
            raise unknown_column_error(name, names)
    if not features:
        raise ParameterError(
            "There is nothing to predict {column!r} by: name other columns.",
            column=target,
        )
    if target in features:
        raise ParameterError(
            "Column {column!r} cannot be predicted by itself: leave it out of the "
            "columns to predict by.",
            column=target,
        )
    if folds < 2:
        raise ParameterError(
            "A cross-validation of {folds} parts holds nothing out: choose 2 or more.",
            folds=folds,
        )


def _fit(info: ModelInfo, seed: int, inputs: Values, answers: pd.Series) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    model = make_pipeline(StandardScaler(), models.get(info.id)(seed))
    # Waiting for each other takes longer than so few rows.
    with threadpool_limits(1), warnings.catch_warnings():
        # Where the answers can be told for certain, slopes have no end.
        warnings.simplefilter("ignore")
        return model.fit(inputs, answers.to_numpy())


Slopes = Mapping[tuple[str, int], float]
"""Slopes by answer, empty where there are two or it is a number, and input."""


def _slopes(info: ModelInfo, seed: int, inputs: Values, answers: pd.Series) -> Slopes:
    """Return the slopes of a model, in standard deviations of its inputs."""
    if not info.has_slopes or answers.nunique() == 1:
        return {}
    fitted = _fit(info, seed, inputs, answers)[-1]
    rows = np.atleast_2d(fitted.coef_)
    named = list(fitted.classes_) if len(rows) > 1 else [""]
    return {
        (str(answer), j): float(slope)
        for answer, row in zip(named, rows, strict=True)
        for j, slope in enumerate(row)
    }


def _sign_changes(
    before: Slopes, after: Slopes, inputs: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the inputs whose slopes lie on the other side of 0."""
    return tuple(
        f"{inputs[j]} ({answer})" if answer else inputs[j]
        for (answer, j), slope in before.items()
        if slope * after.get((answer, j), 0.0) < 0.0
    )


def _score(
    info: ModelInfo,
    seed: int,
    training_rows: Values,
    target: pd.Series,
    unseen: Values,
    truth: pd.Series,
) -> float:
    """Return the score of a model fitted to some records and tried on others."""
    if info.classifies and target.nunique() == 1:  # there is one answer to learn
        return float((truth == target.iloc[0]).mean())
    predictions = _fit(info, seed, training_rows, target).predict(unseen)
    if info.classifies:
        return float((truth.to_numpy() == predictions).mean())
    return _r_squared(truth.to_numpy(), predictions)


def _constant_model_score(
    info: ModelInfo, target: pd.Series, truth: pd.Series
) -> float:
    """Return the score of one answer for everybody."""
    if info.classifies:
        return float((truth == target.value_counts(sort=True).index[0]).mean())
    return _r_squared(truth.to_numpy(), np.full(truth.size, target.mean()))


def _r_squared(truth: Values, predicted: Values) -> float:
    """Return 1 - SSE / SST; 0 where there is nothing to explain."""
    sst = total_sum_of_squares(truth)
    return 1.0 - float(np.square(truth - predicted).sum()) / sst if sst > 0.0 else 0.0
