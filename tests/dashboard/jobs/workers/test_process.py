"""Processes beside the server take what it leaves, and hear none of its Ctrl-C."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.jobs.workers.process import end_or_kill_process, start_module_process
from engine.core.platform.memory import iterate_cgroup_memory_limits


@pytest.mark.skipif(sys.platform == "win32", reason="there are no sessions")
def test_niceness_counts_between_the_server_and_what_it_starts() -> None:
    # Linux shares the processor among sessions first, and niceness counts within one.
    process = start_module_process("this", subprocess.DEVNULL)
    try:
        assert os.getsid(process.pid) == os.getsid(0)
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    finally:
        end_or_kill_process(process)


GROUPS = {
    "a container": ("0::/", {"memory.max": "5"}, [5]),
    "a service": (
        "0::/system.slice/coterie.service",
        {
            "system.slice/coterie.service/memory.max": "7",
            "system.slice/memory.max": "9",
        },
        [7, 9],
    ),
    "no limit": ("0::/user.slice", {"user.slice/memory.max": "max"}, []),
    "version 1": (
        "4:cpu,memory:/docker/a\n0::/",
        {"memory/docker/a/memory.limit_in_bytes": "6"},
        [6],
    ),
    "another group": ("0::/a", {"b/memory.max": "5"}, []),
    "another system": (None, {}, []),
}


@pytest.mark.parametrize("case", GROUPS)
def test_a_service_has_the_memory_that_its_groups_have(
    tmp_path: Path, case: str
) -> None:
    groups, limits, expected_limits = GROUPS[case]
    if groups is not None:
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(groups + "\n")
    for name, limit in limits.items():
        file = tmp_path / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(limit + "\n")
    assert list(iterate_cgroup_memory_limits(tmp_path)) == expected_limits
