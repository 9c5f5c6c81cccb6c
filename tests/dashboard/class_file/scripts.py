"""Run the page's modules in node, as the page's browser does."""

import json
import os
import shutil
import subprocess
from typing import Any

import pytest

from dashboard.class_file.bundle import bundle_modules, read_javascript_modules
from dashboard.class_file.page import DEFAULT_SEED, class_page_data


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


PAGE = """
const document = {
  getElementById: () => ({ textContent: JSON.stringify(input.page) }),
};
{script}
"""


def run_probe(module: str, names: str, expression: str, given: object = None) -> Any:
    """Return what an expression of a module's names gives in the page of a class.

    Parameters
    ----------
    module : str
        Of the page's modules, without its ending.
    names : str
        What is taken from it, with commas.
    expression : str
        JavaScript, which may use `names` and ``input.given``.
    given : object, optional
        As JSON.
    """
    probe = f'import {{ {names} }} from "./{module}.js";\n'
    probe += f"console.log(JSON.stringify({expression}));\n"
    modules = read_javascript_modules() | {"probe.js": probe}
    page = class_page_data(DEFAULT_SEED, (), None, "en", {})
    script = bundle_modules(modules, "probe.js", PAGE)
    return run_script(script, {"page": page, "given": given})
