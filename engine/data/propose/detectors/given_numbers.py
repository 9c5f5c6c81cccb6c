"""Detector of official numbers of people, firms and things by check digit or shape."""

from __future__ import annotations

import re
from importlib import import_module

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, ColumnView, Finding
from engine.data.propose.detectors.contact import is_named_as_identifying_number

_PERSON_NUMBER = Message("numbers given to people, with a check digit that fits")
_FIRM_NUMBER = Message("numbers given to firms, with a check digit that fits")
_THING_NUMBER = Message("numbers of devices or cards, with a check digit that fits")
_ACCOUNT_NUMBER = Message("bank account numbers, with check digits that fit")
_PLATE = Message("licence plates")

CHECKED_NUMBERS = (
    ("iban", "account", _ACCOUNT_NUMBER, r"[A-Z]{2}\d{2}[A-Z0-9 ]{11,34}"),
    ("it.codicefiscale", "national-number", _PERSON_NUMBER, r"[A-Z]{6}[A-Z0-9]{10}"),
    ("cn.ric", "national-number", _PERSON_NUMBER, r"\d{17}[\dXx]"),
    ("cn.uscc", "firm-number", _FIRM_NUMBER, r"[0-9A-Z]{18}"),
    ("es.dni", "national-number", _PERSON_NUMBER, r"\d{8}-?[A-Z]"),
    ("es.nie", "national-number", _PERSON_NUMBER, r"[XYZ]-?\d{7}-?[A-Z]"),
    ("es.cif", "firm-number", _FIRM_NUMBER, r"[A-Z]-?\d{7}-?[A-Z0-9]"),
    ("ch.ssn", "national-number", _PERSON_NUMBER, r"756\.?\d{4}\.?\d{4}\.?\d{2}"),
    ("ch.uid", "firm-number", _FIRM_NUMBER, r"CHE-?\d{3}\.?\d{3}\.?\d{3}.*"),
    ("fr.nir", "national-number", _PERSON_NUMBER, r"[1278][\d AB]{12,20}"),
    ("fr.siret", "firm-number", _FIRM_NUMBER, r"\d{3} ?\d{3} ?\d{3} ?\d{5}"),
    ("fr.siren", "firm-number", _FIRM_NUMBER, r"\d{3} ?\d{3} ?\d{3}"),
    ("pl.pesel", "national-number", _PERSON_NUMBER, r"\d{11}"),
    ("pl.nip", "firm-number", _FIRM_NUMBER, r"\d{3}-?\d{2,3}-?\d{2}-?\d{2,3}"),
    ("pl.regon", "firm-number", _FIRM_NUMBER, r"\d{9}|\d{14}"),
    ("nl.bsn", "national-number", _PERSON_NUMBER, r"\d{8,9}|\d{4}\.\d{2}\.\d{3}"),
    ("br.cpf", "national-number", _PERSON_NUMBER, r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}"),
    ("br.cnpj", "firm-number", _FIRM_NUMBER, r"\d{2}\.?\d{3}\.?\d{3}/?\d{4}-?\d{2}"),
    ("de.idnr", "national-number", _PERSON_NUMBER, r"\d{2} ?\d{3} ?\d{3} ?\d{3}"),
    ("pt.nif", "national-number", _PERSON_NUMBER, r"\d{9}"),
    (
        "be.nn",
        "national-number",
        _PERSON_NUMBER,
        r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}",
    ),
    ("se.personnummer", "national-number", _PERSON_NUMBER, r"\d{6,8}[-+]?\d{4}"),
    ("fi.hetu", "national-number", _PERSON_NUMBER, r"\d{6}[-+A]\d{3}[0-9A-Z]"),
    ("no.fodselsnummer", "national-number", _PERSON_NUMBER, r"\d{6} ?\d{5}"),
    ("dk.cpr", "national-number", _PERSON_NUMBER, r"\d{6}-\d{4}"),
    ("ro.cnp", "national-number", _PERSON_NUMBER, r"\d{13}"),
    ("cz.rc", "national-number", _PERSON_NUMBER, r"\d{6}/\d{3,4}"),
    ("hr.oib", "national-number", _PERSON_NUMBER, r"\d{11}"),
    ("tr.tckimlik", "national-number", _PERSON_NUMBER, r"\d{11}"),
    ("at.vnr", "national-number", _PERSON_NUMBER, r"\d{4} ?\d{6}"),
    ("gb.nhs", "national-number", _PERSON_NUMBER, r"\d{3}[ -]?\d{3}[ -]?\d{4}"),
    ("us.ssn", "national-number", _PERSON_NUMBER, r"\d{3}-\d{2}-\d{4}"),
    ("us.ein", "firm-number", _FIRM_NUMBER, r"\d{2}-\d{7}"),
    ("ca.sin", "national-number", _PERSON_NUMBER, r"\d{3}[- ]\d{3}[- ]\d{3}"),
    ("in_.aadhaar", "national-number", _PERSON_NUMBER, r"\d{4} ?\d{4} ?\d{4}"),
    ("kr.rrn", "national-number", _PERSON_NUMBER, r"\d{6}-\d{7}"),
    ("mx.curp", "national-number", _PERSON_NUMBER, r"[A-Z]{4}\d{6}[A-Z]{6}[A-Z0-9]\d"),
    ("cl.rut", "national-number", _PERSON_NUMBER, r"\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]"),
    ("za.idnr", "national-number", _PERSON_NUMBER, r"\d{13}"),
    ("il.idnr", "national-number", _PERSON_NUMBER, r"\d{9}"),
    ("eu.vat", "firm-number", _FIRM_NUMBER, r"[A-Z]{2} ?[0-9A-Z.]{8,14}"),
    ("lei", "firm-number", _FIRM_NUMBER, r"[A-Z0-9]{18}\d{2}"),
    ("imei", "device", _THING_NUMBER, r"\d{15,16}|\d{2}-\d{6}-\d{6}-\d"),
    ("luhn", "account", _THING_NUMBER, r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}"),
)
"""Module of python-stdnum, what it is about, in words, and the shape looked for."""

