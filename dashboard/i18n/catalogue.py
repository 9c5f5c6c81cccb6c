"""Catalogues of the interface's texts: collect the texts, and update the files.

``python -m dashboard.i18n.catalogue`` writes ``locale/coterie.pot``, which has every
text in English, and brings each ``locale/LANGUAGE.po`` up to date: translations stay,
new texts come in without one, and texts that are gone go.

To add a language, copy ``coterie.pot`` to ``LANGUAGE.po``, translate it, and name the
language in :data:`dashboard.i18n.language.LANGUAGES`.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

import engine
import engine.streaming.check  # so that its errors are known
import sample_data
from dashboard.audit.log import AuditError
from dashboard.i18n.language import CATALOGUES, ENGLISH, LANGUAGES
from engine.aggregate import aggregations
from engine.analysis import models
from engine.analysis.attacks import attacks
from engine.analysis.need import load_rule_sets
from engine.analysis.need.keeps import KEEP_KINDS
from engine.analysis.need.rules import RULE_MEASURES
from engine.core.errors import EngineError
from engine.core.parameters import Choice, Float, Parameter
from engine.data.propose.concepts import ALL_CONCEPTS
from engine.files import formats
from engine.measures import measures
from engine.measures.judge import PERCENT_LOSS_JUDGE
from engine.methods import FAMILY_TITLES, methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.points.scaling import scalings

TEMPLATE = CATALOGUES / "coterie.pot"
"""The file that has every text in English."""

HEADER = """\
# Texts of Coterie's dashboard.
# Translators: names in braces, signs such as :material/info: and the marks of Markdown
# (** and `) stay as they are."""

Text = str | tuple[str, ...]
"""A text, or its singular and plural."""

_CODE = Path(__file__).parents[1]
_FUNCTIONS = {"_": None, "n_": (1, 2)}
_FROM_THE_ENGINE = "engine"
_PLACE = re.compile(r"\{[^{}]*\}")


def collect_texts() -> Catalog:
    """Return a catalogue of all texts of the interface, sorted by source file."""
    catalogue = Catalog(charset="utf-8", header_comment=HEADER)
    for text, file in list_texts():
        catalogue.add(text, locations=[(file, 1)])
    return catalogue


@cache
def list_texts() -> tuple[tuple[Text, str], ...]:
    """Return each text with the file that contains it, sorted by file."""
    texts = (*_in_code(), *_constants(), *_registered(), *_messages())
    return tuple(sorted(texts, key=lambda pair: pair[1]))


def _in_code() -> Iterator[tuple[Text, str]]:
    """Yield what passes through ``_`` and ``n_``."""
    kinds = [("**.py", "python"), ("class_file/**.js", "javascript")]
    extracts = extract_from_dir(str(_CODE), kinds, keywords=_FUNCTIONS)
    for file, _line, text, _comments, _context in extracts:
        yield (text if isinstance(text, str) else text[:2]), f"dashboard/{file}"


def _constants() -> Iterator[tuple[Text, str]]:
    """Yield the constants of the modules of texts."""
    for path in sorted(_CODE.rglob("text*.py")):
        parts = path.relative_to(_CODE.parent).with_suffix("").parts
        for text in iterate_module_texts(importlib.import_module(".".join(parts))):
            yield text, path.relative_to(_CODE.parent).as_posix()


def iterate_module_texts(module: ModuleType) -> Iterator[Text]:
    """Yield the texts among a module's public constants, in their order.

    Mappings give their values; a pair that counts is a singular and its plural.
    """
    for name, value in vars(module).items():
        if name.isupper() and not name.startswith("_"):
            yield from _texts_in(value)


def _texts_in(value: object) -> Iterator[Text]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, tuple | list):
        match value:
            case (str() as one, str() as many) if "{count}" in one:
                yield one, many
            case _:
                for each in value:
                    yield from _texts_in(each)


def _messages() -> Iterator[tuple[Text, str]]:
    """Yield the templates of messages and errors."""
    for text in iterate_message_templates(Path(engine.__file__).parent):
        yield text, _FROM_THE_ENGINE
    for package in ("audit", "class_file", "jobs", "places", "readers", "server"):
        for text in iterate_message_templates(_CODE / package):
            yield text, f"dashboard/{package}"


def iterate_message_templates(source: Path) -> Iterator[Text]:
    """Yield the template of each message and error in the code of a folder.

    With the plural, where there is one.
    """
    errors = {*_errors(EngineError), AuditError}
    makers = {"Message", *(error.__name__ for error in errors)}
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in makers:
                words = [arg for arg in node.args if isinstance(arg, ast.Constant)]
                forms = [str(arg.value) for arg in words]
                # A template of nothing but places is the same in every language.
                if forms and _PLACE.sub("", forms[0]).strip():
                    yield forms[0] if len(forms) == 1 else tuple(forms)


def _errors(base: type[EngineError]) -> Iterator[type[EngineError]]:
    yield base
    for error in base.__subclasses__():
        yield from _errors(error)


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    )


