"""Files about firms, dwellings, calls and customers."""

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
    firm,
    full,
    made,
    mail,
    of,
    real,
    roles_file,
    running,
    sentence,
    street,
    whole,
    words,
)

roles_file(
    "firms_de.csv",
    {
        "Firma": (
            GONE,
            firm("Bäckerei_Hofmann Metallbau_Nord Alpha", "GmbH AG KG OHG"),
        ),
        "USt-IdNr.": (GONE, digits("DE#########")),
        "Handelsregister": (GONE, digits("HRB #####")),
        "WZ2008": (KNOWN, of("10.71", "25.11", "47.11", "62.01", "43.21")),
        "Bundesland": (KNOWN, of("Bayern", "Hessen", "Sachsen")),
        "Rechtsform": (KNOWN, of("GmbH", "AG", "KG")),
        "Beschäftigte": (KNOWN, whole(1, 800)),
        "Umsatz": (KNOWN, real(900000, 300000, comma=True)),
        "Ansprechpartner": (GONE, full("de")),
        "Telefon": (GONE, digits("089/######")),
        "Hochrechnungsfaktor": (WEIGHT, real(12, 3, 3, comma=True)),
        "Berichtsjahr": (HARMLESS, of("2023")),
    },
    delimiter=";",
)

roles_file(
    "entreprises_fr.csv",
    {
        "raison_sociale": (
            GONE,
            firm("Boulangerie_Petit Ateliers_Duval", "SARL SAS SA"),
        ),
        "SIRET": (GONE, checked("##############", "fr.siret")),
        "code_NAF": (KNOWN, of("1071C", "4711F", "6201Z", "4120A")),
        "département": (KNOWN, of("01", "38", "69", "73")),
        "effectif": (KNOWN, whole(1, 500)),
        "chiffre_affaires": (KNOWN, real(800000, 200000, 0)),
        "dirigeant": (GONE, full("fr")),
        "courriel": (GONE, mail("fr", "entreprise.fr")),
        "pondération": (WEIGHT, real(8, 2, 3)),
    },
)

roles_file(
    "imprese_it.csv",
    {
        "Ragione sociale": (
            GONE,
            firm("Officine_Riva Panificio_Sole", "S.p.A. S.r.l. snc"),
        ),
        "P.IVA": (GONE, checked("###########", "it.iva")),
        "ATECO": (KNOWN, of("10.71.10", "25.11.00", "47.11.20", "62.01.00")),
        "Provincia": (KNOWN, of("MI", "TO", "BG", "BS", "VA")),
        "Addetti": (KNOWN, whole(1, 300)),
        "Fatturato": (KNOWN, real(700000, 200000, 0)),
        "Referente": (GONE, full("it")),
        "PEC": (GONE, mail("it", "pec.it")),
        "Sito": (GONE, digits("www.ditta###.it")),
    },
    delimiter=";",
)

roles_file(
    "firmy_pl.csv",
    {
        "Nazwa firmy": (GONE, firm("Piekarnia_Złota Stalex Budmax", "Sp._z_o.o. S.A.")),
        "NIP": (GONE, checked("##########", "pl.nip")),
        "REGON": (GONE, checked("#########", "pl.regon")),
        "PKD": (KNOWN, of("10.71.Z", "25.11.Z", "47.11.Z")),
        "województwo": (KNOWN, words("małopolskie śląskie mazowieckie podlaskie")),
        "zatrudnienie": (KNOWN, whole(1, 400)),
        "przychód": (KNOWN, real(900000, 300000, comma=True)),
        "właściciel": (GONE, full("pl")),
        "waga_proby": (WEIGHT, real(15, 4, 3, comma=True)),
    },
    delimiter=";",
)

roles_file(
    "企业.csv",
    {
        "企业名称": (
            GONE,
            firm("上海宏达贸易 北京新源科技 广州百川食品", "有限公司 集团有限公司"),
        ),
        "统一社会信用代码": (GONE, digits("91310000MA1K######")),
        "行业": (KNOWN, of("制造业", "批发业", "建筑业")),
        "省份": (KNOWN, of("上海", "北京", "广东")),
        "员工数": (KNOWN, whole(3, 900)),
        "营业收入": (KNOWN, real(500, 200)),
        "法人代表": (GONE, full("zh", "{family}{given}")),
        "联系电话": (GONE, digits("021-########")),
        "权重": (WEIGHT, real(9, 2, 3)),
    },
    records=60,
)

roles_file(
    "business_survey_en.csv",
    {
        "ent_ref": (GONE_OR_ASK, made("49{:08}", 0, 10**8)),
        "trading_name": (GONE, firm("Harris_Foods Blue_Line Acorn", "Ltd plc LLP")),
        "sic2007": (("quasi-identifier", "undecided"), of(10710, 25110, 47110, 62010)),
        "region": (KNOWN, words("London Wales Scotland Yorkshire")),
        "employment": (KNOWN, whole(1, 900)),
        "turnover": (KNOWN, real(900, 300, 1)),
        "capex": (("quasi-identifier",), real(90, 30, 1)),
        "exporter": (KNOWN_OR_SECRET, of("yes", "no")),
        "survey_year": (HARMLESS, of(2022, 2023)),
        "grossing_weight": (WEIGHT, real(14, 3, 3)),
        "contact_person": (GONE, full("en")),
        "vat_number": (GONE, digits("GB#########")),
    },
)

