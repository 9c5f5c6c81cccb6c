"""Files about people: patients, pupils, employees, taxpayers, panels, police."""

from tests.sample_files.draw import (
    ASK,
    GONE,
    GONE_OR_ASK,
    HARMLESS,
    KNOWN,
    KNOWN_OR_SECRET,
    SECRET,
    WEIGHT,
    checked,
    day,
    digits,
    family,
    full,
    given,
    household,
    iban,
    made,
    mail,
    of,
    real,
    roles_file,
    running,
    sentence,
    street,
    uuids,
    whole,
    words,
)

roles_file(
    "patients_en.csv",
    {
        "MRN": (GONE, made("{:08}")),
        "first_name": (GONE, given("en")),
        "last_name": (GONE, family("en")),
        "DOB": (KNOWN, day("%d/%m/%Y", 1930, 2015)),
        "postcode": (KNOWN, digits("SW## #AB")),
        "gender": (KNOWN, of("M", "F")),
        "GP": (GONE, full("en", "Dr {initial}. {family}")),
        "ward_code": (ASK, of("A2", "C1", "B4", "A7", "D3")),
        "admitted": (KNOWN, day("%Y-%m-%d %H:%M", 2022, 2024)),
        "height_cm": (KNOWN_OR_SECRET, whole(150, 198)),
        "icd10": (SECRET, of("E11.9", "I10", "J45.0", "C50.9", "F32.1", "B20")),
        "hiv_status": (SECRET, of("negative", "positive", "unknown")),
        "consent_email": (ASK, of("yes", "no")),
        "notes": (GONE, sentence("Patient feels well today", "call the wife back")),
    },
    kinds={"gender": ("nominal",), "icd10": ("nominal",), "height_cm": ("continuous",)},
)

roles_file(
    "patienten_de.csv",
    {
        "PatNr": (GONE, running(40012)),
        "Nachname": (GONE, family("de")),
        "Vorname": (GONE, given("de")),
        "Geb.-Datum": (KNOWN, day("%d.%m.%Y", 1935, 2010)),
        "Geschl": (("quasi-identifier", "undecided"), of("m", "w", "d")),
        "PLZ": (KNOWN, digits("1####")),
        "Wohnort": (KNOWN, words("Berlin Potsdam Cottbus Bernau Nauen Zossen Teltow")),
        "Straße": (GONE, street("Hauptstraße Lindenweg Am_Markt Gartenallee Bergstr.")),
        "KVNR": (GONE, digits("@#########")),
        "Hausarzt": (GONE, full("de", "Dr. med. {family}")),
        "Aufnahme": (KNOWN, day("%d.%m.%Y", 2023, 2024)),
        "Hauptdiagnose": (SECRET, of("I21.0", "I50.1", "J18.9", "S72.0", "K35.8")),
        "Pflegegrad": (SECRET, whole(1, 5)),
        "Kosten": (KNOWN_OR_SECRET, real(4200, 1500, comma=True)),
        "Bemerkung": (
            GONE,
            sentence("Tochter ruft an", "bitte nicht abends entlassen"),
        ),
    },
    delimiter=";",
    encoding="cp1252",
)

roles_file(
    "patients_fr.csv",
    {
        "IPP": (("identifier", "undecided"), made("{:09}")),
        "nom_usage": (GONE, family("fr")),
        "prénom": (GONE, given("fr")),
        "date_naissance": (KNOWN, day("%d/%m/%Y", 1930, 2012)),
        "sexe": (KNOWN, of("H", "F")),
        "NIR": (GONE, checked("1############48", "fr.nir")),
        "code_postal": (KNOWN, digits("69###")),
        "commune": (KNOWN, words("Lyon Villeurbanne Bron Vénissieux Oullins Caluire")),
        "médecin_traitant": (GONE, full("fr", "Dr {family}")),
        "tél": (GONE, digits("06 ## ## ## ##")),
        "diagnostic": (SECRET, of("asthme", "diabète", "fracture", "pneumonie")),
        "observations": (GONE, sentence("patient anxieux ce matin", "voir sa fille")),
    },
    delimiter=";",
)

