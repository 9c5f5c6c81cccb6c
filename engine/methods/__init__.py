"""Methods of microaggregation; each module below this package registers one."""

from engine.methods.descriptions.info import FAMILY_TITLES, MethodInfo, methods

__all__ = ["FAMILY_TITLES", "MethodInfo", "methods"]
