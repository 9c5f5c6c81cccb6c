"""Bundle of the class file's scripts: JavaScript modules joined into one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

SCRIPTS = Path(__file__).with_name("js")
"""Folder of the modules."""

MAIN = "main.js"
"""The module that the page begins with."""

_AT_ONCE = '(function () {\n"use strict";\n{script}\n}());\n'

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?(function|const|let|class)\b)", re.MULTILINE)
_DEFINED = re.compile(
    r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE
)


def read_javascript_modules(folder: Path = SCRIPTS) -> dict[str, str]:
    """Return the text of each JavaScript module in a folder, by file name."""
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("*.js"))
    }


def bundle_modules(
    modules: Mapping[str, str], main_module: str = MAIN, wrapper: str = _AT_ONCE
) -> str:
    """Return a main module and all that it imports as one script.

    Parameters
    ----------
    modules : mapping of str to str
        Texts by file name. Imports stand one to a statement, from ``./NAME.js`` and
        without other names; exports stand before what they export.
    main_module : str
        The module that is run last.
    wrapper : str
        What the script is a part of, with ``{script}`` where it stands.

    Raises
    ------
    ValueError
        If two modules define the same name, import each other or one that is not
        there, or use a form of import or export that is not known here.
    """
    parts, owners = [], dict[str, str]()
    for name in _import_order(modules, main_module):
        for defined in _DEFINED.findall(modules[name]):
            if defined in owners:
                raise ValueError(f"{name} and {owners[defined]} define {defined}")
            owners[defined] = name
        text = _EXPORT.sub("", _IMPORT.sub("", modules[name]))
        if re.search(r"^(import|export)\b", text, re.MULTILINE):
            raise ValueError(f"{name} has an import or export of another form")
        parts.append(text.strip())
    return wrapper.replace("{script}", "\n\n".join(parts))


def _import_order(modules: Mapping[str, str], main: str) -> Iterator[str]:
    """Yield the modules that are needed, each after those that it imports."""
    done: set[str] = set()
    under_way: list[str] = []

    def visit(name: str) -> Iterator[str]:
        if name in done:
            return
        if name in under_way:
            raise ValueError(f"{name} imports itself through {under_way[-1]}")
        if name not in modules:
            raise ValueError(f"{name} is imported, and is none of the modules")
        under_way.append(name)
        for needed in _IMPORT.findall(modules[name]):
            yield from visit(needed)
        under_way.pop()
        done.add(name)
        yield name

    return visit(main)
