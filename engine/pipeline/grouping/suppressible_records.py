"""Track which records can be suppressed so that every stratum keeps k."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.core.partition import group_per_record
from engine.core.typing import Integers
from engine.data.persons import class_set_per_person

Parts = Sequence[tuple[Sequence[int], Sequence[Integers]]]
"""Attributes that are grouped together, and the records that may share a group."""


class RemainingStratumCounts:
    """Counts of remaining records and persons per stratum during suppression.

    Every stratum keeps k records, or records of k persons. Where an intruder knows all
    records of a person, so does every set of strata that persons have records in.
    """

    def __init__(
        self, parts: Parts, n: int, k: int, persons: Integers | None, knows: str
    ) -> None:
        self.k, self.whose = k, (np.arange(n) if persons is None else persons).tolist()
        self.homes, self.sets = list[list[int]](), list[list[int]]()
        for _columns, strata in parts:
            home = group_per_record(strata, n)
            self.homes.append(home.tolist())
            if persons is not None and knows == "all":
                self.sets.append(class_set_per_person(home, persons).tolist())
        self.of_set = [Counter(sets) for sets in self.sets]
        self.records: list[Counter[tuple[int, int]]] = [
            Counter(zip(home, self.whose, strict=True)) for home in self.homes
        ]
        self.persons = [Counter(s for s, w in each if w >= 0) for each in self.records]
        self.total = Counter(self.whose)

    def take(self, unit: Sequence[int]) -> bool:
        """Remove records of one person and return True; False where k may not hold."""
        whose = self.whose[unit[0]]
        emptied = []
        for home, records, persons in zip(
            self.homes, self.records, self.persons, strict=True
        ):
            gone = Counter((home[i], whose) for i in unit)
            emptied_strata = [
                s for (s, w), count in gone.items() if records[s, w] == count
            ]
            if whose >= 0 and any(persons[s] <= self.k for s in emptied_strata):
                return False
            emptied.append((gone, emptied_strata))
        leaves = self.total[whose] == len(unit)
        if self.sets and whose >= 0:
            set_codes = [sets[whose] for sets in self.sets]
            alike = zip(self.of_set, set_codes, strict=True)
            if leaves and any(counts[set_code] <= self.k for counts, set_code in alike):
                return False
            if not leaves and any(emptied_strata for _gone, emptied_strata in emptied):
                return False
            for counts, set_code in zip(self.of_set, set_codes, strict=True):
                counts[set_code] -= leaves
        for place, (gone, emptied_strata) in enumerate(emptied):
            self.records[place].subtract(gone)
            if whose >= 0:
                self.persons[place].subtract(emptied_strata)
        self.total[whose] -= len(unit)
        return True
