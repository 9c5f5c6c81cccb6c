"""Learn: lessons to project, published tables run again, and the glossary."""

from dashboard.app_pages.learn import (
    classroom,
    glossary_page,
    other_tools_page,
    published_page,
    run_times_page,
)
from dashboard.app_pages.learn.course import LESSONS
from dashboard.learn.glossary import entries
from dashboard.ui import learn_links

lessons = {lesson.id: lesson for lesson in LESSONS}
show, term = learn_links.shown(), learn_links.term()
learn_links.write_address()
learn_links.lead_home()
if term in entries():
    glossary_page.show_entry(term)
elif show == learn_links.GLOSSARY:
    glossary_page.show()
elif show == learn_links.PUBLISHED:
    published_page.show()
elif show == learn_links.RUN_TIMES:
    run_times_page.show()
elif show == learn_links.OTHER_TOOLS:
    other_tools_page.show()
elif show in lessons:
    classroom.lesson(lessons[show])
elif show or term:
    classroom.unknown()
else:
    classroom.start()
