"""Words for confidential attributes."""

from engine.core.message import Message
from engine.data.kinds import Role
from engine.data.propose.names import Concept


def _confidential_concept(
    id: str, says: Message, words: str, codes: bool = False
) -> Concept:
    needs = ("is_no_date",)
    return Concept(id, Role.CONFIDENTIAL, says, words, codes=codes, needs=needs)


CONFIDENTIAL_CONCEPTS = (
    _confidential_concept(
        "health",
        Message("health"),
        """
        en: diagnosis diagnoses diag diag1 diag2 dx dx1 dx2 icd icd10 icd9 icd_code
        en: disease diseases illness condition hiv hiv_status cancer tumour tumor
        en: medication hivres hivtest drug drugs therapy treatment disability disabled
        en: pregnant pregnancy symptom symptoms comorbidity allergy allergies procedure
        en: surgery operation complication smoker smoking alcohol mental_health
        en: depression vaccinated vaccination cause_of_death chronic blood_group
        en: diabetes drg test_result
        de: diagnose diagnosen hauptdiagnose nebendiagnose krankheit erkrankung befund
        de: medikament medikamente medikation therapie behandlung behinderung
        de: schwerbehinderung schwanger schwangerschaft symptome prozedur ops_code ops
        de: pflegegrad todesursache raucher rauchen allergien impfstatus blutgruppe
        fr: diagnostic maladie pathologie traitement medicament handicap grossesse
        fr: affection cim cim10 ald vaccin fumeur allergie cause_deces
        es: diagnostico enfermedad tratamiento medicamento medicacion discapacidad
        es: embarazo cie cie10 patologia sintoma fumador alergia causa_muerte
        it: diagnosi malattia patologia trattamento farmaco disabilita invalidita
        it: gravidanza sintomi terapia fumatore allergia causa_morte
        pt: diagnostico doenca tratamento medicamento deficiencia gravidez cid cid10
        pt: patologia fumador alergia
        nl: ziekte diagnosecode aandoening behandeling medicatie medicijn handicap
        nl: zwanger zwangerschap klacht roker allergie doodsoorzaak
        pl: diagnoza choroba rozpoznanie leczenie lek leki niepelnosprawnosc ciaza
        pl: schorzenie palacz alergia przyczyna_zgonu
        zh: 诊断 疾病 病种 病情 用药 药物 治疗 残疾 怀孕 症状 过敏 吸烟 手术 血型 死因
        ru: диагноз
        sv: diagnoskod sjukdom
        ja: 診断 病名
        ko: 진단
        """,
        codes=True,
    ),
    _confidential_concept(
        "health-measure",
        Message("the state of somebody's health"),
        """
        en: bmi blood_pressure systolic diastolic sbp dbp heart_rate pulse cholesterol
        en: glucose hba1c creatinine haemoglobin hemoglobin egfr ldl hdl triglycerides
        en: temperature_c viral_load cd4 tumour_size tumor_size lab_result phq9 gad7 gcs
        de: blutdruck systolisch diastolisch puls cholesterin blutzucker haemoglobin
        de: kreatinin laborwert glukose
        fr: imc tension pression_arterielle glycemie cholesterolemie creatinine
        es: presion_arterial tension_arterial glucosa colesterol
        it: pressione glicemia colesterolo
        pt: pressao_arterial glicemia colesterol
        nl: bloeddruk hartslag bloedsuiker
        pl: cisnienie tetno cholesterol_calkowity glukoza
        zh: 血压 血糖 收缩压 舒张压 心率 胆固醇
        """,
    ),
    _confidential_concept(
        "belief",
        Message("belief, opinion or private life"),
        """
        en: religion religious faith confession party party_vote vote voted voting
        en: political politics union union_member trade_union orientation
        en: sexual_orientation vote_intention ideology left_right denomination_religious
        de: konfession glaube glaubensrichtung partei parteipraeferenz wahlabsicht
        de: gewerkschaft wahlverhalten kirchensteuer weltanschauung
        de: religionszugehoerigkeit
        fr: culte confession parti opinion_politique syndicat intention_de_vote
        es: religion partido voto sindicato ideologia confesion
        it: religione partito sindacato orientamento voto_politico confessione
        pt: religiao partido sindicato crenca
        nl: godsdienst geloof geloofsovertuiging partij stemgedrag vakbond vakbondslid
        nl: kerkgenootschap
        pl: religia wyznanie partia glosowanie zwiazek_zawodowy poglady
        zh: 宗教 信仰 政治面貌 党派 投票
        ru: вероисповедание религия
        """,
        codes=True,
    ),
    _confidential_concept(
        "law",
        Message("crime and punishment"),
        """
        en: crime conviction convicted offence offense criminal sentence prison charge
        en: arrest arrested verdict delict victimisation victimization
        de: straftat delikt vorstrafe vorstrafen verurteilung tatvorwurf strafmass
        fr: infraction condamnation delit casier casier_judiciaire peine
        es: delito condena antecedentes pena
        it: reato condanna pena
        pt: crime_tipo condenacao delito pena
        nl: misdrijf delict veroordeling strafblad straf
        pl: przestepstwo wyrok skazanie czyn
        zh: 犯罪 罪名 刑期 案由 判决
        """,
        codes=True,
    ),
    _confidential_concept(
        "pay",
        Message("pay"),
        """
        en: salary salaries wage wages pay_grade gross_pay net_pay bonus basepay
        en: earnings
        de: gehalt gehaelter lohn bruttolohn nettolohn bruttogehalt monatslohn
        de: jahreslohn verguetung entgelt
        fr: salaire salaires remuneration traitement_brut paie prime
        es: salario sueldo nomina paga remuneracion
        it: stipendio salario retribuzione busta_paga
        pt: salario ordenado vencimento remuneracao
        nl: salaris loon bruto_loon uurloon
        pl: wynagrodzenie pensja placa_brutto zarobki
        zh: 工资 薪资 薪酬 奖金 月薪 年薪
        """,
    ),
    _confidential_concept(
        "money",
        Message("somebody's money"),
        """
        en: debt debts credit_score credit loan balance account_balance arrears wealth
        en: savings mortgage benefit benefits allowance allowances pension tax_due
        en: tax_paid tax_amount rent_arrears premium claim_amount overdraft welfare
        de: schulden kredit darlehen kontostand saldo vermoegen sozialhilfe rente
        de: beihilfe steuerschuld steuerbetrag rueckstand mietrueckstand buergergeld
        de: leistungsbetrag schadenhoehe
        fr: dette dettes emprunt solde patrimoine allocation allocations aide rsa apl
        fr: impot impots pension retraite
        es: deuda deudas prestamo saldo patrimonio subsidio ayuda prestacion impuesto
        it: debito debiti prestito saldo patrimonio sussidio pensione imposta
        pt: divida dividas emprestimo saldo patrimonio subsidio pensao imposto
        nl: schuld schulden lening saldo vermogen uitkering toeslag bijstand belasting
        pl: dlug dlugi kredyt pozyczka saldo_konta majatek zasilek emerytura podatek
        zh: 债务 贷款 余额 存款 财产 补助 低保 养老金 欠款 税额
        """,
    ),
    _confidential_concept(
        "score",
        Message("how somebody was judged, or judges"),
        """
        en: score scores grade grades mark marks gpa rating result exam_result
        en: satisfaction performance appraisal iq evaluation wellbeing happiness trust
        en: likert life_satisfaction test_score absences risk_score
        de: note noten punkte punktzahl bewertung beurteilung zufriedenheit leistung
        de: lebenszufriedenheit vertrauen zeugnisnote durchschnittsnote fehltage
        de: mathenote
        fr: note_finale moyenne resultat satisfaction appreciation points
        es: nota notas calificacion puntuacion satisfaccion evaluacion resultado
        it: voto voti punteggio valutazione soddisfazione giudizio
        pt: nota classificacao pontuacao avaliacao satisfacao
        nl: cijfer cijfers beoordeling tevredenheid resultaat rapportcijfer
        pl: ocena oceny wynik punkty zadowolenie satysfakcja
        zh: 成绩 分数 得分 评分 满意度 评价 考核
        """,
    ),
)
