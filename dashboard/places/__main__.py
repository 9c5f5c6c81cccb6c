"""Entry point of ``coterie serve``: a server with one process (place) per person."""

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from dashboard.audit import events
from dashboard.jobs.workers.process import CLUSTER_VARIABLE, start_module_process
from dashboard.jobs.workers.resource_limits import TEAM_VARIABLE
from dashboard.places import launch
from dashboard.places.admin.administration import (
    find_control_socket,
    find_control_sockets,
)
from dashboard.places.place import place_start_function
from dashboard.places.settings import PlaceSettings, check_place_settings
from dashboard.places.sharing.shared_state import open_shared_state
from dashboard.places.temp_folder import use_private_temp_folder
from dashboard.server.sign_in import SERVER_BEGUN
from engine.cli.parsing.answer import CommandParser, run_command
from engine.cli.serving import add_team_options
from engine.core.errors import ParameterError
from engine.streaming.workers.address import LOCAL_CLUSTER, check_cluster_address

if sys.platform == "win32":

    def _serve(options: argparse.Namespace) -> int:
        raise ParameterError(
            "coterie serve needs Linux or macOS, as Windows copies no processes: open "
            "the dashboard for one person, with coterie."
        )

else:
    from dashboard.places.proxies import (
        choose_proxy_to_start,
        format_config,
        format_systemd_unit,
    )
    from dashboard.places.supervision.forkserver import start_forkserver
    from dashboard.places.supervision.supervisor import Supervisor, log_server_start
    from dashboard.places.supervision.takeover import OlderServer, find_older_server

    def _find_older_server(options: argparse.Namespace) -> OlderServer | None:
        """Return the server that is to be taken over; None where none runs."""
        if not options.take_over:
            return None
        sockets = [options.control] if options.control else find_control_sockets()
        if len(sockets) > 1:
            find_control_socket(None)  # which says so
        older = find_older_server(sockets[0]) if sockets else None
        if older and older.has_log and not options.audit:
            raise ParameterError(
                "The server that is to be taken over keeps an audit log: name it, or "
                "another file, with --audit."
            )
        return older

    def _count_cluster_threads(address: str) -> int:
        """Return how many runs a cluster carries out at a time; 0 if none can be said.

        In a process of its own: the library's threads must not be copied.
        """
        check_cluster_address(address)
        if address == LOCAL_CLUSTER:
            raise ParameterError(
                "--dask local starts a cluster for one run: name the scheduler of one "
                "that runs, as in tls://scheduler:8786."
            )
        os.environ[CLUSTER_VARIABLE] = address
        counting = start_module_process(
            "dashboard.jobs.workers.cluster_worker", arguments=("count",)
        )
        counted, _ = counting.communicate()
        return int(counted) if counting.returncode == 0 else 0

    def _serve(options: argparse.Namespace) -> int:
        serving = launch.ServerOptions.from_options(options)
        settings = PlaceSettings(
            processes=options.processes,
            proxy=options.proxy,
            leave_seconds=options.leave_seconds,
            idle_seconds=60.0 * options.idle_minutes,
            start=options.start,
            metrics=options.metrics,
            drain_seconds=60.0 * options.drain_minutes,
            control=options.control,
            state=options.state,
        )
        check_place_settings(settings)
        older = _find_older_server(options)
        if options.printed == "systemd":
            print(format_systemd_unit(options.words), end="")
            return 0
        if options.printed:
            places = older.places if older else {}
            print(format_config(options.printed, serving, settings, places), end="")
            return 0
        if options.dask:
            threads = _count_cluster_threads(options.dask)
            if not threads:
                return 2  # it has said why
            settings = replace(settings, cluster_threads=threads)
        proxy = choose_proxy_to_start(settings.proxy)
        streamlit = launch.check_options_and_make_settings(
            serving, opens_log=older is None
        )
        if older and proxy and serving.port in (None, older.port):
            serving = replace(serving, port=older.port)
        else:
            serving = replace(serving, port=launch.choose_port(serving))
        for line in launch.server_warnings(serving):
            print(line, flush=True)
        os.environ[TEAM_VARIABLE] = "1"
        launch.configure_server_process()
        state, begin_time = None, time.time()
        if settings.state:
            state = open_shared_state(settings.state)
            begin_time = state.find_begin(begin_time)
            state.close()  # places are copies of this process, and need no connection
        os.environ[SERVER_BEGUN] = older.begun if older else str(begin_time)
        folder = use_private_temp_folder()
        supervisor = Supervisor(
            serving, settings, proxy, streamlit, folder, older, state
        )
        supervisor.check()
        if older is None:
            log_server_start(settings)
        start = place_start_function(settings.start)
        gc.collect()
        gc.freeze()  # copies do not touch what they share
        forkserver = start_forkserver(start, folder)
        try:
            asyncio.run(supervisor.run(forkserver))
        finally:
            events.log_server_end()
            supervisor.close_state()
            forkserver.close()
            os.wait()  # for the forkserver, and with it for all others
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a team until stopped, or print a configuration; return the exit code."""
    parser = CommandParser(prog="coterie serve", description="Serve a team.")
    add_team_options(parser)
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser.set_defaults(words=words)
    return run_command(parser, words, _serve)


if __name__ == "__main__":
    sys.exit(main())
