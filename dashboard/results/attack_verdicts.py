"""What attacks' successes are worth, by the rule of the verdict on the release."""

from __future__ import annotations

from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, capitalize_first
from dashboard.results.answers import SIGN_OF_COLOUR
from engine.analysis.attacks import AttackResult
from engine.analysis.verdict.disclosure import LEARNING, LINKING, colour_of_attack
from engine.measures.judge import Sign


def attack_verdict_and_sign(attack_result: AttackResult, k: int) -> tuple[str, Sign]:
    """Return in words whether an attack succeeds, and the sign of the verdict on that.

    What the verdict judges beside k is said beside k as well: of hundreds of records, a
    guess finds fewer than one in k, which k allows.
    """
    if not attack_result.attempts:
        return _(text_attacks.VERDICTS["nothing"]), "open"
    sign = SIGN_OF_COLOUR[colour_of_attack(attack_result, k)]
    if sign == "bad":
        return _(text_attacks.MORE_THAN_K_ALLOWS), sign
    if attack_result.has_succeeded and attack_result.attack in LINKING + LEARNING:
        return _(text_attacks.NO_MORE_THAN_K_ALLOWS), sign
    return _(text_attacks.VERDICTS[attack_result.grade]), sign


def attack_rates_text(attack_result: AttackResult) -> str:
    """Return how often an attack succeeds and how often a guess does, of 100 times."""
    return _("{rate} of 100, by guessing {control}").format(
        rate=_format_rate(100.0 * attack_result.rate),
        control=_format_rate(100.0 * attack_result.control),
    )


def attack_sentence(attack_result: AttackResult, k: int) -> str:
    """Return verdict and rates of an attack as a sentence, or why there are none."""
    if not attack_result.attempts:
        return _(attack_result.verdict_text)
    verdict = attack_verdict_and_sign(attack_result, k)[0]
    return f"{capitalize_first(verdict)}: {attack_rates_text(attack_result)}"


def _format_rate(value: float) -> str:
    """Return a rate with one decimal below ten, and whole above."""
    return f"{value:.1f}" if 0.0 < value < 9.95 else f"{value:.0f}"
