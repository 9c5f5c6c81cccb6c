"""What every test shares."""

import atexit
import gc
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

# Rewriting assertions is half of collecting: what one worker has compiled serves the
# others, the next run and the programs that tests start. First, because hypothesis is
# a plugin, and rewritten as tests are.
sys.dont_write_bytecode = False

# As the programs that are tested, and before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402

# A busy machine only ever adds time; and a test that failed once must fail again.
# Of properties, continuous integration tries more examples than people wait for.
settings.register_profile("few", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("many", deadline=None, derandomize=True, max_examples=60)
settings.load_profile(os.environ.get("COTERIE_EXAMPLES", "few"))


HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _prefer_kernels() -> Iterator[None]:
    """Try kernels on small tables, whichever of them another test has loaded."""
    from engine.kernels.compilation.small_tables import prefer_kernels

    with prefer_kernels():
        yield


@pytest.fixture
def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small tables do without kernels, as in a process that has loaded none."""
    from engine.kernels.compilation import small_tables

    monkeypatch.setattr(small_tables, "_preferring", 0)
    monkeypatch.setattr(small_tables, "_total_work", 0.0)
    monkeypatch.setattr(small_tables, "is_ready", lambda kernel: False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is for other systems, and what there is no time for.

    In a run like that of Windows, what is about POSIX alone is for others.
    """
    until = os.environ.get("COTERIE_BEGIN_TESTS_UNTIL")  # seconds since 1970
    if until and time.time() > float(until):
        pytest.skip("not run: the time for tests is over")
    like_windows = item.config.pluginmanager.has_plugin("tests.windows_plugin")
    mark = item.get_closest_marker("posix")
    if mark is not None and (like_windows or sys.platform == "win32"):
        pytest.skip(mark.args[0])


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the cores: some workers wait for servers and browsers."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Look for no garbage among ten thousand tests, which stay until the end."""
    gc.disable()
    try:
        _import_a_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        # Libraries in C++ complain of what is never collected.
        atexit.register(gc.unfreeze)


def _import_a_share(config: pytest.Config) -> None:
    """Begin, in each worker, with other modules: none compiles what another has.

    All workers collect all tests in the same order. In a new clone, each would rewrite
    and compile every file.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or [Path(argument).resolve() for argument in config.args] != [
        HERE
    ]:
        return
    first = int(worker["workerid"].removeprefix("gw"))
    for path in sorted(HERE.rglob("test_*.py"))[first :: worker["workercount"]]:
        name = ".".join(path.relative_to(HERE.parent).with_suffix("").parts)
        with suppress(Exception, pytest.skip.Exception):  # collecting tells of it
            import_module(name)
