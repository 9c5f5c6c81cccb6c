"""Errors that the engine raises for the user.

Each message is one sentence that says what is wrong, where, and what to do.
Messages name columns and rows, never values: they may end up in logs.
"""

from __future__ import annotations

from engine.core.message import Message


class EngineError(Exception):
    """Base class of all errors; ``str(error)`` is a sentence for the user.

    Parameters
    ----------
    template : str or Message
        A whole message, or the template of one.
    plural : str, optional
        The template for every ``count`` but 1.
    **values
        As in :class:`engine.core.message.Message`.
    """

    def __init__(
        self, template: str, plural: str | None = None, /, **values: object
    ) -> None:
        super().__init__(Message(template, plural, **values))

    @property
    def message(self) -> Message:
        """The error as a translatable template with values."""
        error_message = self.args[0]
        assert isinstance(error_message, Message)
        return error_message


class InputError(EngineError, ValueError):
    """Data, a file or a folder cannot be used as they are; exit code 2."""


class ParameterError(EngineError, ValueError):
    """A choice does not exist, is out of range or excludes another one; exit code 2."""


class InfeasibleError(EngineError, ValueError):
    """No result meets the demands, as with fewer records than k; exit code 2."""


class Cancelled(EngineError):
    """``RunContext(cancelled=...)`` stopped the run; there is no outcome."""