def _registered() -> Iterator[tuple[Text, str]]:
    """Yield what the engine and the samples say of themselves."""
    for family, meaning in FAMILY_TITLES.items():
        yield family.capitalize(), _FROM_THE_ENGINE
        yield meaning, _FROM_THE_ENGINE
    for info in methods.infos():
        yield from _of_engine(info.title, info.summary)
        for parameter in info.parameters:
            yield from _of_engine(*_declared(parameter))
    for registry in (scalings, aggregations, models):
        for choice in registry.infos():
            yield from _of_engine(choice.title, choice.summary)
    yield from _of_engine(*(info.shared for info in aggregations.infos()))
    for attack in attacks.infos():
        yield from _of_engine(attack.title, attack.does, attack.summary, attack.against)
    yield from _of_engine(*(entry.says for entry in RULE_MEASURES.values()))
    yield from _of_engine(*(entry.says for entry in KEEP_KINDS.values()))
    yield from _of_engine(*(entry.assumes for entry in load_rule_sets().values()))
    for measure in measures.infos():
        yield from _of_engine(measure.title, measure.summary, measure.formula)
        yield from _of_engine(measure.direction, measure.unit, measure.baseline)
        yield from _of_engine(measure.judge.against)
    yield from _of_engine(PERCENT_LOSS_JUDGE.against)
    yield from _of_engine(*(info.title for info in formats.infos()))
    for declared in choice_infos_of(Plan).values():
        yield from _of_engine(declared.label, declared.help)
    yield from _of_engine(*dict.fromkeys(concept.says for concept in ALL_CONCEPTS))
    for sample in sample_data.SAMPLES:
        says = (column.description for column in sample.schema.columns)
        for text in (sample.title, sample.description, *says):
            if text:
                yield text, "sample_data"


def _of_engine(*texts: str) -> Iterator[tuple[Text, str]]:
    return ((text, _FROM_THE_ENGINE) for text in texts if text)


def _declared(parameter: Parameter) -> Iterable[str]:
    words: tuple[str, ...] = ()
    if isinstance(parameter, Choice):
        # Methods to begin with are named as on the command line.
        words = tuple(option for option in parameter.options if option not in methods)
    elif isinstance(parameter, Float):
        words = parameter.words
    return (parameter.label, parameter.help, *words)


def read_catalogue(language: str) -> Catalog:
    """Return a language's catalogue, read from its file."""
    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=language)


def catalogue_path(language: str) -> Path:
    """Return the path of a language's catalogue."""
    return CATALOGUES / f"{language}.po"


def update_catalogue(language: str, texts: Catalog) -> Catalog:
    """Return a language's catalogue with exactly these texts and known translations."""
    old, head = read_catalogue(language), _head(catalogue_path(language))
    new = Catalog(locale=language, charset="utf-8", header_comment=head)
    for message in texts:
        if not message.id:
            continue
        old_message = old.get(message.id)
        same = old_message is not None and old_message.id == message.id
        string = old_message.string if old_message is not None and same else ""
        new.add(message.id, string, locations=message.locations)
    return new


def _head(path: Path) -> str:
    """Return the comment that a file begins with, as it is."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return "\n".join(takewhile(lambda line: line.startswith("#"), lines))


def catalogue_to_bytes(catalogue: Catalog) -> bytes:
    """Return a catalogue as the bytes of a PO file, without dates or line numbers.

    So only texts make differences.
    """
    head = [catalogue.header_comment, 'msgid ""', 'msgstr ""']
    fields = {"Project-Id-Version": "coterie"}
    if catalogue.locale is not None:
        fields |= {
            "Language": str(catalogue.locale_identifier),
            "Plural-Forms": catalogue.plural_forms,
        }
    fields |= {
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    head += [f'"{name}: {value}\\n"' for name, value in fields.items()]
    written = io.BytesIO()
    write_po(written, catalogue, width=88, omit_header=True, include_lineno=False)
    return "\n".join([*head, "", ""]).encode() + written.getvalue()


def main() -> None:
    """Write the template, update every language's catalogue, and print the gaps."""
    texts = collect_texts()
    TEMPLATE.write_bytes(catalogue_to_bytes(texts))
    for language in LANGUAGES:
        if language != ENGLISH:
            catalogue = update_catalogue(language, texts)
            catalogue_path(language).write_bytes(catalogue_to_bytes(catalogue))
            gaps = list_untranslated_texts(catalogue)
            lines = [f"{len(catalogue)} texts, {len(gaps)} untranslated", *gaps]
            sys.stdout.writelines(f"{language}: {line}\n" for line in lines)


def list_untranslated_texts(catalogue: Catalog) -> list[str]:
    """Return the texts without translation in a catalogue; the singular of plurals."""
    texts = (entry.id for entry in catalogue if entry.id and not _filled(entry.string))
    return [text if isinstance(text, str) else text[0] for text in texts]


def _filled(string: str | tuple[str, ...] | list[str] | None) -> bool:
    return bool(string) and (isinstance(string, str) or all(string or ()))


if __name__ == "__main__":
    main()
