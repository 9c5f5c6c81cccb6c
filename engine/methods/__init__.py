"""Every method, found by its file: one below this folder is one method more."""

import importlib
import pkgutil

from engine.methods.base import FAMILIES, MethodInfo, Microaggregator, methods

# The searches last: they offer the other methods to begin with.
for _module in sorted(
    (found.name for found in pkgutil.walk_packages(__path__, __name__ + ".")),
    key=lambda name: (".search" in name, name),
):
    importlib.import_module(_module)

__all__ = ["FAMILIES", "MethodInfo", "Microaggregator", "methods"]
