"""Texts longer than a label that no other module of texts has."""

from __future__ import annotations

from engine.data.kinds import Kind, Role

DATA_INTRO = (
    "Load a table and say what each column is. Quasi-identifiers, by which somebody "
    "could be recognised, are what Coterie protects."
)
RELEASE_INTRO = (
    "Take the protected table home. What you download is the very file that was "
    "read back and checked."
)
COMPARE_INTRO = (
    "What each method and each k costs. Every record is hidden among at least k, "
    "unless it is said otherwise; the less information is lost, the better."
)


LAYOUT_HELP = (
    "The name, first and last place of each column, by commas or lines; or a table "
    "with the columns name, start and width; or what a metadata file of mu-ARGUS holds."
)
SHEETS: dict[str, str] = {"duckdb": "Table", "r": "Table"}
"""What holds one table, by format; else a sheet."""
UPLOAD_HELP = (
    "A table as a file: {formats}. The file stays on the machine that runs Coterie."
)
DELIMITERS: dict[str, str] = {
    ",": "Comma ,",
    ";": "Semicolon ;",
    "\t": "Tab",
    "|": "Bar |",
}
DECIMALS: dict[str, str] = {".": "Point 1.5", ",": "Comma 1,5"}
ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "cp1252": "Western European (cp1252)",
    "cp1250": "Central European (cp1250)",
    "mac-roman": "Western European on a Mac (Mac Roman)",
    "gb18030": "Chinese (GB 18030)",
    "cp850": "Western European, DOS (cp850)",
    "cp1251": "Cyrillic (cp1251)",
    "shift_jis": "Japanese (Shift JIS)",
    "iso8859-15": "Latin 9 (ISO 8859-15)",
    "utf-16": "UTF-16",
}
"""What files are written in, by how the engine calls it."""
BOUND_NAMES: dict[str, str] = {
    "nearest": "LB0",
    "persons": "LB0",
    "edge-cover": "LB1",
    "column-generation": "LB2",
    "per-attribute": "per attribute",
    "none": "none",
}
"""What the kinds of bounds are called."""

ROLE_NAMES: dict[Role, str] = {
    Role.IDENTIFIER: "Identifier",
    Role.QUASI_IDENTIFIER: "Quasi-identifier",
    Role.CONFIDENTIAL: "Confidential",
    Role.WEIGHT: "Weight",
    Role.OTHER: "Leaves as it is",
    Role.UNDECIDED: "Undecided",
}
ROLE_HELP: dict[Role, str] = {
    Role.IDENTIFIER: "Names somebody outright (name, number). Left out of the release.",
    Role.QUASI_IDENTIFIER: (
        "Could help to recognise somebody together with others (key variable). "
        "Protected: each group gets one common value."
    ),
    Role.CONFIDENTIAL: (
        "What nobody should learn about a person (sensitive). Released as it is."
    ),
    Role.OTHER: "Nobody could be recognised by it. Released as it is, unprotected.",
    Role.UNDECIDED: "Nobody has said yet what it is. Does not leave until then.",
    Role.WEIGHT: (
        "How many people or firms a record stands for (sampling weight). Means and "
        "losses are weighted by it. Released as it is."
    ),
}
DECISIONS: dict[Role, str] = {
    Role.IDENTIFIER: "Leave out",
    Role.QUASI_IDENTIFIER: "Protect",
    Role.CONFIDENTIAL: "Confidential",
    Role.OTHER: "Leaves as it is",
}
"""What can be said of an undecided column, as answers."""
KIND_NAMES: dict[Kind, str] = {
    Kind.CONTINUOUS: "Continuous",
    Kind.ORDINAL: "Ordinal",
    Kind.NOMINAL: "Nominal",
}


