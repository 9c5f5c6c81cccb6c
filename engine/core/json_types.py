"""How read-only arrays and mappings are written to JSON and read again by pydantic.

They stand in annotations, as in ``Annotated[Values, Listed(float)]``, which cost
nothing before something is written or read.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Listed:
    """An array of one axis is a list.

    Parameters
    ----------
    of : type
        Of each number: float or int; what pydantic makes of such a type is checked.
    """

    of: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema that pydantic asks for."""
        from pydantic_core import core_schema

        dtype = np.float64 if self.of is float else np.int64

        def array(numbers: list[Any]) -> NDArray[Any]:
            try:
                return np.array(numbers, dtype=dtype)
            except OverflowError:
                raise ValueError("a number is too large") from None

        listed = handler.generate_schema(types.GenericAlias(list, (self.of,)))
        return core_schema.no_info_after_validator_function(
            array,
            listed,
            serialization=core_schema.plain_serializer_function_ser_schema(
                np.ndarray.tolist
            ),
        )


class ReadOnly:
    """A mapping is an object in JSON, and read-only when it has been read."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema that pydantic asks for."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            types.MappingProxyType,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )
