"""Methods whose groups have exactly k records, except the last ones.

One module per method.
"""
