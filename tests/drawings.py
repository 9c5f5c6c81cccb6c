"""Drawings of the manual as SVG: a map of methods, and what microaggregation does."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np

from dashboard.charts.theme import PALETTE
from dashboard.manual.chapters import DARK, MANUAL_FOLDER
from engine import partition

COLOURS = {
    "": {"ink": "#111318", "paper": "#ffffff", "box": "#e6f1f8", "answer": "#e5f5f0"},
    DARK: {"ink": "#fafafa", "paper": "#0e1117", "box": "#16324a", "answer": "#123f34"},
}
"""Ink, paper, questions and answers, by the ending of the file's name."""

FONT = "system-ui, 'Segoe UI', Roboto, 'Noto Sans CJK SC', sans-serif"

METHOD_MAP = (
    ("hansen-mukherjee",),
    ("individual-ranking",),
    ("blocked",),
    ("caat", "kaca"),
    ("refined", "vmdav"),
    ("iterated", "optimal"),
)
"""Methods that the questions lead to; the last are for whoever said no to all."""

METHOD_MAP_TEXTS = {
    "": {
        "ways": ("yes", "no"),
        "questions": (
            "Is only one column protected?",
            "May k hold for each column alone?",
            "More than 200,000 records?",
            "Only ranges that hold for every member?",
            "Must it take seconds?",
            "Minutes are enough",
        ),
        "answers": (
            "proven to lose least",
            "keeps each column's values best",
            "",
            "numbers become intervals",
            "vmdav where records cluster",
            "optimal proves how good it is",
        ),
    },
    ".de": {
        "ways": ("ja", "nein"),
        "questions": (
            "Wird nur eine Spalte geschützt?",
            "Genügt k für jede Spalte allein?",
            "Mehr als 200.000 Datensätze?",
            "Nur Bereiche, die für alle stimmen?",
            "Muss es in Sekunden gehen?",
            "Minuten sind genug",
        ),
        "answers": (
            "verliert beweisbar am wenigsten",
            "erhält jede Spalte am besten",
            "",
            "Zahlen werden zu Intervallen",
            "vmdav, wo Datensätze Haufen bilden",
            "optimal beweist, wie gut es ist",
        ),
    },
    ".zh": {
        "ways": ("是", "否"),
        "questions": (
            "只保护一列吗？",
            "k 只需对每一列单独成立吗？",
            "超过 200,000 条记录吗？",
            "只能发布对每个成员都成立的范围吗？",
            "必须在几秒内完成吗？",
            "可以用几分钟",
        ),
        "answers": (
            "已证明损失最小",
            "每列的值保留得最好",
            "",
            "数值变为区间",
            "记录成簇时用 vmdav",
            "optimal 给出证明",
        ),
    },
}
"""By language, as file names say it."""

PEOPLE = np.array(
    [[47, 62], [52, 66], [50, 55], [24, 44], [20, 34], [29, 36], [39, 19], [36, 10]],
    dtype=np.float64,
)
"""Age and wage of eight people, in the units of the drawing."""


AFTER = np.array([370.0, 0.0])
"""Where the right half of the drawing of people lies."""


def draw_all() -> Iterator[tuple[Path, str]]:
    """Give the path and the SVG of every drawing, in light and dark."""
    for scheme in COLOURS:
        for language in METHOD_MAP_TEXTS:
            path = MANUAL_FOLDER / f"choose-method{language}{scheme}.svg"
            yield path, draw_method_map(language, scheme)
        path = MANUAL_FOLDER / f"microaggregation{scheme}.svg"
        yield path, draw_microaggregation(scheme)


