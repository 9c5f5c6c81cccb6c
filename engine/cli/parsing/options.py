"""Command-line options: declaration, and conversion to tables, plans and names."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import ParameterError
from engine.core.platform.files import read_unchanging_file
from engine.core.text.csv_rows import iterate_csv_rows

if TYPE_CHECKING:
    from engine.data.table import Table
    from engine.files import ReadOptions
    from engine.pipeline.plan import Plan
    from engine.pipeline.planning.choices import ChoiceInfo, CommandOption


def add_plan_options(
    parser: argparse.ArgumentParser, left_out_fields: Collection[str]
) -> None:
    """Add to a parser the options of a plan's fields, but for the fields left out.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    left_out_fields : collection of str
        Fields that the command asks for in a way of its own.
    """
    flags = set()
    for name, choice in _declared_choices().items():
        if name not in left_out_fields and choice.option.flag not in flags:
            flags.add(choice.option.flag)
            add_option(parser, choice.option)


def add_option(parser: argparse._ActionsContainer, option: CommandOption) -> None:
    """Add one option by its declaration; its default is None or empty."""
    from engine.pipeline.planning.choices import REPEATED_OPTIONS

    if option.form == "switch":
        parser.add_argument(
            option.flag, action="store_true", default=None, help=option.help
        )
        return
    metavar = option.metavar or None
    if option.form in REPEATED_OPTIONS:
        parser.add_argument(
            option.flag,
            action="append",
            default=[],
            metavar=metavar,
            help=f"{option.help}; may be repeated",
        )
        return
    kind = {"whole": int, "number": float}.get(option.form, str)
    parser.add_argument(option.flag, type=kind, metavar=metavar, help=option.help)


def has_plan_choices(options: argparse.Namespace) -> bool:
    """Return whether an option that sets a field of a plan was given."""
    names = {choice.option.dest for choice in _declared_choices().values()}
    values = [getattr(options, name) for name in (*names, "all_numeric")]
    # A seed or limit of 0 is a choice; None, False and [] are options not given.
    return any(value or value == "" or type(value) in (int, float) for value in values)


def _declared_choices() -> Mapping[str, ChoiceInfo]:
    from engine.pipeline.plan import Plan
    from engine.pipeline.planning.choices import choice_infos_of

    return choice_infos_of(Plan)


def table_from_options(options: argparse.Namespace, path: Path | None = None) -> Table:
    """Return the command's file, or another file, read as a table by the options.

    Another file gets those options that its format knows and that do not say where in
    the command's file the table is.
    """
    from engine.files import ReadOptions, formats, read_table

    read = build_read_options(options)
    if path is None:
        return read_table(options.file, options=read)
    suffix = path.with_name(path.name.removesuffix(".gz")).suffix.lower()
    of_format = [info.options for info in formats.infos() if suffix in info.suffixes]
    field_names = {"missing"}.union(*of_format) - set(PLACE_OPTIONS)
    values = {name: value for name, value in vars(read).items() if name in field_names}
    return read_table(path, options=ReadOptions(**values))


PLACE_OPTIONS = ("sheet", "sql", "header_row", "first_row", "footer_rows")
"""Options that say where a file has its table."""


def build_read_options(options: argparse.Namespace) -> ReadOptions:
    """Return the read options that a command line gives for its file."""
    from engine.files import ReadOptions

    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
    return ReadOptions(
        delimiter=delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        sheet=options.sheet,
        layout=_layout_text(options.layout),
        sql=options.sql,
        header_row=options.header_row,
        first_row=options.first_row,
        footer_rows=options.footer_rows,
        number_names=options.number_names,
        forms=dict(_read_pair(text, "--written") for text in options.written) or None,
        missing={
            name: split_names(codes)
            for name, codes in (
                _read_pair(text, "--missing-codes") for text in options.missing_codes
            )
        }
        or None,
    )


def _layout_text(layout: str | None) -> str | None:
    """Return what a layout file holds; what names no file is the layout itself."""
    if layout is None:
        return None
    from engine.core.text.encoding import utf8_bytes_and_encoding

    if " " in layout.strip() and not os.path.isfile(layout):  # no error of a long one
        return layout
    try:
        file = Path(layout)
        content = read_unchanging_file(file)
        return utf8_bytes_and_encoding(content, None, file.name)[0].decode()
    except OSError as error:
        raise ParameterError(
            "The layout {path!r} cannot be read ({reason}): name a file, or say the "
            'layout itself, as in "age 1-3, income 4-11".',
            path=layout,
            reason=error.strerror,
        ) from None


def _read_pair(text: str, flag: str) -> tuple[str, str]:
    """Read ``NAME=VALUE``; the name may have equals signs in it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise ParameterError(
            "{flag} is {text!r}, but must be COLUMN=VALUE.", flag=flag, text=text
        )
    return name.strip(), value.strip()


