"""Tables of the README that follow from the registries.

Rewrite them with ``python -m tests.readme_tables``.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.methods import FAMILIES, methods

README = Path(__file__).parent.parent / "README.md"


def methods_table() -> str:
    lines = ["| method | family | what it does | source |", "| --- | --- | --- | --- |"]
    for family in FAMILIES:
        for info in methods.infos():
            if info.family == family:
                source = info.reference.link
                lines.append(f"| `{info.id}` | {family} | {info.summary} | {source} |")
    return "\n".join(lines)


def with_tables(text: str) -> str:
    return re.sub(
        r"(<!-- methods -->\n).*?(<!-- /methods -->)",
        lambda found: f"{found[1]}{methods_table()}\n{found[2]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
