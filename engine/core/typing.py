"""The types of arrays that signatures name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
