"""The bundle is one script of ES2019, and says so when modules do not fit."""

import re

import pytest

from dashboard.class_file.bundle import bundle_modules, read_javascript_modules
from dashboard.class_file.component import component_script, component_style
from tests.dashboard.class_file.scripts import run_script

PARSE = """
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
let said = "";
try {
  acorn.parse(input, { ecmaVersion: 2019, sourceType: "script" });
} catch (error) {
  said = String(error);
}
console.log(JSON.stringify(said));
"""

LATER = re.compile(
    r"\.(at|flat|flatMap|replaceAll|matchAll|allSettled|hasOwn|findLast|toSorted"
    r"|replaceChildren|randomUUID)\(|\bglobalThis\b|structuredClone|BigInt"
)
"""What browsers of 2018 do not have, though a parser takes it."""


def parse(script: str) -> str:
    """Return what a parser of ES2019 finds wrong."""
    fault = run_script(PARSE, script, "--expose-internals", "--no-warnings")
    assert isinstance(fault, str)
    return fault


def test_the_script_is_of_2019() -> None:
    script = bundle_modules(read_javascript_modules())
    assert parse(script) == ""
    assert [match[0] for match in LATER.finditer(script)] == []


def test_the_component_is_a_module_of_the_same_modules() -> None:
    script = component_script()
    assert script.startswith("export default function (component) {")
    plain = script.removeprefix("export default ")
    assert parse(f"({plain})") == ""
    for name, text in read_javascript_modules().items():
        first = re.search(r"^(?:export )?function (\w+)", text, re.MULTILINE)
        if first and name not in ("main.js", "opening.js"):
            assert f"function {first[1]}(" in plain, name


def test_the_component_has_a_colour_of_either_scheme_for_every_one_it_uses() -> None:
    style = component_style()
    used = set(re.findall(r"var\((--[\w-]+)\)", style)) - {"--st-font"}
    assert used <= set(re.findall(r"(--[\w-]+): light-dark\(", style))
    assert ":root" not in style.replace(":root { color-scheme: light; --page", "")


def test_newer_syntax_is_found() -> None:
    assert "SyntaxError" in parse("const a = b?.c;")
    assert "SyntaxError" in parse("a ??= 1;")


def test_modules_come_after_what_they_import() -> None:
    modules = {
        "main.js": 'import { a } from "./low.js";\nimport {\n  b,\n} from "./mid.js";\n'
        "console.log(a + b);\n",
        "mid.js": 'import { a } from "./low.js";\nexport const b = a + 1;\n',
        "low.js": "export const a = 1;\n",
        "beside.js": "nobody asks for this",
    }
    script = bundle_modules(modules)
    assert script.index("const a") < script.index("const b") < script.index("console")
    assert "import" not in script
    assert "export" not in script
    assert "nobody" not in script


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        (
            {
                "main.js": 'import { a } from "./low.js";\nconst b = 1;',
                "low.js": "export const a = 1;\nfunction b() {}",
            },
            "define b",
        ),
        (
            {
                "main.js": 'import { a } from "./low.js";\n',
                "low.js": 'import { b } from "./main.js";\n',
            },
            "imports itself",
        ),
        ({"main.js": 'import { a } from "./none.js";\n'}, "none of the modules"),
        ({"other.js": ""}, "main.js is imported, and is none"),
        ({"main.js": 'import * as low from "./low.js";\n'}, "another form"),
        ({"main.js": "const a = 1;\nexport { a };\n"}, "another form"),
    ],
)
def test_modules_that_do_not_fit_are_named(modules: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        bundle_modules(modules)
