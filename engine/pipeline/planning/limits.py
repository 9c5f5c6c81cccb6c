"""Size limits on input: hierarchies, numbers of runs, and JSON of unknown origin.

They are far above what anybody needs, and low enough that whatever passes is checked
within a second.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from engine.core.errors import ParameterError
from engine.core.message import Message

MAX_COLUMNS = 10_000
"""Columns that one choice may name."""

MAX_K = 10**9

MAX_SEED = 2**53 - 1
"""Largest integer that a browser represents exactly."""

MAX_SEEDS = 1_000
"""Seeds that one method may be run with."""

MAX_RULES = 1_000
MAX_RULE_CHARS = 10_000
"""Rules, and characters of one."""

MAX_SIZES = 100
"""Values of k at a time."""

MAX_RUNS = 400
"""Runs, methods times values of k, at a time."""

MAX_PLAN_BYTES = 2**23
"""Bytes of a plan or a project's choices as JSON."""

MAX_NUMBER_CHARS = 1_000
"""Characters of a number in a plan."""

MAX_HIERARCHY_LABELS = 400_000
"""Labels of one hierarchy, all levels together."""


def check_run_count(n_methods: int, n_k_values: int) -> None:
    """Raise if there are too many values of k, or of methods times values of k.

    Raises
    ------
    ParameterError
    """
    if n_k_values > MAX_SIZES:
        raise ParameterError(
            "{sizes:,} values of k are asked for, but at most {most} can be at a time: "
            "choose fewer.",
            sizes=n_k_values,
            most=MAX_SIZES,
        )
    if n_methods * n_k_values > MAX_RUNS:
        raise ParameterError(
            "{methods:,} methods with {sizes:,} values of k are {runs:,} runs, but at "
            "most {most} can be asked for at a time: choose fewer.",
            methods=n_methods,
            sizes=n_k_values,
            runs=n_methods * n_k_values,
            most=MAX_RUNS,
        )


def check_hierarchy_size(rows: Sequence[Sequence[str]]) -> None:
    """Raise if a hierarchy has too many labels.

    Raises
    ------
    ParameterError
    """
    labels = sum(map(len, rows))
    if labels > MAX_HIERARCHY_LABELS:
        raise ParameterError(
            "A hierarchy of {labels:,} labels is more than the {most:,} that are read: "
            "leave levels out.",
            labels=labels,
            most=MAX_HIERARCHY_LABELS,
        )


def parse_untrusted_json(text: str | bytes, document: Message) -> Any:
    """Return parsed JSON of unknown origin, limited in length, depth and numbers.

    Parameters
    ----------
    text : str or bytes
    document : Message
        Such as "plan", for errors.

    Raises
    ------
    ParameterError
        If it is no JSON, too long or too deep, if a key comes twice, or if a number
        has too many characters or is none that a float64 holds.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        json_value: dict[str, Any] = {}
        for key, value in pairs:
            if key in json_value:
                raise ParameterError(
                    "The {what} says {key!r} twice: leave one of them out.",
                    what=document,
                    key=key,
                )
            json_value[key] = value
        return json_value

    def refuse_infinite(number: str) -> float:
        if not math.isfinite(json_value := float(number)):
            raise ParameterError(
                "The {what} has the number {number}: write a finite one.",
                what=document,
                number=number,
            )
        return json_value

    def refuse_long(number: str) -> str:
        if len(number) > MAX_NUMBER_CHARS:
            raise ParameterError(
                "The {what} has a number of {size:,} characters, more than the "
                "{most:,} of one: write a shorter number.",
                what=document,
                size=len(number),
                most=MAX_NUMBER_CHARS,
            )
        return number

    if len(text) > MAX_PLAN_BYTES:
        raise ParameterError(
            "The {what} has {size:,.0f} MB, but at most {most:,.0f} MB are read: it "
            "is no {what}, or names far too much.",
            what=document,
            size=len(text) / 2**20,
            most=MAX_PLAN_BYTES / 2**20,
        )
    try:
        return json.loads(
            text,
            object_pairs_hook=once,
            parse_int=lambda number: int(refuse_long(number)),
            parse_float=lambda number: refuse_infinite(refuse_long(number)),
            parse_constant=refuse_infinite,
        )
    except ParameterError:
        raise
    except RecursionError:
        raise ParameterError(
            "The {what} is nested too deeply to be one.", what=document
        ) from None
    except ValueError as error:
        raise ParameterError(
            "The {what} is not readable JSON ({error}).", what=document, error=error
        ) from None
