"""``python -m dashboard.places`` is what ``coterie serve`` becomes."""

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from dashboard.audit import events
from dashboard.jobs.resource_limits import TEAM_VARIABLE
from dashboard.places.launch import (
    ServerOptions,
    find_port,
    prepare_process,
    prepare_settings,
    server_warnings,
)
from dashboard.places.place import choose_place_start
from dashboard.places.settings import PlaceSettings, check_place_settings
from dashboard.places.temp_folder import use_private_temp_folder
from dashboard.server.sign_in import SERVER_BEGUN
from engine.cli.answer import CommandParser, run_command
from engine.cli.serving import add_team_options
from engine.core.errors import ParameterError

if sys.platform == "win32":

    def _serve(options: argparse.Namespace) -> int:
        raise ParameterError(
            "coterie serve needs Linux or macOS, as Windows copies no processes: open "
            "the dashboard for one person, with coterie."
        )

else:
    from dashboard.places.forkserver import start_forkserver
    from dashboard.places.proxies import find_proxy, printed_config
    from dashboard.places.supervision.supervisor import Supervisor

    def _serve(options: argparse.Namespace) -> int:
        serving = ServerOptions.from_options(options)
        settings = PlaceSettings(
            processes=options.processes,
            proxy=options.proxy,
            leave_seconds=options.leave_seconds,
            idle_seconds=60.0 * options.idle_minutes,
            start=options.start,
            metrics=options.metrics,
            drain_seconds=60.0 * options.drain_minutes,
            control=options.control,
        )
        check_place_settings(settings)
        if options.printed:
            print(printed_config(options.printed, serving, settings), end="")
            return 0
        proxy = find_proxy(settings.proxy)
        streamlit = prepare_settings(serving)
        serving = replace(serving, port=find_port(serving))
        for line in server_warnings(serving):
            print(line, flush=True)
        os.environ[TEAM_VARIABLE], os.environ[SERVER_BEGUN] = "1", str(time.time())
        prepare_process()
        folder = use_private_temp_folder()
        supervisor = Supervisor(serving, settings, proxy, streamlit, folder)
        supervisor.check()
        events.log_event(
            "start", "", version=version("coterie"), places=settings.processes
        )
        start = choose_place_start(settings.start)
        gc.collect()
        gc.freeze()  # copies do not touch what they share
        forkserver = start_forkserver(start, folder)
        try:
            asyncio.run(supervisor.run(forkserver))
        finally:
            events.log_server_end()
            forkserver.close()
            os.wait()  # for the forkserver, and with it for all others
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a team, each person in a process, until stopped; return the exit code."""
    parser = CommandParser(prog="coterie serve", description="Serve a team.")
    add_team_options(parser)
    return run_command(parser, arguments, _serve)


if __name__ == "__main__":
    sys.exit(main())