HIERARCHY_SHOW = (
    "A hierarchy says what a value may become when it has to be less exact: a "
    "diagnosis its chapter, a postcode its first digits, an age an interval. Values "
    "that meet early on the way up are close to each other."
)
HIERARCHY_MAY = "No hierarchy; this column can do without one."
HIERARCHY_NONE = (
    "No hierarchy yet: all values are equally far from each other, and a group of "
    "different ones becomes *."
)
HIERARCHY_EDIT = (
    "Double-click a cell below to change what a value becomes: values with the same "
    "label are one group."
)
HIERARCHY_LOW = "To put values into groups, add a level below the table."
HIERARCHY_PLACES = (
    "The rows are the order of the values, low to high: write another place to move "
    "one."
)
HIERARCHY_WAYS: dict[str, str] = {
    "prefixes": "Prefixes",
    "intervals": "Intervals",
    "dates": "Dates",
    "flat": "Flat",
    "hand": "By hand",
    "file": "Level file",
}
DATE_PERIODS: dict[str, str] = {
    "day": "Day",
    "month": "Month",
    "quarter": "Quarter",
    "year": "Year",
}
INTERVAL_WAYS = ("Equal widths", "Cut points")
HIERARCHY_WAYS_HELP = (
    "**Prefixes**: codes lose one character after the other, 4350, 435\\*, "
    "43\\*\\*.  \n"
    "**Intervals**: numbers fall into wider and wider ones.  \n"
    "**Dates**: days become months, quarters, years.  \n"
    "**Flat**: every value lies directly below the root.  \n"
    "**By hand**: write into the table what each value becomes.  \n"
    "**Level file**: a CSV file as ARX writes them."
)
LEVEL_FILE_HELP = (
    "One line per value, general to the right, no header: `4350;435*;43**;*`. ARX "
    "reads and writes such files; semicolon, comma and tab are told apart."
)
WIDTHS_HELP = "One level for each width, and each a multiple of the one before."
CUTS_HELP = "18, 65 gives three intervals: below 18, from 18 up to 65, and from 65 on."
CUTS_NONE = "Write the numbers at which a new interval begins, such as 18, 65."
PLACE_HELP = "The order of the values, low to high: write another number to move one."
LEVELS_TOO_MANY = (
    "So many values are not edited on screen: download the level file, change it in a "
    "spreadsheet, and read it back."
)
TREE_CUT = "The {count} values themselves are too many to draw; the table has them."

K_HELP = (
    "Every group gets at least k records, so by the quasi-identifiers alone nobody "
    "can be narrowed down to fewer "
    "than k. A larger k protects better and loses more. Choose several to compare. "
    "Methods that do not promise k say so on their card."
)
POLISH_DONE = (
    "Polished: local search lowered the loss of the method's groups; each still has "
    "at least k records."
)
POLISH_NONE = (
    "None of the chosen methods can be polished: searches do it themselves, and "
    "grouping each attribute on its own leaves no groups of whole records."
)
RULES_SHOW = (
    "Sums that add up in your table, limits of its columns, and what must hold if "
    "something else does. Every record of the release keeps every rule, also where "
    "your records break it."
)
RULE_HELP = (
    "An equation, as in `1.16*exp16 + 1.07*exp7 = total`, limits, as in `0 <= age <= "
    "120` or `net <= gross`, products and ratios, as in `price*count = total` or `tax "
    "/ net <= 0.5`, or a condition, as in `if sex = m then pregnancies = 0`. Numbers "
    "have a decimal point, names with spaces go between backquotes, dates count in "
    "days. Rules bind quasi-identifiers; conditions may depend on other columns."
)
OFFENDERS_SHOW = (
    "The records that break a rule most. They may be mistakes in your file; if you "
    "leave them as they are, their released values keep the rule all the same."
)
RECORD_HELP = "Number of the record: the first one below the heading is 1."
OFF_BY_HELP = (
    "Left side less right side of an equation; how far a value lies beyond its limit."
)
ROUNDING_NAMES: dict[str, str] = {
    "types": "Own decimals",
    "precision": "Own decimals, always",
    "none": "Nothing",
}
ROUNDING_SHOW: dict[str, str] = {
    "types": (
        "Every column comes back with as many decimals as it has now. Where no such "
        "values keep the rules, the columns that they bind keep all decimals."
    ),
    "precision": (
        "Every column comes back with as many decimals as it has now. Rules that no "
        "such values keep are refused."
    ),
    "none": ("Means come back with all their decimals, and rules hold to a billionth."),
}

