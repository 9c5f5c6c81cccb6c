"""Charts: data in, plotly figures out, independent of pages and sessions."""
