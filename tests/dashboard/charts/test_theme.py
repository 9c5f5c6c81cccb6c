"""Colours: every method can be told apart and looks the same in every chart."""

import json

import plotly.graph_objects as go
import pytest

from dashboard.charts.theme import CONFIG, PALETTE, dress, fade, method_styles
from engine.methods import methods


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("background", ["#FFFFFF", "#0E1117"])
@pytest.mark.parametrize("colour", PALETTE)
def test_every_colour_shows_on_light_and_dark(colour, background):
    assert contrast(colour, background) > 2.0


def test_all_methods_look_different():
    styles = method_styles(methods)
    assert len(styles) == len(methods)
    assert len(set(styles.values())) == len(methods)


def test_up_to_six_methods_have_six_colours():
    for start in range(len(methods)):
        some = [*methods][start : start + 6]
        assert len({style.colour for style in method_styles(some).values()}) == len(
            some
        )


def test_a_method_keeps_its_colour_when_another_is_added():
    names = [*methods]
    for added in names:
        first = [name for name in names[:3] if name != added]
        before = method_styles(first)
        after = method_styles([*first, added])
        assert all(after[name] == before[name] for name in first)


def test_polished_groups_have_the_colour_of_their_method_and_a_look_of_their_own():
    names = ["mdav", "mdav, polished", "cbfs", "cbfs, polished"]
    for ids in (names, names[::-1], ["mdav, polished"]):
        styles = method_styles(ids)
        assert len(set(styles.values())) == len(ids)
    styles = method_styles(names)
    for name in ("mdav", "cbfs"):
        assert styles[f"{name}, polished"].colour == styles[name].colour
        assert styles[name] == method_styles(["mdav", "cbfs"])[name]
        assert styles[f"{name}, polished"].pattern != styles[name].pattern


def test_more_methods_than_looks_still_get_a_look():
    styles = method_styles([f"method-{number}" for number in range(60)])
    assert len(styles) == 60


def test_charts_offer_no_way_to_send_data_away():
    assert CONFIG["showSendToCloud"] is False
    assert CONFIG["displaylogo"] is False


def test_a_dressed_figure_is_transparent():
    figure = json.loads(dress(go.Figure(), 300).to_json())
    assert figure["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
    assert figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"


def test_fading_keeps_the_colour():
    assert fade("#0072B2", 0.5) == "rgba(0, 114, 178, 0.5)"
