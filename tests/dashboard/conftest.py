"""What tests of the dashboard share."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partialmethod
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def _components_of_libraries() -> Iterator[None]:
    """Look once whether libraries bring components, and not for each page opened.

    Streamlit reads the description of everything that is installed, which takes longer
    than most pages.
    """
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        cached_scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", cached_scan)
        yield


@pytest.fixture(scope="session", autouse=True)
def _pages_are_waited_for() -> Iterator[None]:
    """Wait for a page without asking a thousand times a second whether it is drawn."""
    from streamlit.testing.v1 import local_script_runner

    ask = local_script_runner.require_widgets_deltas

    def wait(
        runner: local_script_runner.LocalScriptRunner, timeout: float = 3.0
    ) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        ask(runner, 0.0 if runner._script_thread.is_alive() else timeout)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session", autouse=True)
def _pages_never_break() -> Iterator[None]:
    """Fail where a page ends in an exception, each time that it is run."""
    from streamlit.testing.v1 import AppTest

    run = AppTest._run

    def run_whole(page: AppTest, *words: Any, **options: Any) -> AppTest:
        main = sys.modules["__main__"]
        try:
            run(page, *words, **options)
        finally:
            # A page is run as the main module; what is spawned later would run it, too.
            sys.modules["__main__"] = main
        assert not page.exception, [error.message for error in page.exception]
        return page

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AppTest, "_run", run_whole)
        yield


@pytest.fixture(scope="session", autouse=True)
def _files_are_waited_for() -> Iterator[None]:
    """Draw pages when their file is there, however busy the machine is."""
    from dashboard.ui.table import open_file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_file, "_MAX_BLOCKING_SECONDS", 600.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _scripts_are_compiled_once() -> Iterator[None]:
    """Share the code of pages among all that are opened."""
    from streamlit.testing.v1 import app_test, local_script_runner

    shared = app_test.ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: shared)
        yield


@pytest.fixture(scope="session", autouse=True)
def _usage_is_not_counted() -> Iterator[None]:
    """Draw pages without statistics of their use, as the dashboard is configured.

    Its configuration is not read here, and Streamlit would describe each widget.
    """
    from streamlit import config

    option = "browser.gatherUsageStats"
    before = config.get_option(option)
    config.set_option(option, False)
    yield
    config.set_option(option, before)


class ReadAsAsked(Mapping[str, Any]):
    """State of a session, of which each entry is worked out when it is asked for."""

    def __init__(self, state: Any, read_all: Callable[[Any], dict[str, Any]]) -> None:
        self._state, self._read_all = state, read_all

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read_all(self._state))

    def __len__(self) -> int:
        return len(self._read_all(self._state))


@pytest.fixture(scope="session", autouse=True)
def _state_is_read_as_asked() -> Iterator[None]:
    """Read one entry of a session's state where a widget asks for its own.

    Streamlit reads them all for each widget, which takes a quarter of most pages.
    """
    from streamlit.runtime.state.session_state import SessionState

    read_all = SessionState.filtered_state.fget
    with pytest.MonkeyPatch.context() as patch:
        lazily = property(lambda state: ReadAsAsked(state, read_all))
        patch.setattr(SessionState, "filtered_state", lazily)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_spare_workers() -> Iterator[None]:
    """Start a worker when a run does: tests of pages end before a spare one is warm."""
    from dashboard.jobs.registry import JobRegistry

    with pytest.MonkeyPatch.context() as patch:
        without = partialmethod(JobRegistry.__init__, spare=False)
        patch.setattr(JobRegistry, "__init__", without)
        yield


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Log to a file for one test; return its path."""
    from dashboard.audit import events

    monkeypatch.setenv(events.LOG_FILE_VARIABLE, "")
    monkeypatch.setattr(events, "_writer", None)
    path = tmp_path / "audit.jsonl"
    started = events.start_audit_log(path)
    yield path
    started.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try slow tests, of real servers under a clock, once more as in a browser."""
    tests_folder = os.path.join(Path(__file__).parent, "")
    for item in items:
        if str(item.path).startswith(tests_folder) and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.flaky(reruns=1))
