"""Words in column names, in a handful of languages, and what they tell."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from engine.core.message import Message
from engine.data.kinds import Role


@dataclass(frozen=True)
class Hint:
    """Words in a column's name, and what they say about it.

    Attributes
    ----------
    words : frozenset of str
        Lower case, without accents.
    role : Role
    says : Message
        Ends the sentence "Its name tells of ...".
    codes : bool
        Whether numbers in such a column are codes, whose order means nothing.
    """

    words: frozenset[str]
    role: Role
    says: Message
    codes: bool = False


def _hint(role: Role, says: Message, words: str, codes: bool = False) -> Hint:
    return Hint(frozenset(words.split()), role, says, codes)


HINTS = (
    _hint(
        Role.CONFIDENTIAL,
        Message("health"),
        "diagnosis diagnoses diagnose diagnostic diagnostico icd icd10 disease "
        "diseases illness krankheit ziekte maladie enfermedad hiv cancer medication "
        "drug therapy treatment disability pregnant pregnancy symptom",
        codes=True,
    ),
    _hint(
        Role.CONFIDENTIAL,
        Message("belief, opinion or private life"),
        "religion religious confession konfession godsdienst party vote voting "
        "political politics union orientation crime conviction offence offense",
        codes=True,
    ),
    _hint(
        Role.CONFIDENTIAL,
        Message("pay"),
        "salary salaries wage wages gehalt lohn salaris loon salaire salario stipendio",
    ),
    _hint(
        Role.IDENTIFIER,
        Message("who somebody is, or how to reach them"),
        "surname firstname lastname forename fullname vorname nachname familienname "
        "naam voornaam achternaam prenom nombre apellido apellidos nome cognome "
        "email mail phone telephone telefon telefoon telefono tel mobile fax address "
        "adresse adres direccion indirizzo street strasse straat url website ip "
        "login username",
    ),
    _hint(
        Role.IDENTIFIER,
        Message("a number or code given to one person or company"),
        "id ids uid uuid guid identifier ident ssn bsn nin nif dni cpf nhs mrn iban "
        "passport kvk siren siret vat licence license kenteken kennzeichen account "
        "konto",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("where somebody lives or works"),
        "zip zipcode postcode postal postalcode plz postleitzahl region regions regio "
        "province provincie provincia county state city town village municipality "
        "gemeente gemeinde comune commune district kreis bundesland land country "
        "nation location place residence wohnort woonplaats nuts",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("a visible trait of a person"),
        "sex gender geschlecht geslacht sexe sexo genere race ethnicity ethnic "
        "nationality nationaliteit nationalite staatsangehorigkeit citizenship "
        "marital civil burgerlijke familienstand occupation profession job beruf "
        "beroep language",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("schooling"),
        "education bildung opleiding school",
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("what trade somebody is in"),
        "nace sbi isic sector industry branche branch economic",
        codes=True,
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("age or a date in somebody's life"),
        "age ages alter leeftijd edad eta birth birthday birthdate born dob yob "
        "geburt geburtsdatum geboorte geboortedatum naissance nacimiento nascita "
        "admission discharge opname entlassung",
    ),
    _hint(
        Role.QUASI_IDENTIFIER,
        Message("size or means"),
        "income inkomen einkommen revenu ingresos reddito turnover revenue sales "
        "umsatz omzet ventas employees employed staff workers headcount fte "
        "mitarbeiter beschaftigte werknemers empleados assets profit export exports "
        "domestic hectares acreage livestock household children kinderen kinder",
    ),
)
WEIGHTS = frozenset(
    (
        "wgt",
        "fnlwgt",
        "pweight",
        "pweights",
        "fweight",
        "hhweight",
        "hhwgt",
        "pwgt",
        "swgt",
        "ponderation",
        "ponderacion",
        "ponderador",
        "pondera",
        "fexp",
        "hochrechnungsfaktor",
        "hochrechnungsgewicht",
        "gewichtungsfaktor",
        "stichprobengewicht",
        "wegingsfactor",
        "weegfactor",
        "ophoogfactor",
    )
)
"""Words that mean the weight of a record in a survey and nothing else."""

MAYBE_WEIGHTS = frozenset(
    ("weight", "weights", "wt", "gewicht", "factor", "faktor", "poids", "pond", "peso")
)
"""Words for the weight of a record, and of a body: only beside one of a survey."""

SURVEYS = frozenset(
    (
        "sample",
        "sampling",
        "survey",
        "design",
        "household",
        "hh",
        "calibrated",
        "calibration",
        "expansion",
        "grossing",
        "raising",
        "extrapolation",
        "probability",
        "stichprobe",
        "stichproben",
        "hochrechnung",
        "hochrechnungs",
        "weging",
        "wegings",
        "ophoog",
        "steekproef",
        "enquete",
        "sondage",
        "encuesta",
        "muestra",
        "muestral",
        "indagine",
        "campionario",
    )
)
"""Words of surveys."""

NUMBERS = frozenset(("number", "nummer", "numero", "num", "nr", "no", "code", "key"))
"""Words of a column that numbers its records, if its values are all different."""

NAMES = frozenset(("name", "names", "nom"))
"""Words of a column of names, if most of its values are different."""

SUBJECTS = frozenset(
    (
        "patient",
        "person",
        "respondent",
        "customer",
        "client",
        "klant",
        "kunde",
        "employee",
        "user",
        "member",
        "household",
        "company",
        "firm",
        "firma",
        "bedrijf",
        "unternehmen",
        "entreprise",
        "case",
        "record",
        "row",
    )
)
"""Whom or what a record is about: a column called just so says which one it is."""

_BEGINNING, _END = 6, 7
"""Letters from which a word also counts as the beginning or end of a longer one."""


def match(name: str) -> tuple[tuple[Hint, str], ...]:
    """Return the hints that a column's name gives, each with the word that gives it.

    Parameters
    ----------
    name : str

    Returns
    -------
    tuple of (Hint, str)
        In the order of :data:`HINTS`.
    """
    found = []
    for hint in HINTS:
        for word in words_of(name):
            if word in hint.words or any(
                (len(known) >= _BEGINNING and word.startswith(known))
                or (len(known) >= _END and word.endswith(known))
                for known in hint.words
            ):
                found.append((hint, word))
                break
    return tuple(found)


def words_of(name: str) -> list[str]:
    """Split a column name into lower-case words without accents."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    words = re.findall(r"[a-z]+[0-9]*|[0-9]+", plain.lower())
    split = []
    for word in words:
        subject = word.removesuffix("id")
        split += [subject, "id"] if subject in SUBJECTS and subject != word else [word]
    return split
