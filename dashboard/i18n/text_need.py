"""Texts of the Need page."""

from __future__ import annotations

NEED_INTRO = (
    "Say which rule you answer to and which analysis must survive; the release that "
    "keeps both is looked for."
)
RULE_HELP = (
    "Each rule set names its source and whether its number was compared with it. It "
    "is no legal advice: who answers for the release decides."
)
CHECKED: dict[str, str] = {
    "source": "compared with the source",
    "secondary": "as others report it",
    "no": "not compared with the source",
}
"""What is known of a rule set's numbers."""
RULE_FILE_HELP = (
    "A TOML file with title, source, url, place, year, checked, assumes and [[rule]], "
    "as the rule sets of the list have. Its rules become rules of your own."
)
RULE_FILE_OPENED = "The rules of the file are now rules of your own."
FAMILIES: dict[str, str] = {
    "": "no regression",
    "linear": "linear regression",
    "logit": "logistic regression",
    "poisson": "Poisson regression",
}
MODEL_INCOMPLETE = (
    'Choose the column that the model explains ("of"), and columns that explain it '
    '("by"), or "no regression".'
)
UNDECIDED_SHOW = (
    "Cannot be picked, as undecided columns do not leave (decide on Data): {columns}."
)
HELD_OUT_HELP = (
    "One a line, as above. The search does not see them; their overlap stands beside "
    "what you ask for, since what is asked for is kept better than what is not."
)
HELD_OUT_SHOW = (
    "Held out: the search did not see these models, and nothing was asked of them. The "
    "limit beside each is that of the others."
)
SECOND_HELP = (
    "One model or keep a line, as above. Both releases have the same groups and common "
    "values of their own; rules hold for each and for both together."
)
OVERLAP_HELP = (
    "How much the 95 % intervals of each slope, before and after, have in common; the "
    "weakest slope counts. 1 is all of it."
)
RELEASES = ("both together", "first release", "second release")
"""What a requirement is about, by its number, where there are two releases."""
ANSWERS: dict[str, str] = {
    "found": "Found",
    "nearest": "Nearest",
    "open": "Left open",
    "impossible": "Impossible",
}
LOST_SHOWS = (
    "What each record of the subgroup loses, in per cent of the file's mean variance: "
    "beyond 100 where they lie farther from their new values than all records from the "
    "mean."
)
MAP_SHOWS = (
    "Each point is a release that was tried: risk of the easiest to find across, what "
    "is kept up. Your two limits are dashed; all is well in the tinted corner."
)
SLOPES_SHOW = "Each slope with half its 95 % interval, in the original and the release."
