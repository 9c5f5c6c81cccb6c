"""Words for who somebody is: names, addresses, numbers given to people and firms."""

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.names import Concept


def _one(id: str, says: Message, words: str, *needs: str) -> Concept:
    needs = ("no_flag", *needs)
    return Concept(id, Role.IDENTIFIER, says, words, kind=Kind.NOMINAL, needs=needs)


IDENTITY = (
    _one(
        "e-mail",
        Message("e-mail addresses"),
        """
        en: email e_mail mail emails email_address e_mail_address
        de: emailadresse mailadresse
        fr: courriel adresse_mail adresse_electronique mel
        es: correo correo_electronico
        it: posta_elettronica pec indirizzo_email
        pt: correio_eletronico correio
        nl: emailadres e_mailadres mailadres
        pl: poczta_elektroniczna adres_email mejl
        zh: 邮箱 电子邮件 邮件地址 电邮
        ru: почта эл_почта электронная_почта
        sv: epost e_post epostadress
        tr: eposta
        ja: メール
        ko: 이메일
        """,
    ),
    _one(
        "telephone",
        Message("telephone numbers"),
        """
        en: phone telephone tel mobile cellphone cell fax phone_number msisdn phones
        en: whatsapp calling_number called_number caller callee
        de: telefon telefonnummer handy handynummer mobil mobilnummer rufnummer telefax
        fr: telephone portable numero_de_telephone
        es: telefono movil celular
        it: telefono cellulare recapito_telefonico
        pt: telefone telemovel celular
        nl: telefoon telefoonnummer mobiel gsm telefoonnr
        pl: telefonu komorka tel_kom nr_telefonu
        zh: 电话 手机 联系方式 传真 手機 電話
        ru: телефон мобильный
        sv: mobilnummer telefonnummer
        cs: telefon
        hu: telefonszam
        tr: cep_telefonu
        ja: 携帯
        ko: 전화
        """,
    ),
    _one(
        "address",
        Message("addresses"),
        """
        en: address addr street street_address house_number house_no mailing_address
        en: home_address street_name address1 address2 apartment
        de: strasse anschrift wohnadresse hausnummer hausnr str adresse
        fr: adresse rue voie domicile_adresse numero_rue
        es: direccion calle domicilio
        it: indirizzo via domicilio
        pt: morada endereco rua logradouro
        nl: straat adres straatnaam huisnummer huisnr
        pl: ulica adres nr_domu numer_domu
        zh: 地址 住址 街道 门牌
        ru: адрес улица
        sv: adress gatuadress gata
        cs: adresa ulice
        hu: utca lakcim
        ro: adresa strada
        tr: adres sokak cadde
        fi: osoite katuosoite
        ja: 住所
        ko: 주소
        """,
    ),
    _one(
        "web-address",
        Message("web addresses"),
        """
        en: url website web_site homepage web_address weblink link linkedin
        de: webseite internetseite
        fr: site_web site_internet
        es: sitio_web pagina_web
        it: sito_web sito
        pt: sitio_web pagina_web
        nl: webadres
        pl: strona_www strona_internetowa
        zh: 网址 网站 主页
        """,
        "words",
    ),
    _one(
        "user-name",
        Message("user names"),
        """
        en: login username user_name userid user_id nickname screen_name handle
        en: twitter instagram facebook account_name alias skype
        de: benutzername benutzer benutzerkennung anmeldename kennung benutzerkonto
        de: nutzername nutzerkennung nutzer nutzerkonto
        fr: identifiant pseudo pseudonyme nom_utilisateur utilisateur
        fr: nom_d_utilisateur
        es: usuario nombre_usuario nombre_de_usuario apodo
        it: nome_utente utente utenza
        pt: utilizador nome_de_usuario
        nl: gebruikersnaam gebruiker inlognaam
        pl: uzytkownik nazwa_uzytkownika
        zh: 用户名 昵称 微信 账号 帐号 登录名 用户账号
        """,
    ),
    _one(
        "device",
        Message("devices and their addresses"),
        """
        en: ip ip_address ipaddress mac mac_address device_id deviceid imei imsi imeisv
        en: serial serial_number serialnumber iccid udid idfa gaid cookie cookie_id
        en: session_id sim eid vin vehicle_identification_number chassis_number
        en: hostname advertising_id
        de: geraetenummer geratenummer seriennummer geraete_id gerate_id
        de: fahrgestellnummer
        de: geraetekennung geratekennung zaehlernummer zahlernummer
        fr: adresse_ip numero_de_serie numero_serie appareil_id id_appareil
        fr: identifiant_appareil identifiant_de_l_appareil
        es: numero_de_serie direccion_ip bastidor id_dispositivo dispositivo_id
        es: identificador_del_dispositivo
        it: numero_di_serie indirizzo_ip telaio identificativo_dispositivo
        it: matricola_apparecchio
        pt: numero_de_serie endereco_ip chassi id_do_dispositivo id_aparelho
        nl: ip_adres serienummer apparaat_id chassisnummer meternummer
        pl: adres_ip numer_seryjny numer_urzadzenia id_urzadzenia
        zh: 设备号 设备编号 序列号 设备标识 车架号 手机串号
        """,
    ),
    _one(
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
        "many",
    ),
    _one(
        "account",
        Message("bank accounts and cards"),
        """
        en: iban account account_number account_no bank_account card_number credit_card
        en: creditcard bic_iban pan sort_code
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
        "many",
    ),
    _one(
        "national-number",
        Message("a number given to one person"),
        """
        en: ssn social_security social_security_number national_id nationalid nhs
        en: nhs_number nino national_insurance passport passport_no passport_number
        en: identity_card id_card driving_licence drivers_license driver_license
        en: medicare_number health_card mrn medical_record_number insurance_number
        en: policy_number policy_no member_no membership_number badge_number
        en: student_number
        en: national_number social_insurance_number sin taxpayer personal_number
        de: sozialversicherungsnummer svnr sv_nummer rentenversicherungsnummer ahv
        de: ahv_nr ahvnr ahv_nummer ausweisnummer personalausweis reisepass passnummer
        de: versichertennummer versichertennr krankenversichertennummer kvnr kvnummer
        de: fuehrerschein matrikelnummer matrikelnr personalnummer personalnr persnr
        de: mitgliedsnummer steuernummer steuernr steuer_id steuerid
        de: steueridentifikationsnummer
        de: idnr versicherungsnummer versnr vsnr mitarbeiternummer
        fr: nir nss numero_securite_sociale securite_sociale num_secu numero_secu
        fr: passeport
        fr: carte_identite cni matricule permis_de_conduire numero_fiscal ine insee_nir
        fr: numero_assure no_assure navs
        es: dni nie nss seguridad_social documento cedula pasaporte curp nuhsa cip
        es: documento_identidad carnet expediente rut run cuil
        it: codice_fiscale cod_fiscale codfisc codicefiscale cf tessera_sanitaria
        it: carta_identita passaporto matricola patente_di_guida
        pt: nif niss cpf rg bilhete_identidade cartao_cidadao numero_utente sns
        pt: passaporte
        pt: contribuinte pis nis
        nl: bsn sofinummer burgerservicenummer paspoort paspoortnummer
        nl: rijksregisternummer
        nl: rijksregister rijbewijs personeelsnummer personeelsnr studentnummer
        nl: polisnummer insz patientnummer
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
    _one(
        "firm-number",
        Message("a number given to one firm"),
        """
        en: vat vat_id vat_number vatin vatnumber tin ein duns lei crn company_number
        en: company_registration company_id firm_id business_id abn companies_house
        en: tax_id taxid tax_number registration_number establishment_id enterprise_id
        de: ustid ust_id ustidnr umsatzsteuer_id umsatzsteueridentifikationsnummer uid
        de: handelsregisternummer handelsregister hrb betriebsnummer unternehmensnummer
        de: firmenbuchnummer wirtschaftsnummer
        fr: siren siret tva numero_tva tva_intracommunautaire rcs numero_siret
        es: cif nif_empresa numero_iva cuit rfc
        it: partita_iva piva p_iva
        pt: nipc cnpj
        nl: kvk kvk_nummer kvknummer btw btwnummer btw_nummer ondernemingsnummer rsin
        pl: nip regon krs
        zh: 统一社会信用代码 营业执照 纳税人识别号 税号 组织机构代码 注册号
        """,
    ),
    _one(
        "given-name",
        Message("given names of people"),
        """
        en: firstname first_name forename givenname given_name fname middlename
        en: middle_name christian_name given_names first_names
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
    _one(
        "family-name",
        Message("family names"),
        """
        en: surname lastname last_name familyname family_name lname maiden_name
        en: birth_name
        en: maidenname
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
    _one(
        "full-name",
        Message("names of people"),
        """
        en: fullname full_name person_name patient_name customer_name client_name
        en: employee_name student_name contact_person next_of_kin emergency_contact
        en: applicant_name tenant_name member_name owner_name signature signed_by
        en: initials respondent_name name_of_patient account_holder policyholder
        en: mother_name father_name mothers_name fathers_name spouse_name child_name
        en: guardian claimant defendant plaintiff suspect witness victim_name
        en: tenant landlord owner_full_name beneficiary applicant
        de: vollname vor_und_nachname name_vorname nachname_vorname ansprechpartner
        de: patientenname kundenname kontaktperson ansprechperson inhaber inhaberin
        de: antragsteller antragstellerin kontoinhaber versicherungsnehmer mieter
        de: vermieter beschuldigter zeuge geschaedigter geschadigter unterschrift
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
        zh: 推荐人 担保人 监护人 应聘者 求职者 紧急联系人
        zh: 真实姓名 患者姓名 联系人 客户姓名 户主 户主姓名 法人代表 申请人 姓名
        """,
        "words",
    ),
    _one(
        "other-person",
        Message("names of people who deal with the record"),
        """
        en: doctor physician gp surgeon attending referring nurse therapist dentist
        en: caseworker case_worker case_manager social_worker agent sales_agent broker
        en: adviser advisor consultant teacher tutor supervisor manager officer
        en: interviewer handler clerk employee_in_charge sales_rep salesperson
        en: account_manager responsible created_by entered_by updated_by processed_by
        en: approved_by inspector investigator examiner prescriber provider_name
        en: recruiter counsellor counselor midwife judge lawyer attorney notary
        de: arzt aerztin hausarzt behandelnder_arzt operateur chirurg therapeut
        de: sachbearbeiter sachbearbeiterin sachbearbeitung bearbeiter bearbeiterin
        de: berater beraterin vermittler lehrer lehrerin lehrkraft klassenlehrer
        de: betreuer
        de: betreuerin vorgesetzter vorgesetzte interviewerin pfleger pflegekraft
        de: verkaeufer verkaufer vertreter makler erfasst_von geprueft_von gepruft_von
        de: zustaendig zustandig ermittler anwalt richter hebamme kundenbetreuer
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
        nl: medewerker adviseur behandelaar docent leraar mentor leidinggevende makelaar
        nl: behandeld_door ingevoerd_door dossierhouder contactambtenaar
        pl: lekarz lekarz_prowadzacy chirurg ankieter doradca opiekun nauczyciel
        pl: wychowawca kierownik pracownik_socjalny przedstawiciel prowadzacy referent
        zh: 医生 医师 主治医生 主治医师 护士 经办人 调查员 客户经理 班主任 教师 负责人
        zh: 业务员 代理人 社工 操作员
        """,
        "words",
    ),
    _one(
        "firm-name",
        Message("names of firms"),
        """
        en: company company_name firm_name business_name employer employer_name
        en: organisation_name organization_name trading_name legal_name supplier vendor
        en: enterprise_name establishment_name legal_entity
        de: firma firmenname unternehmen unternehmensname arbeitgeber betrieb
        de: betriebsname
        de: lieferant firmierung
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
        "many",
    ),
    _one(
        "free-text",
        Message("remarks in words, in which anything may stand"),
        """
        en: remark remarks comment comments note notes freetext free_text narrative memo
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
        "many",
    ),
)
"""What says who somebody is by itself."""

NUMBERED = (
    Concept(
        "record-number",
        Role.IDENTIFIER,
        Message("a number or code given to one person, household or firm"),
        """
        en: id ids uid uuid guid identifier ident pid sid hhid pidp hid idno ref_no
        en: caseid
        en: case_id case_no case_number file_number file_no docket record_id record_no
        en: patient_id person_id household_id panel_id respondent_id customer_id
        en: client_id
        en: member_id employee_id student_id pupil_id participant_id subject_id serialno
        en: customer_no customer_number order_id order_no invoice invoice_no ticket_no
        en: admission_id claim_number claim_no encounter_id transaction_id reference_no
        en: family_id dwelling_id tenant_id contract_no contract_number hhidpn mergeid
        en: sample_id barcode specimen_id crime_number
        de: kundennummer kundennr patientennummer patnr fallnummer fallnr
        de: haushaltsnummer
        de: haushaltsnr haushalts_id personen_id personenid aktenzeichen vorgangsnummer
        de: laufende_nummer lfd_nr lfdnr lfd laufnummer rechnungsnummer vertragsnummer
        de: probandennummer befragtennummer teilnehmernummer schuelernummer
        de: schulernummer
        de: akte auftragsnummer kdnr mandantennummer wohnungsnummer belegnummer
        fr: numero_dossier numero_client numero_patient id_menage identifiant_menage
        fr: numero_ordre numero_contrat code_client dossier
        es: numero_expediente id_hogar numero_historia historia_clinica nhc
        es: numero_cliente
        es: folio codigo_cliente
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
        needs=("no_flag", "no_fraction", "many"),
    ),
)
"""Numbers that only say which record it is: regions have a number too."""

NAMED = (
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
        needs=("no_flag", "words"),
    ),
)
"""Names of whatever it may be: only the values tell."""
