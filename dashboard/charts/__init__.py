"""Charts: data in, plotly figure out; nothing here knows of pages or sessions."""
