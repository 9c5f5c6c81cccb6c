"""The manual as a static site, with no link broken: ``python -m tests.site FOLDER``.

MkDocs takes the chapters as they are, needs no configuration of its own in them, and
builds in seconds; it is in the extra ``docs``.
"""

from __future__ import annotations

import io
import logging
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from dashboard.manual import PARTS
from dashboard.manual.chapters import MANUAL_FOLDER


def build_site(folder: Path) -> None:
    """Write the site into a folder; a warning is an error."""
    settings = io.StringIO("site_name: Coterie\n")
    settings.name = str(MANUAL_FOLDER.parent / "mkdocs.yml")
    config = load_config(
        settings,
        docs_dir=str(MANUAL_FOLDER),
        site_dir=str(folder.resolve()),
        nav=[{part: [f"{name}.md" for name in names]} for part, names in PARTS.items()],
        exclude_docs="*.py\n__pycache__",
        not_in_nav="*.??.md",
        theme="mkdocs",
        use_directory_urls=False,
        validation={"anchors": "warn"},
        strict=True,
    )
    build(config)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    build_site(Path(sys.argv[1]))
