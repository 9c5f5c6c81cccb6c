"""Words in column names for numbers, amounts, sorts, dates and subjects; name tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.data.propose.names import normalised_words, split_into_word_set

SUBJECT_WORDS = split_into_word_set(
    """
    patient person respondent customer client klant kunde employee user member
    household company firm firma bedrijf unternehmen entreprise case record row
    mitarbeiter haushalt menage hogar famiglia agregado huishouden gospodarstwo
    pacjent paciente paziente cliente klient student pupil schueler eleve alumno
    alunno aluno leerling uczen participant subject proband teilnehmer befragter
    tenant panel claimant worker interviewer dwelling family 患者 客户 学生 员工 受访者
    gospodarstwa pacjenta klienta ucznia osoby pracownika ankietera mieszkania firmy
    foyer logement enquete enqueteur individu vivienda encuestado entrevistador
    individuo persona intervistato nucleo intervistatore entrevistado pessoa
    persoon gezin enqueteur woning hh hhold haushalts personen
    child enfant bambino prof professor professeur profesor professore dozent instructor
    lecturer player spieler joueur jugador giocatore athlete voter donor
    individual individuum informant applicant borrower passenger inmate prisoner
    volunteer traveller traveler guest policyholder pensioner subj subjid usubjid
    pid ptid patid
    """
)
"""Whom or what a record is about: a column called just so says which one it is."""

NUMBERING_WORDS = split_into_word_set(
    """
    id ids number nummer numero num nr no nro ref code key kod kode codigo codice
    cod nummern numer idx index seq pk guid uid kennung identifier ident
    identifiant identificador identificativo identificatie identyfikator
    编号 号 代码 编码 标识 串号
    """
)
"""Words of a column that numbers its records, if most of its values differ."""

MEASURE_WORDS = split_into_word_set(
    """
    count anzahl aantal liczba ilosc cantidad quantita quantidade qty amount
    betrag montant importe importo valor bedrag kwota balance saldo solde sum
    total avg mean minutes min seconds days months years tage monate jahre jours
    mois dias anni giorni cost costs price prix preis kosten duration dauer
    duree yrs hrs rounds share percent pct rate ratio mb gb calls spend 数量 金额 余额
    est estimate estimated
    size groesse taille tamano tamanho dimensione grootte wielkosc age alter
    天数 次数 时长 人数 规模
    """
)
"""Words for what is measured, whoever it is measured of."""

COUNTED = split_into_word_set(
    """
    visits visit children kids rooms beds baths bedrooms bathrooms persons people
    members times games goals points wins losses rounds kills deaths assists births
    cases events years months weeks days hours minutes seconds seats cylinders doors
    gears cyl carb pairs sibs siblings parity gravida attempts errors trials steps
    size dose doses score scores rank ranks level rating ratings age education educ
    experience exper tenure salary wage income price weight height length width depth
    speed distance temperature temp volume area population pop votes balls runs hits
    lines words pages passengers patients deaths injuries accidents arrests crimes
    enrol enrollment attendance capacity quantity yield yrs yr hrs mins
    tax taxes fatalities casualties victims citations prisoners inmates
    """
)
"""Words for what is counted or measured, beside those of money and time."""

AMOUNT_WORDS = (MEASURE_WORDS | COUNTED) - {"rank", "ranks"}
"""Words of amounts, by which a file may be sorted."""

CALENDAR_WORDS = split_into_word_set(
    """
    julday jday julian doy yday
    year yr month quarter week day weekday hour decade jahr monat quartal woche tag
    wochentag stunde annee an mois trimestre semaine jour heure ano mes semana dia hora
    anno mese settimana giorno ora mies rok miesiac tydzien dzien jaar maand week dag
    time zeit temps tiempo tempo tijd czas period periode periodo
    年 年份 年度 月 月份 周 日
    """
)
"""Words for when something was, which files are often sorted by."""

COUNTED_ENDS = (
    *(f"{letter}tage" for letter in "hs\u00dfkrlnd"),  # no stage, and no Etage
    *("jahre", "monate", "stunden", "minuten", "anzahl", "betrag", "kosten", "preis"),
    *("dauer", "gehalt", "lohn", "einkommen", "umsatz", "groesse", "dagen", "bedrag"),
)
"""Ends of German and Dutch compounds for what is counted or measured."""

SORT_WORDS = split_into_word_set(
    """
    type typ art tipo soort rodzaj kind status flag consent category categorie
    kategorie categoria class klasse group gruppe provider operator plan tariff
    brand model 类型 类别 状态
    """
)
"""Words for the sort of a thing, of which there are few."""


NON_ID_WORDS = split_into_word_set(
    "paid unpaid valid invalid covid solid liquid fluid hybrid humid avoid"
)
"""Words that end as identifiers such as ``subjid`` do, and are none."""


_COUNTED = split_into_word_set(
    "n num numb number no nr nb count total sum anzahl nombre numero"
)
"""Words before what is counted."""

_PLURAL = re.compile(r"(?!series|species|news|lens)[a-z]{3,}(?<![siu])s")
"""Plurals, of which there are amounts: no class, axis or status."""


def is_count_name(name_words: Sequence[str]) -> bool:
    """Return whether a name means a count, as ``number_of_bags`` or ``n_beds``."""
    if len(name_words) < 2:
        return False
    if name_words[0] in _COUNTED and is_plural_name(name_words):
        return True
    if name_words[1] in ("of", "de", "der", "von"):
        return name_words[0] in _COUNTED
    return (
        name_words[0] in ("n", "num", "count", "total")
        and name_words[-1] not in NUMBERING_WORDS
    )


def is_plural_name(name_words: Sequence[str]) -> bool:
    """Return whether a name ends with an English plural, as ``post_offices``."""
    last = name_words[-1] if name_words else ""
    return last not in NUMBERING_WORDS and bool(_PLURAL.fullmatch(last))


def has_numbering_word(name_words: Sequence[str]) -> bool:
    """Return whether a name has a word for a number or a code of something."""
    if is_count_name(name_words) and not name_words[-1].endswith("id"):
        return name_words[0] == "n"
    if len(name_words) > 1 and "n" in (name_words[0], name_words[-1]):
        return True
    return not NUMBERING_WORDS.isdisjoint(name_words) or any(
        word.endswith(("nummer", "number", "numer", "numero", "nr", "kennung"))
        or (word.endswith("id") and len(word) > 4 and word not in NON_ID_WORDS)
        for word in name_words
    )


def is_calendar_number_name(name: str) -> bool:
    """Return whether a name is of a number of the calendar, as ``week_number``."""
    words = normalised_words(name)
    return (
        bool(CALENDAR_WORDS.intersection(words))
        and has_numbering_word(words)
        and SUBJECT_WORDS.isdisjoint(words)
    )


def is_subject_name(name: str) -> bool:
    """Return whether a name is that of whom records are about, or of their number."""
    words = normalised_words(name)
    return bool(SUBJECT_WORDS.intersection(words)) and (
        len(words) == 1 or has_numbering_word(words)
    )
