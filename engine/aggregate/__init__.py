"""How a group's values become one value: one file for each way."""

import importlib
import pkgutil

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations

for _module in sorted(
    found.name for found in pkgutil.iter_modules(__path__, __name__ + ".")
):
    importlib.import_module(_module)

__all__ = ["AggregationInfo", "Common", "Members", "aggregations"]
