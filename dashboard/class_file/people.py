"""Fictitious people of the class file, drawn from a seed."""

from __future__ import annotations

import random
from typing import TypedDict

N_PEOPLE = 40

N_ILLNESSES = 5
"""Illnesses, which the page has names for."""

_NAMES = """\
Ada Ben Cem Dina Egon Fay Gil Hana Ivo Jana Kofi Lena Milo Nora Omar Pia \
Quin Rosa Sami Tess Udo Vera Wim Xenia Yara Zeno Anouk Bela Chiara Dario Elif Femi \
Greta Hugo Ines Jonas Kaya Luca Maya Nils"""

_DISTRICTS = (1010, 1020, 1050, 1070, 1090, 1120, 1160, 1190, 1210, 1230)
"""Codes of districts, far apart as numbers and near each other as places, or not."""

_CLUSTERS = ((24, 22, 4, 4), (37, 44, 5, 7), (53, 62, 6, 9), (68, 34, 6, 6))
"""Age, pay in thousands a year, and how far both reach to either side."""


class FictitiousPerson(TypedDict):
    """A fictitious person as a dict: name, age, pay, district and illness by number."""

    name: str
    age: int
    pay: int
    district: int
    illness: int


def make_people_and_districts(seed: int) -> tuple[list[FictitiousPerson], list[str]]:
    """Return fictitious people, drawn from a seed, and the codes of their districts.

    Returns
    -------
    people : list of FictitiousPerson
        :data:`N_PEOPLE` of them; nobody else has the same age and pay.
    districts : list of str
    """
    rng = random.Random(seed)
    names = sorted(_NAMES.split(), key=lambda _name: rng.random())
    districts = sorted(_DISTRICTS, key=lambda _code: rng.random())[:4]
    shifts = [(_between(rng, 2), _between(rng, 3)) for _cluster in _CLUSTERS]
    people: list[FictitiousPerson] = []
    pairs: set[tuple[int, int]] = set()
    while len(people) < N_PEOPLE:
        place = int(rng.random() * len(_CLUSTERS))
        age, pay, wide, high = _CLUSTERS[place]
        age += shifts[place][0] + _between(rng, wide)
        pay += shifts[place][1] + _between(rng, high)
        if (age, pay) in pairs:
            continue
        pairs.add((age, pay))
        # Neighbours in the plane are often ill alike, as in life.
        alike = rng.random() < 0.55
        illness = place if alike else int(rng.random() * N_ILLNESSES)
        near = rng.random() < 0.5
        people.append(
            FictitiousPerson(
                name=names[len(people)],
                age=age,
                pay=pay,
                district=place if near else int(rng.random() * len(districts)),
                illness=illness,
            )
        )
    return people, [str(code) for code in districts]


def _between(rng: random.Random, reach: int) -> int:
    """Return a whole number from -reach to reach."""
    return int(rng.random() * (2 * reach + 1)) - reach
