"""Everything is filed once, found by every name, and never by a wrong one."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.core.errors import ParameterError
from engine.core.registry import Registry, list_module_names


@dataclass(frozen=True)
class Fruit:
    id: str
    aliases: tuple[str, ...] = ()


@pytest.fixture
def fruits() -> Registry[Fruit, str]:
    registry: Registry[Fruit, str] = Registry("fruit")
    registry.register(Fruit("pear"))("a pear")
    registry.register(Fruit("apple", ("pomme", "malus")))("an apple")
    return registry


def test_things_come_in_the_order_of_registration(
    fruits: Registry[Fruit, str],
) -> None:
    assert list(fruits) == ["pear", "apple"]
    assert [info.id for info in fruits.infos()] == ["pear", "apple"]
    assert len(fruits) == 2


@pytest.mark.parametrize("name", ["apple", "pomme", "malus"])
def test_an_alias_finds_the_same_thing(fruits: Registry[Fruit, str], name: str) -> None:
    assert name in fruits
    assert fruits.resolve(name) == "apple"
    assert fruits.get(name) == "an apple"
    assert fruits.info(name).id == "apple"


@pytest.mark.parametrize(
    "info",
    [
        Fruit("apple"),
        Fruit("pomme"),
        Fruit("kiwi", ("pear",)),
        Fruit("kiwi", ("malus",)),
    ],
)
def test_a_name_that_is_taken_is_refused_and_nothing_is_filed(
    fruits: Registry[Fruit, str], info: Fruit
) -> None:
    with pytest.raises(ValueError, match="is registered twice"):
        fruits.register(info)("another")
    assert list(fruits) == ["pear", "apple"]
    assert "kiwi" not in fruits


def test_a_thing_that_differs_from_its_description_is_not_filed() -> None:
    def check(info: Fruit, thing: str) -> None:
        if info.id not in thing:
            raise TypeError("they differ")

    registry: Registry[Fruit, str] = Registry("fruit", check)
    with pytest.raises(TypeError, match="they differ"):
        registry.register(Fruit("plum", ("prune",)))("a pear")
    assert "plum" not in registry
    assert "prune" not in registry


def test_a_decorated_thing_stays_what_it_is() -> None:
    registry: Registry[Fruit, type] = Registry("fruit")

    @registry.register(Fruit("fig"))
    class Fig:
        pass

    assert registry.get("fig") is Fig


@pytest.mark.parametrize("wrong", ["aple", "pome", "Apple"])
def test_a_misspelt_name_is_answered_with_the_nearest(
    fruits: Registry[Fruit, str], wrong: str
) -> None:
    with pytest.raises(
        ParameterError, match=f"no fruit called '{wrong}'.*did you mean"
    ):
        fruits.get(wrong)


def test_a_name_like_no_other_is_answered_with_all(
    fruits: Registry[Fruit, str],
) -> None:
    with pytest.raises(ParameterError, match="one of pear, apple"):
        fruits.info("zzzzzz")
    assert "zzzzzz" not in fruits


TREES: Registry[Fruit, Callable[[], None]] = Registry(
    "tree", modules=lambda: list_module_names("orchard")
)


def module(name: str, more: str = "") -> str:
    """Return the text of a module that registers one thing."""
    return (
        "from tests.engine.core.test_registry import TREES, Fruit\n"
        f"@TREES.register(Fruit({name!r}))\n"
        f"def grow(): ...\n{more}"
    )


def test_modules_that_register_things_are_loaded_when_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "orchard").mkdir()
    (tmp_path / "orchard" / "__init__.py").touch()
    for name in ("plum", "cherry"):
        (tmp_path / "orchard" / f"{name}.py").write_text(module(name))
    (tmp_path / "orchard" / "apple.py").write_text(module("apple", "len(TREES)\n"))
    with pytest.raises(RuntimeError, match="A tree asks for others while it is loaded"):
        list(TREES)
    (tmp_path / "orchard" / "apple.py").unlink()
    importlib.import_module("orchard.plum")
    assert "orchard.cherry" not in sys.modules
    # Listed by module, not by who was imported first; what is no file stays, last.
    assert list(TREES) == ["cherry", "plum", "apple"]
    assert "orchard.cherry" in sys.modules


BUSHES: Registry[Fruit, Callable[[], None]] = Registry(
    "bush", modules=lambda: list_module_names("hedge")
)


def test_a_look_up_imports_the_module_of_that_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "hedge").mkdir()
    (tmp_path / "hedge" / "__init__.py").touch()
    files = {"sea_rose": "sea-rose", "sloe": "sloe", "berries": "currant"}
    for file, name in files.items():
        text = module(name).replace("TREES", "BUSHES").replace("grow", file)
        (tmp_path / "hedge" / f"{file}.py").write_text(text)
    asks = module("elder", "BUSHES.get('sloe')\n").replace("TREES", "BUSHES")
    (tmp_path / "hedge" / "elder.py").write_text(asks)

    def imported() -> set[str]:
        return {name for name in sys.modules if name.startswith("hedge.")}

    for _ in range(2):
        assert BUSHES.info("sea-rose").id == BUSHES.resolve("sea-rose") == "sea-rose"
        assert BUSHES.get("sea-rose").__name__ == "sea_rose"
        assert imported() == {"hedge.sea_rose"}
    with pytest.raises(RuntimeError, match="A bush asks for others while it is loaded"):
        BUSHES.get("elder")
    (tmp_path / "hedge" / "elder.py").unlink()
    # No module is called so: all are looked through.
    assert BUSHES.info("currant").id == "currant"
    assert imported() == {"hedge.sea_rose", "hedge.sloe", "hedge.berries"}
    assert list(BUSHES) == ["currant", "sea-rose", "sloe", "elder"]
    with pytest.raises(ParameterError, match="did you mean sloe"):
        BUSHES.get("slo")
