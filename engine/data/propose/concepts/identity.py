"""Words for identity: names of people and firms, and remarks about them."""

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.names import Concept


def identifier_concept(id: str, reason: Message, words: str, *needs: str) -> Concept:
    """Return an identifier concept of nominal kind, for values that are no flags."""
    needs = ("is_no_flag", *needs)
    return Concept(id, Role.IDENTIFIER, reason, words, kind=Kind.NOMINAL, needs=needs)


NAME_CONCEPTS = (
    identifier_concept(
        "given-name",
        Message("given names of people"),
        """
        en: firstname forename givenname fname middlename christian_name given_names
        en: first_names
        de: vorname vornamen rufname zweiter_vorname
        fr: prenom prenoms
        es: nombre_de_pila primer_nombre segundo_nombre nombres
        it: nome_di_battesimo primo_nome
        pt: primeiro_nome nome_proprio
        nl: voornaam voornamen roepnaam
        pl: imie imiona drugie_imie
        zh: 名字
        sv: fornamn tilltalsnamn
        da: fornavn
        fi: etunimi
        cs: jmeno
        hu: keresztnev utonev
        ro: prenume
        tr: isim adi
        ru: имя отчество
        el: ονομα
        """,
        "words",
    ),
    identifier_concept(
        "family-name",
        Message("family names"),
        """
        en: surname lastname familyname lname maiden_name birth_name
        de: nachname familienname zuname geburtsname
        fr: nom_de_famille nom_famille nom_de_naissance nom_usage patronyme
        fr: nom_jeune_fille
        es: apellido apellidos primer_apellido segundo_apellido
        it: cognome cognomi
        pt: apelido sobrenome ultimo_nome
        nl: achternaam familienaam geslachtsnaam tussenvoegsel meisjesnaam
        pl: nazwisko nazwiska nazwisko_rodowe
        zh: 姓氏 姓名
        sv: efternamn
        da: efternavn
        no: etternavn
        fi: sukunimi
        cs: prijmeni
        hu: vezeteknev csaladnev
        ro: nume_familie
        tr: soyad soyadi soyisim
        ru: фамилия фио
        el: επωνυμο
        ja: 氏名 名前
        ko: 성명 이름
        """,
        "words",
    ),
    identifier_concept(
        "full-name",
        Message("names of people"),
        """
        en: fullname person_name patient_name customer_name client_name employee_name
        en: student_name contact_person next_of_kin emergency_contact applicant_name
        en: tenant_name member_name owner_name signature signed_by initials
        en: respondent_name name_of_patient account_holder policyholder mother_name
        en: father_name mothers_name fathers_name spouse_name child_name guardian
        en: claimant defendant plaintiff suspect witness victim_name tenant landlord
        en: owner_full_name beneficiary applicant
        de: vollname vor_und_nachname name_vorname nachname_vorname ansprechpartner
        de: patientenname kundenname kontaktperson ansprechperson inhaber inhaberin
        de: antragsteller antragstellerin kontoinhaber versicherungsnehmer mieter
        de: vermieter beschuldigter zeuge geschaedigter unterschrift
        de: erziehungsberechtigte vormund mitarbeitername schuelername
        de: name_des_patienten
        fr: nom_complet nom_prenom nom_et_prenom nom_patient nom_du_patient locataire
        fr: titulaire nom_client assure beneficiaire demandeur nom_eleve signataire
        es: nombre_completo nombre_y_apellidos nombre_paciente titular inquilino
        es: solicitante nombre_cliente denunciante
        it: nominativo nome_e_cognome nome_cognome intestatario nome_paziente inquilino
        it: richiedente paziente_nome assistito
        pt: nome_completo titular nome_do_paciente inquilino requerente
        nl: volledige_naam contactpersoon huurder verhuurder aanvrager patientnaam
        nl: klantnaam naam_patient rekeninghouder voorletters
        pl: imie_i_nazwisko imie_nazwisko pacjent_imie nazwisko_imie wnioskodawca
        pl: najemca wlasciciel
        zh: 推荐人 担保人 监护人 应聘者 求职者 紧急联系人 真实姓名 患者姓名 联系人
        zh: 客户姓名 户主 户主姓名 法人代表 申请人 姓名
        """,
        "words",
    ),
    identifier_concept(
        "other-person",
        Message("names of people, such as doctors, authors or players"),
        """
        en: doctor physician gp surgeon attending referring nurse therapist dentist
        en: caseworker case_manager social_worker agent sales_agent broker adviser
        en: advisor consultant teacher tutor supervisor manager officer interviewer
        en: handler clerk employee_in_charge sales_rep salesperson account_manager
        en: responsible created_by entered_by updated_by processed_by approved_by
        en: inspector investigator examiner prescriber provider_name director author
        en: authors artist actor actress singer writer composer player athlete pitcher
        en: batter coach jockey skater driver_name winner loser nominee candidate
        en: contestant senator representative president recruiter counsellor counselor
        en: midwife judge lawyer attorney notary
        de: arzt aerztin hausarzt behandelnder_arzt operateur chirurg therapeut
        de: sachbearbeiter sachbearbeiterin sachbearbeitung bearbeiter bearbeiterin
        de: berater beraterin vermittler lehrer lehrerin lehrkraft klassenlehrer
        de: betreuer betreuerin vorgesetzter vorgesetzte interviewerin pfleger
        de: pflegekraft verkaeufer vertreter makler erfasst_von geprueft_von zustaendig
        de: ermittler anwalt richter hebamme kundenbetreuer
        fr: medecin medecin_traitant praticien chirurgien infirmier enqueteur agent
        fr: conseiller gestionnaire enseignant professeur responsable vendeur courtier
        fr: saisi_par commercial avocat juge
        es: medico medico_cabecera facultativo cirujano enfermera encuestador agente
        es: gestor asesor profesor tutor responsable vendedor tramitador abogado
        it: medico medico_curante chirurgo infermiere intervistatore agente operatore
        it: insegnante docente responsabile venditore referente istruttore avvocato
        pt: medico medico_familia cirurgiao enfermeiro entrevistador agente tecnico
        pt: professor responsavel vendedor gestor advogado
        nl: arts huisarts behandelaar specialist_naam chirurg verpleegkundige enqueteur
        nl: medewerker adviseur docent leraar mentor leidinggevende makelaar
        nl: behandeld_door ingevoerd_door dossierhouder contactambtenaar
        pl: lekarz lekarz_prowadzacy chirurg ankieter doradca opiekun nauczyciel
        pl: wychowawca kierownik pracownik_socjalny przedstawiciel prowadzacy referent
        zh: 医生 医师 主治医生 主治医师 护士 经办人 调查员 客户经理 班主任 教师 负责人
        zh: 业务员 代理人 社工 操作员
        """,
        "words",
    ),
    identifier_concept(
        "firm-name",
        Message("names of firms"),
        """
        en: company company_name firm_name business_name employer employer_name
        en: organisation_name organization_name trading_name legal_name supplier vendor
        en: enterprise_name establishment_name legal_entity pollster publisher airline
        en: carrier manufacturer distributor sponsor agency_name bank_name
        de: firma firmenname unternehmen unternehmensname arbeitgeber betrieb
        de: betriebsname lieferant firmierung
        fr: entreprise raison_sociale nom_entreprise employeur societe denomination
        fr: fournisseur etablissement enseigne denomination_sociale
        es: empresa razon_social nombre_empresa empleador sociedad proveedor
        it: azienda ragione_sociale ditta impresa datore_di_lavoro denominazione
        it: fornitore denominazione_sociale
        pt: empresa razao_social nome_empresa empregador fornecedor denominacao
        nl: bedrijf bedrijfsnaam werkgever onderneming leverancier handelsnaam
        pl: firmy nazwa_firmy pracodawca przedsiebiorstwo dostawca
        pl: nazwa_przedsiebiorstwa
        zh: 公司 企业名称 单位名称 工作单位 雇主 供应商 企业 公司名称
        """,
        "words",
        "has_many_distinct",
    ),
    identifier_concept(
        "free-text",
        Message("remarks in words, in which anything may stand"),
        """
        en: remark remarks comment comments note notes freetext narrative memo
        en: description_text observations feedback complaint anamnesis statement message
        en: other_text other_specify specify summary_text subject_line
        de: bemerkung bemerkungen anmerkung anmerkungen kommentar notiz notizen freitext
        de: hinweis anmerkungstext sachverhalt bemerk anamnese nachricht befundtext
        fr: remarque remarques commentaire commentaires observation texte_libre
        es: comentario comentarios observaciones observacion notas texto_libre
        it: osservazioni commento commenti annotazioni testo_libero nota note
        pt: observacoes comentarios comentario notas texto_livre obs
        nl: opmerking opmerkingen toelichting notitie vrije_tekst notities
        pl: uwagi komentarz opis_slowny notatka notatki adnotacje
        zh: 备注 意见 说明 留言 评论 主诉
        """,
        "words",
        "may_be_remarks",
    ),
)
"""Concepts of names of people and firms, and of texts that may contain them."""

UNSPECIFIC_NAME_CONCEPTS = (
    Concept(
        "some-name",
        Role.IDENTIFIER,
        Message("names"),
        """
        en: name names
        de: name namen bezeichnung
        fr: nom noms
        es: nombre
        it: nome nomi
        pt: nome nomes
        nl: naam namen
        pl: nazwa
        zh: 名称 姓名
        sv: namn
        da: navn
        fi: nimi
        hu: nev
        ro: nume
        cs: nazev
        tr: ad
        ru: название
        """,
        kind=Kind.NOMINAL,
        needs=("is_no_flag", "words"),
    ),
)
"""Concept of names without saying whose: only the values tell."""
