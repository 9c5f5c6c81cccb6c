"""Detectors: each tells one sort of columns, by their names, their values or both."""

from engine.data.propose.base import Detectors
from engine.data.propose.detectors.codes import health_codes, records, row_index
from engine.data.propose.detectors.contact import addressed, mentions
from engine.data.propose.detectors.given_numbers import given_numbers
from engine.data.propose.detectors.named import named, named_identity
from engine.data.propose.detectors.names_of_firms import firms
from engine.data.propose.detectors.names_of_people import people
from engine.data.propose.detectors.streets import streets
from engine.data.propose.detectors.text import free_text
from engine.data.propose.detectors.traits import classes, dates, positions, postcodes
from engine.data.propose.detectors.unknown import constant, empty, numbers, unknown
from engine.data.propose.detectors.weights import weights

DETECTORS = Detectors(
    [
        empty,
        row_index,
        addressed,
        given_numbers,
        streets,
        free_text,
        mentions,
        named_identity,
        weights,
        constant,
        people,
        firms,
        named,
        health_codes,
        classes,
        postcodes,
        positions,
        records,
        dates,
        numbers,
        unknown,
    ]
)
"""In the order in which they are asked: what says who somebody is comes first."""
