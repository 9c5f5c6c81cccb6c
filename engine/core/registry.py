"""Registries of methods, measures, formats and the like; names of modules.

Everything that lists or looks up such things (command line, dashboard,
manual, conformance tests) reads a registry; nothing is listed twice.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from engine.core.errors import ParameterError
from engine.core.message import Message, join_with_or


class RegistryInfo(Protocol):
    """Interface of descriptions in a registry: identifier and aliases."""

    @property
    def id(self) -> str:
        """Lower-case identifier with hyphens."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Alternative identifiers."""


I = TypeVar("I", bound=RegistryInfo)
T = TypeVar("T")


class Registry(Generic[I, T]):
    """``list(...)`` gives identifiers, ``info(id)`` descriptions, ``get(id)`` objects.

    Entries have the order of their modules. :meth:`register` adds one, :meth:`infos`
    gives all descriptions.
    """

    def __init__(
        self,
        noun: Message,
        check: Callable[[I, T], None] | None = None,
        modules: Callable[[], Sequence[str]] | None = None,
        explain_unknown: Callable[[str], Message | None] | None = None,
    ) -> None:
        """Make an empty registry.

        Parameters
        ----------
        noun : Message
            Singular noun of the registered things, for error messages.
        check : callable, optional
            Called as ``check(info, thing)`` at registration; raises when they disagree.
        modules : callable, optional
            Returns the modules that register entries. Entries are listed in the order
            of these modules. They are imported when the registry is first asked
            anything, so that importing the registry itself loads none of them. To look
            up ``k-ward``, a module ``k_ward`` is imported alone, where there is one.
        explain_unknown : callable, optional
            Called as ``explain_unknown(name)`` with a name that nothing is registered
            under; returns the error's message, or None for one that offers similar
            names.
        """
        self.noun = noun
        self._check = check
        self._modules = modules or list
        self._explain_unknown = explain_unknown
        self._loaded = modules is None
        self._loading = False
        self._lock = threading.RLock()
        self._entries: dict[str, tuple[I, T]] = {}
        self._aliases: dict[str, str] = {}

    def register(self, info: I) -> Callable[[T], T]:
        """Return a decorator that registers an object with its description.

        Raises
        ------
        ValueError
            If the identifier or an alias is taken: a mistake in the program.
        """

        def decorate(thing: T) -> T:
            for name in (info.id, *info.aliases):
                if name in self._entries or name in self._aliases:
                    raise ValueError(f"{self.noun} {name!r} is registered twice")
            if self._check is not None:
                self._check(info, thing)
            self._entries[info.id] = (info, thing)
            self._aliases.update(dict.fromkeys(info.aliases, info.id))
            return thing

        return decorate

    def resolve(self, name: str) -> str:
        """Return the identifier that an identifier or alias stands for.

        Raises
        ------
        ParameterError
            If there is no such entry; the message offers similar names, or all.
        """
        if not isinstance(name, str) or not self._load_entry(name):
            self._load()
        near: list[str] = []
        if isinstance(name, str):
            key = self._aliases.get(name, name)
            if key in self._entries:
                return key
            explain = self._explain_unknown
            if explain is not None and (explanation := explain(name)) is not None:
                raise ParameterError(explanation)
            names = [*self._entries, *self._aliases]
            near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        if near:
            raise ParameterError(
                "There is no {noun} called {name!r}: did you mean {near}?",
                noun=self.noun,
                name=name,
                near=join_with_or(near),
            )
        raise ParameterError(
            "There is no {noun} called {name!r}: one of {known}?",
            noun=self.noun,
            name=name,
            known=list(self._entries),
        )

    def info(self, name: str) -> I:
        """Return the description registered under a name."""
        return self._entries[self.resolve(name)][0]

    def get(self, name: str) -> T:
        """Return the object registered under a name."""
        return self._entries[self.resolve(name)][1]

    def infos(self) -> tuple[I, ...]:
        """Return all descriptions, in the order of the modules that register them."""
        self._load()
        return tuple(info for info, _ in self._entries.values())

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(self._entries)

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def __contains__(self, name: str) -> bool:
        self._load()
        return name in self._entries or name in self._aliases

    def _load(self) -> None:
        """Import the modules that register things, once."""
        if self._loaded:
            return
        with self._lock:
            if self._loaded:  # by another thread, meanwhile
                return
            names = self._modules()
            self._import(names)
            # Somebody may have imported one of them before all others.
            place = {name: place for place, name in enumerate(names)}
            self._entries = dict(
                sorted(
                    self._entries.items(),
                    key=lambda entry: place.get(entry[1][1].__module__, len(names)),
                )
            )
            self._loaded = True

    def _load_entry(self, name: str) -> bool:
        """Import the module of an entry alone; return whether it is registered then."""
        if self._loaded:
            return True
        with self._lock:
            key = self._aliases.get(name, name)
            if key in self._entries:  # and its module may still be on its way
                self._import([self._entries[key][1].__module__])
            else:
                last = f".{name.replace('-', '_')}"
                self._import([each for each in self._modules() if each.endswith(last)])
            return name in self._entries or name in self._aliases

    def _import(self, names: Sequence[str]) -> None:
        """Import modules that register things.

        Raises RuntimeError if one of them asks while it is imported: not all is
        registered yet.
        """
        if self._loading:
            raise RuntimeError(f"A {self.noun} asks for others while it is loaded.")
        self._loading = True
        try:
            for name in names:
                importlib.import_module(name)
        finally:
            self._loading = False


def list_module_names(package: str) -> list[str]:
    """Return the full names of all modules and packages below a package, sorted."""
    path = importlib.import_module(package).__path__
    return sorted(module.name for module in pkgutil.walk_packages(path, package + "."))
