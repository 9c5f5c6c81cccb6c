"""Learn page: lessons, published tables, and glossary."""

from dashboard.app_pages.learn import (
    class_lessons,
    classroom,
    glossary_page,
    other_tools_page,
    published_page,
    run_times_page,
)
from dashboard.class_file.component import PARTS
from dashboard.learn.glossary import glossary_entries
from dashboard.ui.header import learn_links

show, term = learn_links.learn_part_in_address(), learn_links.glossary_term_in_address()
learn_links.write_query_to_address_bar()
learn_links.link_navigation_to_learn_start()
if term in glossary_entries():
    glossary_page.show_glossary_entry(term)
elif show == learn_links.GLOSSARY:
    glossary_page.show_glossary()
elif show == learn_links.PUBLISHED:
    published_page.show_published_comparison()
elif show == learn_links.RUN_TIMES_PART:
    run_times_page.show_measured_and_printed_run_times()
elif show == learn_links.OTHER_TOOLS:
    other_tools_page.show_losses_of_sdcmicro_methods()
elif learn_links.class_part_in_address() in PARTS[1:]:
    class_lessons.show_class_part(learn_links.class_part_in_address())
elif show or term:
    classroom.show_unknown_learn_address()
else:
    classroom.show_learn_start()
