"""``coterie class``: write lessons as one HTML page for a class."""

from __future__ import annotations

import argparse
import sys

from dashboard.class_file.page import LESSONS, class_page_html
from engine.cli.class_file import add_class_options
from engine.cli.parsing.answer import CommandParser, run_command
from engine.core.errors import ParameterError
from engine.release.targets import check_output_paths

PROGRAM = "coterie class"


def main() -> int:
    """Write the class file that the command line asks for; return the exit code."""
    parser = CommandParser(prog=PROGRAM)
    add_class_options(parser)
    return run_command(parser, None, _write_file)


def _write_file(options: argparse.Namespace) -> int:
    read = (options.table, options.release_certificate)
    inputs = [path for path in read if path is not None]
    check_output_paths([options.out], inputs)
    lessons = _chosen_lessons(options.lessons)
    table = None
    if options.table is not None:
        from dashboard.class_file.own_table import read_own_table

        table = read_own_table(
            options.table, options.public, options.release_certificate, options.seed
        )
        if table.is_sampled:
            print(
                f"Note: {len(table.values)} of {table.n_records:,} records are in the "
                "file, a random sample: pictures cannot show more.",
                file=sys.stderr,
            )
        if table.n_left_out:
            count = table.n_left_out
            records = "record" if count == 1 else "records"
            print(f"Note: left out for a gap: {count:,} {records}.", file=sys.stderr)
    elif options.public is not None or options.release_certificate is not None:
        raise ParameterError("--public and --certificate say what a --table is.")
    page = class_page_html(options.seed, lessons, table, *_words(options.language))
    from engine.release.write import write_all  # loads pandas

    write_all({options.out: page.encode()})
    print(f"Written: {options.out}, {len(page.encode()) / 1000:,.0f} kB")
    return 0


def _chosen_lessons(lesson_ids: str | None) -> list[str]:
    """Return the lessons asked for, in the order in which they are taught."""
    names = [name.strip() for name in (lesson_ids or "").split(",") if name.strip()]
    if lesson_ids is not None and not names:
        raise ParameterError("--lessons names none: leave it out for all.")
    for name in names:
        if name not in LESSONS:
            raise ParameterError(
                "There is no lesson {name!r}; there are {known}.",
                name=name,
                known=LESSONS,
            )
    return [name for name in LESSONS if name in names]


def _words(language: str) -> tuple[str, dict[str, str]]:
    """Return a language and its translations of the page's texts."""
    if language == "en":
        return language, {}
    from dashboard.class_file.words import (
        script_translations,  # loads the catalogues
    )

    return language, script_translations(language)


if __name__ == "__main__":
    sys.exit(main())
