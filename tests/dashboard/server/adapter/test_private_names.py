"""Whatever is not as expected in Streamlit is named before anybody is served."""

import tomllib
from dataclasses import replace

import pytest

from dashboard.server.adapter import private_names
from dashboard.server.adapter.private_names import PrivateName, PrivateNameGroup
from engine.core.errors import ParameterError
from tests.imports import ROOT, imports, sources

ADAPTER = ROOT / "dashboard" / "server" / "adapter"

PRIVATE = ("streamlit.", "starlette.", "uvicorn.", "tornado.")
PUBLIC = (
    "streamlit.testing.",
    "streamlit.components.",
    "streamlit.errors.",
    "streamlit.typing.",
    "streamlit.navigation.",
    "streamlit.connections.",
    # What Starlette documents for those who write middleware.
    "starlette.datastructures.",
    "starlette.middleware.",
    "starlette.requests.",
    "starlette.responses.",
    "starlette.types.",
)
MESSAGES_OF_STREAMLIT = "streamlit.proto."
"""What browsers and the server say to each other: no names of its inside."""

MAX_FILES, MAX_REPLACED = 5, 4

NAMES = [name for part in private_names.PARTS for name in part.names()]


def private(name: str) -> bool:
    """Return whether an import is of something that is not meant for others."""
    of_streamlit = name.startswith("streamlit.") and name.count(".") == 1
    if of_streamlit:  # from streamlit import ...
        return name.partition(".")[2] in {"config", "runtime", "web", "proto"}
    return name.startswith(PRIVATE) and not name.startswith(PUBLIC)


def test_only_the_adapter_imports_private_names_and_few_of_its_modules_do() -> None:
    importers = {
        module_import.path
        for path in sources(ROOT / "dashboard")
        for module_import in imports(path)
        if private(module_import.name)
    }
    assert [path for path in importers if path.parent != ADAPTER] == []
    assert 0 < len(importers) <= MAX_FILES


def test_all_that_the_adapter_imports_is_listed() -> None:
    listed = {name.path.replace(":", ".") for name in NAMES}
    for path in sources(ADAPTER):
        for module_import in imports(path):
            used = private(module_import.name) and not module_import.name.startswith(
                MESSAGES_OF_STREAMLIT
            )
            if used:
                assert any(
                    path == module_import.name
                    or path.startswith(f"{module_import.name}.")
                    for path in listed
                ), module_import


def test_few_attributes_are_replaced_and_each_is_listed() -> None:
    replaced = {name.path.rpartition(".")[2] for name in NAMES if name.is_replaced}
    replaced = {name.rpartition(":")[2] for name in replaced}
    assert len(replaced) <= MAX_REPLACED
    assert all(name.why for name in NAMES)
    code = "".join(path.read_text(encoding="utf-8") for path in sources(ADAPTER))
    for name in replaced:
        assert f".{name} = " in code


def test_what_is_installed_is_as_expected() -> None:
    assert [part.deviations for part in private_names.PARTS] == [()] * len(
        private_names.PARTS
    )
    assert private_names.check_private_names_and_list_warnings() == ()


def test_the_pin_is_the_release_for_which_names_were_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    major, minor = map(int, private_names.STREAMLIT.split("."))
    pin = f">={private_names.STREAMLIT},<{major}.{minor + 1}"
    extras = project["project"]["optional-dependencies"]
    assert f"streamlit{pin}" in project["project"]["dependencies"]
    assert f"streamlit[auth]{pin}" in extras["auth"]


@pytest.mark.parametrize(
    ("path", "parameters", "told"),
    [
        ("streamlit.no_module:f", None, "is not there"),
        ("streamlit:App.no_method", None, "is not there"),
        ("streamlit:NoClass.no_method", None, "is not there"),
        ("streamlit:App.run", "self", r"takes \(self config\)"),
        ("streamlit:App.run", "self config", "^$"),
        ("streamlit:App._runtime", None, "^$"),  # of instances only
    ],
)
def test_what_is_otherwise_is_named(
    path: str, parameters: str | None, told: str
) -> None:
    name = PrivateName(path, parameters, False, "as a test")
    assert name.deviation == "" or name.deviation.startswith(path)
    with pytest.raises(AssertionError, match=told):
        raise AssertionError(name.deviation)


def changed(part: PrivateNameGroup, monkeypatch: pytest.MonkeyPatch) -> None:
    table = part.table + "streamlit:App\n    gone: for a test\n"
    monkeypatch.setattr(private_names, "PARTS", (replace(part, table=table),))
    monkeypatch.setattr(
        private_names,
        "check_private_names_and_list_warnings",
        private_names.check_private_names_and_list_warnings.__wrapped__,
    )


def test_nobody_is_served_where_people_could_not_be_kept_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for part in private_names.PARTS:
        changed(part, monkeypatch)
        if part.is_security:
            with pytest.raises(
                ParameterError, match=r"App\.gone is not there"
            ) as raised:
                private_names.check_private_names_and_list_warnings()
            message = str(raised.value)
        else:
            (message,) = private_names.check_private_names_and_list_warnings()
        assert "\n" not in message
        assert part.use in message
        assert "Install Streamlit 1.67." in message
        monkeypatch.undo()
    assert [part for part in private_names.PARTS if not part.is_security] == [
        private_names.RERUNS
    ]
