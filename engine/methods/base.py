"""Base class of all methods: description, validation and scikit-learn interface."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from engine.bounds import LowerBound
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import Message
from engine.core.numerics.array_like import replace_missing
from engine.core.parameters import validate_parameters
from engine.core.partition import Labels, Partition, check_k
from engine.core.typing import Values
from engine.methods.default import DEFAULT_LARGE_METHOD
from engine.methods.descriptions.info import (
    FAMILY_TITLES,
    MethodInfo,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.points.base import Points

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = [
    "FAMILY_TITLES",
    "MethodInfo",
    "Microaggregator",
    "Reference",
    "RunCost",
    "Traits",
    "check_polish",
    "make_method",
    "methods",
]


class Microaggregator:
    """Base class of methods, with checks and scikit-learn's estimator interface.

    A scikit-learn estimator without its base class, which takes a second to import:
    whoever runs a plan needs nothing of it.

    Parameters
    ----------
    k : int
        Minimum group size.
    seed : int
        Seed of the random numbers, where the method draws any.
    **parameters
        Parameters that `MethodInfo` declares. Each is an attribute of the object.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_records,)
        Group of each record; groups are numbered in order of creation.
    n_features_in_ : int
        Number of attributes.
    bound_ : LowerBound or None
        Lower bound that the method has proven in its last run; None if it proves none.
    n_iter_ : int or None
        Steps of the last run; None for methods that do not search.
    n_turns_ : int or None
        Turns after the steps; None for the methods that take none.
    centres_ : ndarray of float64, shape (n_groups, n_attributes), or None
        What the records of each group become, on the scale of X, where the method
        itself says so.
    expected_sizes_ : ndarray of float64, shape (n_groups,), or None
        How many records each group was expected to get, where that is drawn.
    seeds_ : ndarray of int64, shape (n_groups,), or None
        Record that each group was formed around, -1 for groups of what was left; None
        for the methods that form groups otherwise.
    n_centres_ : int or None
        How many groups could have been drawn, whether they were or not.
    warnings_ : tuple of Message
        What whoever uses the groups last made should know.
    stream : int
        Which of the seed's streams of random numbers is drawn from: those of parts of
        a table that must not draw the same are different.
    """

    info: ClassVar[MethodInfo]
    bound_: LowerBound | None = None
    centres_: Values | None = None
    expected_sizes_: Values | None = None
    seeds_: Labels | None = None
    n_centres_: int | None = None
    n_iter_: int | None = None
    n_turns_: int | None = None
    warnings_: tuple[Message, ...] = ()
    stream: int = 0

    def __init__(self, k: int = 3, *, seed: int = 0, **parameters: Any) -> None:
        self.k = k
        self.seed = seed
        for declared in self.info.parameters:
            setattr(
                self, declared.name, parameters.pop(declared.name, declared.default)
            )
        if parameters:
            raise TypeError(f"{type(self).__name__} takes no {', '.join(parameters)}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name, including k and seed."""
        names = sorted(inspect.signature(type(self)).parameters)
        return {name: getattr(self, name) for name in names}

    def set_params(self, **parameters: Any) -> Microaggregator:
        """Set parameters by name; values are checked when records are grouped.

        Raises
        ------
        ParameterError
            If there is no such parameter.
        """
        current_parameters = self.get_params()
        for name, value in parameters.items():
            if name not in current_parameters:
                raise ParameterError(
                    "{owner} has no parameter called {name!r}; it takes {known}.",
                    owner=type(self).__name__,
                    name=name,
                    known=list(current_parameters),
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        arguments = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"

    def __sklearn_tags__(self) -> Tags:
        """Return what scikit-learn asks its estimators."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(),
        )

    def fit(self, X: ArrayLike, y: object = None) -> Microaggregator:
        """Group the rows of X.

        Parameters
        ----------
        X : array-like of float, shape (n_records, n_attributes)
            Values on scales that can be compared; see :mod:`engine.points.scaling`.
        y : ignored

        Returns
        -------
        Microaggregator
            The estimator itself.
        """
        from sklearn.utils.validation import validate_data

        values = validate_data(
            self, replace_missing(X), dtype=np.float64, order="C", copy=True
        )
        self.labels_ = self.partition(Points.from_array(values)).labels
        return self

    def fit_predict(self, X: ArrayLike, y: object = None) -> Labels:
        """Group the rows of X and return their group labels."""
        return self.fit(X).labels_

    def partition(self, points: Points, ctx: RunContext = SILENT) -> Partition:
        """Return the partition of prepared records, checked before and after.

        Raises
        ------
        ParameterError
            If k or a parameter is out of range.
        InfeasibleError
            If there are fewer than k records, or more than the method takes.
        """
        self.check_size(points.n_records, points.n_attributes)
        k, traits = int(self.k), self.info.traits
        self.centres_ = self.expected_sizes_ = self.n_centres_ = None
        self.warnings_ = ()
        ctx.tick(0, 1, self.info.title)
        if traits.per_attribute:
            p = points.n_attributes
            rows = [
                self._group(
                    points.select_attributes([j]), ctx.subcontext(j / p, (j + 1) / p)
                )
                for j in range(p)
            ]
            result = Partition.by_attribute(np.stack(rows), k)
        else:
            labels = self._group(points, ctx)
            result = Partition(labels, k, traits.guarantees_k, seeds=self.seeds_)
        ctx.tick(1, 1, self.info.title)
        return result

    def _group(self, points: Points, ctx: RunContext) -> Labels:
        """Return one group where there is no choice, else the method's groups."""
        if points.n_records < 2 * self.k:
            return np.zeros(points.n_records, dtype=np.int64)
        seed = [self.seed, self.stream] if self.stream else self.seed
        rng = np.random.default_rng(seed)
        return self._partition(points, int(self.k), rng, ctx)

    def check_size(self, n_records: int, n_attributes: int) -> None:
        """Raise the errors of :meth:`partition` for a table of this size.

        Raises
        ------
        ParameterError
            If k or a parameter is out of range, or there are too many attributes.
        InfeasibleError
            If there are fewer than k records, or more than the method takes.
        """
        info = self.info
        arguments = {
            parameter.name: getattr(self, parameter.name)
            for parameter in info.parameters
        }
        validate_parameters(info.parameters, arguments, info.id)
        check_k(self.k, n_records)
        if not isinstance(self.seed, (int, np.integer)) or self.seed < 0:
            raise ParameterError(
                "seed is {seed!r}, but must be a whole number of at least 0.",
                seed=self.seed,
            )
        if info.traits.univariate and n_attributes != 1:
            raise ParameterError(
                "{method} groups by one attribute, but there are {number}: "
                "choose one quasi-identifier or another method.",
                method=info.id,
                number=n_attributes,
            )
        limit = info.traits.max_records
        if limit is not None and n_records > limit:
            raise InfeasibleError(
                "{method} takes at most {limit:,} records, or people of whom all "
                "records are known, but there are {n_records:,}: choose a faster "
                "method, such as {fast}, or a column of strata to group within.",
                method=info.id,
                limit=limit,
                n_records=n_records,
                fast=DEFAULT_LARGE_METHOD,
            )

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        """Return the group of each record, groups numbered in order of creation.

        Called with n_records >= 2k only; smaller tables are one group.
        """
        raise NotImplementedError


def check_polish(info: MethodInfo) -> None:
    """Raise if the groups of a method cannot be polished by local search.

    Raises
    ------
    ParameterError
        If local search cannot follow the method.
    """
    if info.can_be_refined:
        return
    if info.family == "search":
        reason = Message("it is a search itself")
    elif info.traits.per_attribute:
        reason = Message("it groups each attribute on its own")
    else:
        reason = Message("its groups may be smaller than k")
    raise ParameterError(
        "The result of {method} cannot be polished, because {reason}: leave "
        "polishing out or choose another method.",
        method=info.id,
        reason=reason,
    )


def make_method(
    name: str, k: int, parameters: dict[str, Any] | None = None, seed: int = 0
) -> Microaggregator:
    """Return the method called `name`, ready to run.

    Raises
    ------
    ParameterError
        If there is no such method or parameter, or a value is out of range.
    """
    info = methods.info(name)
    checked = validate_parameters(info.parameters, parameters or {}, info.id)
    method: Microaggregator = methods.get(name)(k, seed=seed, **checked)
    return method
