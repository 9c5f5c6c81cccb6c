"""Packages stand on floors and import only from below, also lazily and for types.

A folder has at most twelve entries, or says at its top what each of them is for: a
registry grows by a file per method, measure, attack or text, and who looks for one
knows its name. Any other folder that is larger is several rooms in one.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.imports import ROOT, Import, imports, sources

MAX_ENTRIES = 12
"""Of a folder that does not say at its top what it has one of each for."""

Floors = Sequence[Sequence[str]]
"""Names of packages or modules below a tree's root, lowest floor first."""

FLOORS: Mapping[str, Floors] = {
    "engine": (
        ("core", "kernels"),
        ("data", "hierarchy", "constraints", "neighbours"),
        ("points", "bounds", "aggregate"),
        ("methods",),
        ("measures", "persons"),
        ("pipeline",),
        ("files", "storage"),
        ("release", "analysis"),
        ("report", "certificate"),
        ("streaming",),
        ("cli",),
    ),
    "dashboard": (
        ("audit",),
        ("i18n", "manual"),
        ("charts", "server"),
        ("results", "learn", "class_file"),
        ("jobs",),
        ("state",),
        ("projects",),
        ("readers",),
        ("ui",),
        (
            "app_pages.data",
            "app_pages.need",
            "app_pages.compare.rail",
            "app_pages.compare",
            "app_pages.inspect",
            "app_pages.release",
            "app_pages.learn",
            "app_pages.help",
        ),
        ("places",),
        ("app", "serve", "doctor", "bill"),
    ),
}


class Tree:
    """One tree of packages, its modules and what they import of each other.

    Parameters
    ----------
    folder : Path
        Of the tree's root package; its name is that of the package.
    floors : Floors
        The root's own files, but for modules named here, stand above them all.
    """

    def __init__(self, folder: Path, floors: Floors) -> None:
        self.name = folder.name
        self.floor = {
            f"{self.name}.{package}": height
            for height, packages in enumerate(floors)
            for package in packages
        }
        self.floor[self.name] = len(floors)
        self.modules = {self._module(path, folder): path for path in sources(folder)}
        self.imports = {
            module: [
                (statement, target)
                for statement in imports(path)
                for target in self._of(statement)
            ]
            for module, path in self.modules.items()
        }

    def _module(self, path: Path, folder: Path) -> str:
        parts = path.relative_to(folder.parent).with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")

    def _of(self, one: Import) -> Iterator[str]:
        """Yield the module of this tree that an import loads, if it is one."""
        name = one.name
        if name != self.name and not name.startswith(self.name + "."):
            return
        if name not in self.modules:  # something within a module
            name = name.rpartition(".")[0]
        assert name in self.modules, f"{one}, which is not there"
        yield name

    def package(self, module: str) -> str:
        """Return the package on a floor that a module belongs to."""
        parts = module.split(".")
        names = (".".join(parts[:end]) for end in range(len(parts), 1, -1))
        own_package = next((name for name in names if name in self.floor), None)
        if own_package is not None:
            return own_package
        above = (self.name, f"{self.name}.__main__")
        if module in above or any(name.startswith(f"{module}.") for name in self.floor):
            return self.name
        raise LookupError(f"{module} stands on no floor")

    def between(self) -> Iterator[tuple[Import, str, str]]:
        """Yield every import from one package to another: it, and both packages."""
        for module, pairs in self.imports.items():
            for statement, target in pairs:
                home_package, target_package = (
                    self.package(module),
                    self.package(target),
                )
                if home_package != target_package:
                    yield statement, home_package, target_package

    def offences(self) -> list[str]:
        """Return the imports that go up, and those that go round on one floor."""
        arrows = list(self.between())
        level: dict[str, set[str]] = {package: set() for package in self.floor}
        for _one, home, target in arrows:
            if self.floor[home] == self.floor[target]:
                level[home].add(target)
        complaints = []
        for statement, home, target in arrows:
            if self.floor[target] > self.floor[home]:
                complaints.append(f"{statement}: {home} stands below {target}")
            elif self.floor[target] == self.floor[home] and home in _reached(
                level, target
            ):
                complaints.append(
                    f"{statement}: {target} imports {home} as well, on one floor"
                )
        return complaints

    def circles(self) -> list[str]:
        """Return the imports through which modules import themselves."""
        arrows = {
            module: {target for _one, target in pairs if target != module}
            for module, pairs in self.imports.items()
        }
        return [
            f"{statement}, which imports {module} again"
            for module, pairs in self.imports.items()
            for statement, target in pairs
            if target != module and module in _reached(arrows, target)
        ]


