"""The commands, each imported when it is asked for.

So a mistake in the words of a command is answered before heavy modules are loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import NoReturn


def run_file(options: argparse.Namespace) -> int:
    """Protect one file."""
    from engine.cli.run import run_file

    return run_file(options)


def protect_file(options: argparse.Namespace) -> int:
    """Protect one file as the coloured buttons do."""
    from engine.cli.protect import protect_file

    return protect_file(options)


def answer_need(options: argparse.Namespace) -> int:
    """Find a release that keeps what is asked."""
    from engine.cli.need import answer_need

    return answer_need(options)


def compare_methods(options: argparse.Namespace) -> int:
    """Compare methods and values of k on one file."""
    from engine.cli.compare import compare_methods

    return compare_methods(options)


def list_methods(options: argparse.Namespace) -> int:
    """List the methods."""
    from engine.methods import FAMILIES, methods
    from engine.methods.describe import describe

    if options.json:
        print(json.dumps([describe(info) for info in methods.infos()], indent=2))
        return 0
    for family, meaning in FAMILIES.items():
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
    """List the measures."""
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


def check_file(options: argparse.Namespace) -> int:
    """Count k in a file as it is, and who all of its columns tell apart."""
    from engine.cli.check import check_file

    return check_file(options)


def reproduce_tables(options: argparse.Namespace) -> int:
    """Put published figures beside ours."""
    from engine.cli.reproduce import reproduce_tables

    return reproduce_tables(options)


def examine_installation(options: argparse.Namespace) -> NoReturn:
    """Become ``python -m dashboard.doctor``: the engine imports nothing of it."""
    os.execv(sys.executable, [sys.executable, "-m", "dashboard.doctor"])


def time_file(options: argparse.Namespace) -> int:
    """Say how long methods take on a file."""
    from engine.cli.timing import time_file

    return time_file(options)


def propose_roles(options: argparse.Namespace) -> int:
    """Say what the columns of a file seem to be."""
    from engine.cli.propose import propose_roles

    return propose_roles(options)


def attack_releases(options: argparse.Namespace) -> int:
    """Attack releases of a file."""
    from engine.cli.attack import attack_releases

    return attack_releases(options)


def certify_file(options: argparse.Namespace) -> int:
    """Check a certificate; the checker is a program of its own."""
    from engine.certificate.certify import main

    allowed = ["--allow-left-out", options.allow_left_out]
    return main([str(options.checked), str(options.file), *allowed])
