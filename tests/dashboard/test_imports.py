"""Who may know whom: read from the imports, so that nobody has to remember."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APP = ROOT / "dashboard" / "app.py"
PAGES = sorted((ROOT / "dashboard" / "app_pages").glob("*.py"))


def sources(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, folder
    return found


def imported(path: Path) -> Iterator[str]:
    """Give every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def reached(start: Path) -> set[Path]:
    """Return the files of the dashboard that a file leads to, itself among them."""
    found, waiting = {start}, [start]
    while waiting:
        for name in imported(waiting.pop()):
            path = ROOT / (name.replace(".", "/") + ".py")
            if name.startswith("dashboard.") and path.exists() and path not in found:
                found.add(path)
                waiting.append(path)
    return found


def offenders(paths: list[Path], *forbidden: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imported(path)
        if any(name == word or name.startswith(word + ".") for word in forbidden)
    ]


def test_the_reader_of_imports_sees_them_all(tmp_path: Path) -> None:
    text = "import numpy as np\ndef f():\n    from plotly.graph_objects import Figure\n"
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    assert list(imported(path)) == [
        "numpy",
        "plotly.graph_objects",
        "plotly.graph_objects.Figure",
    ]


def test_the_engine_knows_no_screen() -> None:
    # Only the command line may open the dashboard, and only when asked to.
    opener = ROOT / "engine" / "cli" / "commands.py"
    paths = [path for path in sources("engine") if path != opener]
    assert offenders(paths, "streamlit", "plotly", "dashboard") == []
    assert offenders([opener], "streamlit", "plotly") == []


def test_sample_data_know_no_screen() -> None:
    assert offenders(sources("sample_data"), "streamlit", "plotly", "dashboard") == []


def test_charts_know_no_streamlit() -> None:
    assert offenders(sources("dashboard/charts"), "streamlit") == []


def test_a_worker_starts_without_the_screen() -> None:
    behind = reached(ROOT / "dashboard" / "worker.py")
    assert ROOT / "dashboard" / "work" / "workspace.py" in behind
    assert offenders(sorted(behind), "streamlit", "plotly") == []


def test_pages_do_not_compute() -> None:
    assert offenders(PAGES, "numpy", "pandas") == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_are_short_and_without_a_title(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    assert "st.title" not in text


def test_the_router_is_short() -> None:
    assert len(APP.read_text(encoding="utf-8").splitlines()) < 40


def test_every_page_is_in_the_router() -> None:
    text = APP.read_text(encoding="utf-8")
    assert PAGES
    for path in PAGES:
        assert f"app_pages/{path.name}" in text


def test_only_one_file_names_session_keys() -> None:
    """Others get their keys from state.key and state.bound."""
    found = [
        f"{path.relative_to(ROOT)}, line {node.lineno}"
        for path in sources("dashboard")
        if path.name != "state.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _names_a_key(node)
    ]
    assert found == []


def _names_a_key(node: ast.AST) -> bool:
    """Return whether a session key or a widget's key is written out."""
    if isinstance(node, ast.Subscript):
        return _is_session(node.value) and isinstance(node.slice, ast.Constant)
    if isinstance(node, ast.Attribute):
        return _is_session(node.value) and node.attr not in ("get", "pop", "setdefault")
    if isinstance(node, ast.Call):
        return any(
            word.arg == "key" and isinstance(word.value, (ast.Constant, ast.JoinedStr))
            for word in node.keywords
        )
    return False


def _is_session(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "session_state"


def test_only_one_file_starts_processes() -> None:
    paths = [path for path in sources("dashboard") if path.name != "process.py"]
    assert offenders(paths, "subprocess", "multiprocessing", "concurrent") == []


def test_nothing_is_pickled() -> None:
    paths = sources("dashboard") + sources("engine")
    assert offenders(paths, "pickle", "joblib", "shelve", "marshal") == []


def test_what_is_cached_is_one_tab_s_and_found_by_a_whole_digest() -> None:
    """st.cache_data looks at a sample of large tables, and is everybody's."""
    found = []
    for path in sources("dashboard"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for cache in _caches(node):
                assert isinstance(node, ast.FunctionDef)
                words = {word.arg: ast.unparse(word.value) for word in cache.keywords}
                names = [name.arg for name in node.args.args]
                whole = "fingerprint" in names and not any(
                    _holds_records(name) and not name.arg.startswith("_")
                    for name in node.args.args
                )
                if words.get("scope") != "'session'" or not whole:
                    found.append(f"{path.name}: {node.name}")
                assert "max_entries" in words, f"{path.name}: {node.name} is unbounded"
    assert found == []


def _caches(node: ast.AST) -> list[ast.Call]:
    if not isinstance(node, ast.FunctionDef):
        return []
    return [
        call
        for call in node.decorator_list
        if isinstance(call, ast.Call) and "cache_data" in ast.unparse(call.func)
    ]


def _holds_records(name: ast.arg) -> bool:
    kind = "" if name.annotation is None else ast.unparse(name.annotation)
    return any(word in kind for word in ("Table", "DataFrame", "NDArray", "Outcome"))
