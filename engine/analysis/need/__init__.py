"""Say what is needed: rules and analyses in, the best release or a proof out."""

from engine.analysis.need.answer import Need
from engine.analysis.need.formula import ModelFormula
from engine.analysis.need.keeps import Keep
from engine.analysis.need.need import need
from engine.analysis.need.rules import Rule, RuleSet, read_rules, rule_sets

__all__ = [
    "Keep",
    "ModelFormula",
    "Need",
    "Rule",
    "RuleSet",
    "need",
    "read_rules",
    "rule_sets",
]