roles_file(
    "pacientes_es.csv",
    {
        "NHC": (GONE, made("{:06}", 100000)),
        "nombre": (GONE, given("es")),
        "primer_apellido": (GONE, family("es")),
        "segundo_apellido": (GONE, family("es")),
        "DNI": (GONE, checked("########@", "es.dni")),
        "fecha_nac": (KNOWN, day("%d/%m/%Y", 1930, 2012)),
        "sexo": (KNOWN, of("Hombre", "Mujer")),
        "municipio": (
            KNOWN,
            words("Getafe Leganés Parla Móstoles Alcorcón Fuenlabrada"),
        ),
        "nacionalidad": (KNOWN, words("española marroquí rumana ecuatoriana")),
        "médico": (GONE, full("es", "Dra. {family}")),
        "teléfono móvil": (GONE, digits("6## ### ###")),
        "diagnóstico": (SECRET, of("gripe", "asma", "diabetes", "migraña")),
        "embarazo": (SECRET, of("sí", "no")),
    },
)

roles_file(
    "pazienti_it.csv",
    {
        "Cognome": (GONE, family("it")),
        "Nome": (GONE, given("it")),
        "Codice Fiscale": (GONE, digits("@@@@@@##@##@###@")),
        "Data di nascita": (KNOWN, day("%d/%m/%Y", 1930, 2012)),
        "Sesso": (KNOWN, of("M", "F")),
        "Comune": (KNOWN, words("Torino Moncalieri Rivoli Chieri Ivrea Pinerolo")),
        "CAP": (KNOWN, digits("10###")),
        "Indirizzo": (GONE, street("Via_Roma Via_Po Corso_Francia Via_Nizza")),
        "Medico curante": (GONE, full("it", "Dott. {family}")),
        "Diagnosi": (SECRET, of("ipertensione", "diabete", "frattura", "asma")),
        "Ricovero": (KNOWN, day("%d/%m/%Y", 2022, 2024)),
        "Ticket": (ASK, of("esente", "pagante")),
    },
    delimiter=";",
)

roles_file(
    "utentes_pt.csv",
    {
        "nº utente": (GONE, made("{:09}", 10**8, 10**9)),
        "nome_completo": (GONE, full("pt")),
        "NIF": (GONE, checked("2########", "pt.nif")),
        "data_nascimento": (KNOWN, day("%d-%m-%Y", 1930, 2012)),
        "sexo": (KNOWN, of("masculino", "feminino")),
        "concelho": (KNOWN, words("Sintra Oeiras Cascais Loures Amadora Almada")),
        "código_postal": (KNOWN, digits("2###-###")),
        "telemóvel": (GONE, digits("91#######")),
        "médico_família": (GONE, full("pt", "Dra. {given} {family}")),
        "doença": (SECRET, of("asma", "hipertensão", "diabetes", "enxaqueca")),
        "rendimento": (KNOWN_OR_SECRET, real(1400, 500)),
    },
)

roles_file(
    "patienten_nl.csv",
    {
        "Patiëntnummer": (GONE, made("{:07}", 1000000, 9999999)),
        "Voorletters": (GONE, digits("@.@.")),
        "Achternaam": (GONE, family("nl")),
        "Geboortedatum": (KNOWN, day("%d-%m-%Y", 1930, 2012)),
        "Geslacht": (KNOWN, of("man", "vrouw")),
        "BSN": (GONE, checked("#########", "nl.bsn")),
        "Postcode": (KNOWN, digits("35##@@")),
        "Woonplaats": (KNOWN, words("Utrecht Zeist Nieuwegein Houten Bunnik Woerden")),
        "Huisarts": (GONE, full("nl", "{initial}. {family}")),
        "Telefoonnr": (GONE, digits("06-########")),
        "Diagnose": (SECRET, of("astma", "diabetes", "hartfalen", "migraine")),
        "Opnamedatum": (KNOWN, day("%d-%m-%Y", 2022, 2024)),
        "Opmerkingen": (GONE, sentence("mevrouw belt terug over uitslag", "zie brief")),
    },
    delimiter=";",
)