def plan_from_options(
    options: argparse.Namespace, table: Table | None, method: str | None, k: int | None
) -> Plan:
    """Return a plan with the fields that options give, and a method and k, if not None.

    Only ``--all-numeric`` looks at the table.
    """
    from engine.pipeline.plan import Plan

    declared = _declared_choices()
    plan_options = [entry.option for entry in declared.values()]
    overall = {option.flag for option in plan_options if option.form == "overall"}
    fields: dict[str, Any] = {
        "quasi_identifiers": quasi_identifiers_from_options(options, table)
    }
    for name, choice in declared.items():
        option = choice.option
        if name not in _OF_COMMANDS and hasattr(options, option.dest):
            texts = getattr(options, option.dest)
            if option.form == "by column" and option.flag in overall:
                texts = [text for text in texts if "=" in text]
            fields[name] = _read(option, texts)
    fields |= {"k": k, "method": method}
    if method is None:
        del fields["parameters"]
    return Plan(**{name: entry for name, entry in fields.items() if entry is not None})


_OF_COMMANDS = ("quasi_identifiers", "method", "k")
"""Fields that each command asks for in a way of its own."""


def _read(option: CommandOption, value: Any) -> Any:
    """Return what an option says; None where it was not given."""
    if option.form == "names":
        return split_names(value)
    if option.form == "names or none":
        return _names_or_none(option, value)
    if option.form == "texts":
        return tuple(value)
    if option.form == "blocks":
        return tuple(map(split_names, value))
    if option.form == "overall":
        return _rule_for_all(value, option.flag)
    if option.form == "by column":
        return dict(_split_pair(text, option) for text in value)
    if option.form == "weights":
        fields = [field for text in value for field in split_names(text)]
        return dict(_split_pair(field, option) for field in fields)
    if option.form == "files":
        return {
            name: _hierarchy_rows(path)
            for name, path in (_split_file_pair(text, option) for text in value)
        }
    if option.form == "parameters":
        return parse_parameters(value)
    return value


def _names_or_none(
    option: CommandOption, text: str | None
) -> str | tuple[str, ...] | None:
    """Return columns, what is said in place of them, or None where nothing is said."""
    from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON

    if text is None or text.strip() in (NO_PERSON, EACH_RECORD):
        return text and text.strip()
    names = split_names(text)
    if not names:
        raise ParameterError(
            "{flag} is {text!r}: name a column, several by commas, or say none.",
            flag=option.flag,
            text=text,
        )
    return names


def _rule_for_all(rules: Sequence[str], flag: str) -> str | None:
    """Return the value for all columns among ``RULE`` and ``COLUMN=RULE``."""
    overall_rules = [text for text in rules if "=" not in text]
    if len(overall_rules) > 1:
        raise ParameterError(
            "{flag} is given twice for all columns ({first} and {second}): "
            "say {flag} COLUMN={second} for single columns.",
            flag=flag,
            first=overall_rules[0],
            second=overall_rules[1],
        )
    return overall_rules[0] if overall_rules else None


