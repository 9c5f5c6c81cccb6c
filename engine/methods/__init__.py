"""Methods, discovered by file: each module below this folder registers one."""

from engine.methods.info import FAMILY_TITLES, MethodInfo, methods

__all__ = ["FAMILY_TITLES", "MethodInfo", "methods"]
