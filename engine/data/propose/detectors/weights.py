"""Detector of survey weights by name and values."""

from __future__ import annotations

import numpy as np

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, ColumnView, Finding
from engine.data.propose.names import split_into_word_set

WEIGHT_WORDS = split_into_word_set(
    """
    fnlwgt wtfinl wtfnl pwgtp wgtp pspwght wtsupp asecwt
    ponderation ponderacion ponderador ponderazione pondera
    ponderacao ponderador fexp facexp fac hochrechnungsfaktor
    hochrechnungsgewicht hochrechnung gewichtungsfaktor gewichtung
    personengewicht haushaltsgewicht querschnittsgewicht stichprobengewicht hrf
    phrf hhrf wegingsfactor weegfactor weging ophoogfactor coefficient
    extrapolation redressement fatexp wagi pesoano coeffint 权重 加权 抽样权数 权数 vikt
    """
)
"""Words that mean the weight of a record in a survey and nothing else."""

WEIGHT_BEGINNINGS = (
    *("ponder", "weging", "weegf", "ophoog", "hochrechn", "gewichtung"),
    *("wtint", "wtmec", "wtss", "asecw"),
)
WEIGHT_PARTS = ("权重", "加权", "权数")
"""Beginnings and parts of such words."""

SHORT_WEIGHT_WORDS = split_into_word_set("wgt wgts wght wgth w8 w8s wt8")
"""Words for the weight of a record, hardly ever of a body: they weigh, or are asked."""

AMBIGUOUS_WEIGHT_WORDS = split_into_word_set(
    """
    weight weights wt wts w gewicht factor faktor facteur fator fattore poids pond
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
    redresse individu analysis wagowy analityczna freq frequency sampl
    """
)
"""Words of surveys."""

SURVEY_BEGINNINGS = split_into_word_set(
    "p a f i d s ps psp hh per fnl fin rep bs brr jk an cal eq smpl pop pers indiv"
)
"""Short forms of survey words before one for a weight: ``pweight``, ``hhwt``."""

MAX_BODY_VARIATION = 0.4
"""Standard deviation of the weights of people divided by their mean, at most."""

BODY_WORDS = split_into_word_set(
    "birth bwt body kg lb lbs pounds gram grams baby child newborn heart geburt "
    "geburts koerper naissance nacimiento"
)
"""Words of bodies, whose weight is no survey's."""


def detect_survey_weights(column: ColumnView) -> Finding | None:
    """Return a finding if a column holds, or may hold, survey weights.

    Undecided where name and values leave it open, or another column weighs already;
    none unless each record has a positive number.
    """
    values, words = column.values, {*column.words}
    if words & BODY_WORDS:
        return None
    surely = bool(WEIGHT_WORDS & words) or any(map(_is_surely_weight, words))
    stems = words | {word.rstrip("0123456789") for word in words}  # w8, and weight2
    shortened = bool(SHORT_WEIGHT_WORDS & stems)
    maybe = shortened or bool(AMBIGUOUS_WEIGHT_WORDS & stems)
    if not (surely or maybe) or not values.numeric or values.is_constant:
        return None
    if not values.complete or not _are_positive(column):
        return None
    by_name = surely or (bool(SURVEY_WORDS & words) and not _are_few_codes(column))
    if not by_name:
        weighs = _are_record_weights(column) if values.n >= 20 else False
        if shortened and weighs is not True and not _are_few_codes(column):
            weighs = True if _vary_more_than_bodies(column) else None
        if weighs is None:
            reason = Message(
                "It says what somebody weighs, or how many units a record stands for."
            )
            return Finding(Role.UNDECIDED, (reason,), UNSURE, about="weight")
        if not weighs:
            return None
    if not column.weigh:
        reason = Message("It seems to hold weights too; only one column can weigh.")
        return Finding(Role.UNDECIDED, (reason,), UNSURE, about="weight")
    reason = Message(
        "By its name and values it says how many units each record stands "
        "for: means and information loss are weighted by it."
    )
    sure = CERTAIN if by_name else LIKELY
    return Finding(Role.WEIGHT, (reason,), sure, Kind.CONTINUOUS, "weight")


def _is_surely_weight(word: str) -> bool:
    """Return whether a word means the weight of a record alone, also as one of two."""
    if word.startswith(WEIGHT_BEGINNINGS) or any(sign in word for sign in WEIGHT_PARTS):
        return True
    stem = word.rstrip("0123456789")
    return any(
        stem.removesuffix(end) in SURVEY_WORDS | SURVEY_BEGINNINGS
        for end in (*SHORT_WEIGHT_WORDS, *AMBIGUOUS_WEIGHT_WORDS)
        if len(end) > 1 and stem.endswith(end)
    )


def _are_few_codes(view: ColumnView) -> bool:
    """Return whether whole numbers are too few to weigh: codes, or classes."""
    return view.values.is_integer and view.values.has_few_distinct


def _are_record_weights(view: ColumnView) -> bool | None:
    """Return whether no body has such weights, None if some other thing may.

    Calibrated to the sample: the mean is 1. Else they differ more than bodies do, with
    a mean below that of newborns, who are much alike, or above that of anybody.
    """
    mean, spread = float(view.values.numbers.mean()), float(view.values.numbers.std())
    if view.values.is_integer:
        wide = mean > 200 and spread > 0.5 * mean and not _are_few_codes(view)
        return None if wide else False
    if abs(mean - 1.0) < 0.05 or (mean <= 2.5 and spread > 0.25 * mean):
        return True
    return None if mean > 200 and spread > 0.25 * mean else False


def _vary_more_than_bodies(view: ColumnView) -> bool:
    numbers = view.values.numbers
    return float(numbers.std()) > MAX_BODY_VARIATION * float(numbers.mean())


def _are_positive(view: ColumnView) -> bool:
    numbers = view.values.numbers
    return bool((np.isfinite(numbers) & (numbers > 0)).all())
