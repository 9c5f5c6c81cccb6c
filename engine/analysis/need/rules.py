"""Rules on a release's privacy as data: a measure and an exact limit."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.analysis.need.held_releases import HeldReleases
from engine.core.errors import InputError, ParameterError
from engine.core.platform.files import read_unchanging_file
from engine.measures.reidentification.population import population_weights
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.grouping.prepare import PreparationCache


class RuleValue(NamedTuple):
    """The value of a rule's measure, and the attack that it is about, if any."""

    value: Fraction
    weakest: str = ""


def _of_k(releases: HeldReleases) -> RuleValue:
    return RuleValue(Fraction(releases.smallest_group()))


def _highest_risk(releases: HeldReleases) -> RuleValue:
    return RuleValue(Fraction(1, max(1, releases.smallest_group())))


def _people_per_group(releases: HeldReleases) -> RuleValue:
    """Return the fewest people of the population that a group stands for."""
    plan = releases.outcome.plan
    points = PreparationCache(releases.table).get(plan).points
    people = population_weights(
        points.weights, points.n_records, plan.sampling_fraction
    )
    sums = np.bincount(releases.groups(), weights=people)
    return RuleValue(Fraction(float(sums.min())).limit_denominator(10**6))


def _largest_gain(held: HeldReleases) -> RuleValue:
    """Return the largest share of what controls leave that an attack succeeds in.

    Who holds two releases may attack either, or both side by side.
    """
    if held.second is None:
        return _gain_of_all(held)
    releases = (
        HeldReleases(each, held.table, ctx=held.ctx)
        for each in (held.outcome, held.second)
    )
    return max(_gain_of_all(held), *map(_gain_of_all, releases))


def _gain_of_all(releases: HeldReleases) -> RuleValue:
    from engine.analysis.attacks import Knowledge
    from engine.analysis.attacks.base import AttackScene
    from engine.analysis.attacks.run import run_attacks

    table, release, known_columns = releases.attacked()
    plan = releases.outcome.plan
    scene = AttackScene(
        table,
        release,
        Knowledge(known_columns),
        plan.confidential,
        seed=plan.seed,
        ctx=releases.ctx,
        persons=person_codes(plan, releases.table, np.arange(table.n_records)),
    )
    gains = [(each.gain, each.attack) for each in run_attacks(scene)]
    gain, attack = max((0.0, ""), *gains)
    return RuleValue(Fraction(gain).limit_denominator(10**6), attack)


def _score(name: str, scale: int = 1) -> Callable[[HeldReleases], RuleValue]:
    """Return what measures releases by a measure of the registry."""
    return lambda releases: RuleValue(releases.score(name) / scale)


@dataclass(frozen=True)
class RuleMeasure:
    """A measure that a rule may limit, and the side of the limit.

    Attributes
    ----------
    says : str
        In a few words.
    measure : callable
        ``measure(held)`` gives the value, as a fraction of 1 for risks.
        One of attacks ends by `Cancelled` once ``held.ctx`` is cancelled.
    relation : {">=", "<="}
        The side on which the limit lies.
    whole : bool
        Whether the limit is a whole number.
    field : str
        Field of the plan that makes groups keep the rule; empty without.
    falls_with_k : bool
        Whether one group of all records is best, so that a rule which that misses is
        missed by all releases.
    """

    says: str
    measure: Callable[[HeldReleases], RuleValue]
    relation: str
    whole: bool = False
    field: str = ""
    falls_with_k: bool = True

    @property
    def units(self) -> Mapping[str, str]:
        """What a limit may be said in, and the sign that follows it then."""
        return {"number": ""} if self.whole else {"share": "", "per cent": "%"}


_FEWEST_VALUES = RuleMeasure(
    "fewest confidential values in a group",
    _score("p-sensitive"),
    ">=",
    whole=True,
    field="p_sensitive",
)

