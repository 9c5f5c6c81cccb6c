"""Charts of the groups of one result."""
