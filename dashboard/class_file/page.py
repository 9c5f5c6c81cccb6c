"""Class file: one HTML page with data, style and script, which loads nothing else."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from dashboard.class_file.bundle import bundle_modules, read_javascript_modules
from dashboard.class_file.own_table import OwnTable
from dashboard.class_file.people import make_people_and_districts
from dashboard.class_file.text_class import NO_SCRIPT, TITLE

LESSONS = (
    "names",
    "groups-by-hand",
    "mdav",
    "fixed-size",
    "variable-size",
    "loss",
    "scaling",
    "bound",
    "one-column",
    "effort",
    "persons",
    "homogeneous",
    "two-releases",
    "edits",
    "codes",
    "regression",
    "attack",
    "two-files",
    "rules",
    "intruder",
    "fuzzy-groups",
    "fuzziness",
)
"""Identifiers of all lessons, in the order in which they are taught."""

DEFAULT_SEED = 7

STYLE = Path(__file__).with_name("class.css")

_STEP = "buildNext();"

_N_OTHER_PARTS = 4
"""The cards, the game, the teacher's view and the foot; the opening builds itself."""

_PAGE = """\
<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>{noscript}</noscript>
<script type="application/json" id="given">{given}</script>
<script>{script}</script>
{steps}
</body>
</html>
"""


def class_page_html(
    seed: int = DEFAULT_SEED,
    lessons: Sequence[str] = (),
    own_table: OwnTable | None = None,
    language: str = "en",
    translated_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the class file as HTML; the same arguments give the same text.

    Parameters
    ----------
    seed : int
        Of the made-up people, of what is asked about them, and of the right answers.
    lessons : sequence of str
        Those of :data:`LESSONS` that the page has, in their order; none for all.
    own_table : OwnTable, optional
        Numbers that the pictures show instead of made-up people.
    language : str
        As pages name theirs.
    translated_texts : mapping of str to str, optional
        Translations by the English text; what is missing stays English.
    """
    translations = dict(translated_texts or {})
    page_data = class_page_data(seed, lessons, own_table, language, translations)
    script = bundle_modules(read_javascript_modules())
    style = STYLE.read_text(encoding="utf-8")
    return _PAGE.format(
        language=html.escape(language),
        policy=_content_policy(style, script, _STEP),
        title=html.escape(translations.get(TITLE, TITLE)),
        style=style,
        noscript=html.escape(translations.get(NO_SCRIPT, NO_SCRIPT)),
        given=_as_script_data(page_data),
        script=script,
        # Each builds one part, so that a browser can paint before the next.
        steps=f"<script>{_STEP}</script>\n"
        * (len(lessons or LESSONS) + _N_OTHER_PARTS),
    )


def class_page_data(
    seed: int,
    lessons: Sequence[str],
    own_table: OwnTable | None,
    language: str,
    translated_texts: Mapping[str, str],
) -> dict[str, object]:
    """Return the data that the class file's scripts read, as JSON types."""
    people, districts = make_people_and_districts(seed)
    return {
        "seed": seed,
        "language": language,
        "words": dict(translated_texts),
        "lessons": list(lessons),
        "districts": districts,
        "people": people,
        "own": own_table.as_json() if own_table is not None else None,
    }


def _content_policy(style: str, *scripts: str) -> str:
    """Return a policy that allows this style and these scripts, and no request."""
    allowed = " ".join(f"'{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; "
        f"script-src {allowed}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _as_script_data(values: Mapping[str, object]) -> str:
    """Return JSON that no HTML parser takes for markup, whatever names are in it."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
