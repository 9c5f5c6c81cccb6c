"""Detect survey weights by name and values."""

from __future__ import annotations

import numpy as np

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, ColumnView, Finding
from engine.data.propose.names import split_into_word_set

WEIGHT_WORDS = split_into_word_set(
    """
    wgt wgts fnlwgt pweight pweights fweight aweight iweight hhweight hhwgt pwgt
    swgt wtfinl perwt hhwt dweight pspwght anweight wght crossweight
    designweight ponderation ponderacion ponderador ponderazione pondera
    ponderacao ponderador fexp facexp fac hochrechnungsfaktor
    hochrechnungsgewicht hochrechnung gewichtungsfaktor gewichtung
    personengewicht haushaltsgewicht querschnittsgewicht stichprobengewicht hrf
    phrf hhrf wegingsfactor weegfactor weging ophoogfactor coefficient
    extrapolation redressement fatexp wagi pesoano coeffint 权重 加权 抽样权数 权数 vikt
    """
)
"""Words that mean the weight of a record in a survey and nothing else."""

WEIGHT_BEGINNINGS = ("ponder", "weging", "weegf", "ophoog", "hochrechn", "gewichtung")
WEIGHT_PARTS = ("权重", "加权", "权数")
"""Beginnings and parts of such words."""

AMBIGUOUS_WEIGHT_WORDS = split_into_word_set(
    """
    weight weights wt w gewicht factor faktor facteur fator fattore poids pond
    peso pesi waga coef coeff gew coefficient coefficiente coeficiente coefficienti
    wspolczynnik
    """
)
"""Words for the weight of a record, and of a body: only beside one of a survey."""

SURVEY_WORDS = split_into_word_set(
    """
    sample sampling survey design household hh calibrated calibration expansion
    grossing raising extrapolation probability final post cross longitudinal
    replicate person stichprobe stichproben hochrechnung hochrechnungs weging
    wegings ophoog steekproef enquete sondage encuesta muestra muestral indagine
    campionario campione analitica amostra amostral amostragem inquerito badania
    proby respondenta menage hogar expansao riporto espansione elevacion calage
    redresse individu analysis wagowy analityczna
    """
)
"""Words of surveys."""


def detect_survey_weights(column: ColumnView) -> Finding | None:
    """Return a finding if a column says how many units each record stands for.

    Only where its name can hardly mean anything else, or its values cannot, and each
    record has a positive number.
    """
    values, words = column.values, {*column.words}
    surely = bool(WEIGHT_WORDS & words) or any(
        word.startswith(WEIGHT_BEGINNINGS) or any(sign in word for sign in WEIGHT_PARTS)
        for word in words
    )
    maybe = bool(AMBIGUOUS_WEIGHT_WORDS & words)
    if not (surely or maybe) or not values.numeric or values.is_constant:
        return None
    if not values.complete or not _are_positive(column):
        return None
    by_name = surely or bool(SURVEY_WORDS & words)
    if not by_name:
        told = _are_record_weights(column) if values.n >= 20 else False
        if told is None:
            said = Message(
                "It says what somebody weighs, or how many units a record stands for."
            )
            return Finding(Role.UNDECIDED, (said,), UNSURE, about="weight")
        if not told:
            return None
    if not column.weigh:
        said = Message("It seems to hold weights too; only one column can weigh.")
        return Finding(Role.UNDECIDED, (said,), UNSURE, about="weight")
    said = Message(
        "By its name and values it says how many units each record stands "
        "for: means and information loss are weighted by it."
    )
    sure = CERTAIN if by_name else LIKELY
    return Finding(Role.WEIGHT, (said,), sure, Kind.CONTINUOUS, "weight")


def _are_record_weights(seen: ColumnView) -> bool | None:
    """Return whether no body has such weights, None if some other thing may.

    Calibrated to the sample: the mean is 1. Else they differ more than bodies do, with
    a mean below that of newborns, who are much alike, or above that of anybody.
    """
    if seen.values.is_integer:
        return False
    mean, spread = float(seen.values.numbers.mean()), float(seen.values.numbers.std())
    if abs(mean - 1.0) < 0.05 or (mean < 2.5 and spread > 0.25 * mean):
        return True
    return None if mean > 200 and spread > 0.25 * mean else False


def _are_positive(seen: ColumnView) -> bool:
    numbers = seen.values.numbers
    return bool((np.isfinite(numbers) & (numbers > 0)).all())
