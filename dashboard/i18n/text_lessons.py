"""Texts of the lessons: a few short sentences each, to be read from the last row."""

from __future__ import annotations

LEARN_INTRO = (
    "Short lessons to try and to project, each with one idea, one control and one "
    "picture; every figure is worked out while you look."
)
PROJECT = (
    "Every lesson has an address of its own to give to a class. On a projector, Ctrl "
    "and + make it larger."
)
CLASS_INTRO = (
    "Touch the pictures, and be wrong often: each card says what you will be able to "
    "do. Whatever you answer stays in this browser."
)
CLASS_TABLES = {"people": "Made-up people", "own": "The table that is open"}
CLASS_TABLES_HELP = (
    "Lessons whose pictures can show any two columns of amounts show yours. The others "
    "stay with made-up people."
)
WITH_ENGINE = "Lessons to project, worked out by the engine"
CLASS_FILE = "Take a class along (HTML)"
CLASS_SEED = "Number of the class"
CLASS_SEED_HELP = (
    "Another number makes other people, other questions and other right answers; the "
    "same number makes the same file."
)
CLASS_LESSONS = "Lessons in the file"
CLASS_ALL_LESSONS = "All of them"
CLASS_LESSONS_HELP = (
    "With their exercises. They stay in the order in which they are taught, and the "
    "game comes along."
)
CLASS_WHOSE = "Whose records are those of {table}?"
CLASS_KINDS = {
    "public": "Of a public table",
    "release": "Of a release that has a certificate",
}
CLASS_WHY = (
    "A class file goes from hand to hand: it must not carry records of real people who "
    "are not protected. It carries two columns of amounts, of 60 records at most."
)
CLASS_SOURCE = "Its source, as one cites it"
CLASS_SOURCE_EXAMPLE = "National statistics institute, 2011"
CLASS_CERTIFICATE = "Certificate of the run that made the release (JSON)"
CLASS_SAMPLED = (
    "{count} of {all} records are in the file, a random sample: pictures cannot show "
    "more."
)
CLASS_GAPS = "Records with a gap are left out: {count}."
CLASS_FILE_HELP = (
    "Fourteen lessons, twelve exercises and a game as one file, which needs neither a "
    "network nor Coterie: for a memory stick, a phone or a school's old browser."
)
LINK_HELP = (
    "The address of this page alone. The one in your browser's bar leads to your own "
    "table as well, while your tab is open: do not pass that one on."
)

PATIENTS_X = "Height (cm)"
PATIENTS_Y = "Weight (kg)"

K_TITLE = "What k does"
K_TEASER = "Drag k and see groups form anew: more protection, mostly more loss."
K_TELLS = (
    "Each point is a patient. Groups of at least **k** similar patients are formed, "
    "and the file shows only the centre of each group."
)
K_ASKS = (
    "Drag **k** to the right: fewer groups, longer lines, and mostly more is lost. "
    "Each k has groups of its **own**, not merged ones. **Mostly**: MDAV does not "
    "promise the best groups, and may do better with a larger k."
)

SCALING_TITLE = "Why scaling decides the figures"
SCALING_TEASER = "Less than half the loss: a better method, or only another scale?"
SCALING_PRINTED = (
    "A paper printed **{second} %** for {second_name} beside **{first} %** for "
    "{first_name}. But the second is on z-scored values, where no grouping can lose "
    "as little as the first: that was presumably measured on values as they are."
)
SCALING_RAW = (
    "As they are, the largest numbers decide: **{share}** of all variation and "
    "**{lost}** of the loss come from **{columns}** alone."
)
SCALING_ZSCORED = (
    "Z-scored, every column counts the same. The groups protect as before, and the "
    "loss is another number: compare on **one scaling only**."
)
SCALING_WEIGHTED = (
    "A **weight** says what matters: with {weight}, **{column}** loses {now} instead "
    "of {before}. Others pay for it: {other} loses {other_now} instead of "
    "{other_before}."
)
SCALING_SOURCE = (
    "Printed: {table}, k = {k}, {source}. Measured now: {here}, k = {k}. With a copy "
    "of the printed table opened in the last lesson, its own figures stand here."
)
SCALING_SOURCE_OPEN = (
    "Printed: {table}, k = {k}, {source}. Measured now: your copy of {here}, k = {k}."
)

TEN_TITLE = "Fixed or variable groups"
TEN_TEASER = (
    "Ten records in three clusters: the same sizes, and a loss 200 times as large."
)
TEN_TELLS = "Ten records lie in three clusters of 3, 3 and 4, and k is 3."
TEN_FIXED = (
    "**MDAV** forms groups of three at both ends, and the four that are left are one. "
    "The best groups have 3, 3 and 4, too: here it is **order** that costs, not size, "
    "as one of the four lies far away."
)
TEN_VARIABLE = "Groups of **k to 2k − 1** records follow the clusters."
TEN_BEST = (
    "**No other groups lose less**: this method has proven it. V-MDAV had found the "
    "same ones."
)
TEN_BEST_ALONE = "**No other groups lose less**: this method has proven it."
TEN_WAYS: dict[str, str] = {
    "mdav": "MDAV",
    "vmdav": "V-MDAV",
    "optimal": "The best",
}

