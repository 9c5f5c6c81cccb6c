"""Words for quasi-identifying traits."""

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.names import Concept


def _trait_concept(
    id: str,
    says: Message,
    words: str,
    *needs: str,
    codes: bool = False,
    kind: Kind | None = None,
) -> Concept:
    return Concept(id, Role.QUASI_IDENTIFIER, says, words, codes, kind, needs)


TRAIT_CONCEPTS = (
    _trait_concept(
        "birth",
        Message("age or a date in somebody's life"),
        """
        en: birth birthday birthdate dob yob born date_of_birth year_of_birth birth_year
        en: bday
        de: geburt geburtsdatum geb geboren gebdat geburtstag geburtsjahr gebjahr
        de: gebdatum
        fr: naissance date_naissance date_de_naissance ne_le annee_naissance ddn
        es: nacimiento fecha_nacimiento fecha_de_nacimiento fnac fecha_nac
        it: nascita data_nascita data_di_nascita nato_il
        pt: nascimento data_nascimento data_de_nascimento dt_nasc
        nl: geboorte geboortedatum geboortejaar gebdatum
        pl: urodzenia data_urodzenia rok_urodzenia ur data_ur
        zh: 出生 出生日期 出生年月 生日
        ru: рождения
        sv: fodelsedatum fodelsear fodd
        da: fodselsdato
        cs: narozeni
        hu: szuletesi szuletes
        tr: dogum
        fi: syntymaaika
        ja: 生年月日
        ko: 생년월일
        """,
        "is_no_flag",
    ),
    _trait_concept(
        "age",
        Message("age or a date in somebody's life"),
        """
        en: age ages agegroup years_old age_class ageband
        de: alter altersgruppe lebensalter alter_jahre altersklasse
        fr: age tranche_age tranche_d_age
        es: edad grupo_edad grupo_de_edad
        it: eta classe_eta classe_di_eta
        pt: idade faixa_etaria grupo_etario
        nl: leeftijd leeftijdsgroep leeftijdsklasse
        pl: wiek grupa_wiekowa
        zh: 年龄 周岁
        ru: возраст
        sv: alder
        cs: vek
        hu: eletkor kor
        tr: yas
        fi: ika
        ro: varsta
        ja: 年齢
        ko: 나이 연령
        """,
        "is_no_flag",
    ),
    _trait_concept(
        "coordinate",
        Message("where somebody lives or works"),
        """
        en: lat lon lng long latitude longitude geo coordinates coord gps easting
        en: northing geom geometry x_coord y_coord geohash grid_cell
        de: breitengrad laengengrad koordinaten koordinate hochwert rechtswert
        fr: coordonnees
        es: latitud longitud coordenadas
        it: latitudine longitudine coordinate
        pt: latitude_gps coordenadas_gps
        nl: breedtegraad lengtegraad coordinaten
        pl: szerokosc_geograficzna dlugosc_geograficzna wspolrzedne
        zh: 纬度 经度 坐标
        """,
        "is_no_flag",
    ),
    _trait_concept(
        "postcode",
        Message("where somebody lives or works"),
        """
        en: zip zipcode postcode postal postalcode eircode pin_code
        de: plz postleitzahl wohn_plz
        fr: code_postal cp npa
        es: codigo_postal cp codpostal
        it: cap codice_postale
        pt: codigo_postal cep codpostal
        nl: postcode pc4 pc6 postcodegebied
        pl: kod_pocztowy kod_poczt
        zh: 邮编 邮政编码
        ru: индекс
        sv: postnummer
        fi: postinumero
        cs: psc
        hu: iranyitoszam
        ja: 郵便番号
        ko: 우편번호
        """,
        "is_no_flag",
        "is_no_fraction",
        codes=True,
        kind=Kind.NOMINAL,
    ),
    _trait_concept(
        "place",
        Message("where somebody lives or works"),
        """
        en: region regions province county state city town village municipality commune
        en: district country nation location place residence nuts nuts2 nuts3 lsoa msoa
        en: census_division census_div
        en: ward borough census_tract tract blockgroup fips area neighbourhood
        en: neighborhood birthplace place_of_birth parish metro urban rural urbanicity
        en: governorate constituency destination origin_country site catchment
        en: settlement stratum_geo hometown
        de: ort wohnort gemeinde kreis landkreis bundesland land stadt stadtteil bezirk
        de: kanton regierungsbezirk staat herkunftsland geburtsland geburtsort standort
        de: ortsteil gemeindekennziffer ags gkz bfsnr stadtbezirk herkunft quartier
        de: viertel
        fr: ville commune departement dept dep dpt pays localite lieu arrondissement
        fr: canton quartier lieu_de_naissance pays_naissance code_insee codgeo bassin
        fr: zone_emploi
        es: ciudad municipio provincia comunidad comunidad_autonoma pais poblacion
        es: localidad distrito barrio lugar ccaa comarca departamento estado
        it: comune citta provincia regione paese localita luogo_di_nascita quartiere
        it: stato_di_nascita residenza prov
        pt: cidade concelho distrito freguesia municipio pais regiao localidade
        pt: naturalidade uf estado bairro ilha
        nl: regio provincie plaats woonplaats gemeente stad wijk buurt land geboorteland
        nl: geboorteplaats landsdeel
        pl: miasto miejscowosc gmina powiat wojewodztwo kraj dzielnica miejsce_urodzenia
        pl: osiedle teryt
        zh: 城市 省份 地区 区县 国家 籍贯 县 省 市 户籍 户口 乡镇 街道办 居住地 出生地
        zh: 所在地
        ru: город регион область район страна
        sv: kommun lan ort stad
        da: kommune
        no: fylke
        fi: kunta maakunta kaupunki
        cs: obec okres kraj mesto
        hu: varos megye telepules
        ro: judet oras localitate
        tr: ilce sehir
        ja: 都道府県 市町村 市区町村
        ko: 지역 시도
        """,
        "is_no_flag",
        codes=True,
    ),
    _trait_concept(
        "sex",
        Message("a visible trait of a person"),
        """
        en: sex gender male female
        de: geschlecht anrede
        fr: sexe genre civilite
        es: sexo genero
        it: sesso genere
        pt: sexo genero
        nl: geslacht aanhef
        pl: plec
        zh: 性别
        ru: пол
        sv: kon
        da: kon
        no: kjonn
        fi: sukupuoli
        cs: pohlavi
        hu: nem neme
        tr: cinsiyet
        ja: 性別
        ko: 성별
        """,
        "has_few_distinct",
        codes=True,
        kind=Kind.NOMINAL,
    ),
    _trait_concept(
        "origin",
        Message("a visible trait of a person"),
        """
        en: race ethnicity ethnic nationality citizenship language mother_tongue migrant
        en: migration immigrant citizen foreign_born ethnic_group
        de: staatsangehoerigkeit nationalitaet muttersprache migrationshintergrund
        de: sprache ethnie
        fr: nationalite langue ethnie langue_maternelle immigration
        es: nacionalidad etnia raza idioma lengua_materna
        it: nazionalita cittadinanza lingua etnia madrelingua
        pt: nacionalidade etnia raca lingua cidadania
        nl: nationaliteit etniciteit moedertaal taal migratieachtergrond
        pl: narodowosc obywatelstwo jezyk jezyk_ojczysty
        zh: 民族 国籍 语言 种族
        ru: национальность гражданство
        """,
        codes=True,
        kind=Kind.NOMINAL,
    ),
    _trait_concept(
        "family",
        Message("family and household"),
        """
        en: marital marital_status civil civil_status married divorced household_size
        en: children number_of_children n_children kids dependants dependents hhsize
        en: household_type family_status siblings num_children relationship household
        de: familienstand verheiratet haushaltsgroesse kinder kinderzahl anzahl_kinder
        de: haushaltstyp personen_im_haushalt zivilstand hhgr hhgroesse personenzahl
        de: haushaltsmitglieder
        fr: statut_matrimonial situation_familiale etat_civil situation_matrimoniale
        fr: enfants nb_enfants nombre_enfants nombre_d_enfants taille_menage type_menage
        fr: taille_foyer nombre_personnes nb_personnes composition_foyer
        es: estado_civil hijos numero_hijos tamano_hogar tipo_hogar miembros_hogar
        es: numero_miembros
        it: stato_civile figli numero_figli componenti nucleo_familiare
        pt: estado_civil filhos numero_filhos dimensao_agregado agregado numero_pessoas
        nl: burgerlijke_staat burgerlijke kinderen huishoudgrootte huishoudtype
        nl: gezinsgrootte huishoudensgrootte aantal_personen gezinssamenstelling
        pl: stan_cywilny dzieci liczba_dzieci wielkosc_gospodarstwa liczba_osob
        zh: 婚姻 婚育 婚姻状况 子女 子女数 家庭人口 户规模
        """,
    ),
    _trait_concept(
        "occupation",
        Message("somebody's work"),
        """
        en: occupation profession job jobtitle isco isco08 soc soc2010 employment
        en: employment_status position workplace department job_group rank function
        en: occupational division contract_type work_status labour_status team unit
        de: beruf taetigkeit berufsbezeichnung stellung abteilung funktion
        de: berufskennziffer berufscode berufsgruppe berufsgr kldb beschaeftigung
        de: dienststelle position erwerbsstatus stelle
        fr: metier poste emploi csp pcs categorie_socioprofessionnelle fonction service
        fr: statut_emploi
        es: profesion ocupacion puesto trabajo cargo cno situacion_laboral
        es: puesto_trabajo
        it: professione mestiere impiego mansione qualifica reparto occupazione
        pt: profissao ocupacao cargo emprego funcao situacao_profissional
        nl: beroep functie baan afdeling arbeidspositie
        pl: zawod kod_zawodu grupa_zawodowa stanowisko praca dzial zatrudnienie
        zh: 职业 职务 岗位 部门 职称 工种 就业
        ru: профессия должность
        """,
        codes=True,
    ),
    _trait_concept(
        "schooling",
        Message("schooling"),
        """
        en: education educ edu school degree schooling qualification isced
        en: highest_degree education_level field_of_study grade_level class_name
        de: bildung schulabschluss schule ausbildung abschluss studienfach klasse
        de: bildungsabschluss schulform studiengang
        fr: diplome etudes niveau_etudes ecole formation niveau_diplome classe
        es: estudios nivel_estudios educacion escuela formacion titulacion
        it: istruzione titolo_di_studio titolo_studio scuola studi classe
        pt: escolaridade habilitacoes ensino escola
        nl: opleiding opleidingsniveau school klas studierichting
        pl: wyksztalcenie szkola klasa kierunek
        zh: 学历 教育 文化程度 学校 专业 班级 年级
        ru: образование
        """,
    ),
    _trait_concept(
        "trade",
        Message("what trade somebody is in"),
        """
        en: nace nace2 nace_rev2 sbi isic sic sector industry economic branch naics
        en: economic_activity activity
        de: branche wirtschaftszweig wz wz2008 wirtschaftsbereich wirtschaftsabschnitt
        fr: secteur naf ape code_ape code_naf branche activite
        es: cnae actividad rama
        it: ateco settore attivita
        pt: cae setor atividade ramo
        nl: sbi_code bedrijfstak branchecode
        pl: pkd branza sektor dzialalnosc
        zh: 行业 产业
        """,
        codes=True,
    ),
    _trait_concept(
        "legal-form",
        Message("what kind of firm it is"),
        """
        en: legal_form ownership company_type size_class
        de: rechtsform groessenklasse
        fr: forme_juridique categorie_juridique taille
        es: forma_juridica
        it: forma_giuridica
        pt: forma_juridica
        nl: rechtsvorm grootteklasse
        pl: forma_prawna
        zh: 企业类型 所有制
        """,
        codes=True,
    ),
    _trait_concept(
        "event",
        Message("when something happened to somebody"),
        """
        en: year month day admission discharge date dates hired hire_date entry_date
        en: exit_date visit last_visit enrolment enrollment start_date end_date since
        en: event_date death_date date_of_death wedding appointment timestamp datetime
        en: time joined registered
        de: jahr monat tag datum aufnahme aufnahmedatum entlassung entlassdatum eintritt
        de: austritt beginn ende eintrittsdatum austrittsdatum zeitpunkt sterbedatum
        de: todestag termin einzug seit tattag
        fr: annee mois date_entree date_sortie admission_date embauche date_embauche
        fr: deces
        es: ano anio mes fecha ingreso alta fecha_ingreso fecha_alta fecha_baja
        it: anno mese data ricovero dimissione assunzione data_ricovero
        pt: ano mes data data_entrada data_saida internamento admissao
        nl: jaar maand datum opname ontslag indiensttreding opnamedatum
        pl: rok miesiac data_przyjecia data_wypisu przyjecie wypis zatrudniony data
        zh: 年份 年月 日期 时间 入院 出院 入职 入学 离职
        ru: дата
        """,
        "is_dated",
    ),
    _trait_concept(
        "means",
        Message("size or means"),
        """
        en: income incomes turnover revenue sales employees employed staff workers
        en: headcount fte assets profit export exports domestic hectares acreage
        en: livestock rent rents expenditure spending costs cost cars vehicles rooms
        en: floor_area living_area area_m2 investment value_added capital payroll
        en: farm_size hours working_hours tenure height weight weight_kg height_cm
        en: seniority
        de: einkommen umsatz mitarbeiter beschaeftigte jahresumsatz gewinn miete
        de: kaltmiete warmmiete ausgaben kosten wohnflaeche zimmer ausfuhr investitionen
        de: haushaltseinkommen nettoeinkommen groesse gewicht arbeitszeit bilanzsumme
        de: wertschoepfung
        fr: revenu revenus chiffre_affaires chiffre_d_affaires ca effectif effectifs
        fr: salaries loyer surface depenses taille_cm poids benefice
        es: ingresos renta ventas facturacion empleados trabajadores alquiler gastos
        es: superficie beneficio altura peso
        it: reddito fatturato ricavi dipendenti addetti affitto canone spesa superficie
        it: utile altura_cm altezza peso
        pt: rendimento vendas faturacao trabalhadores empregados renda despesa lucro
        pt: volume_negocios area peso altura
        nl: inkomen omzet werknemers personeel huur uitgaven winst oppervlakte lengte
        nl: gewicht
        pl: dochod dochody obrot obroty przychod zatrudnieni pracownicy czynsz wydatki
        pl: powierzchnia zysk wzrost waga
        zh: 收入 营业额 营业收入 员工数 从业人员 职工人数 租金 支出 面积 身高 体重 利润
        zh: 销售额
        ru: доход выручка зарплата
        """,
    ),
    _trait_concept(
        "dwelling",
        Message("how somebody lives"),
        """
        en: housing dwelling tenure_type building year_built heating owner renter
        en: house_type property_type homeowner
        de: wohnung gebaeude wohnform eigentuemer baujahr heizung
        fr: logement type_logement proprietaire chauffage
        es: vivienda tipo_vivienda propietario
        it: abitazione alloggio proprietario
        pt: habitacao alojamento proprietario
        nl: woning woningtype eigenaar bouwjaar
        pl: mieszkanie budynek
        zh: 住房 房屋
        """,
    ),
)
