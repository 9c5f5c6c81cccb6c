"""Methods whose groups come from fuzzy memberships."""
