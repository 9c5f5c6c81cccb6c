"""Type aliases of the arrays in signatures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
