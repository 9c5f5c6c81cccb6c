"""Run the page's modules in node, as the page's browser does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

import pytest

from dashboard.class_file.bundle import read_javascript_modules


def node() -> str:
    """Return where node is, or skip the test on machines without it."""
    path = shutil.which("node")
    if path is None and os.environ.get("COTERIE_REQUIRE_BROWSER") == "1":
        pytest.fail("node is not installed")
    if path is None:
        pytest.skip("node is not installed")
    return path


def run_script(script: str, given: object = None, *options: str) -> Any:
    """Return the JSON that a script prints, which reads `given` from `input`."""
    head = "const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    done = subprocess.run(
        [node(), *options, "-e", head + script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def method_script() -> str:
    """Return the twin of the engine, without exports."""
    return read_javascript_modules()["method.js"].replace("\nexport ", "\n")
