"""The command line: commands and their options."""

from engine.cli.parser import main

__all__ = ["main"]
