"""What every method shares: description, checks and its life as an estimator."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from engine.bounds import LowerBound
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.parameters import Parameter, check_parameters
from engine.core.partition import Labels, Partition, check_k
from engine.core.registry import Registry
from engine.core.typing import Values
from engine.methods.default import FOR_MANY
from engine.points.encode import Encoded

Family = Literal[
    "fixed-size", "variable-size", "univariate", "fuzzy", "mixed", "search"
]

FAMILIES: dict[Family, str] = {
    "fixed-size": "Groups of k records, the last few a little larger",
    "variable-size": "Groups of k to 2k-1 records that follow the shape of the data",
    "univariate": "One attribute, or one score made from all attributes",
    "fuzzy": "Groups drawn from fuzzy memberships",
    "mixed": "Numbers and categories together",
    "search": "Near-optimal groups by search",
}


@dataclass(frozen=True)
class Reference:
    """Where a method was published.

    Attributes
    ----------
    text : str
        As a list of references has it: ``"Surname AB, Other C (2005). Title. ..."``.
    doi : str
        Empty where there is none.
    """

    text: str
    doi: str = ""

    @property
    def short(self) -> str:
        """Authors and year, as a text cites them."""
        names, _, rest = self.text.partition("(")
        authors = [
            name.strip().rsplit(" ", 1)[0] for name in names.split(".")[0].split(",")
        ]
        authors = [name for name in authors if name]
        few = len(authors) < 3
        cited = " & ".join(authors) if few else f"{authors[0]} et al."
        year = rest[:4] if rest[:4].isdigit() else ""
        return f"{cited} {year}".strip()

    @property
    def link(self) -> str:
        """The same in Markdown, as a link where there is one."""
        return f"[{self.short}](https://doi.org/{self.doi})" if self.doi else self.short


@dataclass(frozen=True)
class Cost:
    """How run time grows, with a constant from `benchmarks/`.

    Attributes
    ----------
    growth : str
        The leading term, one of the keys of :attr:`terms`.
    nanoseconds : float
        Time per unit of that term on a laptop core; the order of magnitude counts.
    """

    growth: Literal["n log n", "n k", "n p", "n^2 p / k", "n^2 p", "n^3 p / k"]
    nanoseconds: float

    def seconds(self, n: int, p: int, k: int) -> float:
        """Return the expected run time for n records, p attributes, group size k."""
        units = {
            "n log n": n * np.log2(max(n, 2)),
            "n k": n * k,
            "n p": n * p,
            "n^2 p / k": n * n * p / k,
            "n^2 p": n * n * p,
            "n^3 p / k": n * n * n * p / k,
        }
        return float(units[self.growth] * self.nanoseconds * 1e-9)


@dataclass(frozen=True)
class Traits:
    """What a method needs and promises.

    Attributes
    ----------
    cost : Cost
    max_group_size : str
        Largest group in words of k: ``"2k-1"``, ``"3k-2"``, or ``""`` where there is
        no limit.
    guarantees_k : bool
        Every group has at least k records.
    exact : bool
        The groups have the smallest SSE possible.
    univariate : bool
        Takes exactly one attribute.
    uses_seed : bool
        Draws random numbers; the same seed gives the same groups.
    max_records : int or None
        Refuses more records than this.
    per_attribute : bool
        Groups every attribute on its own, so k holds for each attribute and not for
        the records as a whole; `_partition` is asked once per attribute.
    time_budget : str
        Parameter with the seconds that the method takes. What comes out then depends
        on the machine too, unless its parameter ``iterations`` gives the number of
        steps instead.
    mixed : bool
        Takes nominal attributes too.
    release : {"mean", "generalised", "kind"}
        What groups become unless the plan says otherwise: their mean; an interval or
        the nearest common ancestor; mean, median or mode by the attribute's kind.
    probabilistic : bool
        Draws each record's group at random: only expected sizes can be promised.
    """

    cost: Cost
    max_group_size: str = "2k-1"
    guarantees_k: bool = True
    exact: bool = False
    univariate: bool = False
    uses_seed: bool = False
    max_records: int | None = None
    per_attribute: bool = False
    time_budget: str = ""
    mixed: bool = False
    release: Literal["mean", "generalised", "kind"] = "mean"
    probabilistic: bool = False


@dataclass(frozen=True)
class MethodInfo:
    """What a method says about itself, for every list that shows it.

    Attributes
    ----------
    id : str
        Lower case with hyphens.
    title : str
        Name as the field writes it.
    family : str
    summary : str
        One sentence, for somebody who knows what a group is.
    reference : Reference
    parameters : tuple of Parameter
        Without k and seed, which every method has.
    traits : Traits
    aliases : tuple of str
    """

    id: str
    title: str
    family: Family
    summary: str
    reference: Reference
    traits: Traits
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def can_be_polished(self) -> bool:
        """Whether local search can follow: it groups whole records by numbers."""
        return (
            self.family not in ("search", "mixed")
            and self.traits.guarantees_k
            and not self.traits.per_attribute
        )


def _check_declaration(info: MethodInfo, method: type[Microaggregator]) -> None:
    """Refuse an ``__init__`` that differs from the declared parameters."""
    signature = inspect.signature(method.__init__).parameters
    found = {
        name: parameter.default
        for name, parameter in signature.items()
        if name not in {"self", "k", "seed"}
    }
    declared = {parameter.name: parameter.default for parameter in info.parameters}
    if found != declared:
        raise TypeError(f"{info.id} declares {declared} but its __init__ takes {found}")
    method.info = info


class Microaggregator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of all methods; a method defines :meth:`_partition` and nothing else.

    Parameters
    ----------
    k : int
        Minimum group size.
    seed : int
        Seed of the random numbers, where the method draws any.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_records,)
        Group of each record; groups are numbered in order of creation.
    n_features_in_ : int
        Number of attributes.
    bound_ : LowerBound or None
        What the method has proven about the records it grouped last; None for the
        methods that prove nothing.
    n_iter_ : int or None
        Steps that the method took last; None for the methods that do not search.
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
    warnings_ : tuple of str
        What whoever uses the groups last made should know.
    """

    info: ClassVar[MethodInfo]
    bound_: LowerBound | None = None
    centres_: Values | None = None
    expected_sizes_: Values | None = None
    seeds_: Labels | None = None
    n_centres_: int | None = None
    n_iter_: int | None = None
    warnings_: tuple[str, ...] = ()

    def __init__(self, k: int = 3, *, seed: int = 0) -> None:
        self.k = k
        self.seed = seed

    def fit(self, X: ArrayLike, y: object = None) -> Microaggregator:
        """Group the rows of X.

        Parameters
        ----------
        X : array-like of float, shape (n_records, n_attributes)
            Values on scales that can be compared; see :mod:`engine.points.encode`.
        y : ignored

        Returns
        -------
        Microaggregator
            The estimator itself.
        """
        values = validate_data(self, X, dtype=np.float64, order="C", copy=True)
        self.labels_ = self.partition(Encoded.from_array(values)).labels
        return self

    def fit_predict(self, X: ArrayLike, y: object = None) -> Labels:
        """Group the rows of X and return their labels."""
        return self.fit(X).labels_

    def partition(self, encoded: Encoded, ctx: RunContext = SILENT) -> Partition:
        """Group prepared records: checks, then the method, then checks again.

        Raises
        ------
        ParameterError
            If k or a parameter is out of range.
        InfeasibleError
            If there are fewer than k records, or more than the method takes.
        """
        self.check(encoded.n_records, encoded.n_attributes)
        self.check_kinds(encoded)
        k, traits = int(self.k), self.info.traits
        self.centres_ = self.expected_sizes_ = self.n_centres_ = None
        self.warnings_ = ()
        ctx.tick(0, 1, self.info.title)
        if traits.per_attribute:
            p = encoded.n_attributes
            rows = [
                self._group(
                    Encoded.from_array(encoded.X[:, [j]]), ctx.part(j / p, (j + 1) / p)
                )
                for j in range(p)
            ]
            found = Partition.by_attribute(np.stack(rows), k)
        else:
            labels = self._group(encoded, ctx)
            found = Partition(labels, k, traits.guarantees_k, seeds=self.seeds_)
        ctx.tick(1, 1, self.info.title)
        return found

    def _group(self, encoded: Encoded, ctx: RunContext) -> Labels:
        """Return one group where there is no choice, else the method's groups."""
        if encoded.n_records < 2 * self.k:
            return np.zeros(encoded.n_records, dtype=np.int64)
        rng = np.random.default_rng(self.seed)
        return self._partition(encoded, int(self.k), rng, ctx)

    def check(self, n_records: int, n_attributes: int) -> None:
        """Raise what :meth:`partition` would raise for a table of this size.

        Raises
        ------
        ParameterError
            If k or a parameter is out of range, or there are too many attributes.
        InfeasibleError
            If there are fewer than k records, or more than the method takes.
        """
        info = self.info
        given = {
            parameter.name: getattr(self, parameter.name)
            for parameter in info.parameters
        }
        check_parameters(info.parameters, given, info.id)
        check_k(self.k, n_records)
        if info.traits.univariate and n_attributes != 1:
            raise ParameterError(
                f"{info.id} groups by one attribute, but there are {n_attributes}: "
                "choose one quasi-identifier or another method."
            )
        limit = info.traits.max_records
        if limit is not None and n_records > limit:
            raise InfeasibleError(
                f"{info.id} takes at most {limit:,} records, but there are "
                f"{n_records:,}: choose a faster method, such as {FOR_MANY}, or a "
                "column of strata to group within."
            )

    def check_kinds(self, encoded: Encoded) -> None:
        """Refuse categories where the method groups by numbers only.

        Raises
        ------
        ParameterError
        """
        if self.info.traits.mixed or encoded.numeric.all():
            return
        name = encoded.names[int(np.argmin(encoded.numeric))]
        others = ", ".join(info.id for info in methods.infos() if info.traits.mixed)
        raise ParameterError(
            f"Column {name!r} holds categories, but {self.info.id} groups by numbers "
            f"only: choose a method for mixed data ({others}), or give the column "
            "another role."
        )

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        """Return the group of each record, groups numbered in order of creation.

        Called with n_records >= 2k only; smaller tables are one group.
        """
        raise NotImplementedError


def check_polish(info: MethodInfo) -> None:
    """Raise what polishing this method's groups would raise.

    Raises
    ------
    ParameterError
        If local search cannot follow the method.
    """
    if info.can_be_polished:
        return
    if info.family == "search":
        reason = "it is a search itself"
    elif info.family == "mixed":
        reason = "it groups by more than numbers"
    elif info.traits.per_attribute:
        reason = "it groups each attribute on its own"
    else:
        reason = "its groups may be smaller than k"
    raise ParameterError(
        f"The result of {info.id} cannot be polished, because {reason}: leave "
        "polishing out or choose another method."
    )


methods: Registry[MethodInfo, type[Microaggregator]] = Registry(
    "method", _check_declaration
)
"""All methods, by identifier."""


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
    checked = check_parameters(info.parameters, parameters or {}, info.id)
    return methods.get(name)(k, seed=seed, **checked)
