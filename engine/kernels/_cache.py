"""Where compiled kernels lie: by what is compiled, and not by where its source lies.

Whoever installs the same kernels in another folder, or anew, need not compile again.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.caching import UserProvidedCacheLocator

_SETTINGS: Any = numba.config


class ByDigest(UserProvidedCacheLocator):
    """A kernel file's own folder, which its digest names and nothing else uses."""

    def __init__(self, py_func: object, py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[no-untyped-call]
        self._folder = str(_SETTINGS.CACHE_DIR)

    def get_cache_path(self) -> str:
        """Return the folder, as :mod:`engine.kernels._jit` has set it."""
        return self._folder
