"""Declarations of a plan's fields, from which options, pages and reports derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from engine.core.message import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

    from engine.methods import MethodInfo

Shown = Literal["columns", "methods", "shared"]
"""Where people find a choice.

``columns``: as roles, kinds and hierarchies of columns, on the Data page; ``methods``:
with the methods, of which there may be several; ``shared``: once for all methods.
"""

Stage = Literal["prepare", "group", "after"]
"""The first of the steps of a run that a choice changes.

``prepare``: points, and who may be in a group; ``group``: the groups; ``after``: only
what becomes of them. Plans that differ in later stages alone share the earlier ones.
"""

Widget = Literal["declared", "own"]
"""Where the dashboard's widget comes from: the declaration, or code of a page."""

Form = Literal[
    "text",
    "whole",
    "number",
    "switch",
    "names",
    "names or none",
    "texts",
    "blocks",
    "overall",
    "by column",
    "weights",
    "files",
    "parameters",
]
"""What stands behind an option of the command line.

``names`` are split at commas; ``names or none`` may be ``none``, too. The ones below
may be repeated: ``texts``, one each; ``blocks`` of names; ``by column`` ``COL=VALUE``,
beside ``overall`` a value for all columns; ``weights`` ``COL=NUMBER``, several split at
commas; ``files`` ``COL=FILE``; ``parameters`` ``NAME=VALUE``.
"""

REPEATED_OPTIONS: frozenset[Form] = frozenset(
    {"texts", "blocks", "overall", "by column", "weights", "files", "parameters"}
)


@dataclass(frozen=True)
class CommandOption:
    """Command-line option of a choice: flag, help and form of its value.

    Attributes
    ----------
    flag : str
        With its dashes; two choices share one where the first is ``overall`` and the
        other ``by column``.
    help : str
    form : Form
    metavar : str
        Empty for the flag's own name.
    example : str
        Example of ``COL=VALUE``, for the error about a wrong one.
    always : bool
        Whether a command line that repeats a run names it, whatever its value.
    """

    flag: str
    help: str = ""
    form: Form = "text"
    metavar: str = ""
    example: str = ""
    always: bool = False

    @property
    def dest(self) -> str:
        """The attribute name under which argparse stores the flag."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class Exclusion:
    """Choices and methods that a choice cannot be combined with, and why.

    Attributes
    ----------
    reason : Message
        Why, as the end of a sentence.
    choices : tuple of str
        Fields of the plan.
    methods : callable, optional
        Whether a method is excluded.
    when : mapping of str to object
        Values of other fields with which alone this holds.
    """

    reason: Message
    choices: tuple[str, ...] = ()
    methods: Callable[[MethodInfo], bool] | None = None
    when: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceInfo:
    """Declaration of a plan's field: label, help, command option, widget and stage.

    Attributes
    ----------
    label : str
        What it is called, in lower case; of a choice for single columns with
        ``{column}``.
    option : CommandOption
    stage : Stage
    shown : Shown
    widget : Widget
    out_of_core : bool
        Whether it can be kept when records are seen block by block, as far as
        :mod:`engine.streaming.choices` says nothing else.
    reported : bool
        Whether a report lists it among the choices, as it is not told elsewhere.
    help : str
        What it does, in sentences, where its widget is made from the declaration.
    unnamed : object
        What holds of columns that a choice for single columns does not name, where its
        widget is made from the declaration.
    numeric : bool
        Whether a choice for single columns is for columns of numbers alone.
    asks : callable
        Whether a value asks for anything.
    beside : str
        Field of the choice without which this one asks for nothing; empty if none.
    excludes : tuple of Exclusion
        What it does not go together with, where the other choice does not say so.
    """

    label: str
    option: CommandOption
    stage: Stage
    shown: Shown = "shared"
    widget: Widget = "declared"
    out_of_core: bool = False
    reported: bool = True
    help: str = ""
    unnamed: object = None
    numeric: bool = False
    asks: Callable[[Any], bool] = bool
    beside: str = ""
    excludes: tuple[Exclusion, ...] = ()


@cache
def choice_infos_of(plan_class: type[BaseModel]) -> Mapping[str, ChoiceInfo]:
    """Return the declarations of a plan class's fields by name, in field order.

    Raises
    ------
    TypeError
        If a field declares nothing: a mistake in the program.
    """
    info_by_field = {}
    for name, declaration in plan_class.model_fields.items():
        declared = [
            annotation
            for annotation in declaration.metadata
            if isinstance(annotation, ChoiceInfo)
        ]
        if len(declared) != 1:
            raise TypeError(f"{plan_class.__name__}.{name} must declare one Choice")
        info_by_field[name] = declared[0]
    return info_by_field
