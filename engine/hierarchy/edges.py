"""Build hierarchies from pairs of a child and its parent."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.errors import InputError
from engine.hierarchy.tree import Hierarchy


def from_edges(edges: Iterable[tuple[str, str]]) -> Hierarchy:
    """Return the hierarchy formed by (child, parent) pairs.

    Parameters
    ----------
    edges : iterable of (str, str)
        Labels are unique over the whole tree. What is nobody's parent is a leaf, in
        order of appearance. A leaf nearer to the root than others comes again at the
        levels that it lacks.

    Raises
    ------
    InputError
        If there is no pair, or there are a cycle, two parents for one child, two
        roots, or an empty label. The sentence names the label.

    Examples
    --------
    >>> from_edges([("a", "b"), ("b", "*"), ("c", "*")]).rows
    (('a', 'b', '*'), ('c', 'c', '*'))
    """
    parents: dict[str, str] = {}
    for child, parent in edges:
        if not (child.strip() and parent.strip()):
            known = child if child.strip() else parent
            if known.strip():
                raise InputError(
                    "A pair has an empty label beside {label!r}: fill it in.",
                    label=known,
                )
            raise InputError("A pair has an empty label: fill it in.")
        if parents.setdefault(child, parent) != parent:
            raise InputError(
                "{child!r} has two parents, {first!r} and {parent!r}: keep "
                "one of them.",
                child=child,
                first=parents[child],
                parent=parent,
            )
    if not parents:
        raise InputError("The hierarchy has no rows: give it one row per value.")
    inner = set(parents.values())
    _check_cycles(parents)
    roots = [label for label in dict.fromkeys(parents.values()) if label not in parents]
    if len(roots) > 1:
        raise InputError(
            "The hierarchy has two roots, {first!r} and {second!r}: give one of "
            "them a parent.",
            first=roots[0],
            second=roots[1],
        )
    paths = [_path_to_root(child, parents) for child in parents if child not in inner]
    depth = max(map(len, paths))
    return Hierarchy(
        tuple((path[0],) * (depth - len(path)) + tuple(path) for path in paths)
    )


def _check_cycles(parents: dict[str, str]) -> None:
    settled: set[str] = set()
    for start in parents:
        label, walked = start, dict[str, None]()
        while label in parents and label not in settled:
            if label in walked:
                ring = [*walked][[*walked].index(label) :]
                raise InputError(
                    "{label!r} lies above itself ({ring}): give one of these "
                    "another parent.",
                    label=label,
                    ring=" -> ".join(map(repr, [*ring, label])),
                )
            walked[label] = None
            label = parents[label]
        settled.update(walked)


def _path_to_root(leaf: str, parents: dict[str, str]) -> list[str]:
    path = [leaf]
    while path[-1] in parents:
        path.append(parents[path[-1]])
    return path