roles_file(
    "pacjenci_pl.csv",
    {
        "Imię": (GONE, given("pl")),
        "Nazwisko": (GONE, family("pl")),
        "PESEL": (GONE, checked("8#0#1######", "pl.pesel")),
        "Data urodzenia": (KNOWN, day("%d.%m.%Y", 1930, 2012)),
        "Płeć": (KNOWN, of("K", "M")),
        "Kod pocztowy": (KNOWN, digits("30-###")),
        "Miejscowość": (KNOWN, words("Kraków Wieliczka Skawina Bochnia Niepołomice")),
        "Lekarz prowadzący": (GONE, full("pl", "lek. {given} {family}")),
        "Rozpoznanie": (SECRET, of("astma", "cukrzyca", "złamanie", "migrena")),
        "Wzrost": (KNOWN_OR_SECRET, whole(150, 200)),
        "Uwagi": (GONE, sentence("pacjent nie przyszedł na wizytę", "dzwonić do żony")),
    },
    delimiter=";",
)

roles_file(
    "患者.csv",
    {
        "病案号": (GONE, made("ZY{:06}")),
        "姓名": (GONE, full("zh", "{family}{given}")),
        "性别": (KNOWN, of("男", "女")),
        "出生日期": (KNOWN, day("%Y-%m-%d", 1930, 2012)),
        "身份证号": (GONE, checked("1101011980051####X", "cn.ric")),
        "手机": (GONE, digits("138########")),
        "民族": (KNOWN, of("汉族", "回族", "满族")),
        "区县": (KNOWN, of("海淀区", "朝阳区", "西城区", "丰台区")),
        "主治医生": (GONE, full("zh", "{family}{given}")),
        "诊断": (SECRET, of("高血压", "糖尿病", "肺炎", "骨折")),
        "住院费用": (KNOWN_OR_SECRET, real(9000, 3000)),
        "备注": (GONE, sentence("患者家属要求转院治疗", "请联系其女儿确认手术时间")),
    },
    records=60,
)

roles_file(
    "payroll_en.csv",
    {
        "Employee No": (GONE, made("E{:05}")),
        "Name": (GONE, full("en", "{family}, {given}")),
        "NI number": (GONE, digits("QQ ## ## ## C")),
        "Job title": (KNOWN, of("Analyst", "Nurse", "Driver", "Cook", "Manager")),
        "Department": (KNOWN, of("Finance", "Care", "Transport", "Catering")),
        "Line manager": (GONE, full("en")),
        "Hire date": (KNOWN, day("%d %b %Y", 1995, 2024)),
        "Gross salary": (SECRET, real(32000, 9000, 0)),
        "Bonus": (SECRET, real(900, 400, 0)),
        "Sort code": (GONE, digits("20-##-##")),
        "Account number": (GONE, digits("4#######")),
        "Ethnicity": (KNOWN, of("White", "Asian", "Black", "Mixed")),
        "Union member": (SECRET, of("Y", "N")),
        "FTE": (KNOWN, of("1.0", "0.8", "0.5")),
        "Sick days": (("quasi-identifier", "confidential", "undecided"), whole(0, 25)),
    },
)

roles_file(
    "personal_de.csv",
    {
        "PersNr": (GONE, made("{:06}", 100000)),
        "Name, Vorname": (GONE, full("de", "{family} {given}")),
        "Anrede": (KNOWN, of("Herr", "Frau")),
        "Abteilung": (KNOWN, of("Einkauf", "Vertrieb", "IT", "Lager")),
        "Vorgesetzter": (GONE, full("de")),
        "Eintrittsdatum": (KNOWN, day("%d.%m.%Y", 1995, 2024)),
        "Bruttogehalt": (SECRET, real(3900, 900, comma=True)),
        "Konfession": (SECRET, of("ev", "rk", "--")),
        "Steuer-ID": (GONE, digits("###########")),
        "IBAN": (GONE, iban("DE", "50010517##########")),
        "E-Mail": (GONE, mail("de", "firma.example.de")),
        "Schwerbehinderung": (SECRET, of("ja", "nein")),
        "Kfz-Kennzeichen": (GONE, digits("B-@@ ####")),
        "Mandant": (("undecided", "other"), of("100")),
    },
    delimiter=";",
)

