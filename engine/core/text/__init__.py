"""From bytes to rows of text: encodings and delimited rows."""
