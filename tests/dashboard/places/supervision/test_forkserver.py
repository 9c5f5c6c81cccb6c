"""The process that forks places says in a sentence why one of them cannot start."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="places are forked")

FORKSERVER = """
import json
import sys
from pathlib import Path

from dashboard.places.launch import run_app_until_stopped
from dashboard.places.supervision.forkserver import start_forkserver

def start_place(order):
    run_app_until_stopped({"server.address": "127.0.0.1", "server.port": order["port"]})

link = start_forkserver(start_place, Path(sys.argv[1]))
order = {"place": {"name": "first", "port": int(sys.argv[2])}}
link.sendall(json.dumps(order).encode() + b"\\n")
answers = link.makefile()
print(next(answers), next(answers))
link.close()
"""


def test_a_place_whose_port_is_taken_says_so_in_a_sentence(
    tmp_path: Path,
):
    folder = tmp_path / "places"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as other_program:
        port = other_program.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-c", FORKSERVER, str(folder), str(port)],
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert '"code": 1' in done.stdout
    assert "Traceback" not in done.stderr
    assert f"port {port}" in done.stderr.lower()
