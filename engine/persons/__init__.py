"""Group records by any method such that k counts persons."""

from engine.persons.group import PersonGroups, code_person_ids, group_for_k_persons

__all__ = ["PersonGroups", "code_person_ids", "group_for_k_persons"]
