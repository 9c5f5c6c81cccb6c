"""``python -m dashboard`` serves the dashboard; ``coterie`` becomes this process."""

import argparse
import sys

from dashboard.server.launch import Serving, launch
from engine.cli.answer import Parser, answer
from engine.cli.serving import add_serving


def _serve(options: argparse.Namespace) -> int:
    return launch(Serving.from_options(options))


_parser = Parser(prog="coterie", description="Serve the dashboard.")
add_serving(_parser)
sys.exit(answer(_parser, None, _serve))
