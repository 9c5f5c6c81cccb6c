"""From encoded records to groups of at least k records, households or persons."""