_UNCHECKED_NUMBERS = (
    (
        "national-number",
        Message("numbers as given to people"),
        r"[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
    ),
    ("plate", _PLATE, r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}[EH]?"),
    ("plate", _PLATE, r"[A-Z]{2}-\d{3}-[A-Z]{2}"),
    ("plate", _PLATE, r"\d{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}"),
    ("plate", _PLATE, r"[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2} ?\d{3} ?[A-Z]{2}"),
    (
        "plate",
        _PLATE,
        r"(?=.*\d)(?=.*[A-Z])(\d{1,3}|[A-Z]{1,3})-(\d{2,3}|[A-Z]{2,3})-(\d{1,2}|[A-Z]{1,2})",
    ),
    ("plate", _PLATE, r"[\u4e00-\u9fff][A-Z][·• ]?[A-Z0-9]{5,6}"),
    (
        "device",
        Message("numbers of vehicles"),
        r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}",
    ),
)
"""Shapes that no check digit confirms, and that nothing else has."""

MIN_DISTINCT_VALUES = 8
"""Different values from which check digits that fit are no chance."""

MIN_DIGITS = 8
"""Whole numbers below have too few digits to be such numbers."""


def detect_official_numbers(column: ColumnView) -> Finding | None:
    """Return a finding if 90 % of values seem official numbers, by digits or shape."""
    values = column.values
    if values.n_distinct < MIN_DISTINCT_VALUES or values.dates or values.boolean:
        return None
    if values.numeric and not _has_enough_digits(column):
        return None
    texts = values.sampled_texts
    if max(map(len, texts[:20])) < MIN_DIGITS - 1:
        return None
    for module, about, what, shape in CHECKED_NUMBERS:
        regex = re.compile(shape)
        if not all(regex.fullmatch(text) for text in texts[:3]):
            continue
        is_valid = import_module(f"stdnum.{module}").is_valid
        tries = [bool(regex.fullmatch(one) and is_valid(one)) for one in texts]
        if sum(tries) >= 0.9 * len(tries):
            return _find_numbers(about, what)
    if values.numeric or is_named_as_identifying_number(column):
        return None
    for about, what, shape in _UNCHECKED_NUMBERS:
        if re.fullmatch(shape, texts[0]) and values.matching_share(shape) > 0.9:
            return _find_numbers(about, what)
    return None


def _find_numbers(about: str, what: Message) -> Finding:
    reason = Message("It holds {what}.", what=what)
    return Finding(Role.IDENTIFIER, (reason,), CERTAIN, Kind.NOMINAL, about)


def _has_enough_digits(view: ColumnView) -> bool:
    """Return whether whole numbers have as many digits as are given to people."""
    values = view.values
    return (
        abs(values.numbers[:20]).min() >= 10.0 ** (MIN_DIGITS - 1) and values.is_integer
    )
