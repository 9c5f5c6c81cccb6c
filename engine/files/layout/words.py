"""Words that identify totals, notes and units in rows of files."""

from __future__ import annotations

import re

TOTALS = re.compile(
    r"(?:grand |sub|sub-|sub |overall )?totals?|sum|sums|all"
    r"|(?:end|gesamt|zwischen|teil|quer)?summen?|gesamt|insgesamt|gesamtergebnis"
    r"|total (?:général|general|geral|generale|complessivo)|totaux|ensemble|somme"
    r"|totale|somma|suma|totales|totais|soma|totaal|totalen|som|eindtotaal"
    r"|razem|ogółem|łącznie|suma końcowa|celkem|összesen|итого|всего|summa|yhteensä"
    r"|i alt|totalt|合计|总计|小计|总和|总数|累计|合計|総計|小計|합계|총계",
    re.IGNORECASE,
)
"""Names of rows that sum up others; a colon or sigma may stand with them."""
TOTALS = re.compile(rf"[Σ∑]?\s*(?:{TOTALS.pattern})?\s*:?(?<=\w|[:Σ∑])", re.IGNORECASE)

NOTE_PATTERN = re.compile(
    r"\s*(?:[*†‡§©¹²³⁴#]|_{3,}|-{3,}|={3,}|\(?(?:\d{1,2}|[a-z])\)\s"
    r"|(?:quellen?|sources?|fuente|fonte|fontes|bron|źródło|zdroj|来源|资料来源|注|备注"
    r"|anmerkung(?:en)?|hinweise?|fußnoten?|notes?|nota|notas|note|opmerking(?:en)?"
    r"|uwag[ai]|stand|as of|abgerufen|retrieved|erstellt|created|generated|printed"
    r"|exported|export|copyright|lizenz|licen[cs]e|legende?|legend|stichtag"
    r"|contact|kontakt|rows?|records|anzahl|datensätze|end of|ende)\b.{0,3}[:\s]"
    r"|(?:来源|资料来源|注|备注|说明)[：:])",
    re.IGNORECASE,
)
"""Beginnings of notes below a table."""

_UNIT_WORDS = (
    "€ $ £ ¥ eur euro euros usd gbp chf pln zł kr sek dkk nok czk cny rmb jpy brl r$ "
    "t€ k€ m€ teur keur meur mio mrd tsd mio. mrd. tsd. "
    "% ‰ %o percent prozent pct anzahl count number n stück stk stk. pcs "
    "kg g mg µg t lb lbs oz km m cm mm mi ft in m² m2 qm ha km² km2 m³ m3 l ml dl cl "
    "h min s ms std std. stunden minuten sekunden hours minutes seconds tage days "
    "jahre years monate months yr yrs j y d w kwh wh mwh kw w mw kj kcal cal j "
    "°c °f k hpa pa bar mmhg bpm ppm ppb mol mmol mmol/l mg/dl g/l g/dl µmol/l iu/l "
    "u/l kg/m² kg/m2 km/h m/s m/s² v a db hz khz mhz ghz kb mb gb tb "
    "jahre alter punkte points score personen persons people einwohner ew "
    "年 月 日 元 万元 亿元 人 公斤 米 岁 小时 个"
)
_UNITS_RE = "|".join(
    sorted(map(re.escape, set(_UNIT_WORDS.split())), key=len, reverse=True)
)
_SCALES = (
    r"mn|mln|mio\.?|mill?\.?|millions?|million[ei]n?|milliarden?|mrd\.?|mld\.?|bn|billions?"
    r"|milhões|millones|milioni|miljoen|tys\.?|tsd\.?|thous\.?|thousands?|tausend|milliers"
    r"|miles|mil|migliaia|duizend|1[., ]?000|'?000s?|k"
)
UNIT_PATTERN = re.compile(
    rf"[\[(]\s*[^\])]{{1,20}}\s*[\])]"
    rf"|(?:in )?(?:(?:{_SCALES})\s?)?(?:{_UNITS_RE})(?:\s?(?:{_SCALES}))?"
    rf"(?:\s?(?:/|pro|per|je)\s?\w{{1,10}})?|(?:in )?(?:{_SCALES})",
    re.IGNORECASE,
)
"""A unit of measurement alone in a cell, in thousands too, or anything in brackets."""
