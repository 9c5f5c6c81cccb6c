"""Texts about measures, the risk-utility map, and how a release is written."""

from __future__ import annotations

WAIT = "Risk and utility can be measured once the run in progress has ended."
FAMILIES: dict[str, str] = {"risk": "Risk", "loss": "Utility", "privacy": "Privacy"}
"""What the families of measures are called on screen."""
FAMILY_SHOWS: dict[str, str] = {
    "risk": "How well somebody who knows original values could find records again.",
    "loss": "How far the released numbers are from the original ones.",
    "privacy": (
        "What the released groups promise: counted on the values as released, not as "
        "planned."
    ),
}
DIRECTIONS: dict[str, str] = {
    "lower is better": "Lower is better.",
    "higher is better": "Higher is better.",
}
FAMILY_NONE = "None of these has been measured yet."
LEAST = "The least that any groups of k can lose, a proven lower bound."
NO_FIGURE = "does not apply"

ANALYSIS_SHOW = (
    "Somebody fits a model to the release. How much worse is it, for original records "
    "that it has not seen, than the same model fitted to the original? Both are tried "
    "on the same held-out fifths of the records."
)
ANALYSIS_NONE = "No column of the release is left to predict another one by."

MAP_SHOW = (
    "Each point is a result, with its k beside it. Left is safer, down is more useful. "
    "The dashed line joins the efficient ones: no other result is both safer and more "
    "useful. Click a point to choose it."
)
MAP_WAIT = (
    "How risky is each result, and how useful? Once risk has been measured, this map "
    "shows every method and k as a point."
)
UNDER_NONE = "No result stays within this ceiling: raise it, or try a larger k."

OVERRIDE_SHOW = (
    "A release that fails a check, or has a red line, should not leave. If you answer "
    "for it all the same, say why: the reason is written into both reports."
)
LEAVE_HELP = "The line stays amber, and the reason is written into both reports."
KEEP_HELP = (
    "They are confidential, and hardly any k records share one: protected, most would "
    "become other records' values. The line stays amber."
)
COSTLY_REASON = (
    "Protected, these columns would lose most of what they say, and make the others "
    "lose more."
)
DIRECTOR_HELP = (
    "One sheet of A4 in plain words, for those who sign and those who receive the "
    "file: what it is, what was done, what can still happen, and what to expect of it."
)
NEUTRALISE_HELP = (
    "Text that begins with =, +, -, @, a tab or a line break can run as a formula when "
    "a spreadsheet opens the file. This puts an apostrophe in front of it, but not of "
    "numbers, ranges and telephone numbers."
)
KEEP_SHOW = (
    "Keep these to yourself: they tell how the protection was made, and the groups "
    "tell who is grouped with whom."
)
HAND_OVER_SHOW = "May leave together with the protected file."
GUIDE_HELP = (
    "To go beside the release: what may be used as it is, what averaging has changed, "
    "what to expect of a model of each column, and Python code for linear regressions."
)
SCRIPT_HELP = (
    "Run in the folder of your file, it gives the same release again, and checks it."
)
DESCRIPTION_HELP = (
    "Tells programs of archives and catalogues which columns the file has, what was "
    "done to them, k, the loss and the file's SHA-256; nothing that the file does not "
    "show."
)
CERTIFICATE_NONE = (
    "There is no certificate of a result with {what}: for one, choose a result without."
)
CERTIFICATE_LARGE = (
    "Of more than {count} records a certificate takes long to make: the command line "
    "does it, with `--certificate c.json`."
)
CERTIFICATE_CHECK: dict[str, str] = {
    "torn": "this is no certificate, or not all of one, or it was changed since",
    "packed": (
        "this browser cannot unpack the archive: unpack it, and choose the table in it"
    ),
    "moved": "a file is gone, or was changed after it was chosen: choose it again",
    "unlike": (
        "the file is not the one of the certificate. It takes the original, unchanged "
        "to the last byte, and not the release"
    ),
    "other": "It is about another result than the one chosen above.",
    "right": (
        "{records} records, groups of at least k = {k}: with their means, the "
        "information loss is {loss} %, and no groups of at least k lose less than "
        "{bound} %."
    ),
    "best": (
        "{records} records, groups of at least k = {k}: with their means, the "
        "information loss is {loss} %, and no groups of at least k lose less by a "
        "billionth part. Proven best possible."
    ),
    "taken": "Taken from the certificate and not compared with the file: {taken}.",
    "hierarchies": (
        "Taken from the certificate, too: how categories of {hierarchies} belong "
        "together."
    ),
    "covers": "Covers {covered} of {all} records.",
    "allowed": "Records that need not be covered, as 3 or 1%",
    "impossible": (
        "Say how many records need not be covered as a number, such as 3, or as 0% to "
        "100% of them: not more than there are."
    ),
    "uncovered": "Does not hold of all: {uncovered} of {all} records are not covered.",
    "unpacked": "The table was unpacked out of {packed}.",
    "left": "{left} records are left out, as the run was allowed to.",
    "reasons": "Left out because a value is called missing: {reasons}.",
    "beside": (
        "{beside} lines above or below the table are as full as its header, and may be "
        "records."
    ),
    "lines": (
        "{lines} other lines, beside the table or without a value, are no records."
    ),
    "unseen": (
        "{unseen} records are left out for a reason that the certificate alone gives."
    ),
    "stay": (
        "Gaps stay in {stay}: records are grouped only with records that lack the same."
    ),
    "median": "Gaps hold the median in {median}, worked out here again.",
    "mode": "Gaps hold the mode in {mode}, worked out here again.",
    "strata": "Groups lie within strata of {strata}.",
    "persons": (
        "k counts people: every group has records of at least k of those that "
        "{persons} names, as the certificate says."
    ),
    "histories": (
        "All people of a group have records in the same groups. Columns that take the "
        "mean of all these together: {wide}."
    ),
    "counts": "Each of these people has equally many records in each of them.",
    "weights": "The loss counts each record as often as {weights} says.",
}
"""What the check of a certificate in the browser says, by the script's names."""

PLAN_OPEN_HELP = (
    "A plan.json from the Release page, or from the command line: it brings back k, "
    "method, parameters, roles, kinds, hierarchies, rules, and every other choice."
)
PLAN_WHOLE = "All of its choices fit this table."

SHARES: dict[str, str] = {
    "kept": "as it was",
    "changed": "changed",
    "generalised": "coarser",
    "gone": "gone (*)",
}
STILL_A: dict[str, str] = {
    "whole number": "whole number",
    "number": "number",
    "date": "date",
    "text": "text",
}
LOST = "These columns say next to nothing any more:"
