"""Learn: lessons to project, published tables run again, and the glossary."""

from dashboard.learn import addresses, classroom, glossary_page, published_page
from dashboard.learn.glossary import entries
from dashboard.learn.lessons.course import LESSONS

lessons = {lesson.id: lesson for lesson in LESSONS}
show, term = addresses.shown(), addresses.term()
if term in entries():
    glossary_page.show_entry(term)
elif show == addresses.GLOSSARY:
    glossary_page.show()
elif show == addresses.PUBLISHED:
    published_page.show()
elif show in lessons:
    classroom.lesson(lessons[show])
elif show or term:
    classroom.unknown()
else:
    classroom.start()
