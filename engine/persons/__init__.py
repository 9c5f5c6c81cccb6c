"""Groups in which k counts the persons whom records are about, for every method."""

from engine.persons.group import PersonGroups, code_person_ids, group_persons

__all__ = ["PersonGroups", "code_person_ids", "group_persons"]
