"""Types shared by all attacks: knowledge, scene, description and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.context import SILENT, RunContext
from engine.core.message import NO_MESSAGE, Message, message_from_json, message_to_json
from engine.core.registry import Registry, list_module_names
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, count_persons
from engine.data.table import Table
from engine.measures.reidentification.sampling import sample_indices, share_interval

Exactness = Literal["exact", "rounded", "near"]
"""How an intruder knows numbers: as they are, to two digits, or up to 5 % off."""

Matching = Literal["values", "classes", "records"]
"""What is known of whose record is whose: nothing but what values say, each person's
class, or each person's record."""

MATCHINGS: tuple[Matching, ...] = ("values", "classes", "records")
"""From the least to the most that is known."""

Grade = Literal["nothing", "none", "slight", "clear", "most"]
"""How much better than its control an attack is."""

DEFAULT_TARGETS = 2_000
"""People that an intruder looks for, unless more or fewer are said."""


@dataclass(frozen=True)
class Knowledge:
    """What an intruder knows: columns, how exactly, and the largest number of people.

    Attributes
    ----------
    columns : tuple of str
        Of the original.
    exactness : {"exact", "rounded", "near"}
    about : int
        Largest number of people; drawn at random.
    """

    columns: tuple[str, ...]
    exactness: Exactness = "exact"
    about: int = DEFAULT_TARGETS


@dataclass(frozen=True, eq=False)
class AttackScene:
    """A release, its original table, and what an intruder knows and seeks.

    Attributes
    ----------
    original : Table
    release : ReleaseWithOrigins
    knowledge : Knowledge
    confidential : tuple of str
        Columns that somebody wants to learn.
    outsiders : Table or None
        Records that were not in the file, with the same columns.
    seed : int
    ctx : RunContext
    matching : {"values", "classes", "records"}
        What is known of which released record is of which original one.
    persons : ndarray of int64, shape (n_records,), or None
        Who each record of the original is about, see :mod:`engine.data.persons`: a
        match is then a person, of whom one record is known.
    outside_persons : ndarray of int64, shape (n_outsiders,), or None
        Who each record of `outsiders` is about.
    """

    original: Table
    release: ReleaseWithOrigins
    knowledge: Knowledge
    confidential: tuple[str, ...] = ()
    outsiders: Table | None = None
    seed: int = 0
    ctx: RunContext = SILENT
    matching: Matching = "records"
    persons: Integers | None = None
    outside_persons: Integers | None = None

    @property
    def known_columns(self) -> list[str]:
        """Columns that the intruder knows and the release has."""
        return [c for c in self.knowledge.columns if c in self.release.frame]

    @property
    def secret_columns(self) -> list[str]:
        """Columns that the intruder wants to learn and the release has."""
        return [name for name in self.confidential if name in self.release.frame]

    def target_rows(self) -> Integers:
        """Return the row numbers in the release of the people that the intruder seeks.

        Of a person who has several records there, one that is drawn.
        """
        return _draw_some(self.person_rows(), self.knowledge.about, self.seed)

    def person_rows(self) -> Integers:
        """Return row numbers of the release: one row per person, or all rows."""
        n_released = self.release.rows.size
        return _one_of_each(self.released_persons, n_released, self.seed)

    def outside_rows(self) -> Integers:
        """Return row numbers of people outside the file, sampled as the targets are."""
        assert self.outsiders is not None
        n_outside = self.outsiders.n_records
        everybody = _one_of_each(self.outside_persons, n_outside, self.seed)
        return _draw_some(everybody, self.knowledge.about, self.seed)

    @property
    def released_persons(self) -> Integers | None:
        """The person of each released record, where persons are counted."""
        return None if self.persons is None else self.persons[self.release.rows]

    @property
    def n_candidates(self) -> int:
        """Number of persons, or of records, in the release that a target may be."""
        persons = self.released_persons
        return self.release.rows.size if persons is None else count_persons(persons)

    def make_result(
        self,
        attack: str,
        success_chances: Values,
        control_rate: float,
        control_attempts: int = 0,
        column: str = "",
        n_columns: int = 1,
        n_independent: float = 0.0,
    ) -> AttackResult:
        """Return an attack's result from chances of success and a control rate.

        Parameters
        ----------
        attack : str
        success_chances : ndarray of float64, shape (n_targets,)
            Chance of success for each.
        control_rate : float
        control_attempts : int
        column : str
            Column whose value is learnt.
        n_columns : int
            Columns that are tried.
        n_independent : float
            See :class:`AttackResult`.
        """
        rows = self.release.rows[self.target_rows()]
        rate = float(success_chances.mean()) if success_chances.size else float("nan")
        return AttackResult(
            attack,
            rate,
            success_chances.size,
            control_rate,
            rows[success_chances > 0.5],
            control_attempts=control_attempts,
            column=column,
            n_columns=n_columns,
            n_independent=n_independent,
        )


