"""Every error that the engine raises on purpose.

Each message is one sentence that says what is wrong, where, and what to do.
Messages name columns and rows, never values: they may end up in logs.
"""


class EngineError(Exception):
    """Base of all errors with a message meant for the user."""


class InputError(EngineError, ValueError):
    """The data cannot be used as they are."""


class ParameterError(EngineError, ValueError):
    """A choice (method, parameter, k, column) does not exist or is out of range."""


class InfeasibleError(EngineError, ValueError):
    """No partition meets the demands, for instance fewer records than k."""


class Cancelled(EngineError):
    """The user stopped the run; nothing was kept."""
