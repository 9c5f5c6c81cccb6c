"""Places: one server process, or one for each person behind a proxy."""
