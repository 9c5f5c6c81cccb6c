"""Detector of names of firms by legal forms and by words such as bank or group."""

from __future__ import annotations

import re

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, ColumnView, Finding

_LEGAL_FORMS = (
    r"gmbh( & co\.? kg)?|mbh|ag|kg|ohg|ug|e\.?k\.?|e\.?v\.?|gbr|kgaa|eg|se|"
    r"ltd|limited|plc|llp|llc|inc|corp|corporation|co|company|pty|"
    r"sarl|s\.?a\.?r\.?l\.?|sas|s\.?a\.?s\.?|sasu|eurl|sci|s\.?a\.?|snc|scop|"
    r"s\.?l\.?u?|s\.?l\.?l\.?|s\.?c\.?|s\. ?coop\.?|"
    r"s\.?p\.?a\.?|s\.?r\.?l\.?s?|s\.?n\.?c\.?|s\.?a\.?s|"
    r"lda|ltda|unipessoal|eireli|me|"
    r"b\.?v\.?|n\.?v\.?|v\.?o\.?f\.?|c\.?v\.?|bvba|"
    r"sp\. ?z ?o\.? ?o\.?|sp\. ?j\.?|sp\. ?k\.?|s\.? ?c\.?|p\.?p\.?h\.?u\.?|"
    r"ab|oy|oyj|as|asa|aps|a/s|s\.?r\.?o\.?|a\.?s\.?|kft|zrt|nyrt|bt|d\.?o\.?o\.?|"
    r"ооо|оао|зао|пао|ип"
)
_BODIES = (
    r"association|institute|foundation|council|university|college|committee|company|"
    r"corporation|federation|cooperative|society|bank|hospital|clinic|agency|"
    r"authority|partners|enterprises|industries|technologies|airlines|airways|"
    r"laboratories|pharmaceuticals|insurance|consulting|research"
)
"""Words that end the names of bodies of all sorts."""

_FIRM_PATTERN = re.compile(
    rf"(?!\d+[ .,]*\w{{1,3}}$)(?:.*[^\W\d_]{{2}}.* ({_BODIES})|"
    rf".*[\s,]({_LEGAL_FORMS})\.?|.*(& sons?|& söhne|& co\.?|gebr\.|gebrüder|et fils|"
    rf"hermanos|fratelli|holding|group|gruppe|groupe)( .*)?|"
    r"(ооо|оао|зао|пао|ип|ets|p\.?p\.?h\.?u\.?|fa\.?|firma) .+|"
    r".*(公司|集团|有限|工厂|银行|株式会社).*)",
    re.IGNORECASE,
)


def detect_firm_names(column: ColumnView) -> Finding | None:
    """Return a finding if at least 30 % of different texts look like names of firms."""
    values = column.values
    if not values.words or values.n_distinct < 3:
        return None
    share = values.matching_share(_FIRM_PATTERN.pattern, re.IGNORECASE)
    if share < 0.3:
        return None
    reason = Message(
        "{share:.0f} % of its different values have a legal form of firms.",
        share=100.0 * share,
    )
    sure = CERTAIN if share > 0.6 else LIKELY
    return Finding(Role.IDENTIFIER, (reason,), sure, Kind.NOMINAL, "firm-name")
