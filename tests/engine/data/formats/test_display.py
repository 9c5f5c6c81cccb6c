"""What people look at is written as in their file."""

import pandas as pd

from engine.data.formats.display import format_special_columns
from engine.data.table import Origin
from engine.files import read_table


def test_dates_and_numbers_are_shown_as_they_came() -> None:
    lines = ["day;month;net;n"]
    lines += [f"{i:02}.12.2025;2025-{i:02};1.{i:03},50 €;{i}" for i in range(1, 13)]
    table = read_table("\n".join(lines).encode(), name="a.csv")
    assert table.frame["day"].iloc[0] == pd.Timestamp(2025, 12, 1)
    shown_frame = format_special_columns(table.frame, table.origin)
    row_texts = [";".join(map(str, row)) for row in shown_frame.to_numpy().tolist()]
    assert row_texts == lines[1:]


def test_what_cannot_be_written_so_stays() -> None:
    options = {"forms": {"day": {"pattern": "%d.%m.%Y"}}}
    frame = pd.DataFrame({"day": [pd.Timestamp(2025, 1, 1, 12), pd.NaT]})
    assert format_special_columns(frame, Origin("csv", options)).equals(frame)


def test_workbooks_show_days_by_their_number_formats() -> None:
    frame = pd.DataFrame({"day": [pd.Timestamp(2025, 3, 1), pd.NaT]})
    for code, text in {
        "dd.mm.yyyy": "01.03.2025",
        "d/m/yy": "1/3/25",
        "[$-409]m/d/yyyy;@": "3/1/2025",
    }.items():
        origin = Origin("excel", {"number_formats": {"day": code}})
        assert format_special_columns(frame, origin)["day"].tolist()[0] == text
    odd = Origin("excel", {"number_formats": {"day": "mmmm yyyy"}})
    assert format_special_columns(frame, odd).equals(frame)
