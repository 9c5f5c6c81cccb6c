"""The order in which methods are tested."""

from pathlib import Path

import pytest

EVERY_METHOD = Path(__file__).with_name("test_every_method.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put together what is asked of one method.

    Workers take neighbouring tests: so each compiles the kernels of its own methods,
    and groups that several tests look at are made once.
    """
    places = [place for place, item in enumerate(items) if item.path == EVERY_METHOD]
    ordered_items = sorted((items[place] for place in places), key=_method)
    for place, item in zip(places, ordered_items, strict=True):
        items[place] = item


def _method(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    if call is None:
        return ""
    return str(call.params["name"])
