"""Every method, found by its file: one below this folder is one method more."""

from engine.methods.info import FAMILIES, MethodInfo, methods

__all__ = ["FAMILIES", "MethodInfo", "methods"]