roles_file(
    "tenants_en.csv",
    {
        "tenancy_ref": (GONE_OR_ASK, made("T{:06}")),
        "tenant": (GONE, full("en", "Mrs {given} {family}")),
        "address": (GONE, street("Mill_Lane Station_Road High_Street Park_View")),
        "post_code": (KNOWN, digits("LS## #@@")),
        "uprn": (GONE_OR_ASK, digits("1000########")),
        "bedrooms": (ASK, whole(1, 5)),
        "weekly_rent": (KNOWN_OR_SECRET, real(110, 20)),
        "arrears": (SECRET, real(200, 150)),
        "housing_benefit": (SECRET, of("full", "partial", "none")),
        "household_size": (KNOWN, whole(1, 7)),
        "housing_officer": (GONE, full("en")),
        "tenancy_start": (("quasi-identifier",), day("%d/%m/%Y", 1990, 2024)),
        "complaint": (GONE, sentence("The boiler is broken again", "neighbour shouts")),
    },
)

roles_file(
    "mieter_de.csv",
    {
        "Mieter": (GONE, full("de")),
        "Wohnungsnr.": (GONE_OR_ASK, made("{:04}", 1000, 9999)),
        "Anschrift": (GONE, street("Ringstraße Am_Anger Goethestraße Uferweg")),
        "Wohnfläche": (KNOWN, real(65, 18, 1, comma=True)),
        "Kaltmiete": (KNOWN_OR_SECRET, real(560, 120, comma=True)),
        "Zimmer": (KNOWN, whole(1, 5)),
        "Einzug": (KNOWN, day("%d.%m.%Y", 1990, 2024)),
        "Personen im Haushalt": (KNOWN, whole(1, 6)),
        "Mietrückstand": (SECRET, real(200, 100, comma=True)),
        "Verwalter": (("identifier", "undecided"), full("de", "Fr. {family}")),
    },
    delimiter=";",
)

roles_file(
    "call_records.csv",
    {
        "caller": (GONE, digits("4479########")),
        "callee": (GONE, digits("4477########")),
        "imei": (GONE, checked("35#############", "imei")),
        "cell_id": (("identifier", "undecided", "quasi-identifier"), whole(1000, 9000)),
        "start_time": (KNOWN, day("%Y-%m-%d %H:%M:%S", 2024, 2024)),
        "duration_s": (KNOWN, whole(1, 4000)),
        "mobile_data_mb": (("quasi-identifier",), real(300, 80)),
        "phone_minutes": (("quasi-identifier",), whole(0, 900)),
        "tariff": (ASK, of("S", "M", "L")),
        "account_balance": (SECRET, real(30, 12)),
    },
)

roles_file(
    "klanten_nl.csv",
    {
        "Klantnr": (GONE, running(70001)),
        "Bedrijfsnaam": (
            GONE,
            firm("Bakkerij_Zon Van_Dam_Techniek", "B.V. N.V. V.O.F."),
        ),
        "KvK-nummer": (GONE, digits("5#######")),
        "Contactpersoon": (GONE, full("nl")),
        "E-mailadres": (GONE, mail("nl", "bedrijf.nl")),
        "Plaats": (KNOWN, words("Ede Tiel Goes Venlo Hoorn")),
        "Branche": (KNOWN, of("horeca", "bouw", "zorg")),
        "Omzet": (KNOWN, real(90000, 30000, comma=True)),
        "Kenteken": (GONE, digits("@@-###-@")),
        "Wegingsfactor": (WEIGHT, real(3, 0.6, 4, comma=True)),
    },
    delimiter=";",
)

roles_file(
    "clinical_codes.csv",
    {
        "case": (GONE, running(1)),
        "c1": (
            ("confidential",),
            of("E11.9", "I25.1", "J44.1", "C34.9", "F20.0", "M54.5"),
        ),
        "age_group": (KNOWN, of("0-17", "18-39", "40-64", "65+")),
        "drg": (SECRET, of("F62B", "E77C", "G67A", "I47B")),
        "ops": (SECRET, of("5-820.0", "8-930", "1-632.0", "3-200")),
        "los_days": (("quasi-identifier",), whole(1, 60)),
        "bmi": (KNOWN_OR_SECRET, real(26, 4, 1)),
        "systolic_bp": (KNOWN_OR_SECRET, whole(95, 190)),
        "surgeon": (GONE, full("de", "Prof. Dr. {family}")),
        "region_id": (KNOWN, whole(1, 9)),
        "discharge_date": (KNOWN, day("%Y%m%d", 2023, 2024)),
    },
)
