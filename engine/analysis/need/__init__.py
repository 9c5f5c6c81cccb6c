"""Find the release that best meets rules and analyses, or prove that none can."""

from engine.analysis.need.answer import Need
from engine.analysis.need.keeps import Keep
from engine.analysis.need.models.formula import ModelFormula
from engine.analysis.need.need import need
from engine.analysis.need.rules import (
    Rule,
    RuleSet,
    load_rule_sets,
    read_rules_and_sets,
)

__all__ = [
    "Keep",
    "ModelFormula",
    "Need",
    "Rule",
    "RuleSet",
    "load_rule_sets",
    "need",
    "read_rules_and_sets",
]
