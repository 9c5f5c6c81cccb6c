"""Pydantic types that convert arrays and read-only mappings to JSON and back.

They stand in annotations, as in ``Annotated[Values, ArrayAsList(float)]``, which cost
nothing before something is written or read.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ArrayAsList:
    """Type of a one-dimensional array that is a list in JSON.

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


class ReadOnlyMapping:
    """Type of a read-only mapping that is an object in JSON."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema that pydantic asks for."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            types.MappingProxyType,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )
