"""Processes beside the server take what it leaves, and hear none of its Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dashboard.jobs.process import let_go, start_module


@pytest.mark.skipif(sys.platform == "win32", reason="there are no sessions")
def test_niceness_counts_between_the_server_and_what_it_starts() -> None:
    # Linux shares the processor among sessions first, and niceness counts within one.
    process = start_module("this", subprocess.DEVNULL)
    try:
        assert os.getsid(process.pid) == os.getsid(0)
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    finally:
        let_go(process, b"")
