"""Whatever the engine says to people is a template with values: read from its code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import dashboard
import engine
from engine.core.errors import EngineError
from engine.streaming.check import PartError

CODE = [
    path
    for package in (engine, dashboard)
    for path in sorted(Path(str(package.__file__)).parent.rglob("*.py"))
]
SPEAKING = [path for path in CODE if "app_pages" not in path.parts]
"""Pages look up what they say by themselves."""


def errors(base: type[EngineError] = EngineError) -> Iterator[str]:
    yield base.__name__
    for error in base.__subclasses__():
        yield from errors(error)


ERRORS = set(errors())
MAKERS = {"Message", *ERRORS}


def name_of(node: ast.AST) -> str:
    """Return the last part of a dotted name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) in MAKERS:
            yield node


def offences(code: str) -> Iterator[str]:
    """Yield what is wrong with the messages and errors of a module."""
    tree = ast.parse(code)
    for call in calls(tree):
        forms = [
            argument for argument in call.args if isinstance(argument, ast.Constant)
        ]
        for argument in call.args:
            # Anything but a text is a message that was made elsewhere, says mypy.
            if isinstance(argument, ast.JoinedStr | ast.BinOp) or (
                isinstance(argument, ast.Call)
                and name_of(argument.func) in ("format", "str")
            ):
                yield f"line {call.lineno}: text with values in it"
        keywords = {argument.arg for argument in call.keywords}
        for form in forms:
            places = {place for _, place, _, _ in Formatter().parse(form.value)}
            if (
                keywords
                and None not in keywords
                and not (keywords - _count(forms) <= places - {None} <= keywords)
            ):
                yield f"line {call.lineno}: {sorted(keywords)} for {form.value}"
            if places - {None} and not keywords:
                yield f"line {call.lineno}: no values for {form.value}"
    for node in ast.walk(tree):
        raised = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(raised, ast.Name) and raised.id in ERRORS:
            yield f"line {raised.lineno}: nothing is said"


def _count(forms: list[ast.Constant]) -> set[str]:
    """Return the value that may only choose between singular and plural, if so."""
    return {"count"} if len(forms) == 2 else set()


@pytest.mark.slow
def test_the_engine_raises_errors_in_many_places() -> None:
    error_calls = [
        call
        for path in SPEAKING
        for call in calls(ast.parse(path.read_text(encoding="utf-8")))
        if name_of(call.func) in ERRORS
    ]
    assert len(error_calls) > 200
    assert PartError.__name__ in ERRORS


@pytest.mark.slow
def test_every_message_is_a_template_with_its_values() -> None:
    offences_by_path = {
        path: list(offences(path.read_text(encoding="utf-8"))) for path in SPEAKING
    }
    assert {path: lines for path, lines in offences_by_path.items() if lines} == {}, (
        "give the template and its values, as in Message('{n} left', n=n)"
    )


@pytest.mark.parametrize(
    "code",
    [
        'raise InputError(f"Column {name!r} is empty.")',
        'raise InputError("Column " + name)',
        'raise InputError("Column {}".format(name))',
        "raise InputError(str(error))",
        "raise InputError",
        'Message("{column} is empty.", name=name)',
        'Message("{column} is empty.")',
        'Message("one of {n}", "{count} of {m}", count=c, n=n)',
    ],
)
def test_what_cannot_be_translated_is_seen(code: str) -> None:
    assert list(offences(code))


@pytest.mark.parametrize(
    "code",
    [
        'raise InputError("Column {name!r} is empty.", name=name)',
        "raise InputError(error.message)",
        "raise unknown_column(name)",
        'Message("the rule {rules}", "the rules {rules}", count=2, rules=rules)',
    ],
)
def test_templates_with_values_are_no_offence(code: str) -> None:
    assert list(offences(code)) == []


PROSE = re.compile(r"[A-Za-z]{2,}[,.;:]? +[A-Za-z(]")


def readings(code: str) -> Iterator[str]:
    """Yield where a sentence is searched for English words."""
    searching = ("startswith", "endswith", "removeprefix", "removesuffix")
    cutting = ("partition", "rpartition", "split")
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            is_reading = isinstance(node.comparators[0], ast.Name) and _is_prose(
                node.left
            )
        elif isinstance(node, ast.Call) and name_of(node.func) in searching + cutting:
            is_reading = any(map(_is_prose, node.args))
        else:
            continue
        if is_reading:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _is_prose(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and PROSE.search(node.value) is not None
    )


@pytest.mark.slow
def test_nobody_reads_a_sentence_back() -> None:
    readings_by_path = {
        path: list(readings(path.read_text(encoding="utf-8"))) for path in CODE
    }
    assert {path: lines for path, lines in readings_by_path.items() if lines} == {}


def test_reading_a_sentence_back_is_seen() -> None:
    assert list(readings('if "stopped early" in warning: pass'))
    assert list(readings('text.startswith("Blocks of columns")'))


def test_others_have_a_singular() -> None:
    """Of k = 2 there is one other, so that a sentence on others has two forms."""
    codes = {path: path.read_text(encoding="utf-8") for path in CODE}
    plurals = [
        f"{path.name}: {form.value}"
        for path, code in codes.items()
        if "others" in code
        for call in calls(ast.parse(code))
        for form in call.args[:1]
        if isinstance(form, ast.Constant)
        and re.search(r"\{[^}]*\} others\b", str(form.value))
    ]
    assert plurals == []
