"""Proposes what each column means, with a reason, from its name and its values.

A proposal is a start for people who know the data, never a decision: names are
matched in a handful of languages, and what nobody hints at is judged by its values.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.table import Column, Kind, Role, Schema

if TYPE_CHECKING:
    from engine.table import Table


@dataclass(frozen=True)
class Suggestion:
    """What a column seems to be.

    Attributes
    ----------
    column : Column
        Name, proposed kind, proposed role.
    reason : str
        One or two sentences for people.
    looks_like : Role
        The role that the column would have if every kind could be grouped: a
        nominal column by which somebody could be recognised is proposed as
        "other" but looks like a quasi-identifier.
    """

    column: Column
    reason: str
    looks_like: Role


@dataclass(frozen=True)
class _Hint:
    """Words in a column's name, and what they say about it."""

    words: frozenset[str]
    role: Role
    says: str
    codes: bool = False


def _hint(role: Role, says: str, words: str, codes: bool = False) -> _Hint:
    return _Hint(frozenset(words.split()), role, says, codes)


_HINTS = (
    _hint(
        Role.CONFIDENTIAL,
        "health",
        "diagnosis diagnoses diagnose diagnostic diagnostico icd icd10 disease "
        "diseases illness krankheit ziekte maladie enfermedad hiv cancer medication "
        "drug therapy treatment disability pregnant pregnancy symptom",
        codes=True,
    ),
    _hint(
        Role.CONFIDENTIAL,
        "belief, opinion or private life",
        "religion religious confession konfession godsdienst party vote voting "
        "political politics union orientation crime conviction offence offense",
        codes=True,
    ),
    _hint(
        Role.CONFIDENTIAL,
        "pay",
        "salary salaries wage wages gehalt lohn salaris loon salaire salario stipendio",
    ),
    _hint(
        Role.IDENTIFIER,
        "who somebody is, or how to reach them",
        "surname firstname lastname forename fullname vorname nachname familienname "
        "naam voornaam achternaam prenom nombre apellido apellidos nome cognome "
        "email mail phone telephone telefon telefoon telefono mobile fax address "
        "adresse adres direccion indirizzo street strasse straat url website ip "
        "login username",
    ),
    _hint(
        Role.IDENTIFIER,
        "a number or code given to one person or company",
        "id ids uid uuid guid identifier ident ssn bsn nin nif dni cpf nhs mrn iban "
        "passport kvk siren siret vat licence license kenteken kennzeichen account "
        "konto",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        "where somebody lives or works",
        "zip zipcode postcode postal postalcode plz postleitzahl region regions regio "
        "province provincie provincia county state city town village municipality "
        "gemeente gemeinde comune commune district kreis bundesland land country "
        "nation location place residence wohnort woonplaats nuts",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        "a visible trait of a person",
        "sex gender geschlecht geslacht sexe sexo genere race ethnicity ethnic "
        "nationality nationaliteit nationalite staatsangehorigkeit citizenship "
        "marital civil occupation profession job beruf beroep education bildung "
        "opleiding language",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        "what trade somebody is in",
        "nace sbi isic sector industry branche branch economic",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        "age or a date in somebody's life",
        "age ages alter leeftijd edad eta birth birthday birthdate born dob yob "
        "geburt geburtsdatum geboorte geboortedatum naissance nacimiento nascita "
        "admission discharge opname entlassung",
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        "size or means, which others may know",
        "income inkomen einkommen revenu ingresos reddito turnover revenue sales "
        "umsatz omzet ventas employees employed staff workers headcount fte "
        "mitarbeiter beschaftigte werknemers empleados assets profit export exports "
        "domestic hectares acreage livestock household children kinderen kinder "
        "height weight",
    ),
)
_NUMBERS = frozenset(("number", "nummer", "numero", "num", "nr", "no", "code", "key"))
_NAMES = frozenset(("name", "names", "nom"))

FEW = 10
"""Whole numbers with at most so many different values are steps of a scale."""

