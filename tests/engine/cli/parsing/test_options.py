"""An option of a plan is declared once, whichever commands take it."""

import argparse
from pathlib import Path

import pytest

from engine.cli.parsing.options import add_plan_options
from engine.cli.parsing.parser import PLAN_COMMANDS, _build_parser
from tests.engine.cli.lines import CHOICES, run_line

OWN = {"--quasi-identifiers", "--k", "--method", "--seed", "--shuffle-seed"}
"""Options that a command asks for in a way of its own."""


def _actions_by_flag(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {flag: each for each in parser._actions for flag in each.option_strings}


def _declaration(action: argparse.Action) -> tuple[object, ...]:
    """Return all that an option is but its help, which may be about the command."""
    kind = type(action), action.type, action.nargs, action.const
    return *kind, action.metavar, action.default, action.choices, action.required


@pytest.mark.parametrize("command", PLAN_COMMANDS)
def test_options_of_plans_are_the_same_in_every_command(command: str) -> None:
    expected_parser = argparse.ArgumentParser()
    add_plan_options(expected_parser, ())
    expected = _actions_by_flag(expected_parser)
    (commands,) = (
        action
        for action in _build_parser([command])._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    of_command = _actions_by_flag(commands.choices[command])
    shared = (of_command.keys() & expected.keys()) - OWN - {"-h", "--help"}
    assert len(shared) >= 2
    for flag in shared:
        assert _declaration(of_command[flag]) == _declaration(expected[flag]), flag


@pytest.mark.parametrize("command", ["check", "protect", "run"])
def test_what_no_intruder_knows_is_refused_in_one_line(
    command: str, firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [command, firms, "--intruder-knows", "some"]
    words += ["--output", tmp_path / "out.csv"] if command != "check" else []
    words += [*CHOICES] if command != "protect" else []
    assert run_line(*words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--intruder-knows) must be one of 'one' or 'all'" in error
