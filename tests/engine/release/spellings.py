"""Other names of a file that exists."""

import os
from collections.abc import Callable
from pathlib import Path

Spelling = Callable[[Path], Path]


def alike(path: Path) -> Path:
    """Return the same name."""
    return path


def by_its_folder(path: Path) -> Path:
    """Return a name that goes up and down again."""
    return path.parent / ".." / path.parent.name / path.name


def from_here(path: Path) -> Path:
    """Return the name as seen from the working folder."""
    return Path(os.path.relpath(path))


def symbolic_link(path: Path) -> Path:
    """Return a link to the file."""
    link = path.with_name(f"link-{path.name}")
    link.symlink_to(path)
    return link


def chained_links(path: Path) -> Path:
    """Return a link to a link."""
    return symbolic_link(symbolic_link(path))


def hard_link(path: Path) -> Path:
    """Return another name of the same inode."""
    link = path.with_name(f"hard-{path.name}")
    os.link(path, link)
    return link


def linked_folder(path: Path) -> Path:
    """Return the file in a folder that is a link."""
    link = path.parent / "linked"
    link.symlink_to(path.parent, target_is_directory=True)
    return link / path.name


SPELLINGS = (
    alike,
    by_its_folder,
    from_here,
    symbolic_link,
    chained_links,
    hard_link,
    linked_folder,
)
