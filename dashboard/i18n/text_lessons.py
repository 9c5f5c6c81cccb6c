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
CLASS_KINDS = {
    "public": "Of a public table",
    "release": "Of a release that has a certificate",
}
CLASS_WHY = (
    "A class file goes from hand to hand: it must not carry records of real people who "
    "are not protected. It carries two columns of amounts, of 60 records at most."
)
CLASS_SAMPLED = (
    "{count} of {all} records are in the file, a random sample: pictures cannot show "
    "more."
)
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

GLOSSARY_TEASER = (
    "Every term, measure and method: meaning, formula, direction and source."
)
UNKNOWN = "There is no such lesson or term here: the address may have been cut short."