roles_file(
    "empleados_es.csv",
    {
        "nombre y apellidos": (GONE, full("es")),
        "NSS": (GONE, digits("28########45")),
        "puesto": (KNOWN, of("administrativo", "técnico", "director", "operario")),
        "centro_trabajo": (ASK, of("Sede", "Planta 1", "Planta 2")),
        "salario_bruto": (SECRET, real(26000, 6000)),
        "fecha_alta": (KNOWN, day("%d/%m/%Y", 2000, 2024)),
        "estado_civil": (KNOWN, of("casado", "soltero", "divorciado")),
        "hijos": (KNOWN, whole(0, 4)),
        "afiliación sindicato": (SECRET, of("CCOO", "UGT", "ninguno")),
        "cuenta_bancaria": (GONE, iban("ES", "21000418##########")),
        "correo": (GONE, mail("es", "empresa.es")),
        "matrícula coche": (GONE, digits("####BCD")),
    },
    delimiter=";",
)

roles_file(
    "school_marks_en.csv",
    {
        "UPN": (GONE_OR_ASK, digits("@#############")),
        "Pupil": (GONE, full("en")),
        "Form": (ASK, of("7A", "7B", "8A", "8B")),
        "Form tutor": (GONE, full("en", "Mr {family}")),
        "Date of birth": (KNOWN, day("%d/%m/%y", 2008, 2014)),
        "SEN": (("undecided", "confidential", "quasi-identifier"), of("yes", "no")),
        "First language": (KNOWN, of("English", "Polish", "Urdu", "Somali")),
        "Free school meals": (ASK, of("yes", "no")),
        "Maths score": (SECRET, whole(20, 100)),
        "English score": (SECRET, whole(20, 100)),
        "Mother's name": (GONE, full("en")),
        "Emergency contact": (GONE, digits("07### ######")),
    },
)

roles_file(
    "schueler_de.csv",
    {
        "lfd. Nr.": (GONE, running()),
        "Schüler/in": (GONE, full("de", "{family}, {given}")),
        "Klasse": (KNOWN, of("5a", "5b", "6a", "6b")),
        "Klassenlehrer": (GONE, full("de", "Hr. {family}")),
        "Geburtsdatum": (KNOWN, day("%d.%m.%Y", 2010, 2014)),
        "Staatsangehörigkeit": (
            KNOWN,
            of("deutsch", "türkisch", "syrisch", "polnisch"),
        ),
        "Mathe": (ASK, whole(1, 6)),
        "Deutschnote": (SECRET, whole(1, 6)),
        "Telefon Eltern": (GONE, digits("0176/#######")),
        "Religion": (SECRET, of("ev", "kath", "isl", "ohne")),
    },
    delimiter=";",
)

roles_file(
    "eleves_fr.csv",
    {
        "INE": (GONE, digits("#########@@")),
        "Nom": (GONE, family("fr")),
        "Prénom": (GONE, given("fr")),
        "Classe": (KNOWN, of("6e A", "6e B", "5e A")),
        "Né(e) le": (("quasi-identifier",), day("%d/%m/%Y", 2010, 2014)),
        "Moyenne générale": (SECRET, real(12, 3, 1, comma=True)),
        "Professeur principal": (GONE, full("fr", "Mme {family}")),
        "Boursier": (ASK, of("oui", "non")),
        "Courriel": (GONE, mail("fr", "mail.fr")),
        "Adresse": (GONE, street("rue_des_Lilas avenue_Foch place_du_Marché")),
    },
    delimiter=";",
)

roles_file(
    "tax_nl.csv",
    {
        "bsn": (GONE, checked("#########", "nl.bsn")),
        "naam": (GONE, full("nl")),
        "geboortejaar": (KNOWN, whole(1940, 2004)),
        "gemeente": (KNOWN, words("Utrecht Leiden Breda Zwolle Assen Delft")),
        "inkomen": (KNOWN_OR_SECRET, real(38000, 12000, 0)),
        "belasting": (SECRET, real(9000, 3000, 0)),
        "burgerlijke staat": (KNOWN, of("gehuwd", "ongehuwd", "gescheiden")),
        "rekeningnummer": (GONE, iban("NL", "ABNA##########")),
        "ambtenaar": (("identifier", "undecided"), full("nl")),
        "toeslag": (SECRET, of("ja", "nee")),
    },
)

