"""Words of columns about persons, their groups, places and occasions, and of others."""

from __future__ import annotations

from engine.data.propose.detectors.words import SORT_WORDS, SUBJECT_WORDS
from engine.data.propose.names import split_into_word_set

OCCASIONS = split_into_word_set(
    """
    visit wave round occasion session trial episode period time day date week month
    year quarter hour minute age sequence seq measurement followup follow panel stay
    admission encounter attempt trip order futime weeks months years days dos
    besuch welle runde zeitpunkt datum tag woche monat jahr quartal sitzung aufnahme
    visite vague date jour semaine mois annee periode sejour
    visita onda fecha dia semana mes ano periodo ola giorno settimana mese anno data
    onda rodada bezoek golf datum dag maand jaar kwartaal wizyta fala dzien miesiac rok
    年 月 日期 时间 就诊 访视 波次 年份 年度 次数
    """
)
"""What tells the records of one person apart."""

GROUPS_OF_PERSONS = split_into_word_set(
    """
    household hh hhid hid family dwelling school class firm company establishment
    hospital clinic practice centre center site village cluster plant team branch
    haushalt familie schule klasse firma betrieb unternehmen krankenhaus
    menage foyer famille ecole entreprise hopital hogar familia escuela empresa
    famiglia scuola impresa agregado huishouden gospodarstwo szkola
    户 家庭 学校 企业
    """
)
"""What several persons belong to."""

PLACES = split_into_word_set(
    """
    place town city village county district province state region country nation
    municipality commune tract block parish ward street station
    ort stadt dorf gemeinde kreis bezirk bundesland land region
    ville departement pays lieu ciudad municipio provincia pais citta comune
    cidade paese stad gemeente miasto gmina powiat
    城市 区 县 省 国家 地区
    """
)
"""Where a person is, and many others."""

NO_PERSONS = PLACES | SORT_WORDS
"""What a number of is no person's, unless its name says a person or a group too."""

PERSONS_OR_GROUPS = SUBJECT_WORDS | GROUPS_OF_PERSONS
"""What a number of may say who a record is about."""

EPISODES = OCCASIONS | split_into_word_set(
    """
    case file docket record row line order invoice receipt ticket contract claim
    transaction prescription sample specimen test reference barcode
    fall fallnr fallnummer akte aktenzeichen vorgang vorgangsnummer auftrag
    auftragsnummer rechnung rechnungsnummer beleg belegnummer vertrag vertragsnummer
    zeile lfd lfdnr laufnummer laufende rezept probe
    dossier ordre contrat facture expediente pratica progressivo processo zaak factuur
    volgnummer sprawy sygnatura umowy
    序号 档案号 订单号 流水号 样本编号 案号
    """
)
"""What is numbered record by record, whoever it is about."""

PERSON_NAME_CONCEPTS = split_into_word_set("full-name e-mail telephone user-name")
"""Concepts of identifiers that name a person, and repeat with their records."""

SUBJECT_NAME_CONCEPTS = split_into_word_set("firm-name some-name")
"""Concepts that do so if the column's name also says whom records are about."""

PERSON_NUMBER_CONCEPTS = split_into_word_set(
    "record-number national-number firm-number account"
)
"""Concepts of identifiers that number persons, firms or their records."""

OTHERS = split_into_word_set(
    """
    given-name family-name full-name other-person some-name remark
    postcode coordinate trade occupation origin sex birth
    health health-measure belief law pay money score
    """
)
"""What columns are about that do not say which person a record is about."""


FIXED_TRAITS = split_into_word_set("sex birth origin")
"""What columns are about that a person has one of, in all records."""

LIFE_TRAITS = split_into_word_set("birth age")
"""What columns are about that two people rarely share, and many records of one do."""
