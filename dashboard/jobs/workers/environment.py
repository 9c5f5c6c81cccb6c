"""Environment variables of Coterie, and warnings on those that set nothing."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches

from dashboard.jobs.workers.resource_limits import (
    PERSON_MEMORY_VARIABLE,
    READING_MEMORY_VARIABLE,
    RUN_MEMORY_VARIABLE,
    bytes_from_environment,
)
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parallel import THREADS_VARIABLE, max_run_threads

PREFIX = "COTERIE_"

SETTING_VARIABLES = (
    RUN_MEMORY_VARIABLE,
    READING_MEMORY_VARIABLE,
    PERSON_MEMORY_VARIABLE,
    THREADS_VARIABLE,
)
"""Variables that people set."""

INTERNAL_VARIABLES = frozenset(
    f"{PREFIX}{name}"
    for name in (
        *("AUDIT", "BEGUN", "CLUSTER", "PLACE", "PLACE_ORDER", "SCRATCH", "SIGN_IN"),
        *("SPAWN", "SUPERVISOR", "TEAM", "UNTIL_CLOSED"),
    )
)
"""Variables by which processes of a server tell each other something."""

_SET_BY_OTHERS = re.compile(
    rf"{PREFIX}(PLACES|NAME|SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)"
)
"""Variables of the compose file, and those that Kubernetes sets for a service."""


def ineffective_variable_warnings() -> list[Message]:
    """Return a sentence on each ``COTERIE_`` variable here that sets nothing."""
    sentences = []
    for name, value in sorted(os.environ.items()):
        is_other = name in INTERNAL_VARIABLES or _SET_BY_OTHERS.fullmatch(name)
        if not name.upper().startswith(PREFIX) or is_other:
            continue
        if name not in SETTING_VARIABLES:
            sentences.append(_unknown_message(name))
        elif name == THREADS_VARIABLE:
            try:
                max_run_threads()
            except ParameterError as error:
                sentences.append(error.message)
        elif value and not bytes_from_environment(name):
            sentence = Message(
                "The environment variable {name} sets nothing: write a whole number of "
                "megabytes in place of {value!r}.",
                name=name,
                value=value,
            )
            sentences.append(sentence)
    return sentences


def _unknown_message(name: str) -> Message:
    endings = [each.removeprefix(PREFIX) for each in SETTING_VARIABLES]
    near = get_close_matches(name.upper().removeprefix(PREFIX), endings, 1)
    if not near:
        return Message(
            "The environment variable {name} sets nothing: Coterie has no such "
            "variable.",
            name=name,
        )
    return Message(
        "The environment variable {name} sets nothing: perhaps {meant} is meant.",
        name=name,
        meant=f"{PREFIX}{near[0]}",
    )
