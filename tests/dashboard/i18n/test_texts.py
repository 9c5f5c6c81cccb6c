"""No text reaches a person around the catalogues: read from the code itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

DASHBOARD = Path(__file__).parents[3] / "dashboard"

ELSEWHERE = {
    "__main__.py": "speaks in a terminal",
    "catalogue.py": "speaks in a terminal",
    "bill.py": "speaks to programs",
    "doctor.py": "speaks in a terminal",
    "launch.py": "speaks in a terminal",
    "supervisor_link.py": "speaks to programs",
    "private_names.py": "speaks in a terminal",
    "chain.py": "speaks in a terminal",
    "log.py": "speaks in a terminal, beside its errors",
    "running.py": "speaks to programs",
    "serve.py": "speaks in a terminal",
    "supervisor.py": "speaks in a terminal",
    "tab_store.py": "names a thread",
    "administration.py": "speaks in a terminal",
    "settings.py": "speaks in a terminal",
    "forkserver.py": "speaks to the operating system",
    "preload.py": "shows nothing",
    "proxies.py": "speaks to proxies",
    "place_assigner.py": "looks its texts up in the language that a browser asks for",
    "assigner_server.py": "speaks to programs",
    "metrics.py": "speaks to programs",
    "peer_link.py": "speaks to programs",
    "place_messages.py": "speaks to programs",
    "provider_logout.py": "speaks to programs, and in a terminal",
    "server_status.py": "speaks to programs",
    "shared_state.py": "speaks to databases",
    "state_sync.py": "speaks in a terminal",
    "sign_in_rate_limit.py": "looks its text up in the language a browser asks for",
    "takeover.py": "speaks in a terminal",
    "terminal.py": "speaks in a terminal",
    "guard.py": "speaks to programs that no page of ours is",
    "sign_in_file.py": "speaks in a terminal",
    "sign_in_page.py": "looks its texts up in the language that a browser asks for",
    "headings.py": "names headings as the code calls them, to look them up",
    "manifest.py": "names parts of a file",
    "own_table.py": "speaks in a terminal",
    "people.py": "names made-up people",
    "bundle.py": "speaks to those who write scripts",
    "component.py": "holds a script and a style for browsers",
    "process.py": "speaks to the operating system",
    "project.py": "names parts of a file",
    "reader.py": "names parts of a file",
    "terms.py": "names sources, the same in every language",
    "words.py": "speaks in a terminal",
    "worker.py": "speaks in a terminal",
}
"""Modules whose sentences no page shows, or none in another language."""

TRANSLATING = {"_", "n_", "Message", "AuditError", "InputError", "ParameterError"}

TECHNICAL = {
    # Names of widgets, of formats, and mistakes in the program.
    *(
        "widget_key",
        "editor_widget_key",
        "register_listener",
        "ask",
        "tell",
        "compile",
        "component",
        "run",
        "Popen",
        "namedtuple",
    ),
    *("TypeError", "AssertionError", "RuntimeError", "ValueError", "KeyError"),
    *("strftime", "strptime", "startswith", "endswith", "getenv", "get_logger"),
    "print",  # in a terminal
}
"""Functions whose arguments nobody reads on a page."""

SHOWING = {
    *("badge", "button", "caption", "checkbox", "chart", "dataframe", "date_input"),
    *("download_button", "error", "expander", "feedback", "file_uploader", "header"),
    *("info", "link_button", "markdown", "menu_button", "metric", "multiselect"),
    *("number_input", "page_header", "page_link", "pills", "popover", "progress"),
    *("radio", "segmented_control", "select_slider", "selectbox", "slider", "spinner"),
    *("status", "subheader", "success", "tabs", "text_area", "text_input", "toast"),
    *("toggle", "warning", "write", "next_step", "CheckboxColumn", "Column"),
    *("DateColumn", "NumberColumn", "SelectboxColumn", "TextColumn"),
}
"""What shows its first argument, and those named as follows."""

SHOWN = {"alt", "body", "caption", "help", "help_", "label", "placeholder", "title"}

ALLOWED = {
    # Places in Plotly's figures.
    *("top left", "top right", "middle center", "bottom right", "top center"),
    *("xaxis ", "yaxis ", "axis ", "  domain"),
    # What code calls something that a table of texts has a word for.
    *("Off by", "Cut points", "Risk and utility", "An attribute", "as above"),
    *("lower is better", "higher is better", "levels table", "common value", "data"),
    *(" _from", " _to", "report_  ", "Level  "),
    # Names.
    *("Coterie", "IL   %", "doi: "),
    # Styles of cells.
    *("background-color:  ", "rgba( ,  ,  ,  )"),
    *("\n.sign-out button \n", ' <div class="sign-out"> '),
}

PROSE = re.compile(r"[A-Za-z]{2,}[,.;:]? +[A-Za-z(]")
WORD = re.compile(r"[A-Za-z]{2,}")
NOT_WORDS = re.compile(
    r"`[^`]*`|:material/\s*\w*:|:\w+\[|%?\{[^}]*\}|</?\w+>|\.\w+$|^app_pages/|/view\.py$|https?://\S*|data:\S*"
    r"|(?<!\S)--[a-z-]+"
)
CODE = re.compile(r"[;{}]|=>|var\(--|^\w+/\w|^<|^[\w.-]+:\s*[\w#(]+$")


class Reader:
    """One module, with where each of its literals stands."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.above = {
            child: node
            for node in ast.walk(self.tree)
            for child in ast.iter_child_nodes(node)
        }

    def offences(self) -> Iterator[tuple[int, str]]:
        """Yield line and text of every literal that should be looked up."""
        for node in ast.walk(self.tree):
            text = _words(node)
            if not text or self._is_docstring(node) or self._is_part(node):
                continue
            if isinstance(node, ast.JoinedStr):
                wrong = WORD.search(text)
            else:
                wrong = PROSE.search(text) or (
                    self._is_shown(node) and WORD.search(text)
                )
            if wrong and text not in ALLOWED and not self._is_looked_up(node):
                yield getattr(node, "lineno", 0), text

    def shadows(self) -> Iterator[int]:
        """Yield the lines in which a variable takes the function's name."""
        for node in ast.walk(self.tree):
            name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            if (name and node.id == "_") or (  # type: ignore[union-attr]
                isinstance(node, ast.arg) and node.arg == "_"
            ):
                yield node.lineno  # type: ignore[attr-defined]

    def _is_docstring(self, node: ast.AST) -> bool:
        return isinstance(self.above.get(node), ast.Expr)

    def _is_part(self, node: ast.AST) -> bool:
        return isinstance(self.above.get(node), ast.JoinedStr)

    def _is_looked_up(self, node: ast.AST) -> bool:
        while node in self.above:
            node = self.above[node]
            called = _name(node.func) if isinstance(node, ast.Call) else ""
            if called in TRANSLATING | TECHNICAL:
                return True
        return False

    def _is_shown(self, node: ast.AST) -> bool:
        above = self.above.get(node)
        if isinstance(above, ast.keyword):
            return above.arg in SHOWN and _name_above(self.above[above]) in SHOWING
        if not isinstance(above, ast.Call) or _name(above.func) not in SHOWING:
            return False
        # Registries have a method of this name too, which takes an identifier.
        if _name(above.func) == "info" and ast.unparse(above.func) != "st.info":
            return False
        places = {"chart": (1, 2, 5)}.get(_name(above.func), (0,))
        return node in above.args and above.args.index(node) in places


