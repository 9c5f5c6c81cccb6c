"""Check of the arguments of public functions, by their annotations."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
import types
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from engine.core.errors import ParameterError

Checked = TypeVar("Checked", bound=Callable[..., Any])

_WORDS = {
    "bool": "True or False",
    "bytes": "bytes",
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "PathLike": "a path",
    "Role": "a Role, such as Role.OTHER or 'other'",
    "Kind": "a Kind, such as Kind.NOMINAL or 'nominal'",
    "Table": "a Table, as engine.read_table returns",
    "Outcome": "an Outcome, as engine.run returns",
    "Plan": "a Plan, as engine.Plan(k=5) makes",
}
"""Types in words, and where people get the ones that they hand in most."""

_PATHS = ("source", "target")
"""Names of the arguments that may be a path."""

_NUMBERS: dict[type, tuple[type, ...]] = {
    int: (numbers.Integral,),
    float: (numbers.Real,),
    bool: (bool, np.bool_),
}


def check_arguments(target: Checked) -> Checked:
    """Decorate a function or class to check its arguments' types at each call.

    Array-likes are not checked, nor other types that only a type checker can tell. A
    seed must not be negative, nor a path have a zero byte. A call with too many or too
    few arguments fails as any other.

    Raises
    ------
    ParameterError
        From each call with an argument of another type than its annotation, a
        negative seed, or a path with a zero byte.
    """
    if isinstance(target, type):
        target.__init__ = _check_call(target.__init__, target.__name__)  # type: ignore[misc]
        return target
    name = target.__qualname__.removesuffix(".__init__")
    return _check_call(target, name)  # type: ignore[return-value]


def _check_call(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    names = tuple(inspect.signature(function).parameters)
    passed: set[tuple[str, type]] = set()  # a wide table has 100,000 columns

    @functools.cache
    def hints() -> dict[str, Any]:
        return get_type_hints(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(zip(names, args, strict=False)) | kwargs
        for argument, value in arguments.items():
            hint, key = hints().get(argument, Any), (argument, type(value))
            if key in passed:
                pass
            elif _is_of(value, hint):
                # Another text may be no member of an enumeration, another item wrong.
                is_member = isinstance(value, str) and type(value) is not str
                if hint is str or is_member or not isinstance(value, Collection):
                    passed.add(key)
            else:
                raise ParameterError(
                    "{argument!r} of {function} is of type {type}: give it {expected}.",
                    argument=argument,
                    function=name,
                    type=type(value).__name__,
                    expected=_describe(hint),
                )
            if argument.endswith("seed") and value is not None and value < 0:
                raise ParameterError(
                    "{argument!r} of {function} is negative: give it 0 or more.",
                    argument=argument,
                    function=name,
                )
            is_path = argument in _PATHS and isinstance(value, (str, os.PathLike))
            if is_path and "\0" in os.fspath(value):
                raise ParameterError(
                    "{argument!r} of {function} has a zero byte, which no path may "
                    "have: name another file.",
                    argument=argument,
                    function=name,
                )
        return function(*args, **kwargs)

    return call


def _is_of(value: object, hint: Any) -> bool:
    """Return whether a value is of an annotated type, as far as can be told."""
    origin = get_origin(hint) or hint
    inner = get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_of(value, member) for member in inner)
    if origin is Literal:
        return isinstance(value, str)  # the function names the texts that it takes
    if origin is type(None) or hint is None:
        return value is None
    if origin in _NUMBERS:
        is_bool = isinstance(value, (bool, np.bool_))
        return isinstance(value, _NUMBERS[origin]) and is_bool == (origin is bool)
    if origin is Callable:
        return callable(value)
    if (
        hint is Any
        or not isinstance(origin, type)
        or getattr(origin, "_is_protocol", False)
    ):
        return True
    if issubclass(origin, np.ndarray):
        return True
    if issubclass(origin, Mapping):
        return isinstance(value, origin) and all(
            _is_of(key, inner[0]) and _is_of(item, inner[1])
            for key, item in (value.items() if inner else ())
        )
    if origin is tuple and inner[-1] is not Ellipsis:
        parts = value if isinstance(value, tuple) else ()
        return len(parts) == len(inner) and all(map(_is_of, parts, inner))
    if origin is tuple or origin.__module__ == "collections.abc":
        return _is_collection_of(value, inner)
    if issubclass(origin, StrEnum) and isinstance(value, str):
        return value in [*origin]
    return isinstance(value, origin)


def _is_collection_of(value: object, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, Collection) or isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        return all(_is_of(item, inner[0]) for item in value)
    except TypeError:  # an array without dimensions
        return False


def _describe(hint: Any) -> str:
    """Return an annotated type in words."""
    origin = get_origin(hint) or hint
    inner = get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_describe, inner)))
    if origin is type(None):
        return "None"
    if origin is Literal:
        return "a text"
    if origin is Callable:
        return "a function"
    name = getattr(origin, "__name__", str(origin))
    if name in _WORDS:
        return _WORDS[name]
    if inner and issubclass(origin, Mapping):
        return f"a mapping of {_describe(inner[0])} to {_describe(inner[1])}"
    if inner and origin.__module__ == "collections.abc":
        return f"a list of {_describe(inner[0])}"
    return f"a {name}"