RULE_MEASURES: Mapping[str, RuleMeasure] = {
    "k": RuleMeasure("fewest people in a group", _of_k, ">=", whole=True, field="k"),
    "cells": RuleMeasure("smallest cell", _of_k, ">=", whole=True, field="k"),
    "prosecutor": RuleMeasure(
        "highest risk of a person known to be in the file",
        _highest_risk,
        "<=",
        field="k",
    ),
    "marketer": RuleMeasure(
        "average risk of the people in the file", _score("marketer-risk", 100), "<="
    ),
    "journalist": RuleMeasure(
        "highest risk of a person who may be in the file",
        _score("journalist-risk", 100),
        "<=",
        falls_with_k=False,
    ),
    "kmap": RuleMeasure(
        "fewest people of the population that a group stands for",
        _people_per_group,
        ">=",
        whole=True,
        field="k_map",
    ),
    "attack": RuleMeasure(
        "largest gain of an attack over its control",
        _largest_gain,
        "<=",
        falls_with_k=False,
    ),
    "uniques": RuleMeasure(
        "share of records told apart by all that leaves",
        _score("uniqueness", 100),
        "<=",
    ),
    "l": _FEWEST_VALUES,
    "p": _FEWEST_VALUES,
    "t": RuleMeasure(
        "distance of a group's confidential values from all",
        _score("t-closeness"),
        "<=",
        field="t_close",
    ),
}
"""All of them, by the word that begins a rule."""

_RULE = re.compile(
    r"\s*(?P<measure>[a-z-]+)\s*(?P<relation><=|>=)\s*(?P<limit>\d{0,15}\.?\d{1,15})\s*"
    r"(?P<percent>%?)\s*\Z"
)