def _reached(arrows: Mapping[str, set[str]], start: str) -> set[str]:
    """Return where the arrows lead to from a start, itself among it."""
    destinations, waiting = {start}, [start]
    while waiting:
        new = arrows[waiting.pop()] - destinations
        destinations |= new
        waiting += new
    return destinations


@pytest.fixture(scope="module", params=FLOORS)
def tree(request: pytest.FixtureRequest) -> Tree:
    return Tree(ROOT / request.param, FLOORS[request.param])


def test_packages_import_only_from_floors_below(tree: Tree) -> None:
    assert tree.offences() == []


def test_every_package_of_the_table_is_there(tree: Tree) -> None:
    assert {tree.package(module) for module in tree.modules} == set(tree.floor)


def test_no_module_imports_itself_through_others(tree: Tree) -> None:
    assert tree.circles() == []


EXAMPLE = (("low",), ("left", "right"), ("high",))

LAZY = "def f():\n    from house.{} import here\n"
TYPES = (
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import house.{}.here\n"
)
NAMED = "import importlib\nimportlib.import_module('house.{}.here')\n"


def built(folder: Path, **sources_of: str) -> Tree:
    """Return a house with a module `here` in each package, some of them with text."""
    for package in ("low", "left", "right", "high"):
        (folder / "house" / package).mkdir(parents=True)
        for name in ("__init__", "here"):
            (folder / "house" / package / f"{name}.py").touch()
    (folder / "house" / "__init__.py").touch()
    for package, text in sources_of.items():
        (folder / "house" / package / "here.py").write_text(text, encoding="utf-8")
    return Tree(folder / "house", EXAMPLE)


@pytest.mark.parametrize(
    ("text", "line"),
    [("from house.{}.here import thing", 1), (LAZY, 2), (TYPES, 3), (NAMED, 2)],
)
def test_every_kind_of_import_from_above_is_refused(
    text: str, line: int, tmp_path: Path
) -> None:
    (offence,) = built(tmp_path, low=text.format("high")).offences()
    assert f"low/here.py, line {line}: " in offence
    assert offence.endswith("house.low stands below house.high")
    assert built(tmp_path / "other", high=text.format("low")).offences() == []


def test_packages_of_one_floor_import_in_one_direction(tmp_path: Path) -> None:
    to_right = LAZY.format("right")
    assert built(tmp_path, left=to_right).offences() == []
    both = built(tmp_path / "other", left=to_right, right=TYPES.format("left"))
    first, second = both.offences()
    assert "left/here.py, line 2: " in first
    assert "right/here.py, line 3: " in second


def test_the_root_stands_above_all_floors(tmp_path: Path) -> None:
    (offence,) = built(tmp_path, high="from house import thing").offences()
    assert offence.endswith("house.high stands below house")


def test_a_package_on_no_floor_is_named(tmp_path: Path) -> None:
    tree = built(tmp_path)
    with pytest.raises(LookupError, match=r"house\.cellar stands on no floor"):
        tree.package("house.cellar")


def test_a_circle_within_a_package_is_found(tmp_path: Path) -> None:
    built(tmp_path)
    package = tmp_path / "house" / "low"
    (package / "other.py").write_text("import house.low.here\n", encoding="utf-8")
    (package / "here.py").write_text(LAZY.format("low.other"), encoding="utf-8")
    tree = Tree(tmp_path / "house", EXAMPLE)
    assert tree.offences() == []
    assert len(tree.circles()) == 2


@pytest.mark.parametrize(
    "folder",
    [
        path.parent.relative_to(ROOT).as_posix()
        for tree in ("engine", "dashboard")
        for path in sources(ROOT / tree, "__init__.py")
    ],
)
def test_a_large_folder_says_why(folder: str) -> None:
    package_folder = ROOT / folder
    entries = {path.stem for path in package_folder.glob("*.py")} - {
        "__init__",
        "__main__",
    }
    entries |= {path.parent.name for path in package_folder.glob("*/__init__.py")}
    top = (
        ast.get_docstring(
            ast.parse((package_folder / "__init__.py").read_text("utf-8"))
        )
        or ""
    )
    if len(entries) > MAX_ENTRIES:
        assert re.search(r"\b[Oo]ne \w+( of texts)? per \w+", top), entries
