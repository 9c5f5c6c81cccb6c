"""Text from before Unicode is read as those who wrote it would."""

import pytest

from engine.core.errors import InputError
from engine.core.text.encoding import utf8_bytes_and_encoding

TEXTS = {
    "gb18030": (
        "户编号,姓名,年收入\n1001,王秀英,52000\n1002,李建国,48000\n",
        "患者;性别;诊断（编码）\n张伟;男;I10\n",
    ),
    "cp1250": (
        "imię i nazwisko;województwo;płeć\nŁukasz Dąbrowski;łódzkie;męska\n",
        "powiat;liczba\nżywiecki;4\nświdnicki;5\nZgierz;1\nwałbrzyski;9\n",
    ),
    "cp1252": (
        "Straße;Größe (m²);Volumen (m³)\nMüllerstr. 5;70;210\n",
        "élève;âge;coût\nChloé;9;12 £\nInès;8;£5\n",
        "¿qué edad tiene?;sueño\n31;7\n¿otra?;n.º 3\n",
        "Umsatz in T€;cm³\n5;1\n",
        "x,é\n1,2\n",
        "a,b\nPenÌ©lope,RodrÌ_guez SÌÁn\nMichael PeÌ±a,DemiÌÁn Bichir\n",
        "name;ort\nJosé;Málaga\nŠimon;Žilina\n",
        "prénom,produit\nDušan,Dash™\nMiloš,don’t\nOdžak,“5” • 4\nœuf,cœur…\n",
    ),
    "mac-roman": (
        "prénom,coût\nRené,don’t\nInès,5\n",
        "Name;Größe\nMüller;Käse\nJosé;Gènova\n",
        "a,b\nZoë,naïve\n",
    ),
}


@pytest.mark.parametrize(
    ("encoding", "text"), [(codec, text) for codec in TEXTS for text in TEXTS[codec]]
)
def test_the_encoding_is_found_by_its_letters(encoding: str, text: str) -> None:
    assert utf8_bytes_and_encoding(text.encode(encoding), None, "t.csv") == (
        text.encode(),
        encoding,
    )


def test_bytes_that_no_text_has_are_refused() -> None:
    with pytest.raises(InputError, match="neither in UTF-8"):
        utf8_bytes_and_encoding(b"a,b\n1,\x81\x20\n", None, "t.csv")


def test_damaged_utf8_is_no_other_encoding() -> None:
    text = ("nom,ville\n" + "José,Málaga\nZoë,Nîmes\n" * 3).encode()
    with pytest.raises(InputError, match="UTF-8, but line 8"):
        utf8_bytes_and_encoding(text + b"a \x96 b,c\n", None, "t.csv")


@pytest.mark.parametrize("end", [b"\x1a", b"\x1a\x1a\x1a", b"\x1a\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", None])
def test_the_mark_with_which_dos_ends_text_is_no_part_of_it(
    end: bytes, encoding: str | None
) -> None:
    text = b"a,b\r\n1,2\r\n"
    assert utf8_bytes_and_encoding(text + end, encoding, "t.csv")[0] == text
    assert (
        utf8_bytes_and_encoding(text + b"\r\n", encoding, "t.csv")[0] == text + b"\r\n"
    )


def test_the_mark_of_a_lost_character_is_no_sign_of_binary_files() -> None:
    text = b"a,b\nthe patient\x1as home,2\n"
    assert utf8_bytes_and_encoding(text, None, "t.csv")[0] == text
    with pytest.raises(InputError, match="binary"):
        utf8_bytes_and_encoding(b"\x1b" + text, None, "t.csv")


def test_a_mark_of_byte_order_is_no_text() -> None:
    text = TEXTS["gb18030"][0]
    content = f"\ufeff{text}".encode("gb18030")
    for named in (None, "gb18030"):
        answer = utf8_bytes_and_encoding(content, named, "t.csv")
        assert answer == (text.encode(), "gb18030")
