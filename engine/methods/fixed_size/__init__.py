"""Methods whose groups have k records, but for the last few."""