@dataclass(frozen=True)
class Rule:
    """A limit that a release must keep, such as ``k >= 11``.

    Attributes
    ----------
    measure : str
        Of :data:`RULE_MEASURES`.
    limit : Fraction
        As it is written, without rounding: 1/11 is above .09.
    text : str
    source : str
        Where it comes from; empty for people's own.
    """

    measure: str
    limit: Fraction
    text: str
    source: str = ""

    @classmethod
    def parse(cls, text: str, source: str = "") -> Rule:
        """Read a rule such as ``"prosecutor <= 0.09"`` or ``"k >= 11"``.

        Raises
        ------
        ParameterError
            If it names no measure, or its limit lies on the other side.
        """
        match = _RULE.match(text)
        measure = RULE_MEASURES.get(match["measure"]) if match else None
        if match is not None and measure and match["relation"] != measure.relation:
            raise ParameterError(
                "The rule {rule!r} contradicts what a rule is for: {measure} is "
                "limited from the other side, as in '{measure} {relation} x'.",
                rule=text[:80],
                measure=match["measure"],
                relation=measure.relation,
            )
        if match is None or measure is None:
            raise ParameterError(
                "The rule {rule!r} cannot be read: say one of {known}, or the name of "
                "a rule set.",
                rule=text[:80],
                known=[
                    f"{name} {info.relation} x" for name, info in RULE_MEASURES.items()
                ],
            )
        limit = Fraction(match["limit"]) / (100 if match["percent"] else 1)
        unfit = measure.whole and (limit.denominator != 1 or limit < 2)
        if unfit or (measure.relation == "<=" and not 0 <= limit <= 1):
            raise ParameterError(
                "The limit of the rule {rule!r} must be {what}.",
                rule=text[:80],
                what="a whole number of at least 2" if measure.whole else "from 0 to 1",
            )
        return cls(match["measure"], limit, text.strip(), source)

    @property
    def least_k(self) -> int:
        """The smallest k whose groups keep the rule; 2 if k does not decide it."""
        if RULE_MEASURES[self.measure].field != "k":
            return 2
        if self.measure == "prosecutor":
            if self.limit == 0:
                raise ParameterError(
                    "The rule {rule!r} cannot be kept by any release: somebody is in "
                    "every group, so that no risk is 0.",
                    rule=self.text,
                )
            return max(2, -(-self.limit.denominator // self.limit.numerator))
        return int(self.limit)

    def measured(self, releases: HeldReleases) -> RuleValue:
        """Return the measure's value for one or two releases as a fraction.

        With it comes the attack that gains most, for the rule on attacks.
        """
        return RULE_MEASURES[self.measure].measure(releases)

    def holds(self, value: Fraction) -> bool:
        """Return whether a value is on the right side of the limit, as fractions."""
        if RULE_MEASURES[self.measure].relation == ">=":
            return value >= self.limit
        return value <= self.limit


MAX_FILE_RULES = 100
"""Rules of a file that somebody has brought."""

CHECKED = ("source", "secondary", "no")
"""Whether numbers were compared with the source, with what others say of it, or not."""


@dataclass(frozen=True)
class RuleSet:
    """Rules published by one source.

    Attributes
    ----------
    id, title, source, url, place, assumes : str
    year : int
    checked : str
        Of :data:`CHECKED`.
    rules : tuple of Rule
        Empty where the source gives no number.
    """

    id: str
    title: str
    source: str
    url: str
    place: str
    assumes: str
    year: int
    checked: str
    rules: tuple[Rule, ...]

    @classmethod
    def from_bytes(cls, content: bytes, name: str) -> RuleSet:
        """Return the rule set of a TOML file that somebody has brought.

        Raises
        ------
        InputError
            If it is no text or no rule set, or has more than `MAX_FILE_RULES` rules.
        """
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(
                "The rule set {file!r} cannot be read.", file=name
            ) from None
        rule_set = cls.read(name, text)
        if len(rule_set.rules) > MAX_FILE_RULES:
            raise InputError(
                "The rule set {file!r} has {count:,} rules, more than the {most} that "
                "can be asked for at once: leave out those that others imply.",
                file=name,
                count=len(rule_set.rules),
                most=MAX_FILE_RULES,
            )
        return rule_set

    @classmethod
    def read(cls, name: str, text: str) -> RuleSet:
        """Return the rule set that a TOML text describes.

        Raises
        ------
        InputError
            If the text is no rule set.
        """
        try:
            content: dict[str, Any] = tomllib.loads(text)
            rows = content.pop("rule", [])
            rules = tuple(_read_rule(row, str(content["title"])) for row in rows)
            year, texts = content["year"], {**content, "year": ""}.values()
            if not (type(year) is int and all(type(each) is str for each in texts)):
                raise TypeError
            if content["checked"] not in CHECKED:
                raise KeyError
            return cls(id=name, rules=rules, **content)
        except ParameterError as error:
            raise InputError(
                "The rule set {name!r} has a rule that cannot be taken: {reason}",
                name=name,
                reason=error.message,
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "{name!r} is no rule set: it needs title, source, url, place, assumes, "
                "year (a number), checked ({checked}) and [[rule]] with measure, "
                "relation, limit and unit.",
                name=name,
                checked=CHECKED,
            ) from None


def _read_rule(row: Mapping[str, Any], source: str) -> Rule:
    """Return the rule of a row; its unit may be left out, and must fit its measure."""
    measure = RULE_MEASURES.get(row["measure"])
    units = measure.units if measure else {}
    sign = units[row["unit"]] if measure and "unit" in row else ""
    words = f"{row['measure']} {row['relation']} {row['limit']}{sign}".split()
    return Rule.parse(" ".join(words), source)  # however many blanks a file has


@cache
def load_rule_sets() -> Mapping[str, RuleSet]:
    """Return the rule sets supplied with the engine, by name."""
    folder = files("engine.analysis.need") / "rule_sets"
    paths = sorted(
        (each for each in folder.iterdir() if each.name.endswith(".toml")),
        key=lambda each: each.name,
    )
    return {
        each.name.removesuffix(".toml"): RuleSet.read(
            each.name.removesuffix(".toml"), each.read_text(encoding="utf-8")
        )
        for each in paths
    }


def read_rules_and_sets(
    texts: Sequence[str], read_files: bool = False
) -> tuple[Rule, ...]:
    """Return rules given as text, as names of rule sets or, if allowed, as files.

    Parameters
    ----------
    texts : sequence of str
        Each a rule, the name of a rule set, or the path of a file that holds one.
    read_files : bool
        Whether paths are read: of a command line, never of a visitor to a server.

    Raises
    ------
    ParameterError, InputError
        If a text is none of these, or its source gives no number.
    """
    rules: list[Rule] = []
    for text in texts:
        rule_set = load_rule_sets().get(text.strip())
        if rule_set is None and read_files and text.strip().endswith(".toml"):
            rule_set = _read_rule_file(Path(text.strip()))
        if rule_set is None:
            rules.append(Rule.parse(text))
        else:
            rules += rules_with_numbers(rule_set)
    return tuple(dict.fromkeys(rules))


def rules_with_numbers(rule_set: RuleSet) -> tuple[Rule, ...]:
    """Return the rules of a set; raise if it has none.

    Raises
    ------
    ParameterError
        If it has none, as its source gives no number.
    """
    if not rule_set.rules:
        raise ParameterError(
            "{title} gives no number: {assumes}",
            title=rule_set.title,
            assumes=rule_set.assumes,
        )
    return rule_set.rules


def _read_rule_file(path: Path) -> RuleSet:
    try:
        content = read_unchanging_file(path)
    except (OSError, ValueError):  # no path
        raise InputError(
            "The rule set {file!r} cannot be read.", file=str(path)
        ) from None
    return RuleSet.from_bytes(content, path.name)