METHODS_TIMES = (
    "Times are for all values of k. Preparing the methods, once after installing, "
    "comes on top."
)


DOTS_SHOW = (
    "How much of the variation between records each method loses, a dot for each k. "
    "The dashed lines are lower bounds: no grouping can stay below them, and a dot "
    "that touches its line is optimal."
)
LINES_SHOW = "How the loss grows with k. The grey area cannot be reached by any method."
TABLE_SHOW = (
    "Optimality gap: how much of the loss might still be avoidable, in per cent of "
    "the loss. "
    "Seconds: time of the method alone."
)
SEARCH_SHOW = (
    "How the loss came down while the search ran. The dashed line is the lower bound: "
    "where the two meet, the groups are the best possible."
)
LOWER = "Lower is better."

COMMAND_SHOW = (
    "Run in the folder of your file, this gives the same release without the dashboard."
)
COMMAND_LEVELS = "Put the hierarchies' files there too."
PLAN_HELP = (
    "Every choice of this run. With the same file and version it gives the same "
    "release, byte for byte: `coterie run FILE --plan plan.json --output FILE`."
)

WEAK = (
    "These results do not keep k, or do not promise it, so their losses cannot be set "
    "against the others:"
)
PROBABILISTIC = (
    "Records draw their groups at random, so only the expected group size can be k, "
    "and a group may have a single record. Expected and realised sizes are counted "
    "after the run."
)
NO_PROMISE = (
    "This method does not promise that every record shares its released values with "
    "k − 1 others; the k that holds is counted after the run."
)

RESULT_HELP = (
    "Every method and k that has run. The selected one is the same on all pages."
)
INSPECT_INTRO = (
    "How risky and how useful a result is; why a group is as it is, what a record lost "
    "by it, and how the groups came about."
)
INSPECT_PARTS: dict[str, str] = {
    "Risk and utility": "Risk and utility",
    "Before": "Before and after",
    "Attack": "Attack",
    "A group": "A group",
    "A record": "A record",
    "An attribute": "An attribute",
    "Replay": "Replay",
}
"""What the Inspect page can look at."""

BEFORE_AFTER_SHOW = (
    "Protected numbers of the records that are released. Means are kept in every "
    "group; standard deviations shrink by what the groups lose."
)
FIGURES_BEFORE_AFTER: dict[str, str] = {
    "records": "Records",
    "mean": "Mean",
    "deviation": "Standard deviation",
    "least": "Least",
    "median": "Median",
    "most": "Most",
}
"""Figures of a column of numbers, and their headings."""
NO_NUMBERS_BEFORE_AFTER = (
    "No protected column holds numbers in the release. Choose a column above to see "
    "how often values come together before and after."
)
RECORD_LEFT_OUT = (
    "This record is not in the release: it was left out for a missing value."
)
RECORD_NOT_CHOSEN = (
    "This record is not in the release: the condition for records to release is not "
    "true of it."
)
ROW_OF_NOTHING = "This row has no value in any column, so that it is no record."
RECORD_OF_A_SURPLUS = (
    "This record is not in the release: it was left out, so that at least k people "
    "have each combination of values equally often."
)
RECORD_OUTLIER_OR_SURPLUS = (
    "This record is not in the release: it was left out as an outlier, or so that at "
    "least k people have each combination of values equally often."
)
RECORD_AN_OUTLIER = (
    "This record is not in the release: it was left out as an outlier, within the "
    "budget for them. To protect it would have cost the others most."
)
COSTLIEST_SHOW = "The groups that lose most; their numbers lead to them under A group."
REPLAY_SHOW = (
    "Every record in the plane that the axes name. Press Play, or draw the slider; a "
    "star marks the record that a group was formed around."
)
