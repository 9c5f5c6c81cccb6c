"""Descriptions of methods, and their registry, which loads methods when asked."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Literal

from engine.core.message import Message
from engine.core.parameters import Parameter
from engine.core.registry import Registry, list_module_names
from engine.methods.descriptions.elsewhere import unavailable_method_message

Family = Literal[
    "fixed-size", "variable-size", "univariate", "fuzzy", "mixed", "search"
]

FAMILY_TITLES: dict[Family, str] = {
    "fixed-size": "Groups of k records, the last few a little larger",
    "variable-size": (
        "Groups of different sizes, mostly of k to 2k-1 records, that follow "
        "the shape of the data"
    ),
    "univariate": "One attribute, or one score made from all attributes",
    "fuzzy": "Groups drawn from fuzzy memberships",
    "mixed": "Each method has its own distance for numbers and categories",
    "search": "Near-optimal groups by search",
}


@dataclass(frozen=True)
class Reference:
    """Publication of a method, with DOI.

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
    def short_citation(self) -> str:
        """Authors and year, such as cited in a text."""
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
    def markdown_link(self) -> str:
        """Short citation in Markdown, as a link if there is a DOI."""
        return (
            f"[{self.short_citation}](https://doi.org/{self.doi})"
            if self.doi
            else self.short_citation
        )


@dataclass(frozen=True)
class RunCost:
    """Cost model of a method: powers of records, attributes, coordinates and k.

    An index of near records makes most methods faster than their leading term says,
    and categories cost less than the coordinates that they have. So the time is

        microseconds * n^records * p^attributes * (q / p)^coordinates * k^size

    for n records of p attributes with q coordinates in all, as
    ``python -m tests.benchmarks costs`` fits it to runs.

    Attributes
    ----------
    growth : str
        How the time grows, as the source of the method says. Only shown to people.
    microseconds : float
        Factor of the expected time, which is ``microseconds * n^records *
        p^attributes * (q / p)^coordinates * k^size`` for n records, p columns and q
        coordinates, on one core. It sets progress bars, and expected times on screen.
    records, attributes, coordinates, size : float
        Powers in this formula. To find them, time the method with several n, p and k.
    side_by_side : int or None
        Records of each part, if the method works on parts in parallel.
    """

    growth: Literal["n log n", "n k", "n p", "n^2 p / k", "n^2 p", "n^3 p / k"]
    microseconds: float
    records: float
    attributes: float = 1.0
    coordinates: float = 0.0
    size: float = 0.0
    side_by_side: int | None = None

    def expected_seconds(self, n: int, p: int, k: int, q: int | None = None) -> float:
        """Return the expected run time on one core, in seconds.

        Parameters
        ----------
        n : int
            Records.
        p : int
            Attributes.
        q : int, optional
            Coordinates, as many as attributes unless given.
        """
        wide, tasks = 1.0 if q is None else q / p, self.parallel_tasks(n)
        units = (n / tasks) ** self.records * p**self.attributes * k**self.size
        each = 1e-6 * self.microseconds * units * wide**self.coordinates
        return float(tasks * each)

    def parallel_tasks(self, n: int) -> int:
        """Return the number of parts of n records that run in parallel."""
        return 1 if self.side_by_side is None else max(1, n // self.side_by_side)


@dataclass(frozen=True)
class Traits:
    """Requirements and guarantees of a method.

    Attributes
    ----------
    cost : RunCost
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
    release : {"mean", "generalised", "kind"}
        What groups become unless the plan says otherwise: their mean; an interval or
        the nearest common ancestor; mean, median or mode by the attribute's kind.
    probabilistic : bool
        Draws each record's group at random: only expected sizes can be promised.
    separates : bool
        Records of which each k lie close together, far from all others, share a group.
    """

    cost: RunCost
    max_group_size: str = "2k-1"
    guarantees_k: bool = True
    exact: bool = False
    univariate: bool = False
    uses_seed: bool = False
    max_records: int | None = None
    per_attribute: bool = False
    time_budget: str = ""
    release: Literal["mean", "generalised", "kind"] = "mean"
    probabilistic: bool = False
    separates: bool = True


@dataclass(frozen=True)
class MethodInfo:
    """Identifier, title, parameters, traits and reference of a method.

    Attributes
    ----------
    id : str
        Lower case with hyphens.
    title : str
        Name as the field writes it.
    family : {"fixed-size", "variable-size", "univariate", "fuzzy", "mixed", "search"}
    summary : str
        One sentence, for somebody who knows what a group is.
    reference : Reference
    parameters : tuple of Parameter
        Such as ``Float`` and ``Int``. Every method also has k and seed.
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
    def can_be_refined(self) -> bool:
        """Whether local search can refine its groups: whole records, k guaranteed."""
        return (
            self.family != "search"
            and self.traits.guarantees_k
            and not self.traits.per_attribute
        )


def describe_method(info: MethodInfo) -> dict[str, Any]:
    """Return a method's registered description as plain values, ready for JSON."""
    traits = info.traits
    return {
        "id": info.id,
        "aliases": list(info.aliases),
        "title": info.title,
        "family": info.family,
        "summary": info.summary,
        "reference": {"text": info.reference.text, "doi": info.reference.doi},
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "allowed": parameter.describe(),
                "help": parameter.help,
            }
            for parameter in info.parameters
        ],
        "cost": traits.cost.growth,
        "guarantees_k": traits.guarantees_k,
        "max_group_size": traits.max_group_size,
        "exact": traits.exact,
        "univariate": traits.univariate,
        "uses_seed": traits.uses_seed,
        "max_records": traits.max_records,
        "per_attribute": traits.per_attribute,
        "mixed": True,  # every method takes categories
        "release": traits.release,
        "probabilistic": traits.probabilistic,
        "can_be_polished": info.can_be_refined,
    }


def _describe_class(info: MethodInfo, method: type[Any]) -> None:
    """Give a method's class its description, and the signature that follows from it."""
    kinds = inspect.Parameter
    declared = [
        kinds(each.name, kinds.KEYWORD_ONLY, default=each.default)
        for each in info.parameters
    ]
    k = kinds("k", kinds.POSITIONAL_OR_KEYWORD, default=3, annotation=int)
    seed = kinds("seed", kinds.KEYWORD_ONLY, default=0, annotation=int)
    method.info = info
    method.__signature__ = inspect.Signature([k, *declared, seed])


def _method_modules() -> list[str]:
    """Return every module below this folder, the searches last."""
    names = list_module_names("engine.methods")
    return sorted(names, key=lambda name: ".search" in name)


methods: Registry[MethodInfo, type[Any]] = Registry(
    Message("method"), _describe_class, _method_modules, unavailable_method_message
)
"""All methods, by identifier."""