roles_file(
    "household_panel.csv",
    {
        "hhid": (GONE, household()),
        "pid": (GONE, running(5001)),
        "wave": (HARMLESS, of(1, 2, 3)),
        "syear": (HARMLESS, of(2019, 2020, 2021)),
        "relationship": (ASK, of("head", "spouse", "child")),
        "sex": (KNOWN, of(1, 2)),
        "birthyear": (KNOWN, whole(1935, 2005)),
        "isced": (KNOWN, whole(0, 8)),
        "isco08": (KNOWN, of(2310, 5120, 9112, 4110, 7231, 1120, 2211, 3322)),
        "nace2": (KNOWN, of("47.11", "85.20", "86.10", "41.20", "01.11")),
        "hh_income": (KNOWN_OR_SECRET, real(2900, 900, 0)),
        "life_sat": (ASK, whole(0, 10)),
        "vote_intention": (SECRET, of("A", "B", "C", "none")),
        "pweight": (WEIGHT, real(1.0, 0.2, 4)),
        "interviewer": (
            ("identifier", "undecided", "quasi-identifier"),
            of(301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312),
        ),
    },
)

roles_file(
    "encuesta_hogares.csv",
    {
        "id_hogar": (GONE, household(4)),
        "nombre_jefe_hogar": (GONE, full("es")),
        "edad": (KNOWN, whole(18, 90)),
        "sexo": (KNOWN, of("H", "M")),
        "nivel_estudios": (KNOWN, of("primaria", "secundaria", "superior")),
        "ocupación": (KNOWN, of("obrero", "maestra", "médico", "chofer")),
        "ingresos": (KNOWN_OR_SECRET, real(1500, 500)),
        "alquiler": (KNOWN_OR_SECRET, real(600, 150)),
        "lat": (KNOWN, real(40.4, 0.05, 5)),
        "lon": (KNOWN, real(3.7, 0.05, 5)),
        "factor_expansion": (WEIGHT, real(250, 60, 3)),
        "religión": (SECRET, of("católica", "ninguna", "otra")),
        "encuestador": (GONE, full("es")),
        "comentarios": (GONE, sentence("no quiso responder la pregunta", "vive solo")),
    },
)

roles_file(
    "police_reports.csv",
    {
        "crime_number": (GONE, made("CR/{:06}/24")),
        "offence": (SECRET, of("theft", "assault", "burglary", "fraud")),
        "suspect": (GONE, full("en", "{family} {given}")),
        "victim_name": (GONE, full("en")),
        "victim_age": (KNOWN, whole(12, 88)),
        "officer": (GONE, full("en", "PC {family}")),
        "vehicle_reg": (("identifier", "undecided"), digits("@@## @@@")),
        "incident_date": (KNOWN, day("%d/%m/%Y %H:%M", 2023, 2024)),
        "location": (KNOWN, words("Harborne Moseley Aston Selly_Oak Erdington")),
        "latitude": (KNOWN, real(52.48, 0.03, 5)),
        "longitude": (KNOWN, real(1.9, 0.03, 5)),
        "narrative": (GONE, sentence("IP states that he saw the man run", "see CCTV")),
        "conviction": (SECRET, of("yes", "no", "pending")),
    },
)

roles_file(
    "wnioski_pomoc.csv",
    {
        "nr sprawy": (GONE, made("OPS/{:05}/2024")),
        "wnioskodawca": (GONE, full("pl")),
        "pracownik socjalny": (GONE, full("pl")),
        "wiek": (KNOWN, whole(18, 90)),
        "gmina": (KNOWN, words("Bochnia Skawina Wieliczka Myślenice Brzesko")),
        "liczba dzieci": (KNOWN, whole(0, 6)),
        "dochód": (KNOWN_OR_SECRET, real(1900, 600, comma=True)),
        "zasiłek": (SECRET, real(600, 200, comma=True)),
        "niepełnosprawność": (SECRET, of("tak", "nie")),
        "nr konta": (GONE, digits("PL61##########################")),
        "telefon": (GONE, digits("5## ### ###")),
    },
    delimiter=";",
)

