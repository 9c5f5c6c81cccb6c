"""Methods of microaggregation, each registered by a module below this package."""

from engine.methods.descriptions.info import FAMILY_TITLES, MethodInfo, methods

__all__ = ["FAMILY_TITLES", "MethodInfo", "methods"]