def _split_pair(text: str, option: CommandOption) -> tuple[str, str]:
    """Read ``NAME=VALUE``; the name may have equals signs in it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise ParameterError(
            "{flag} is {text!r}, but must be COLUMN=VALUE, as in {example}.",
            flag=option.flag,
            text=text,
            example=option.example,
        )
    return name.strip(), value.strip()


def _split_file_pair(text: str, option: CommandOption) -> tuple[str, Path]:
    """Read ``NAME=FILE``; the path may have equals signs in it."""
    name, equals, path = text.partition("=")
    if not equals or not name.strip() or not path.strip():
        raise ParameterError(
            "{flag} is {text!r}, but must be COLUMN=FILE, as in {example}.",
            flag=option.flag,
            text=text,
            example=option.example,
        )
    return name.strip(), Path(path.strip())


def iterate_hierarchy_paths(options: argparse.Namespace) -> Iterator[Path]:
    """Yield the paths of the hierarchy files in the options."""
    for choice in _declared_choices().values():
        if choice.option.form == "files":
            for text in getattr(options, choice.option.dest, ()):
                yield _split_file_pair(text, choice.option)[1]


def _hierarchy_rows(path: Path) -> tuple[tuple[str, ...], ...]:
    from engine.hierarchy import read_hierarchy

    return read_hierarchy(path).rows


def quasi_identifiers_from_options(
    options: argparse.Namespace, table: Table | None
) -> tuple[str, ...]:
    """Return named quasi-identifiers, or numeric columns not named for other roles."""
    if not options.all_numeric:
        named = split_names(options.quasi_identifiers)
        if named:
            return named
        if getattr(options, "plan", None) is not None:
            raise ParameterError(
                "There is no quasi-identifier. {plan} is not read beside other choices "
                "of a plan: change it in an editor, or give all choices as options, "
                "with --quasi-identifiers.",
                plan=options.plan.name,
            )
        raise ParameterError(
            "There is no quasi-identifier: name columns in --quasi-identifiers, "
            "or take all numbers with --all-numeric."
        )
    assert table is not None
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    others = "identifiers", "confidential", "strata", "weights", "household", "person"
    name_tuples = (split_names(getattr(options, name, None)) for name in others)
    role_set = {name for some in name_tuples for name in some}
    names = tuple(
        name
        for name, dtype in table.frame.dtypes.items()
        if is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and name not in role_set
    )
    if not names:
        raise ParameterError(
            "--all-numeric finds no numeric column: name quasi-identifiers that "
            "hold numbers."
        )
    return tuple(map(str, names))


def split_names(text: str | None) -> tuple[str, ...]:
    """Return the comma-separated names of a text; quotes keep a comma in a name."""
    if not text:
        return ()
    rows = iterate_csv_rows(io.StringIO(text, newline=""), skipinitialspace=True)
    return tuple(field.strip() for row in rows for field in row if field.strip())


def parse_integers(text: str, flag: str = "--k") -> tuple[int, ...]:
    """Return the comma-separated whole numbers of a text; raise for any other text."""
    try:
        numbers = tuple(int(word) for word in split_names(text))
    except ValueError:
        numbers = ()
    if not numbers:
        raise ParameterError(
            "{flag} is {text!r}, but must be whole numbers by commas, as in 3,5,10.",
            flag=flag,
            text=text,
        )
    return numbers


def parse_parameters(name_value_pairs: Sequence[str] | None) -> dict[str, str]:
    """Return the values of ``NAME=VALUE`` pairs, by name."""
    parameters = {}
    for pair in name_value_pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                "--param is {pair!r}, but must be NAME=VALUE, as in gamma=0.2.",
                pair=pair,
            )
        parameters[name.strip()] = value.strip()
    return parameters


def refuse_out_of_core_options(options: argparse.Namespace) -> None:
    """Raise if an option is given that only ``--out-of-core`` takes."""
    for name in ("memory", "records_per_block", "dask"):
        if getattr(options, name) is not None:
            raise ParameterError(
                "--{option} is for files that are protected block by block: add "
                "--out-of-core, or leave it out.",
                option=name.replace("_", "-"),
            )


def read_plan_text(path: Path) -> str:
    """Return the text of a plan file."""
    try:
        # Some editors put a byte order mark in front.
        return read_unchanging_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            "The plan {path} cannot be read: name a plan file, or choices to write "
            "into it such as --quasi-identifiers.",
            path=path,
        ) from None
