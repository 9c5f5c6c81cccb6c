"""Between text and values: encodings, delimited rows, and JSON."""