_PATTERNS = (
    ("e-mail addresses", r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    ("web addresses", r"(https?://|www\.)\S+"),
    ("network addresses", r"\d{1,3}(\.\d{1,3}){3}"),
    ("bank account numbers", r"[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}"),
    ("telephone numbers", r"(\+|00|0\d|\(\d)[\d ()/.-]{7,}"),
)


def suggest(frame: pd.DataFrame) -> tuple[Suggestion, ...]:
    """Propose kind and role for every column, in their order.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    tuple of Suggestion
    """
    return tuple(
        _suggest_column(str(name), frame.iloc[:, j])
        for j, name in enumerate(frame.columns)
    )


def suggest_schema(frame: pd.DataFrame) -> Schema:
    """Return the schema that :func:`suggest` proposes."""
    return Schema(tuple(suggestion.column for suggestion in suggest(frame)))


def warnings(table: Table) -> tuple[str, ...]:
    """Return what is odd about a table's roles, without being wrong.

    Parameters
    ----------
    table : Table

    Returns
    -------
    tuple of str
        Sentences: on columns that the file gives no name, identifiers and
        recognisable traits left as "other", and constant quasi-identifiers.
    """
    found = [
        f"Column {position} has no name in the file; it is called "
        f"{table.schema.names[position - 1]!r} here."
        for position in table.origin.options.get("nameless", ())
    ]
    for j, column in enumerate(table.schema.columns):
        values = table.frame.iloc[:, j]
        if column.role is Role.QUASI_IDENTIFIER and values.nunique() <= 1:
            found.append(
                f"Quasi-identifier {column.name!r} is constant: it does not influence "
                "the groups."
            )
        if column.role is not Role.OTHER:
            continue
        looks_like = _suggest_column(column.name, values).looks_like
        if looks_like is Role.IDENTIFIER:
            found.append(
                f"Column {column.name!r} looks like an identifier but its role is "
                "other, so the release keeps it: make it an identifier."
            )
        elif looks_like is Role.QUASI_IDENTIFIER:
            found.append(
                f"Column {column.name!r} may help to recognise somebody but its role "
                "is other, so the release keeps it unprotected."
            )
    return tuple(found)


def _suggest_column(name: str, values: pd.Series) -> Suggestion:
    present = values.dropna()
    if present.empty:
        return _as(name, Kind.NOMINAL, Role.OTHER, "It holds no values.")
    distinct = int(present.nunique())
    numeric = pd.api.types.is_numeric_dtype(
        values.dtype
    ) and not pd.api.types.is_bool_dtype(values.dtype)
    kind, kind_reason = _kind(present, distinct, numeric)
    hint, word = _match(name)
    if hint is not None and hint.codes:
        kind = Kind.NOMINAL
    if distinct == 1 and len(present) > 1:
        return _as(name, kind, Role.OTHER, "All its values are the same.")
    said = f"Its name ({word}) tells of {hint.says}" if hint else ""
    if hint is not None and hint.role is Role.IDENTIFIER:
        return _as(name, Kind.NOMINAL, Role.IDENTIFIER, said + ".")
    identifying = _identifying(name, present, distinct, numeric)
    if identifying and hint is None:
        return _as(name, Kind.NOMINAL, Role.IDENTIFIER, identifying)
    if hint is not None and hint.role is Role.CONFIDENTIAL:
        return _as(
            name, kind, Role.CONFIDENTIAL, said + ", which is to be kept secret."
        )
    if hint is not None:
        if numeric and kind is not Kind.NOMINAL:
            return _as(
                name,
                kind,
                Role.QUASI_IDENTIFIER,
                f"{said}, by which somebody could be recognised. {kind_reason}",
            )
        return Suggestion(
            Column(name, kind, Role.OTHER),
            f"{said}. It may help to recognise somebody, but only numeric columns "
            "are grouped so far: check whether to leave it out.",
            Role.QUASI_IDENTIFIER,
        )
    if kind is Kind.CONTINUOUS:
        return _as(
            name,
            kind,
            Role.QUASI_IDENTIFIER,
            f"{kind_reason} Whoever knows somebody's exact number could recognise them "
            "by it.",
        )
    return _as(
        name, kind, Role.OTHER, f"{kind_reason} Nothing hints at whom it belongs to."
    )


def _as(name: str, kind: Kind, role: Role, reason: str) -> Suggestion:
    return Suggestion(Column(name, kind, role), reason, role)


def _kind(present: pd.Series, distinct: int, numeric: bool) -> tuple[Kind, str]:
    """Return the kind that the values alone suggest, and why."""
    if pd.api.types.is_datetime64_any_dtype(present.dtype):
        return Kind.ORDINAL, "It holds dates."
    if not numeric:
        if isinstance(present.dtype, pd.CategoricalDtype) and present.dtype.ordered:
            return Kind.ORDINAL, f"It holds {distinct:,} ordered categories."
        return Kind.NOMINAL, f"It holds words ({distinct:,} different)."
    if distinct <= FEW and len(present) >= 3 * distinct and _whole(present):
        return Kind.ORDINAL, f"It holds only {distinct} different whole numbers."
    return Kind.CONTINUOUS, f"It holds numbers ({distinct:,} different)."


def _whole(present: pd.Series) -> bool:
    if pd.api.types.is_integer_dtype(present.dtype):
        return True
    values = present.to_numpy(dtype=np.float64)
    return bool((np.isfinite(values) & (values == np.floor(values))).all())


def _match(name: str) -> tuple[_Hint | None, str]:
    """Return the first hint that the name gives, and the word that gives it."""
    words = _words(name)
    for hint in _HINTS:
        for word in words:
            if word in hint.words or any(
                word.startswith(known) or word.endswith(known)
                for known in hint.words
                if len(known) >= 6
            ):
                return hint, word
    return None, ""


def _words(name: str) -> list[str]:
    """Split a column name into lower-case words without accents."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    return re.findall(r"[a-z]+[0-9]*|[0-9]+", plain.lower())


def _identifying(name: str, present: pd.Series, distinct: int, numeric: bool) -> str:
    """Return why the values single out records, or nothing."""
    n = len(present)
    words = set(_words(name))
    if numeric:
        if distinct < n or n < 4 or not _whole(present):
            return ""
        values = present.to_numpy(dtype=np.float64)
        steps = np.diff(values)
        if (steps == 1).all() or (n >= 20 and np.ptp(values) == n - 1):
            return "It counts the records: every number comes once, without a gap."
        if words & _NUMBERS:
            return "By its name and values it is a number given to each record."
        digits = np.floor(np.log10(np.maximum(np.abs(values), 1)))
        if n >= 50 and digits[0] >= 7 and np.ptp(digits) == 0:
            return (
                "Every value is different and has the same number of digits, as "
                "numbers given to people or companies have."
            )
        return ""
    if pd.api.types.is_datetime64_any_dtype(present.dtype):
        return ""
    sample = present.iloc[:200].astype(str)
    for what, pattern in _PATTERNS:
        if sample.str.fullmatch(pattern).mean() > 0.8:
            return f"It holds {what}."
    share = distinct / n
    if words & _NAMES and (share > 0.5 or n < 10):
        return "It holds names, nearly all different."
    if n >= 10 and share > 0.9:
        return "Nearly every value is different, so it singles out records."
    return ""
