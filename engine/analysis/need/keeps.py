"""Keeps: limits on how much a release changes slopes, tables, means, loss and more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.models.slopes import SlopeComparison, compare_slopes
from engine.core.errors import ParameterError

MISSED_MARGIN = -10.0
"""Margin of a keep of which the release tells nothing."""


@dataclass(frozen=True, eq=False)
class KeepScene:
    """An original table, a release of it, and the models fitted to both.

    Attributes
    ----------
    original, release : pandas.DataFrame
        The same records in the same order.
    loss : float
        Information loss of the groups, in per cent, on z-scores.
    designs : tuple of RefittableModel
    numeric : tuple of str
        Quasi-identifiers that hold numbers in both.
    """

    original: pd.DataFrame
    release: pd.DataFrame
    loss: float
    designs: tuple[RefittableModel, ...] = ()
    numeric: tuple[str, ...] = ()

    @cached_property
    def slopes(self) -> tuple[SlopeComparison, ...]:
        """All slopes of all models, before and after."""
        return tuple(
            slope
            for design in self.designs
            for slope in compare_slopes(design, design.fit(self.release))
        )


@dataclass(frozen=True)
class KeepValue:
    """The value of a keep's measure that a release reaches.

    Attributes
    ----------
    value : float
        NaN where the release tells nothing.
    weakest : str
        The slope, cell or column that is worst.
    """

    value: float
    weakest: str = ""


def _weakest(
    values: Sequence[tuple[str, float]], pick: Callable[..., Any]
) -> KeepValue:
    """Return the worst value and whose it is; NaN is worst of all."""
    for name, value in values:
        if np.isnan(value):
            return KeepValue(float("nan"), name)
    name, value = pick(values, key=lambda pair: pair[1])
    return KeepValue(value, name)


def _overlap(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    return _weakest([(slope.name, slope.overlap) for slope in scene.slopes], min)


def _bias(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    return _weakest([(slope.name, slope.shift) for slope in scene.slopes], max)


def _signs(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    changed = [slope.name for slope in scene.slopes if not slope.keeps_sign]
    share = 1.0 - len(changed) / len(scene.slopes)
    return KeepValue(share, changed[0] if changed else "")


def _coverage(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    missed = [slope for slope in scene.slopes if not slope.covers_original]
    share = 1.0 - len(missed) / len(scene.slopes)
    farthest = max(missed, key=lambda slope: slope.miss, default=None)
    return KeepValue(share, farthest.name if farthest else "")


def _loss(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    return KeepValue(scene.loss)


def _numbers_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column as float64; NaN of what is no number in a release, as a range."""
    return pd.to_numeric(frame[name], errors="coerce").astype("float64")


