"""Words for numbers given to people, firms, vehicles and records."""

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.concepts.identity import identifier_concept
from engine.data.propose.names import Concept

NUMBER_CONCEPTS = (
    identifier_concept(
        "plate",
        Message("licence plates"),
        """
        en: plate license_plate licence_plate registration_plate number_plate plate_no
        en: vehicle_registration plate_number
        de: kennzeichen kfz_kennzeichen nummernschild autokennzeichen
        fr: immatriculation plaque plaque_immatriculation
        es: matricula placa patente
        it: targa
        pt: matricula placa
        nl: kenteken nummerplaat
        pl: numer_rejestracyjny nr_rejestracyjny tablica_rejestracyjna rejestracja
        zh: 车牌 牌照
        """,
        "words",
        "has_many_distinct",
    ),
    identifier_concept(
        "account",
        Message("bank accounts and cards"),
        """
        en: iban account account_number account_no bank_account card_number credit_card
        en: bic_iban pan sort_code
        de: konto kontonummer kontonr bankverbindung kreditkarte kartennummer
        de: depotnummer
        fr: compte numero_de_compte compte_bancaire rib carte_bancaire
        es: cuenta numero_de_cuenta cuenta_bancaria tarjeta
        it: conto conto_corrente numero_conto carta_di_credito
        pt: conta numero_da_conta nib conta_bancaria
        nl: rekening rekeningnummer bankrekening rekeningnr
        pl: konto_bankowe numer_konta rachunek nr_rachunku numer_rachunku
        zh: 账户 银行账号 卡号 银行卡 账户号
        """,
        "has_many_distinct",
    ),
    identifier_concept(
        "national-number",
        Message("a number given to one person"),
        """
        en: ssn social_security social_security_number national_id nhs nhs_number nino
        en: national_insurance passport passport_no passport_number identity_card
        en: id_card driving_licence drivers_license driver_license medicare_number
        en: health_card mrn medical_record_number insurance_number policy_number
        en: policy_no member_no membership_number badge_number student_number
        en: national_number social_insurance_number sin taxpayer personal_number
        de: sozialversicherungsnummer svnr sv_nummer rentenversicherungsnummer ahv
        de: ahv_nr ahv_nummer ausweisnummer personalausweis reisepass passnummer
        de: versichertennummer versichertennr krankenversichertennummer kvnr kvnummer
        de: fuehrerschein matrikelnummer matrikelnr personalnummer personalnr persnr
        de: mitgliedsnummer steuernummer steuernr steuer_id steueridentifikationsnummer
        de: idnr versicherungsnummer versnr vsnr mitarbeiternummer
        fr: nir nss numero_securite_sociale securite_sociale num_secu numero_secu
        fr: passeport carte_identite cni matricule permis_de_conduire numero_fiscal ine
        fr: insee_nir numero_assure no_assure navs
        es: dni nie nss seguridad_social documento cedula pasaporte curp nuhsa cip
        es: documento_identidad carnet expediente rut run cuil
        it: codice_fiscale cod_fiscale codfisc cf tessera_sanitaria carta_identita
        it: passaporto matricola patente_di_guida
        pt: nif niss cpf rg bilhete_identidade cartao_cidadao numero_utente sns
        pt: passaporte contribuinte pis nis
        nl: bsn sofinummer burgerservicenummer paspoort paspoortnummer
        nl: rijksregisternummer rijksregister rijbewijs personeelsnummer personeelsnr
        nl: studentnummer polisnummer insz patientnummer
        pl: pesel dowod dowod_osobisty nr_dowodu paszport nr_paszportu numer_dowodu
        zh: 身份证 身份证号 证件号 护照 社保号 学号 工号 医保号 病历号 住院号 员工编号
        sv: personnummer samordningsnummer
        da: cpr cprnr cpr_nummer
        no: fodselsnummer
        fi: henkilotunnus hetu
        cs: rodne_cislo
        ro: cnp
        hu: taj_szam taj szemelyi_szam
        tr: tckn tc_kimlik_no kimlik_no
        bg: egn
        hr: oib
        ru: снилс паспорт инн
        ko: 주민등록번호
        in: aadhaar aadhar
        """,
    ),
    identifier_concept(
        "firm-number",
        Message("a number given to one firm"),
        """
        en: vat vat_id vat_number vatin tin ein duns lei crn company_number
        en: company_registration company_id firm_id business_id abn companies_house
        en: tax_id tax_number registration_number establishment_id enterprise_id
        de: ustid ustidnr umsatzsteuer_id umsatzsteueridentifikationsnummer uid
        de: handelsregisternummer handelsregister hrb betriebsnummer unternehmensnummer
        de: firmenbuchnummer wirtschaftsnummer
        fr: siren siret tva numero_tva tva_intracommunautaire rcs numero_siret
        es: cif nif_empresa numero_iva cuit rfc
        it: partita_iva piva
        pt: nipc cnpj
        nl: kvk kvk_nummer btw btwnummer ondernemingsnummer rsin
        pl: nip regon krs
        no: orgnr organisasjonsnummer foretaksnummer
        sv: organisationsnummer
        da: cvr_nr cvrnummer
        fi: y_tunnus
        zh: 统一社会信用代码 营业执照 纳税人识别号 税号 组织机构代码 注册号
        """,
    ),
)
"""Concepts of numbers that lead to a person or firm, such as passport numbers."""

