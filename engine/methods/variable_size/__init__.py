"""Methods of varying group size, mostly k to 2k-1 records, one module per method."""
