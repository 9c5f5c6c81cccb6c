"""Texts around the lessons on Learn; their own are in the class file's scripts."""

from __future__ import annotations

LEARN_INTRO = (
    "Short lessons to try and to project, each with one idea and a picture to touch, "
    "exercises and a game."
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
    "Lessons, exercises and a game as one file, which needs neither a network nor "
    "Coterie: for a memory stick, a phone or a school's old browser."
)
LINK_HELP = (
    "The address of this page alone. The one in your browser's bar leads to your own "
    "table as well, while your tab is open: do not pass that one on."
)

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
