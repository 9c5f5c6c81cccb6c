"""Group records by any method such that k counts persons."""

from engine.persons.equal_counts import select_records_of_equal_counts
from engine.persons.group import PersonGroups, code_person_ids, group_for_k_persons

__all__ = [
    "PersonGroups",
    "code_person_ids",
    "group_for_k_persons",
    "select_records_of_equal_counts",
]
