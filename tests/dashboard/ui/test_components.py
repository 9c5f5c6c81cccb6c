"""Parts of pages that more than one page shows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.io.formats.style import Styler
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData

from dashboard.ui.browser_components.components import decimals_format, tint_columns


def told(styled: Styler) -> ArrowData:
    arrow_data = ArrowData()
    marshall_styler(arrow_data, styled, "1")
    return arrow_data


def rules(told: ArrowData) -> dict[str, str]:
    """Return what each cell looks like."""
    look_by_cell: dict[str, str] = {}
    for line in told.styler.styles.splitlines():
        cells, _brace, looks = line.partition(" { ")
        look_by_cell |= dict.fromkeys(cells.split(", "), looks)
    return look_by_cell


def test_columns_are_tinted_as_pandas_would_tint_their_cells() -> None:
    colours = ["#111111", "#222222", "#111111"]
    frame = pd.DataFrame(
        {"a": [1, 2, 3], "b": ["x", None, "<b>"], "c": [0.5, np.nan, 1e9]},
        index=[1, 2, 3],
    )

    def looks(values: pd.Series) -> list[str]:
        at = [*frame].index(str(values.name))
        return [f"background-color: {colours[at]}"] * len(values)

    by_cells = frame.style.set_uuid("tinted").apply(looks)
    column_data, cell_data = told(tint_columns(frame, colours)), told(by_cells)
    assert rules(column_data) == rules(cell_data)
    assert len(rules(column_data)) == frame.size
    assert column_data == told(tint_columns(frame, colours))
    display_frame = pa.ipc.open_stream(column_data.styler.display_values).read_pandas()
    assert display_frame.shape == frame.shape
    assert display_frame["a"].tolist() == ["1", "2", "3"]
    assert display_frame["b"].tolist()[2] == "<b>"


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([75798.47, 3.0, None], "%.2f"),
        ([1234567.891, 2.5], "%.3f"),
        ([3.0, None], "%.0f"),
        ([1 / 3, 20.0], "%.5f"),
        ([1e6 / 3], "%.2f"),
        ([1e-7], "%.6g"),
        ([1e20], "%.6g"),
        ([None], "%.0f"),
        ([float("inf"), 0.5], "%.1f"),
    ],
)
def test_numbers_are_shown_with_all_their_decimals(
    values: list[float], form: str
) -> None:
    assert decimals_format(pd.Series(values, dtype="float64")) == form
