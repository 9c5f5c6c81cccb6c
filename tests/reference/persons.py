"""k counted over persons, slowly: what holds, and the least that can be lost."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values
from tests.reference.brute_force import labellings


def sets_of(labels: Sequence[int], persons: Sequence[int]) -> dict[int, frozenset[int]]:
    """The groups that each person has records in; -1 is nobody."""
    groups_by_person: dict[int, set[int]] = {}
    for group, person in zip(labels, persons, strict=True):
        if person >= 0:
            groups_by_person.setdefault(person, set()).add(group)
    return {person: frozenset(groups) for person, groups in groups_by_person.items()}


def fewest_people(groups: Iterable[object], people: Iterable[object]) -> int:
    """How few people have the same groups equally often, and any."""
    of: dict[object, Counter[object]] = {}
    for group, person in zip(groups, people, strict=True):
        of.setdefault(person, Counter())[group] += 1
    return min(
        Counter(
            frozenset(group_counts.items()) for group_counts in of.values()
        ).values()
    )


def k_persons(labels: Sequence[int], persons: Sequence[int], knows: str) -> int:
    """Among how many persons the easiest to find is hidden; 0 in a group of nobody."""
    sets = sets_of(labels, persons)
    fewest = min(sum(g in groups for groups in sets.values()) for g in set(labels))
    if knows == "counts" and fewest > 0:
        known_pairs = [
            pair for pair in zip(labels, persons, strict=True) if pair[1] >= 0
        ]
        return fewest_people(*zip(*known_pairs, strict=True))
    if knows == "all" and fewest > 0:
        return min(Counter(sets.values()).values())
    return fewest


def loss(X: Values, labels: Labels, persons: Labels, knows: str) -> float:
    """What is lost: of columns constant for everybody, to the mean of a class."""
    sets = sets_of(labels.tolist(), persons.tolist())
    everybody = sorted(sets)
    total = 0.0
    for column in X.T:
        classes = labels
        if knows != "one" and all(
            len(set(column[persons == person])) == 1 for person in everybody
        ):
            names = {groups: c for c, groups in enumerate(dict.fromkeys(sets.values()))}
            by_group = {g: c for groups, c in names.items() for g in groups}
            classes = np.array(
                [
                    names[sets[p]] if p >= 0 else by_group[g]
                    for p, g in zip(persons.tolist(), labels.tolist(), strict=True)
                ]
            )
        for label in set(classes.tolist()):
            values = column[classes == label]
            total += float(((values - values.mean()) ** 2).sum())
    return total


def allowed(persons: Labels, k: int, knows: str) -> Iterator[Labels]:
    """Every way to group the records so that k persons cannot be told apart."""
    for labels in labellings(persons.size, k):
        if k_persons(labels.tolist(), persons.tolist(), knows) >= k:
            yield labels


def least_loss(X: Values, persons: Labels, k: int, knows: str) -> float:
    """The least that can be lost."""
    return min(loss(X, labels, persons, knows) for labels in allowed(persons, k, knows))
