"""``python -m dashboard``: serve the dashboard, as the process of ``coterie``."""

import argparse
import sys

from dashboard.places.launch import ServerOptions, launch_dashboard
from engine.cli.parsing.answer import CommandParser, run_command
from engine.cli.serving import add_server_options, add_until_closed_option


def _serve(options: argparse.Namespace) -> int:
    serving = ServerOptions.from_options(options)
    return launch_dashboard(serving, options.until_closed)


_parser = CommandParser(prog="coterie", description="Serve the dashboard.")
add_server_options(_parser)
add_until_closed_option(_parser)
sys.exit(run_command(_parser, None, _serve))
