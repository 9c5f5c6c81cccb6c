"""Texts about attacks, repeated releases, and suppressed records."""

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
NO_MORE_THAN_K_ALLOWS = "no more than k allows"
MORE_THAN_K_ALLOWS = "more than k allows"
NOBODY = (
    "This attack finds nobody for certain: who falls is a matter of chance, so that "
    "there are no records to name."
)
BEFORE = (
    "Every attack there is will be tried on this result, in a process of its own; you "
    "can cancel it. Nothing leaves this machine."
)
MENDS = "What would mend it"
LARGER_HELP = "Adds a larger k to the comparison, and leads there."
OUTLIERS_HELP = (
    "Leaves out the records whose protection costs the others most, and leads to the "
    "comparison."
)
TOGETHER_HELP = "Groups all protected columns together, and leads to the comparison."
ROLES_HELP = "Leads to the roles of columns: what an intruder knows can be left out."

LEDGER_SHOW = (
    "Each file that you download is entered here. Before the next one of the same "
    "records leaves, it is checked whether all of them together would give values back."
)
REGROUPED_FILES = (
    "The groups come from the ledger: the script and the notebook read it from their "
    "folder. The plan alone gives the method's groups."
)
SAME_GROUPS = "The same groups again"
SAME_GROUPS_HELP = (
    "Releases the groups of an earlier release, which add nothing to what is known; "
    "other columns and common values may differ."
)
COARSER_GROUPS = "Groups that coarsen them"
COARSER_GROUPS_HELP = (
    "Joins groups of an earlier release until each has k records: the best unions "
    "add nothing to what is known."
)
REGROUPED: dict[str, str] = {
    "same": "**The groups are those of an earlier release**, and not the method's.",
    "coarsen": (
        "**The groups are unions of those of an earlier release**, and not the "
        "method's."
    ),
}
NO_REGROUPING = (
    "Groups of an earlier release are groups of whole records: choose a method that "
    "makes such groups, and no blocks, to take them again."
)
MANY = (
    "Look at as many results as you like, and hand out one: several releases of the "
    "same records can give exact values back."
)

OUTLIERS_SHOW = (
    "The records whose protection costs the others most are left out of the release, "
    "up to this share. They are missing from every total made of it, too: the release "
    "says how many they are, never which."
)
NO_OUTLIERS = (
    "Outliers cannot be left out here: the table is too large for it, or the method "
    "draws its groups at random. Choose another result."
)
