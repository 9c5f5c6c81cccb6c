"""Texts about the session: undo, finished runs and projects."""

CHOICE_NAMES: dict[str, str] = {
    "sizes": "k",
    "methods": "methods",
    "parameters": "parameters",
    "ceilings": "highest risk by {column}",
    "max_loss": "most loss allowed",
    "release_format": "format of the release",
    "shuffle": "order at random",
    "shuffle_seed": "seed of the order",
    "neutralise": "formulas neutralised",
    "stata_version": "version of Stata",
    "overrides": "reason to release all the same",
    "accepted": "confirmed to release all the same",
}
"""What undo calls the choices that plans do not have; those declare a label."""

PROJECT_HOLDS = (
    "The file holds choices, runs, groups and figures, names of columns and "
    "hierarchies, but no record's values: whoever opens it needs the same data file "
    "to see the releases again."
)
PROJECT_HOLDS_DATA = (
    "The file also holds the original records: keep it as safe as the data file."
)
OLD_BROWSER = (
    "This browser is too old for Coterie: open this address in an up-to-date Firefox, "
    "Chrome, Edge or Safari."
)
PROJECT_TOO_LARGE = (
    "The project file would take more than a gigabyte of memory, so it was not opened: "
    "it is damaged or not from Coterie."
)
PROJECT_CUT = (
    "The file is not a whole Coterie project: it may have been cut short or be "
    "something else, so get it again."
)
PROJECT_LOCKED = (
    "The project file is locked with a password or packed in a way that Coterie does "
    "not write: get it again from where it was saved."
)
PROJECT_DAMAGED = (
    "The project file is damaged or was made by another version of Coterie, so nothing "
    "was changed: save it again where it was made."
)
PROJECT_NONE = (
    "The file is a zip file, but no Coterie project: choose one whose name ends in "
    ".coterie."
)
"""Why a project cannot be opened; errors are said in English, and then translated."""

PROJECT_OTHER = (
    "This is not the file that the project was made with: its records or columns "
    "differ, so the project's results are not those of this file."
)
