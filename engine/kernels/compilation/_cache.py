"""Numba cache locator that returns the cache folder chosen by `_jit`.

Whoever installs the same kernels in another folder, or anew, need not compile again.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.caching import UserProvidedCacheLocator

_NUMBA_CONFIG: Any = numba.config


class ConfiguredCacheLocator(UserProvidedCacheLocator):
    """Numba cache locator that returns the folder chosen by `_jit`."""

    def __init__(self, py_func: object, py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[no-untyped-call]
        self._folder = str(_NUMBA_CONFIG.CACHE_DIR)

    def get_cache_path(self) -> str:
        """Return the cache folder that :mod:`~engine.kernels.compilation._jit` set."""
        return self._folder