def _correlation(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    names = list(columns or scene.numeric)
    if len(names) < 2:
        return KeepValue(float("nan"))
    before, after = (
        pd.DataFrame({name: _numbers_of(frame, name) for name in names})
        .corr()
        .to_numpy()
        for frame in (scene.original, scene.release)
    )
    differences = [
        (f"{names[i]} and {names[j]}", float(abs(before[i, j] - after[i, j])))
        for i in range(len(names))
        for j in range(i)
    ]
    return _weakest(differences, max)


def _mean(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    rows = []
    for name in columns or scene.numeric:
        before, after = (
            _numbers_of(frame, name) for frame in (scene.original, scene.release)
        )
        rows.append((name, float(abs(before.mean() - after.mean()) / before.std())))
    return _weakest(rows, max) if rows else KeepValue(float("nan"))


def _quantiles(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    rows, shares = [], [0.1, 0.25, 0.5, 0.75, 0.9]
    for name in columns or scene.numeric:
        before, after = (
            _numbers_of(frame, name) for frame in (scene.original, scene.release)
        )
        difference = (before.quantile(shares) - after.quantile(shares)).abs().max()
        rows.append((name, float(difference / before.std())))
    return _weakest(rows, max) if rows else KeepValue(float("nan"))


def _table(scene: KeepScene, columns: tuple[str, ...]) -> KeepValue:
    counts = [
        frame.groupby(list(columns), dropna=False, observed=True).size() / len(frame)
        for frame in (scene.original, scene.release)
    ]
    differences = counts[0].sub(counts[1], fill_value=0.0).abs()
    cell: Any = differences.idxmax()
    words = map(str, cell if len(columns) > 1 else (cell,))
    return KeepValue(float(differences.sum() / 2.0), ", ".join(words))


@dataclass(frozen=True)
class KeepKind:
    """A measure that a keep may limit, the side of the limit, and its columns.

    Attributes
    ----------
    says : str
        In a few words.
    measure : callable
        ``measure(scene, columns)`` gives what is reached.
    relation : {">=", "<="}
        The side on which the limit lies.
    of_models : bool
        Whether it needs a model.
    n_columns : tuple of int
        Fewest and most columns that it may name.
    n_numeric : int
        Fewest numeric columns that it compares; 0 where it takes columns of any kind.
    """

    says: str
    measure: Callable[[KeepScene, tuple[str, ...]], KeepValue]
    relation: str
    of_models: bool = False
    n_columns: tuple[int, int] = (0, 0)
    n_numeric: int = 0

    def allows_limit(self, limit: float) -> bool:
        """Return whether a limit can be kept at all, and missed."""
        return limit >= 0.0 if self.relation == "<=" else limit <= 1.0


KEEP_KINDS: Mapping[str, KeepKind] = {
    "overlap": KeepKind(
        "overlap of the intervals of every slope", _overlap, ">=", of_models=True
    ),
    "signs": KeepKind(
        "share of slopes that keep their sign", _signs, ">=", of_models=True
    ),
    "coverage": KeepKind(
        "share of slopes whose interval in the release holds the original slope",
        _coverage,
        ">=",
        of_models=True,
    ),
    "bias": KeepKind(
        "largest change of a slope, in standard errors", _bias, "<=", of_models=True
    ),
    "loss": KeepKind("information loss in per cent", _loss, "<="),
    "correlation": KeepKind(
        "largest change of a correlation",
        _correlation,
        "<=",
        n_columns=(0, 50),
        n_numeric=2,
    ),
    "mean": KeepKind(
        "largest change of a mean, in standard deviations",
        _mean,
        "<=",
        n_columns=(0, 50),
        n_numeric=1,
    ),
    "quantiles": KeepKind(
        "largest change of a quantile, in standard deviations",
        _quantiles,
        "<=",
        n_columns=(0, 50),
        n_numeric=1,
    ),
    "shares": KeepKind(
        "total variation between the shares of a column's values",
        _table,
        "<=",
        n_columns=(1, 1),
    ),
    "table": KeepKind(
        "total variation between tables of these columns",
        _table,
        "<=",
        n_columns=(2, 3),
    ),
}
"""All of them, by the word that begins a keep."""

_KEEP = re.compile(
    r"\s*(?P<kind>[a-z]+)\s*(?:\((?P<columns>[^()]*)\))?\s*(?P<relation><=|>=)\s*"
    r"(?P<limit>-?\d*\.?\d+)\s*\Z"
)


@dataclass(frozen=True)
class Keep:
    """A limit on one measure that a release should reach to stay useful.

    Attributes
    ----------
    kind : str
        Of :data:`KEEP_KINDS`.
    limit : float
    columns : tuple of str
        That it is about; those of all models or numbers if empty.
    release : int
        That it is about, 1 or 2, where two are made of one file.
    subgroup : str
        Whose records alone it is about; empty for all records.
    """

    kind: str
    limit: float
    columns: tuple[str, ...] = ()
    text: str = field(default="", compare=False)
    release: int = 1
    subgroup: str = ""

    @classmethod
    def parse(cls, text: str) -> Keep:
        """Read a keep such as ``"overlap >= 0.9"`` or ``"table(sex,region) <= 0.05"``.

        Raises
        ------
        ParameterError
            If there is no such keep, or its limit lies on the other side or where no
            value can.
        """
        match = _KEEP.match(text)
        kind = KEEP_KINDS.get(match["kind"]) if match else None
        if match is None or kind is None or match["relation"] != kind.relation:
            choices = [f"{name} {info.relation} x" for name, info in KEEP_KINDS.items()]
            raise ParameterError(
                "The requirement {keep!r} cannot be read: use one of {known}, with "
                "columns in brackets if it is about columns.",
                keep=text[:80],
                known=choices,
            )
        columns = [name.strip() for name in (match["columns"] or "").split(",")]
        columns = [name for name in columns if name]
        fewest, largest = kind.n_columns
        if not fewest <= len(columns) <= largest:
            raise ParameterError(
                "The requirement {keep!r} takes {fewest} to {largest} columns, not "
                "{n}.",
                keep=text[:80],
                n=len(columns),
                fewest=fewest,
                largest=largest,
            )
        limit = float(match["limit"])
        if not kind.allows_limit(limit):
            raise ParameterError(
                "The limit of the requirement {keep!r} must be {relation} {limit}.",
                keep=text[:80],
                relation="<=" if kind.relation == ">=" else ">=",
                limit=1 if kind.relation == ">=" else 0,
            )
        return cls(match["kind"], limit, tuple(columns), text.strip())

    @classmethod
    def build(cls, kind: str, limit: float, columns: Sequence[str] = ()) -> Keep:
        """Return a keep from its kind, limit and columns, with its text.

        Raises
        ------
        ParameterError
            As :meth:`parse` does.
        """
        about = f"({','.join(columns)})" if columns else ""
        return cls.parse(f"{kind}{about} {KEEP_KINDS[kind].relation} {limit:g}")

    def reached(self, scene: KeepScene) -> KeepValue:
        """Return the value of the keep's measure that a release reaches."""
        return KEEP_KINDS[self.kind].measure(scene, self.columns)

    def margin(self, value: float) -> float:
        """Return by how much a value is on the right side of the limit, else negative.

        In units of the limit's scale: overlaps and shares as they are, the others as
        shares of their limit.
        """
        if np.isnan(value):
            return MISSED_MARGIN
        if KEEP_KINDS[self.kind].relation == ">=":
            return value - self.limit
        return (self.limit - value) / max(abs(self.limit), 1e-9)

    def holds(self, value: float) -> bool:
        """Return whether a value is on the right side of the limit."""
        return self.margin(value) >= 0.0