def _one_of_each(persons: Integers | None, n_records: int, seed: int) -> Integers:
    """Return one record of every person, drawn; all records without persons."""
    if persons is None:
        return np.arange(n_records, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(n_records)
    order = order[persons[order] != NOBODY]
    first = order[np.unique(persons[order], return_index=True)[1]]
    return np.sort(first).astype(np.int64)


def _draw_some(records: Integers, count: int, seed: int) -> Integers:
    """Return at most so many of some records."""
    return records[sample_indices(records.size, count, seed)].astype(np.int64)


@dataclass(frozen=True)
class AttackInfo:
    """Identifier, texts and reference of an attack, and the matching that it needs.

    Attributes
    ----------
    id, title : str
    does : str
        What the intruder does, in few plain words that follow "an intruder".
    summary : str
        The same in a plain sentence.
    against : str
        What the control is, in words.
    reference : str
        Source, with DOI.
    needs : {"values", "classes", "records"}
        What has to be known of whose record is whose to judge it.
    """

    id: str
    title: str
    does: str
    summary: str
    against: str
    reference: str
    aliases: tuple[str, ...] = ()
    needs: Matching = "classes"


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Success rates of an attack and of its control, and the records that it finds.

    Attributes
    ----------
    attack : str
        Identifier in :data:`attacks`.
    rate : float
        Share of attempts that succeed, 0 to 1; NaN where there was nothing to try.
    attempts : int
    control : float
        The same rate without the release, or for those who were not in the file.
    fallen : ndarray of int64
        Records of the original for which the attack succeeds for certain or most
        likely, counted from 0.
    note : Message
        Why there is no rate, or what it is about.
    control_attempts : int
        0 where the control was worked out exactly.
    column : str
        Column whose value is learnt best, of several; empty where none is.
    n_columns : int
        Columns of which it is the best: the intervals hold for all of them together,
        as the best of many guesses is good by chance alone.
    n_independent : float
        Independent attempts that say as much, where targets succeed together (Kish
        1965, Survey Sampling, section 8.2); 0 where all are independent.
    """

    attack: str
    rate: float
    attempts: int
    control: float
    fallen: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    note: Message = NO_MESSAGE
    control_attempts: int = 0
    column: str = ""
    n_columns: int = 1
    n_independent: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate."""
        if self.attempts == 0:
            return 0.0, 1.0
        size = self.n_independent or self.attempts
        return share_interval(self.rate, size, self.n_columns)

    @property
    def control_interval(self) -> tuple[float, float]:
        """95 % confidence interval of the control's rate."""
        if self.control_attempts == 0:
            return self.control, self.control
        return share_interval(self.control, self.control_attempts, self.n_columns)

    @property
    def has_succeeded(self) -> bool:
        """Whether the attack is better than its control beyond chance."""
        above = self.interval[0] > self.control_interval[1] + 1e-12
        return self.attempts > 0 and above

    @property
    def gain(self) -> float:
        """Gain over the control as a share of 1 - control; -1 without attempts."""
        if self.attempts == 0:
            return -1.0
        return (self.rate - self.control) / max(1e-12, 1.0 - self.control)

    @property
    def grade(self) -> Grade:
        """Grade of the gain over the control."""
        if self.attempts == 0:
            return "nothing"
        if not self.has_succeeded:
            return "none"
        if self.gain < 0.1:
            return "slight"
        return "clear" if self.gain < 0.5 else "most"

    @property
    def verdict_text(self) -> Message:
        """The attack's rate and its control's, as a sentence."""
        if self.attempts == 0:
            return self.note or Message("There is nothing to try.")
        values = {"rate": 100.0 * self.rate, "control": 100.0 * self.control}
        grade = self.grade
        if grade == "none" and self.rate > self.control:
            return Message(
                "Better than its control by no more than chance: {rate:.1f} % against "
                "{control:.1f} %.",
                **values,
            )
        if grade == "none":
            return Message(
                "No better than its control: {rate:.1f} % against {control:.1f} %.",
                **values,
            )
        if grade == "slight":
            return Message(
                "Slightly better than its control: {rate:.1f} % against "
                "{control:.1f} %.",
                **values,
            )
        if grade == "clear":
            return Message(
                "Clearly better than its control: {rate:.1f} % against {control:.1f} "
                "%. Consider a larger k, or leaving columns out.",
                **values,
            )
        return Message(
            "Succeeds mostly: {rate:.1f} % against {control:.1f} %. Do not hand this "
            "out as it is.",
            **values,
        )

    @classmethod
    def impossible(cls, attack: str, note: Message) -> Self:
        """Return the result of an attack that is impossible, with the reason."""
        return cls(attack, float("nan"), 0, float("nan"), note=note)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary that :meth:`from_json` reads."""
        note = message_to_json(self.note)
        return {**vars(self), "fallen": self.fallen.tolist(), "note": note}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the result that :meth:`to_json` wrote."""
        fallen = np.array(content["fallen"], dtype=np.int64)
        note = message_from_json(content["note"])
        return cls(**{**content, "fallen": fallen, "note": note})

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        has_attempts = self.attempts > 0
        return {
            "id": self.attack,
            "title": attacks.info(self.attack).title,
            "rate": self.rate if has_attempts else None,
            "interval": list(self.interval) if has_attempts else None,
            "control": self.control if has_attempts else None,
            "attempts": self.attempts,
            "column": self.column or None,
            "verdict": self.verdict_text,
            "against": attacks.info(self.attack).against,
        }


SHUFFLED = Message(
    "Cannot be judged: the records were shuffled, so that nobody can say whose record "
    "an intruder finds. Name columns that both files keep (--match), or the groups "
    "(--groups)."
)
"""Why an attack is not tried that needs to know whose record is whose."""


Attack = Callable[[AttackScene], AttackResult]

attacks: Registry[AttackInfo, Attack] = Registry(
    Message("attack"), modules=partial(list_module_names, "engine.analysis.attacks")
)
"""All attacks, by identifier."""
