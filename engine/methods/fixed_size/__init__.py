"""Methods whose groups have k records, those that take left-over records more.

One module per method.
"""
