"""Dispatch of commands to functions imported when they run; short commands' functions.

So a mistake in the words of a command is answered before heavy modules are loaded.
"""

from __future__ import annotations

import argparse
import json
import sys
from pkgutil import resolve_name
from typing import NoReturn

FUNCTIONS = {
    "run": "engine.cli.run:execute_run",
    "protect": "engine.cli.protect:execute_protect",
    "need": "engine.cli.need:execute_need",
    "compare": "engine.cli.compare:execute_compare",
    "methods": "engine.cli.commands:list_methods",
    "measures": "engine.cli.commands:list_measures",
    "reproduce": "engine.cli.reproduce:execute_reproduce",
    "time": "engine.cli.timing:execute_time",
    "sweep": "engine.cli.sweep:execute_sweep",
    "propose": "engine.cli.propose:execute_propose",
    "check": "engine.cli.check:execute_check",
    "attack": "engine.cli.attack:execute_attack",
    "certify": "engine.cli.commands:check_certificate",
    "doctor": "engine.cli.commands:replace_process_by_doctor",
}
"""The function of each command that the engine carries out: its module and name."""


def execute_command(options: argparse.Namespace) -> int:
    """Import and call the function of a command; return the exit code that it gives."""
    if options.command in ("run", "protect", "compare", "need", "sweep"):
        # Where nothing can be kept, this makes a folder that this process deletes when
        # it ends. It could not once the dashboard has taken its place.
        from engine.kernels.compilation._jit import before_loading
        from engine.kernels.compilation.second_process import compile_in_second_process

        before_loading.append(compile_in_second_process)
    return int(resolve_name(FUNCTIONS[options.command])(options))


def list_methods(options: argparse.Namespace) -> int:
    """Print all methods with their parameters, as text or JSON; return exit code 0."""
    from engine.methods import FAMILY_TITLES, methods
    from engine.methods.descriptions.info import describe_method

    if options.json:
        print(json.dumps([describe_method(info) for info in methods.infos()], indent=2))
        return 0
    for family, meaning in FAMILY_TITLES.items():
        members = [info for info in methods.infos() if info.family == family]
        if members:
            print(f"{family}: {meaning.lower()}")
        for info in members:
            print(f"  {info.id:22} {info.summary}")
            for parameter in info.parameters:
                print(
                    f"  {'':22}   --param {parameter.name}={parameter.default}: "
                    f"{parameter.describe()}"
                )
    return 0


def list_measures(options: argparse.Namespace) -> int:
    """Print all measures, as text by family or as JSON; return exit code 0."""
    from engine.measures import measures
    from engine.measures.base import FAMILIES
    from engine.measures.describe import describe

    if options.json:
        print(json.dumps([describe(info) for info in measures.infos()], indent=2))
        return 0
    for family, meaning in FAMILIES.items():
        print(f"{family}: {meaning}")
        for info in measures.infos():
            if info.family == family:
                print(f"  {info.id:26} {info.summary}")
    return 0


def replace_process_by_doctor(options: argparse.Namespace) -> NoReturn:
    """Hand over to ``python -m dashboard.doctor``, and never return."""
    from engine.core.platform.processes import exec_program

    words = [] if options.sign_in is None else ["--sign-in", str(options.sign_in)]
    exec_program([sys.executable, "-m", "dashboard.doctor", *words])


def check_certificate(options: argparse.Namespace) -> int:
    """Check a certificate against a file, print the result; return the exit code."""
    from engine.certificate.certify import main

    allowed = ["--allow-left-out", options.allow_left_out]
    return main([str(options.checked), str(options.file), *allowed])
