"""What a release costs and what it protects: one measure per file."""

import importlib
import pkgutil

from engine.measures.base import MeasureInfo, Protected, Score, measures

for _module in sorted(
    found.name for found in pkgutil.walk_packages(__path__, __name__ + ".")
):
    importlib.import_module(_module)

__all__ = ["MeasureInfo", "Protected", "Score", "measures"]