FUZZY_TITLE = "Fuzzy groups"
FUZZY_TEASER = "Records draw their group by lot: what that hides, and what it costs."
FUZZY_TELLS = (
    "Each patient **draws** one of ten centres: the darker the line, the likelier. "
    "Orange: fewer than {k} drew the same."
)
FUZZY_ASKS = (
    "A larger **m2** makes all centres as likely: nobody can tell who drew which, most "
    "is lost, and **k is only expected**."
)

LINE_TITLE = "One column alone"
LINE_TEASER = "Sort it and cut it: the best groups are known at once."
LINE_TELLS = (
    "Twelve values of a printed figure, in groups of **at least three**. Each becomes "
    "its group's mean."
)
LINE_FIXED = (
    "Groups of **exactly** three, from the outside in: what is left in the middle has "
    "to share. Which groups would you make?"
)
LINE_BEST = (
    "Sorted and cut where it costs least: **6, 26 and 46**, as printed, and no groups "
    "lose less. With more than one column nobody knows such a short way."
)
LINE_WAYS: dict[str, str] = {
    "mdav": "MDAV",
    "hansen-mukherjee": "Hansen-Mukherjee",
}

SWEEP_TITLE = "How fuzzy is fuzzy enough"
SWEEP_TEASER = "What m and lambda cost, and how many they hide."
SWEEP_TELLS = (
    "Left: what {count} patients lose, and how many of them are **found** by somebody "
    "who knows their true values; the mean of {draws} draws, and the range of losses. "
    "A larger m is fuzzier, a larger lambda crisper."
)
SWEEP_ASKS = (
    "Right: the share that is found, by the same losses. Dashed: **plain noise** "
    "instead of groups. Which of the two hides more for the same loss?"
)

EDITS_TITLE = "Rules against noise"
EDITS_TEASER = "Centres that must keep a sum stay nearer to the truth."
EDITS_TELLS = (
    "Twelve firms whose expenditures **add up**, and noise on every figure: centres of "
    "clusters leave the line where the sum holds (orange). Centres that **must keep "
    "the rule** (blue) return to it."
)
EDITS_ASKS = (
    "Is that nearer to the centres of the clean figures? Torra (2020) printed one draw "
    "for each size of the noise: the crosses. Here are many."
)

INTRUDER_TITLE = "What an intruder can still do"
INTRUDER_TEASER = "Somebody knows a few facts. How many firms do they find?"
INTRUDER_TELLS = (
    "Somebody knows true values of every firm, and takes the **nearest** record of "
    "the file for it. Orange: found, of every 100 firms."
)
INTRUDER_ASKS = (
    "Dashed: found if each were linked to its own group and guessed among its members. "
    "**More than that, k does not allow.**"
)
INTRUDER_KNOWS = "Known: {names}."

TOGETHER_TITLE = "Two safe files"
TOGETHER_TEASER = "Each file alone hides everybody. What do several say together?"
TOGETHER_TELLS = (
    "Each file has groups of at least k and their **means**: alone, it gives nobody "
    "away. Once their rows are **matched**, by order or by a column that stays, two "
    "means of groups that differ by one record are an equation with one unknown."
)
TOGETHER_ASKS = (
    "Hand out one more. The stars are people whose true values **follow exactly**, by "
    "arithmetic alone. Look at many results, and **hand out one**."
)

BOUND_TITLE = "How good is good enough"
BOUND_TEASER = "More effort loses less, down to a bound that nothing can pass."
BOUND_TELLS = (
    "What {count} patients lose in groups of at least {k}. **No groups at all** reach "
    "the grey area: a proven lower bound."
)
BOUND_ASKS = (
    "Put in more effort. What is left between the bar and the bound is the **gap**."
)
BOUND_DONE = "The gap is closed: it is **proven** that no groups lose less."
BOUND_PROOF = (
    "The proof is a file. Under *Check a certificate* on the Release page, or with "
    "`coterie certify certificate.json patients.csv`, a short program that knows "
    "nothing of this one checks every number of it against the patients' file."
)

PUBLISHED_TITLE = "Published tables, run again"
PUBLISHED_TEASER = "What papers have printed, beside what your own copy gives."

GLOSSARY_TITLE = "Glossary"
GLOSSARY_TEASER = (
    "Every term, measure and method: meaning, formula, direction and source."
)
UNKNOWN = "There is no such lesson or term here: the address may have been cut short."
