"""Methods whose groups have k to 2k-1 records, one module per method."""
