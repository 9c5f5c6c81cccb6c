"""What the README says is what the program does."""

import re

from engine.cli.parser import _parser
from tests.readme_tables import README, with_tables

TEXT = README.read_text(encoding="utf-8")


def test_tables_follow_from_the_registries() -> None:
    assert with_tables(TEXT) == TEXT, "run python -m tests.readme_tables"


def test_every_option_that_it_names_exists() -> None:
    parser = _parser()
    commands = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    known = {
        option
        for command in commands.values()  # type: ignore[union-attr]
        for action in command._actions
        for option in action.option_strings
    } | {option for action in parser._actions for option in action.option_strings}
    section = TEXT[TEXT.index("## From the command line") :]
    section = section[: section.index("## From Python")]
    assert set(re.findall(r"--[a-z][a-z-]+", section)) <= known


def test_the_python_example_names_public_things() -> None:
    import engine

    line = re.search(r"from engine import ([^\n]+)", TEXT)
    assert line is not None
    assert all(hasattr(engine, name.strip()) for name in line[1].split(","))
