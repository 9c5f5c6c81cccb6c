"""Invented names for people who do not exist."""

from __future__ import annotations

import numpy as np

from sample_data.draw import Flags, shuffled

_WOMEN = (
    "Adela",
    "Belin",
    "Cerise",
    "Delfina",
    "Edda",
    "Fenja",
    "Giska",
    "Hilke",
    "Isaura",
    "Jorina",
    "Kaia",
    "Lioba",
    "Maren",
    "Nerea",
    "Odina",
    "Perle",
    "Romina",
    "Selma",
    "Vesna",
    "Zora",
)
_MEN = (
    "Anselm",
    "Bertram",
    "Corvin",
    "Darko",
    "Elias",
    "Falk",
    "Gernot",
    "Hagen",
    "Ivar",
    "Joris",
    "Kilian",
    "Lasse",
    "Niklas",
    "Ottmar",
    "Piet",
    "Ruben",
    "Severin",
    "Tilo",
    "Wendel",
    "Yannis",
)
# Surnames are made of two halves, so that none is a family's by intent.
_SURNAME_STARTS = (
    "Alt",
    "Bren",
    "Cor",
    "Dross",
    "Elm",
    "Fern",
    "Grau",
    "Hol",
    "Irm",
    "Kest",
    "Lind",
    "Morv",
    "Nett",
    "Ost",
    "Prel",
    "Quend",
)
_SURNAME_ENDS = (
    "acker",
    "bichl",
    "dorn",
    "eck",
    "fang",
    "grube",
    "halm",
    "inger",
    "loh",
    "mark",
    "nau",
    "ried",
    "stett",
    "wang",
)


def names(rng: np.random.Generator, woman: Flags) -> list[str]:
    """Return a first name and a surname for each person, nobody's twice.

    Parameters
    ----------
    rng : numpy.random.Generator
    woman : ndarray of bool, shape (n_records,)
    """
    surnames = [start + end for start in _SURNAME_STARTS for end in _SURNAME_ENDS]
    queues = {}
    for sex, firsts in ((True, _WOMEN), (False, _MEN)):
        pairs = [f"{first} {surname}" for first in firsts for surname in surnames]
        queues[sex] = iter([pairs[position] for position in shuffled(rng, len(pairs))])
    return [next(queues[bool(sex)]) for sex in woman]