RECORD_NUMBER_CONCEPTS = (
    Concept(
        "record-number",
        Role.IDENTIFIER,
        Message("a number or code given to one person, household or firm"),
        """
        en: id ids uid uuid guid identifier ident pid sid hhid pidp hid idno ref_no
        en: caseid case_no case_number file_number file_no docket record_id record_no
        en: patient_id person_id household_id panel_id respondent_id customer_id
        en: client_id member_id employee_id student_id pupil_id participant_id
        en: subject_id serialno customer_no customer_number order_id order_no invoice
        en: invoice_no ticket_no admission_id claim_number claim_no encounter_id
        en: transaction_id reference_no family_id dwelling_id tenant_id contract_no
        en: contract_number hhidpn mergeid sample_id barcode specimen_id crime_number
        en: usubjid subjid patid patno ptid ptno subjno subject_no subject_number
        en: patient_no patient_number screening_no screening_number randno hadm_id
        en: randomisation_no randomisation_number randomization_number stay_id
        de: kundennummer kundennr patientennummer patnr fallnummer fallnr
        de: haushaltsnummer haushaltsnr haushalts_id personen_id aktenzeichen
        de: vorgangsnummer laufende_nummer lfd_nr lfd laufnummer rechnungsnummer
        de: vertragsnummer probandennummer befragtennummer teilnehmernummer
        de: schuelernummer akte auftragsnummer kdnr mandantennummer wohnungsnummer
        de: belegnummer
        fr: numero_dossier numero_client numero_patient id_menage identifiant_menage
        fr: numero_ordre numero_contrat code_client dossier
        es: numero_expediente id_hogar numero_historia historia_clinica nhc
        es: numero_cliente folio codigo_cliente
        it: numero_pratica codice_paziente id_famiglia codice_cliente progressivo
        it: numero_progressivo numero_cliente nosologico
        pt: numero_processo id_agregado codigo_cliente processo numero_cliente
        nl: klantnummer klantnr dossiernummer volgnummer huishoudnummer huishoud_id
        nl: respondentnummer zaaknummer contractnummer factuurnummer
        pl: numer_klienta nr_klienta numer_pacjenta identyfikator nr_sprawy sygnatura
        pl: numer_umowy nr_umowy liczba_porzadkowa id_gospodarstwa
        zh: 编号 序号 客户号 户号 病案号 档案号 订单号 流水号 样本编号 户编号 个人编码
        zh: 案号
        ru: номер
        ja: 番号
        ko: 번호
        """,
        codes=True,
        kind=Kind.NOMINAL,
        needs=("is_no_flag", "is_no_fraction", "has_many_distinct"),
    ),
)
"""Concept of numbers of records, which come after places: regions have numbers too."""
