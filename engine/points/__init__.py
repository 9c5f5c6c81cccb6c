"""Points: the coordinates of records that methods, bounds and measures use."""