def _words(node: ast.AST) -> str:
    """Return what a literal says, without code, icons and values; else nothing."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (
            part.value if isinstance(part, ast.Constant) else " "
            for part in node.values
        )
        text = "".join(map(str, parts))
    else:
        return ""
    text = NOT_WORDS.sub("", text)
    return "" if CODE.search(text) else text


def _name(function: ast.AST) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _name_above(node: ast.AST) -> str:
    return _name(node.func) if isinstance(node, ast.Call) else ""


def modules() -> list[Path]:
    return [
        path
        for path in sorted(DASHBOARD.rglob("*.py"))
        if path.name not in ELSEWHERE and not path.name.startswith("text")
    ]


def test_every_text_is_looked_up() -> None:
    offences = [
        f"{path.relative_to(DASHBOARD)}, line {line}: {text}"
        for path in modules()
        for line, text in Reader(path).offences()
    ]
    assert offences == [], "put it into _() or n_(), with format for its values"


def test_no_variable_takes_the_name_of_the_function() -> None:
    translated = [
        path
        for path in modules()
        if "dashboard.i18n.language" in path.read_text(encoding="utf-8")
    ]
    assert len(translated) > 50
    names_by_path = {path: list(Reader(path).shadows()) for path in translated}
    assert {path: names for path, names in names_by_path.items() if names} == {}


@pytest.mark.parametrize(
    "code",
    [
        'st.button("Run")',
        'st.markdown(f"{n} records")',
        'st.toggle(label, help="Untick")',
        'words = "two words"',
        'left.caption(f"**{n} done**")',
    ],
)
def test_a_text_around_the_catalogue_is_seen(code: str, tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text(code, encoding="utf-8")
    assert list(Reader(path).offences())


@pytest.mark.parametrize(
    "code",
    [
        'st.button(_("Run"))',
        'st.markdown(n_("{n} record", "{n} records", n).format(n=n))',
        'st.markdown(f"**{title}**")',
        'st.button(_("Run"), icon=":material/stop:", key=state.widget_key("the run"))',
        '"""A docstring of some words."""',
    ],
)
def test_a_text_in_the_catalogue_is_no_offence(code: str, tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text(code, encoding="utf-8")
    assert list(Reader(path).offences()) == []
