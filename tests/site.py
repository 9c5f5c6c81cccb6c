"""The manual as a static site, with no link broken: ``python -m tests.site FOLDER``.

MkDocs takes the chapters as they are, needs no configuration of its own in them, and
builds in seconds; it is in the extra ``docs``.
"""

import io
import logging
import re
import shutil
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from dashboard.i18n.language import ENGLISH, LANGUAGES
from dashboard.manual import PARTS
from dashboard.manual.chapters import CHAPTER_ORDER, DARK, MANUAL_FOLDER
from tests.words import TRANSLATED_CHAPTERS

_IMAGE_PATTERN = re.compile(r'<img [^>]*src="([\w.-]+)\.(webp|svg)"[^>]*>')


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
        theme={"name": "mkdocs", "color_mode": "auto"},
        use_directory_urls=False,
        validation={"anchors": "warn"},
        strict=True,
    )
    build(config)
    for page in folder.glob("*.html"):
        show_dark_pictures(page)
        link_languages(page)
    shutil.copyfile(folder / f"{CHAPTER_ORDER[0]}.html", folder / "index.html")


def show_dark_pictures(page: Path) -> None:
    """Have a page show its pictures as its reader's scheme is, light or dark.

    Raises
    ------
    FileNotFoundError
        If a picture has no twin for dark pages.
    """

    def with_twin(image: re.Match[str]) -> str:
        twin = page.with_name(f"{image[1]}{DARK}.{image[2]}")
        if not twin.is_file():
            raise FileNotFoundError(twin)
        media = '<source media="(prefers-color-scheme: dark)"'
        return f'<picture>{media} srcset="{twin.name}">{image[0]}</picture>'

    html = page.read_text(encoding="utf-8")
    page.write_text(_IMAGE_PATTERN.sub(with_twin, html), encoding="utf-8")


def link_languages(page: Path) -> None:
    """Have a page lead to its other languages, and on in the language that it has."""
    name, _dot, language = page.stem.partition(".")
    pages = {key: page.with_name(_file_name(name, key)) for key in LANGUAGES}
    if not all(path.is_file() for path in pages.values()):
        return
    html = page.read_text(encoding="utf-8")
    if language:
        for other in TRANSLATED_CHAPTERS:  # headings have anchors of their own there
            link_pattern = rf'href="{other}\.html(#[\w-]*)?"'
            html = re.sub(link_pattern, f'href="{other}.{language}.html"', html)
    links = " · ".join(
        f'<a href="{pages[key].name}">{title}</a>' for key, title in LANGUAGES.items()
    )
    page.write_text(html.replace("<h1", f"<p>{links}</p>\n<h1", 1), encoding="utf-8")


def _file_name(name: str, language: str) -> str:
    return f"{name}.html" if language == ENGLISH else f"{name}.{language}.html"


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    build_site(Path(sys.argv[1]))
