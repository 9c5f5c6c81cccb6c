"""What modules must not import or name, read from their source."""

import ast
from pathlib import Path

import pytest

from tests.imports import ROOT, imports, sources

DASHBOARD = ROOT / "dashboard"
APP = DASHBOARD / "app.py"
VIEWS = sources(DASHBOARD / "app_pages", "view.py")


def reached(start: Path) -> set[Path]:
    """Return the files of the dashboard that a file leads to, itself among them."""
    paths, waiting = {start}, [start]
    while waiting:
        for module_import in imports(waiting.pop()):
            for name in (module_import.name, module_import.name.rpartition(".")[0]):
                path = ROOT / (name.replace(".", "/") + ".py")
                if name.startswith("dashboard.") and path.exists():
                    waiting += {path} - paths
                    paths.add(path)
    return paths


def offenders(paths: list[Path], *forbidden: str) -> list[str]:
    return [
        str(module_import)
        for path in paths
        for module_import in imports(path)
        if any(
            module_import.name == word or module_import.name.startswith(word + ".")
            for word in forbidden
        )
    ]


def test_the_engine_knows_no_screen() -> None:
    paths = sources(ROOT / "engine")
    assert offenders(paths, "streamlit", "plotly", "dashboard") == []


def test_sample_data_know_no_screen() -> None:
    paths = sources(ROOT / "sample_data")
    assert offenders(paths, "streamlit", "plotly", "dashboard") == []


def test_charts_know_no_streamlit() -> None:
    assert offenders(sources(ROOT / "dashboard/charts"), "streamlit") == []


@pytest.mark.parametrize(
    ("process", "needed"),
    [
        ("jobs/workers/worker.py", "jobs/assessment.py"),
        ("readers/process.py", "projects/reader.py"),
    ],
)
def test_a_worker_starts_without_the_screen(process: str, needed: str) -> None:
    behind = reached(DASHBOARD / process)
    assert DASHBOARD / needed in behind
    assert offenders(sorted(behind), "streamlit", "plotly") == []


def test_what_shows_does_not_compute() -> None:
    assert offenders(VIEWS, "numpy", "pandas") == []
    pages = sources(DASHBOARD / "app_pages")
    showing = [path for path in pages if offenders([path], "streamlit")]
    assert set(VIEWS) & set(showing)
    assert offenders(showing, "numpy") == []


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.parent.name)
def test_pages_are_short_and_without_a_title(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    assert "st.title" not in text


def test_the_router_is_short() -> None:
    assert len(APP.read_text(encoding="utf-8").splitlines()) < 40


def test_every_page_is_in_the_router() -> None:
    text = APP.read_text(encoding="utf-8")
    assert VIEWS
    for path in VIEWS:
        assert f'("{path.parent.name}", _(' in text


def test_only_one_file_names_session_keys() -> None:
    """Others get their keys from session.key and session.bound."""
    locations = [
        f"{path.relative_to(ROOT)}, line {node.lineno}"
        for path in sources(ROOT / "dashboard")
        if path.name != "session.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _names_a_key(node)
    ]
    assert locations == []


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
    paths = [path for path in sources(ROOT / "dashboard") if path.name != "process.py"]
    assert offenders(paths, "subprocess", "multiprocessing", "concurrent") == []


def test_only_readers_look_into_what_somebody_brought() -> None:
    """A file that brings its reader down must not bring down the server."""
    reader_paths = (
        DASHBOARD / "readers",
        DASHBOARD / "projects" / "reader.py",
        DASHBOARD / "learn" / "proof.py",  # which reads what it has made itself
        DASHBOARD / "class_file" / "own_table.py",  # in a process of its own
    )
    paths = [
        path
        for path in sources(DASHBOARD)
        if not any(path.is_relative_to(reader_path) for reader_path in reader_paths)
    ]
    parsers = ("read_table", "read_frame", "input.preview")
    forbidden = [f"engine.files.{name}" for name in parsers]
    forbidden += ["engine.hierarchy.read_hierarchy", "engine.files.input.reading"]
    forbidden += [
        "engine.release.verify.release_bytes_and_checks",
        "engine.certificate.write",
    ]
    forbidden += ["python_calamine", "pyreadstat", "pyarrow.csv", "pyarrow.parquet"]
    assert offenders(paths, *forbidden) == []


def test_nothing_is_pickled() -> None:
    paths = sources(ROOT / "dashboard") + sources(ROOT / "engine")
    assert offenders(paths, "pickle", "joblib", "shelve", "marshal") == []


def test_what_is_cached_is_one_tab_s_and_found_by_a_whole_digest() -> None:
    """st.cache_data looks at a sample of large tables, and is everybody's."""
    violations = []
    for path in sources(ROOT / "dashboard"):
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
                    violations.append(f"{path.name}: {node.name}")
                assert "max_entries" in words, f"{path.name}: {node.name} is unbounded"
    assert violations == []


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
