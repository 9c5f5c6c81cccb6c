"""List of the lessons, in the order in which they are taught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.app_pages.learn import bound_lesson, fuzzy_lessons, lesson_pages
from dashboard.i18n import text_lessons


@dataclass(frozen=True)
class Lesson:
    """A lesson: identifier, title, teaser, icon and the function that shows it.

    Attributes
    ----------
    id : str
        As the page's address has it.
    title, teaser : str
        In English.
    icon : str
    show : callable
        Shows all that is below the title.
    """

    id: str
    title: str
    teaser: str
    icon: str
    show: Callable[[], None]


LESSONS = (
    Lesson(
        "k",
        text_lessons.K_TITLE,
        text_lessons.K_TEASER,
        ":material/workspaces:",
        lesson_pages.show_k_lesson,
    ),
    Lesson(
        "scaling",
        text_lessons.SCALING_TITLE,
        text_lessons.SCALING_TEASER,
        ":material/straighten:",
        lesson_pages.show_scaling_lesson,
    ),
    Lesson(
        "group-sizes",
        text_lessons.TEN_TITLE,
        text_lessons.TEN_TEASER,
        ":material/bubble_chart:",
        lesson_pages.show_group_order_lesson,
    ),
    Lesson(
        "one-column",
        text_lessons.LINE_TITLE,
        text_lessons.LINE_TEASER,
        ":material/linear_scale:",
        lesson_pages.show_one_column_lesson,
    ),
    Lesson(
        "fuzzy-groups",
        text_lessons.FUZZY_TITLE,
        text_lessons.FUZZY_TEASER,
        ":material/casino:",
        fuzzy_lessons.show_fuzzy_lesson,
    ),
    Lesson(
        "fuzziness",
        text_lessons.SWEEP_TITLE,
        text_lessons.SWEEP_TEASER,
        ":material/tune:",
        fuzzy_lessons.show_fuzzy_parameter_lesson,
    ),
    Lesson(
        "rules",
        text_lessons.EDITS_TITLE,
        text_lessons.EDITS_TEASER,
        ":material/rule:",
        lesson_pages.show_edits_lesson,
    ),
    Lesson(
        "intruder",
        text_lessons.INTRUDER_TITLE,
        text_lessons.INTRUDER_TEASER,
        ":material/person_search:",
        lesson_pages.show_intruder_lesson,
    ),
    Lesson(
        "two-files",
        text_lessons.TOGETHER_TITLE,
        text_lessons.TOGETHER_TEASER,
        ":material/file_copy:",
        lesson_pages.show_composition_lesson,
    ),
    Lesson(
        "bound",
        text_lessons.BOUND_TITLE,
        text_lessons.BOUND_TEASER,
        ":material/vertical_align_bottom:",
        bound_lesson.show_bound_lesson,
    ),
)
"""The lessons that are projected; the published tables follow them."""
