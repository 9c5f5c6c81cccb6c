"""Words for survey administration."""

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.names import Concept

SURVEY_CONCEPTS = (
    Concept(
        "wave",
        Role.OTHER,
        Message("when the survey was made"),
        """
        en: wave survey_year survey_wave panel_wave syear reference_year ref_year
        en: survey_round round interview_year data_year
        de: welle erhebungsjahr berichtsjahr befragungsjahr erhebungswelle
        fr: vague annee_enquete annee_de_reference millesime
        es: ola ano_encuesta oleada anio_encuesta ano_de_referencia
        it: anno_indagine anno_di_rilevazione anno_rilevazione ondata
        pt: vaga ano_inquerito ano_de_referencia ronda
        nl: golf enquetejaar peiljaar verslagjaar onderzoeksjaar
        pl: fala rok_badania edycja rok_sprawozdawczy
        zh: 调查年份 调查年 轮次 波次
        """,
        kind=Kind.ORDINAL,
        needs=("has_few_distinct", "is_short"),
    ),
)
