"""The catalogues: every text of the interface is in them, and well translated."""

import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from dashboard.i18n import catalogue
from dashboard.i18n.language import ENGLISH, LANGUAGES

OTHERS = [language for language in LANGUAGES if language != ENGLISH]

NAMES = re.compile(
    # Methods, formats, measures and units are called the same everywhere.
    r"Coterie|[A-Zμ][\w-]*( \+ [A-Z]+)?( \([A-Z](-[a-z])?\))?|Hansen-Mukherjee"
    r"|MDAV-generic|k-Ward|r-gather|(IL|NCP|DM) \(%\)|e?fcm|k|%|\W+|C_avg"
    r"|\{count\} / \{(all|total)\}|[pt] = \{[pt](:g)?\}"
)
"""What may read the same in English and in another language."""


SAME = {
    "de": {
        *("**Block A**: {columns}", "Block {letter}", "{owner}: {stage}", "Excel 97"),
        *("Notebook (Jupyter)", "Original (%)", "Plan (JSON)", "nominal"),
        *("{count} s", "{seconds} s", "{shape}. {hint}", "**{title}.** {detail}"),
        *("**{runs}**, {time}.", "{method}, {what} {value:,}", "{method}, k = {k}"),
        *("Latin 9 (ISO 8859-15)", "region = north and age >= 18", "❚❚ Pause"),
        *("{some!r}, ...", "{name} + {shift:g}", "{column!r} ({number:,})"),
        *("{name}. {tells}", "Kabir et al. 2010"),
    },
}
"""By language, what reads the same in English."""

TERMS = {
    "zh": {
        "certainty penalty": "确定性惩罚",
        "common value": "公共值",
        "confidential": "敏感",
        "disclosure": "披露",
        "hierarch": "泛化层次",
        "information loss": "信息损失",
        "k-anonymity": "k-匿名",
        "l-diversity": "l-多样性",
        "lower bound": "下界",
        "microaggregation": "微聚合",
        "percentage point": "百分点",
        "polish": "精修",
        "quasi-identifier": "准标识符",
        "record linkage": "记录链接",
        "release": "发布",
        "scaling": "标准化",
        "seed": "种子",
        "t-closeness": "t-接近性",
        "z-score": "z-分数",
    },
    "de": {
        "common value": "gemeinsame",
        "confidential": "vertraulich",
        "hierarch": "hierarch",
        "information loss": "informationsverlust",
        "k-anonymity": "k-anonymität",
        "l-diversity": "l-diversität",
        "microaggregation": "mikroaggregation",
        "percentage point": "prozentpunkt",
        "quasi-identifier": "quasi-identifikator",
        "record linkage": "datensatzverknüpfung",
        "t-closeness": "t-nähe",
        "z-score": "z-wert",
    },
}
"""Terms of the field, or their beginnings, and the one word for each."""


@cache
def collected() -> Catalog:
    return catalogue.collect_texts()


def texts() -> set[object]:
    return {message.id for message in collected() if message.id}


def on_disk(language: str) -> dict[object, Message]:
    return {
        message.id: message
        for message in catalogue.read_catalogue(language)
        if message.id
    }


def pairs(language: str) -> list[tuple[str, str]]:
    """Return every English text that has a translation with it, plurals one by one.

    Where a language has another number of plurals, each is held to English's last.
    """
    text_pairs = []
    for message in on_disk(language).values():
        texts, strings = (
            [each] if isinstance(each, str) else list(each)
            for each in (message.id, message.string)
        )
        if len(texts) != len(strings):
            texts = [texts[-1]] * len(strings)
        text_pairs += [each for each in zip(texts, strings, strict=True) if each[1]]
    return text_pairs


def marks(text: str, sign: str) -> list[str]:
    return sorted(re.findall(sign, text))


def test_the_template_has_every_text_and_no_other() -> None:
    with catalogue.TEMPLATE.open("rb") as file:
        template = {message.id for message in read_po(file) if message.id}
    assert template == texts(), "run python -m tests.regenerate"


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_every_text_and_no_other(language: str) -> None:
    assert set(on_disk(language)) == texts(), "run python -m tests.regenerate"


@pytest.mark.release
@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    assert catalogue.list_untranslated_texts(catalogue.read_catalogue(language)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_english(language: str) -> None:
    same = [english for english, other in pairs(language) if other == english]
    alike = SAME.get(language, set())
    english_texts = [
        text for text in same if not NAMES.fullmatch(text) and text not in alike
    ]
    assert english_texts == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "sign",
    [
        r"(?<!\|)\{[a-z]\w*(?:![rs])?(?::[^{}]*)?\}",
        r":material/\w+:",
        r"\*\*",
        r"(?<!\\)`[^`]*`",
        r"<br>",
        r"  \n",
    ],
    ids=["names in braces", "icons", "bold", "code", "breaks", "line ends"],
)
def test_translations_keep_what_is_not_language(language: str, sign: str) -> None:
    wrong = [
        (english, other)
        for english, other in pairs(language)
        if marks(english, sign) != marks(other, sign)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_bold_closes_where_it_should(language: str) -> None:
    # Beside a letter, Markdown takes ** for a mark only if no punctuation is inside.
    wrong = []
    for _english, other in pairs(language):
        parts = other.split("**")
        for before, bold, after in zip(
            parts[0::2], parts[1::2], parts[2::2], strict=False
        ):
            closes = re.match(r"\w", after) and re.search(r"[^\w\s{}]$", bold)
            opens = re.search(r"\w$", before) and re.match(r"[^\w\s{}]", bold)
            if closes or opens:
                wrong.append(other)
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_term_is_called_the_same_everywhere(language: str) -> None:
    wrong = [
        (term, english, other)
        for english, other in pairs(language)
        for term, word in TERMS.get(language, {}).items()
        # Titles of publications stay as they are.
        if re.search(rf"(?<![-\w]){term}", english.lower()) and "doi:" not in english
        if word not in other.lower()
    ]
    assert wrong == []


def test_one_text_has_one_plural() -> None:
    plural_by_text: dict[str, object] = {}
    for text, _file in catalogue.list_texts():
        if not isinstance(text, str):
            assert plural_by_text.setdefault(text[0], text) == text


def test_translations_stay_and_obsolete_texts_go() -> None:
    now = Catalog()
    now.add("Data", locations=[("a.py", 1)])
    now.add("Zxcvbnm", locations=[("a.py", 1)])
    translations = {
        message.id: message.string
        for message in catalogue.update_catalogue("zh", now)
        if message.id
    }
    assert translations == {"Data": "数据", "Zxcvbnm": ""}


@pytest.mark.parametrize("language", OTHERS)
def test_writing_a_catalogue_again_changes_nothing(language: str) -> None:
    new_catalogue = catalogue.update_catalogue(language, collected())
    assert (
        catalogue.catalogue_to_bytes(new_catalogue)
        == catalogue.catalogue_path(language).read_bytes()
    )


def test_column_or_columns_is_said_by_how_many_there_are() -> None:
    """Names that are joined may be one or several."""
    named = re.compile(r"\b[Cc]olumns? \{columns(?:!r)?\}")
    wrong = []
    for text in texts():
        singular, many = (text, text) if isinstance(text, str) else text
        if (first := named.findall(singular)) and first == named.findall(many):
            wrong.append(text)
    assert wrong == []
