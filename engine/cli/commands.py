"""Entry points of commands; their modules are imported when a command runs.

So a mistake in the words of a command is answered before heavy modules are loaded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection
from typing import NoReturn


def run_file(options: argparse.Namespace) -> int:
    """Protect one file; return the exit code."""
    from engine.cli.run import execute_run

    return execute_run(options)


def protect_file(options: argparse.Namespace) -> int:
    """Protect one file without asking questions; return the exit code."""
    from engine.cli.protect import execute_protect

    return execute_protect(options)


def answer_need(options: argparse.Namespace) -> int:
    """Search for a release that meets rules and keeps; return the exit code."""
    from engine.cli.need import execute_need

    return execute_need(options)


def compare_methods(options: argparse.Namespace) -> int:
    """Compare methods and values of k on one file; return the exit code."""
    from engine.cli.compare import execute_compare

    return execute_compare(options)


def list_methods(options: argparse.Namespace) -> int:
    """Print the methods with their parameters, or as JSON; return the exit code."""
    from engine.methods import FAMILY_TITLES, methods
    from engine.methods.descriptions.describe import describe_method

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
    """Print the measures, or as JSON; return the exit code."""
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


def check_file_k_anonymity(options: argparse.Namespace) -> int:
    """Print k and the number of unique records of a file; return the exit code."""
    from engine.cli.check import execute_check

    return execute_check(options)


def compare_with_published_tables(options: argparse.Namespace) -> int:
    """Compare published figures with this program's; return the exit code."""
    from engine.cli.reproduce import execute_reproduce

    return execute_reproduce(options)


def exec_doctor(options: argparse.Namespace) -> NoReturn:
    """Replace this process by ``python -m dashboard.doctor``; never return."""
    from engine.core.platform.processes import exec_program

    words = [] if options.sign_in is None else ["--sign-in", str(options.sign_in)]
    exec_program([sys.executable, "-m", "dashboard.doctor", *words])


def exec_class_file_writer(arguments: Collection[str]) -> NoReturn:
    """Replace this process by ``python -m dashboard.class_file``; never return."""
    from engine.core.platform.processes import exec_program

    exec_program([sys.executable, "-m", "dashboard.class_file", *list(arguments)[1:]])


def time_methods_on_file(options: argparse.Namespace) -> int:
    """Measure run times of methods on a file; return the exit code."""
    from engine.cli.timing import execute_time

    return execute_time(options)


def propose_roles(options: argparse.Namespace) -> int:
    """Print the proposed roles and kinds of a file's columns; return the exit code."""
    from engine.cli.propose import execute_propose

    return execute_propose(options)


def attack_releases(options: argparse.Namespace) -> int:
    """Attack releases of a file; return the exit code."""
    from engine.cli.attack import execute_attack

    return execute_attack(options)


def check_certificate(options: argparse.Namespace) -> int:
    """Print what a certificate proves of a file; return the exit code."""
    from engine.certificate.certify import main

    allowed = ["--allow-left-out", options.allow_left_out]
    return main([str(options.checked), str(options.file), *allowed])
