"""Widgets: every kind of declaration has one, and what is set arrives in the plan."""

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.parameters import Choice, Flag, Float, Int
from engine.methods import methods
from engine.methods.base import Reference

DECLARED = {
    "steps": Int("steps", 5, "Steps", "How many.", 1, 9),
    "gain": Float("gain", 0.2, "Gain", "How much.", 0.0, 2.0),
    "share": Float("share", "auto", "Share", "Or a number.", 0.0, 1.0, ("auto",)),
    "order": Choice("order", "up", "Order", "Which way.", ("up", "down")),
    "twice": Flag("twice", False, "Twice", "Do it again."),
}


def script():
    from dashboard.app_pages.compare.rail import parameters
    from tests.dashboard.app_pages.compare.rail.test_parameters import DECLARED

    for parameter in DECLARED.values():
        parameters.show_parameter_widget("some-method", parameter)


@pytest.fixture
def page():
    return AppTest.from_function(script, default_timeout=60).run()


def values(page):
    return dict(page.session_state["workspace"].parameters.get("some-method", {}))


def test_every_kind_shows_its_default(page):
    assert page.number_input[0].value == 5
    assert page.number_input[1].value == 0.2
    assert page.button_group[0].value == "auto"
    assert page.selectbox[0].value == "up"
    assert page.toggle[0].value is False


def test_what_is_set_arrives_in_the_workspace(page):
    page.number_input[0].set_value(7).run()
    page.number_input[1].set_value(1.5).run()
    page.selectbox[0].set_value("down").run()
    page.toggle[0].set_value(True).run()
    assert values(page) == {"steps": 7, "gain": 1.5, "order": "down", "twice": True}
    assert page.number_input[0].value == 7


def test_a_word_can_give_way_to_a_number_and_come_back(page):
    page.button_group[0].set_value("a number").run()
    page.number_input[2].set_value(0.75).run()
    assert values(page) == {"share": 0.75}
    page.button_group[0].set_value("auto").run()
    assert values(page) == {"share": "auto"}
    assert len(page.number_input) == 2


def test_limits_are_those_of_the_declaration(page):
    assert (page.number_input[0].min, page.number_input[0].max) == (1, 9)
    assert (page.number_input[1].min, page.number_input[1].max) == (0.0, 2.0)


def test_every_declared_parameter_of_every_method_has_a_widget():
    for info in methods.infos():
        for parameter in info.parameters:
            assert isinstance(parameter, (Int, Float, Choice, Flag))


@pytest.mark.parametrize(
    ("reference", "short"),
    [
        (
            Reference("Domingo-Ferrer J, Torra V (2005). Ordinal.", "10.1/x"),
            "[Domingo-Ferrer & Torra 2005](https://doi.org/10.1/x)",
        ),
        (Reference("Lin J-L, Wen T-H, Hsieh J-C (2010). Density."), "Lin et al. 2010"),
        (Reference("Wen TH, Lin JL. Density (in Chinese)."), "Wen & Lin"),
        (Reference("Hansen SL, Mukherjee S (2003). A."), "Hansen & Mukherjee 2003"),
    ],
)
def test_a_reference_is_short_on_a_card(reference, short):
    assert reference.markdown_link == short
