"""Texts about attacks, releases together, and records that are left out."""

from __future__ import annotations

EXACTNESS: dict[str, str] = {
    "exact": "exactly",
    "rounded": "rounded to two digits",
    "near": "up to 5 % off",
}
"""How an intruder knows numbers."""

KNOWS_HELP = (
    "Columns of which an intruder knows people's values before the release. Suppose "
    "more rather than less: registers, social media and neighbours know a lot."
)
ABOUT_HELP = (
    "How many people the intruder looks for; drawn at random from the file. More make "
    "the intervals narrower and the attacks slower."
)
EXPLAINED = (
    "Each attack is tried on the release, beside a control: the same without the "
    "release, or by guessing. What counts is the difference."
)
KEYS = "▬ with the release, with 95 % interval · ◆ by guessing"
VERDICTS: dict[str, str] = {
    "none": "no better than guessing",
    "slight": "slightly better than guessing",
    "clear": "clearly better than guessing",
    "most": "succeeds mostly",
    "nothing": "nothing to try",
}
NOBODY = (
    "This attack finds nobody for certain: who falls is a matter of chance, so that "
    "there are no records to name."
)
BEFORE = (
    "Every attack there is will be tried on this result, in a process of its own; you "
    "can cancel it. Nothing leaves this machine."
)
FALLEN = "Records that fall, by their numbers in your file; each leads to why."
MENDS = "What would mend it"
LARGER_HELP = "Adds a larger k to the comparison, and leads there."
OUTLIERS_HELP = (
    "Leaves out the records whose protection costs the others most, and leads to the "
    "comparison."
)
TOGETHER_HELP = "Groups all protected columns together, and leads to the comparison."
ROLES_HELP = "Leads to the roles of columns: what an intruder knows can be left out."