def draw_method_map(language: str, scheme: str) -> str:
    """Return questions from top to bottom, each with the methods of its yes."""
    texts, colours = METHOD_MAP_TEXTS[language], COLOURS[scheme]
    yes, no = texts["ways"]
    parts = []
    for row, names in enumerate(METHOD_MAP):
        top, middle = 12 + 64 * row, 34 + 64 * row
        question, note = texts["questions"][row], texts["answers"][row]
        parts.append(_box(12, top, 316, 44, colours["box"]))
        parts.append(_words(170, middle + 5, question, colours["ink"], 14))
        parts.append(_arrow(328, middle, 412, middle, colours["ink"]))
        parts.append(_box(412, top, 316, 44, colours["answer"]))
        title, height = ", ".join(names), middle - 2 if note else middle + 5
        parts.append(_words(570, height, title, colours["ink"], 15, weight=600))
        parts.append(_words(570, middle + 15, note, colours["ink"], 12))
        if row < len(METHOD_MAP) - 1:
            parts.append(_words(370, middle - 6, yes, colours["ink"], 12))
            parts.append(_arrow(170, top + 44, 170, top + 64, colours["ink"]))
            parts.append(_words(196, top + 58, no, colours["ink"], 12))
    return _svg(740, 12 + 64 * len(METHOD_MAP), colours["paper"], parts)


def draw_microaggregation(scheme: str) -> str:
    """Return eight people before, and their groups' means after, as the engine does."""
    colours = COLOURS[scheme]
    labels = partition(PEOPLE, k=3, method="mdav", seed=0)
    places = np.column_stack([PEOPLE[:, 0] * 5 - 40, 262 - PEOPLE[:, 1] * 3.6])
    parts = []
    for shift in (0, 370):
        parts.append(_arrow(40 + shift, 250, 300 + shift, 250, colours["ink"]))
        parts.append(_arrow(40 + shift, 250, 40 + shift, 14, colours["ink"]))
        parts.append(_words(280 + shift, 268, "age", colours["ink"], 13))
        parts.append(_words(64 + shift, 22, "wage", colours["ink"], 13))
    parts.append(_arrow(318, 132, 362, 132, colours["ink"]))
    parts.append(_words(340, 122, "k = 3", colours["ink"], 13))
    for (x, y), letter in zip(places, "abcdefgh", strict=True):
        parts.append(_dot(x, y, 5, colours["ink"]))
        parts.append(_words(x + 13, y + 5, letter, colours["ink"], 14))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        x, y = places[members].mean(axis=0) + AFTER
        colour = PALETTE[label]
        for a, b in places[members] + AFTER:
            parts.append(_line(a, b, x, y, colour))
            parts.append(_dot(a, b, 3, colour))
        parts.append(_dot(x, y, 8, colour))
        names = ", ".join("abcdefgh"[at] for at in members)
        parts.append(_words(x + 14 + 4 * len(names), y + 5, names, colours["ink"], 14))
    return _svg(690, 280, colours["paper"], parts)


def _svg(width: int, height: int, paper: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{FONT}">\n'
        f'<rect width="{width}" height="{height}" fill="{paper}"/>\n'
        + "".join(f"{part}\n" for part in parts if part)
        + "</svg>\n"
    )


def _box(x: int, y: int, width: int, height: int, fill: str) -> str:
    size = f'width="{width}" height="{height}"'
    return f'<rect x="{x}" y="{y}" {size} rx="8" fill="{fill}"/>'


def _words(
    x: float, y: float, text: str, fill: str, size: int, weight: int = 400
) -> str:
    if not text:
        return ""
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" '
        f'fill="{fill}" text-anchor="middle">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="1.5"/>'


def _arrow(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    """Return a line with a head, along one of the axes."""
    dx, dy = int(np.sign(x2 - x1)) * 7, int(np.sign(y2 - y1)) * 7
    head = (
        f"M{x2:.1f} {y2:.1f}l{-dx - dy // 2} {-dy - dx // 2}"
        f"l{dy // 2 * 2} {dx // 2 * 2}z"
    )
    return _line(x1, y1, x2, y2, stroke) + f'<path d="{head}" fill="{stroke}"/>'


def _dot(x: float, y: float, radius: int, fill: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}"/>'
