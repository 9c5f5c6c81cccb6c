"""Colours: every method can be told apart and looks the same in every chart."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly import basedatatypes

from dashboard.charts.comparisons.pairs import RESULT_STYLES
from dashboard.charts.theme import (
    NEUTRAL,
    PALETTE,
    PLOTLY_CONFIG,
    apply_theme,
    choose_method_styles,
    rgba_colour,
)
from engine.methods import methods
from engine.methods.default import (
    DEFAULT_LARGE_METHOD,
    DEFAULT_MIXED_METHODS,
    DEFAULT_NUMERIC_METHODS,
)


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


SIMULATIONS = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB,
https://doi.org/10.1109/TVCG.2009.113"""


def lab(colour, sight):
    """Return CIE L*a*b* (D65) of a colour as somebody with this sight sees it."""
    points = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(
        points <= 0.04045, points / 12.92, ((points + 0.055) / 1.055) ** 2.4
    )
    sight_rgb = np.clip(
        np.array(SIMULATIONS[sight]) @ linear if sight else linear, 0, 1
    )
    to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    x, y, z = (np.array(to_xyz) @ sight_rgb) / [0.95047, 1.0, 1.08883]
    fx, fy, fz = (
        t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29
        for t in (x, y, z)
    )
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("sight", ["", *SIMULATIONS])
@pytest.mark.parametrize(("one", "other"), list(combinations(PALETTE, 2)))
def test_any_two_colours_differ_also_to_people_who_confuse_colours(one, other, sight):
    # 2.3 is just noticeable; side by side in a chart it takes several times that.
    assert np.linalg.norm(lab(one, sight) - lab(other, sight)) > 10.0


@pytest.mark.parametrize("sight", ["", *SIMULATIONS])
def test_the_two_pinned_results_differ_from_each_other_and_from_the_original(sight):
    colours = [colour for colour, _, _ in RESULT_STYLES] + [NEUTRAL]
    for first_colour, other in combinations(colours, 2):
        assert np.linalg.norm(lab(first_colour, sight) - lab(other, sight)) > 20.0


def test_the_simulation_confuses_what_it_should_and_nothing_else():
    red, green, grey = "#B03A2E", "#5D6B1B", "#808080"
    distances = {
        sight: np.linalg.norm(lab(red, sight) - lab(green, sight))
        for sight in ("", "protanopia", "deuteranopia")
    }
    assert distances["deuteranopia"] < 0.5 * distances[""]
    for sight in SIMULATIONS:
        np.testing.assert_allclose(lab(grey, sight), lab(grey, ""), atol=0.6)


def test_methods_of_one_colour_differ_in_dash_and_symbol():
    """Beside colour there is always a second way to tell methods apart."""
    styles = [*choose_method_styles(methods).values()]
    for style, other in combinations(styles, 2):
        if style.colour == other.colour:
            assert (style.dash, style.symbol) != (other.dash, other.symbol)


def test_all_methods_look_different():
    names = [*methods, *(f"{name}, polished" for name in methods)]
    assert len(set(choose_method_styles(names).values())) == len(names)


def test_default_methods_have_colours_of_their_own():
    first = *DEFAULT_NUMERIC_METHODS, *DEFAULT_MIXED_METHODS, DEFAULT_LARGE_METHOD
    styles = choose_method_styles(first)
    assert len({style.colour for style in styles.values()}) == len({*first})


def test_each_colour_is_that_of_a_sixth_of_the_methods():
    used = Counter(style.colour for style in choose_method_styles(methods).values())
    assert max(used.values()) - min(used.values()) <= 1
    assert len(used) == len(PALETTE)


def test_a_method_looks_the_same_in_whatever_comparison():
    styles = choose_method_styles(methods)
    for some in combinations([*methods][::5], 3):
        assert choose_method_styles(some) == {name: styles[name] for name in some}


def test_polished_groups_have_the_colour_of_their_method_and_a_look_of_their_own():
    names = ["mdav", "mdav, polished", "cbfs", "cbfs, polished"]
    for ids in (names, names[::-1], ["mdav, polished"]):
        styles = choose_method_styles(ids)
        assert len(set(styles.values())) == len(ids)
    styles = choose_method_styles(names)
    for name in ("mdav", "cbfs"):
        assert styles[f"{name}, polished"].colour == styles[name].colour
        assert styles[name] == choose_method_styles(["mdav", "cbfs"])[name]
        assert styles[f"{name}, polished"].symbol != styles[name].symbol


def test_more_methods_than_looks_still_get_a_look():
    styles = choose_method_styles([f"method-{number}" for number in range(60)])
    assert len(styles) == 60


def test_charts_offer_no_way_to_send_data_away():
    assert PLOTLY_CONFIG["showSendToCloud"] is False
    assert PLOTLY_CONFIG["displaylogo"] is False


def test_a_dressed_figure_is_transparent():
    figure = json.loads(apply_theme(go.Figure(), 300).to_json())
    assert figure["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
    assert figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"


def test_fading_keeps_the_colour():
    assert rgba_colour("#0072B2", 0.5) == "rgba(0, 114, 178, 0.5)"


def test_names_of_settings_are_taken_apart_once_and_alike():
    parted = basedatatypes._str_to_dict_path_full
    for name in ("xaxis_title_text", "shapes[1].line.color", "error_x_array", "a__b"):
        parts = parted(name)
        assert parted(name) is parts
        assert parts == parted.__wrapped__(name)
