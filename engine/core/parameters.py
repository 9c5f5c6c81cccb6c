"""Declarations of methods' parameters, for validation, help and widgets."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.core.errors import ParameterError
from engine.core.message import Message


@dataclass(frozen=True)
class Parameter:
    """Base class of parameter declarations.

    Attributes
    ----------
    name : str
        Name in Python and, as ``--param name=value``, on the command line.
    default : object
        Value used when nothing is said.
    label : str
        Short name on screen.
    help : str
        One or two plain sentences: what it does and which way it moves the result.
    also : tuple of str
        Other names that it is given by, as elsewhere in the literature.
    """

    name: str
    default: Any
    label: str
    help: str
    also: tuple[str, ...] = field(default=(), kw_only=True)

    def check(self, value: Any) -> Any:
        """Return `value` converted to its type, or raise ParameterError."""
        raise NotImplementedError

    def describe(self) -> Message:
        """Return the allowed values in words."""
        raise NotImplementedError

    def _refuse(self, value: Any) -> ParameterError:
        return ParameterError(
            "Parameter {name} is {value}, but must be {allowed}.",
            name=self.name,
            value=repr(value),
            allowed=self.describe(),
        )


@dataclass(frozen=True)
class Int(Parameter):
    """Parameter that is a whole number in ``[low, high]``."""

    low: int | None = None
    high: int | None = None

    def check(self, value: Any) -> int:
        """Return `value` as int; text such as ``"3"`` is accepted."""
        if isinstance(value, str):
            try:
                value = int(value.strip())
            except ValueError:
                raise self._refuse(value) from None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise self._refuse(value)
        number = int(value)
        if (self.low is not None and number < self.low) or (
            self.high is not None and number > self.high
        ):
            raise self._refuse(value)
        return number

    def describe(self) -> Message:
        """Return the allowed values, such as ``a whole number from 2 to 100``."""
        return _range_message(Message("a whole number"), self.low, self.high)


@dataclass(frozen=True)
class Float(Parameter):
    """Parameter that is a finite number in ``[low, high]``, or one of a few words."""

    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()

    def check(self, value: Any) -> float | str:
        """Return `value` as float, or the word without blanks around it."""
        if isinstance(value, str):
            if value.strip() in self.words:
                return value.strip()
            try:
                value = float(value)
            except ValueError:
                raise self._refuse(value) from None
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise self._refuse(value)
        number = float(value)
        if not math.isfinite(number):
            raise self._refuse(value)
        if (self.low is not None and number < self.low) or (
            self.high is not None and number > self.high
        ):
            raise self._refuse(value)
        return number

    def describe(self) -> Message:
        """Return the allowed values, such as ``a number from 0 to 2, or auto``."""
        message = _range_message(Message("a number"), self.low, self.high)
        for word in self.words:
            message = Message("{allowed}, or {word}", allowed=message, word=word)
        return message


@dataclass(frozen=True)
class Choice(Parameter):
    """Parameter that is one of a few words."""

    options: Sequence[str] = ()

    def check(self, value: Any) -> str:
        """Return `value`, or raise if it is not one of the options."""
        if not isinstance(value, str) or value not in self.options:
            raise self._refuse(value)
        return value

    def describe(self) -> Message:
        """Return the allowed values, such as ``one of fcm, efcm``."""
        return Message("one of {options}", options=tuple(self.options))


@dataclass(frozen=True)
class Flag(Parameter):
    """Parameter that is true or false."""

    def check(self, value: Any) -> bool:
        """Return `value` as bool; of text: true, yes, 1, false, no and 0."""
        if isinstance(value, bool):
            return value
        words = {"true": True, "yes": True, "1": True}
        words |= {"false": False, "no": False, "0": False}
        if isinstance(value, str) and value.strip().lower() in words:
            return words[value.strip().lower()]
        raise self._refuse(value)

    def describe(self) -> Message:
        """Return the allowed values, ``true or false``."""
        return Message("true or false")


def _range_message(number: Message, low: float | None, high: float | None) -> Message:
    if low is not None and high is not None:
        ends = {"low": _number(low), "high": _number(high)}
        return Message("{number} from {low} to {high}", number=number, **ends)
    if low is not None:
        return Message("{number} of at least {low}", number=number, low=_number(low))
    if high is not None:
        return Message("{number} of at most {high}", number=number, high=_number(high))
    return number


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def validate_parameters(
    declared: tuple[Parameter, ...], given_values: dict[str, Any], owner: str
) -> dict[str, Any]:
    """Return all declared parameters with their checked or default values.

    Parameters
    ----------
    declared : tuple of Parameter
    given_values : dict
        Values by name, or by another name of the same; may be incomplete.
    owner : str
        Who takes the parameters, for the message: for instance ``"vmdav"``.

    Raises
    ------
    ParameterError
        If a name is unknown, a parameter is given by two names, or a value is out of
        range.
    """
    parameters = {parameter.name: parameter for parameter in declared}
    given_values = rename_to_declared(declared, given_values)
    for name in given_values:
        if name not in parameters:
            raise ParameterError(
                "{owner} has no parameter called {name!r}; it takes {known}.",
                owner=owner,
                name=name,
                known=list(parameters) or Message("no parameters"),
            )
    return {
        name: parameter.check(given_values[name])
        if name in given_values
        else parameter.default
        for name, parameter in parameters.items()
    }


def rename_to_declared(
    declared: tuple[Parameter, ...], given_values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return values by declared names in place of alternative names.

    Parameters
    ----------
    declared : tuple of Parameter
    given_values : mapping of str to object
        Names that nobody declares stay as they are.

    Raises
    ------
    ParameterError
        If a parameter is given by two of its names.
    """
    names = {other: entry.name for entry in declared for other in entry.also}
    values: dict[str, Any] = {}
    for name, value in given_values.items():
        key = names.get(name, name)
        if key in values:
            raise ParameterError(
                "Parameter {name} is given twice, also as {other}: give it once.",
                name=key,
                other=next(o for o in given_values if o != key and names.get(o) == key),
            )
        values[key] = value
    return values