roles_file(
    "beneficios_pt.csv",
    {
        "processo": (GONE, made("{:07}", 10**6, 10**7)),
        "requerente": (GONE, full("pt")),
        "NISS": (GONE, digits("1##########")),
        "técnico": (GONE, full("pt")),
        "idade": (KNOWN, whole(18, 90)),
        "freguesia": (KNOWN, words("Benfica Carnide Lumiar Alvalade Arroios")),
        "agregado": (KNOWN, whole(1, 7)),
        "subsídio": (SECRET, real(280, 90)),
        "escolaridade": (
            KNOWN,
            of("4.ª classe", "9.º ano", "12.º ano", "licenciatura"),
        ),
        "nacionalidade": (KNOWN, of("portuguesa", "brasileira", "angolana")),
        "morada": (GONE, street("Rua_Augusta Avenida_da_Liberdade Travessa_Nova")),
    },
)

roles_file(
    "员工.csv",
    {
        "工号": (GONE, made("{:05}", 10000, 99999)),
        "姓名": (GONE, full("zh", "{family}{given}")),
        "部门": (KNOWN, of("财务部", "人事部", "技术部", "市场部")),
        "职务": (KNOWN, of("经理", "主管", "专员")),
        "入职日期": (KNOWN, day("%Y/%m/%d", 2005, 2024)),
        "学历": (KNOWN, of("本科", "硕士", "大专")),
        "月薪": (SECRET, real(9000, 2500, 0)),
        "邮箱": (GONE, mail("en", "gongsi.cn")),
        "银行卡号": (GONE, digits("6222############")),
        "婚姻状况": (KNOWN, of("已婚", "未婚")),
        "绩效评分": (SECRET, whole(60, 100)),
    },
    records=60,
)

roles_file(
    "app_users.csv",
    {
        "user_id": (GONE, uuids),
        "username": (GONE, digits("kitty_####")),
        "ip_address": (GONE, digits("84.1##.1#.2#")),
        "device_id": (GONE, digits("a#f#c#d#e#b#a#f#")),
        "signup": (
            ("quasi-identifier", "undecided"),
            day("%Y-%m-%dT%H:%M:%S", 2019, 2024),
        ),
        "country": (KNOWN, of("DE", "FR", "ES", "IT", "US")),
        "birth_year": (KNOWN, whole(1950, 2008)),
        "gender": (KNOWN, of("male", "female", "other")),
        "os": (ASK, of("iOS", "Android")),
        "sessions": (ASK, whole(1, 400)),
        "bio": (
            GONE_OR_ASK,
            sentence("I love dogs and long walks", "ask me anything :)"),
        ),
        "website": (GONE, digits("https://blog###.example.com")),
        "subscription": (ASK, of("free", "pro", "team")),
    },
)

roles_file(
    "without_hints.csv",
    {
        "v1": (GONE, full("de")),
        "v2": (GONE, mail("fr")),
        "v3": (GONE, digits("+49 30 #######")),
        "v4": (GONE, iban("DE", "37040044##########")),
        "v5": (KNOWN, of("m", "w")),
        "v6": (KNOWN, whole(18, 95)),
        "v7": (ASK, of("a", "b", "c")),
        "v8": (GONE, full("es", "{family}, {given}")),
        "v9": (GONE, running()),
        "v10": (KNOWN, day("%Y-%m-%d")),
        "v11": (KNOWN_OR_SECRET, real(2500, 800)),
        "v12": (GONE, given("nl")),
        "v13": (("identifier", "undecided"), family("pl")),
        "v14": (GONE, uuids),
        "v15": (("other",), of("2024")),
    },
)

roles_file(
    "klienter_sv.csv",
    {
        "personnummer": (GONE, digits("19##0#1#-####")),
        "förnamn": (GONE, given("sv")),
        "efternamn": (GONE, family("sv")),
        "kön": (KNOWN, of("man", "kvinna")),
        "ålder": (KNOWN, whole(18, 90)),
        "kommun": (KNOWN, words("Lund Malmö Eslöv Kävlinge Lomma")),
        "epost": (GONE, mail("sv", "post.se")),
        "inkomst": (KNOWN_OR_SECRET, real(28000, 7000, 0)),
        "sjukdom": (SECRET, of("astma", "diabetes", "ingen")),
    },
)
