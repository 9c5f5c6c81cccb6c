"""Words for contact details: addresses, accounts, devices."""

from engine.core.message import Message
from engine.data.propose.concepts.identity import identifier_concept

CONTACT_CONCEPTS = (
    identifier_concept(
        "e-mail",
        Message("e-mail addresses"),
        """
        en: email mail emails email_address
        de: emailadresse mailadresse
        fr: courriel adresse_mail adresse_electronique mel
        es: correo correo_electronico
        it: posta_elettronica pec indirizzo_email
        pt: correio_eletronico correio
        nl: emailadres mailadres
        pl: poczta_elektroniczna adres_email mejl
        zh: 邮箱 电子邮件 邮件地址 电邮
        ru: почта эл_почта электронная_почта
        sv: epost epostadress
        tr: eposta
        ja: メール
        ko: 이메일
        """,
    ),
    identifier_concept(
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
        "has_digits",
    ),
    identifier_concept(
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
    identifier_concept(
        "web-address",
        Message("web addresses"),
        """
        en: url website homepage web_address weblink link linkedin
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
    identifier_concept(
        "user-name",
        Message("user names"),
        """
        en: login username userid nickname screen_name handle twitter instagram facebook
        en: account_name alias skype
        de: benutzername benutzer benutzerkennung anmeldename kennung benutzerkonto
        de: nutzername nutzerkennung nutzer nutzerkonto
        fr: identifiant pseudo pseudonyme nom_utilisateur utilisateur nom_d_utilisateur
        es: usuario nombre_usuario nombre_de_usuario apodo
        it: nome_utente utente utenza
        pt: utilizador nome_de_usuario
        nl: gebruikersnaam gebruiker inlognaam
        pl: uzytkownik nazwa_uzytkownika
        zh: 用户名 昵称 微信 账号 帐号 登录名 用户账号
        """,
    ),
    identifier_concept(
        "device",
        Message("devices and their addresses"),
        """
        en: ip ip_address mac mac_address device_id imei imsi imeisv serial
        en: serial_number iccid udid idfa gaid cookie cookie_id session_id sim eid vin
        en: vehicle_identification_number chassis_number hostname advertising_id
        de: geraetenummer seriennummer geraete_id fahrgestellnummer geraetekennung
        de: zaehlernummer
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
)
"""Concepts of columns by which somebody can be reached."""
