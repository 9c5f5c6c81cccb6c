"""What ``coterie protect`` makes of many files, judged by pandas alone.

``python -m tests.protected_files FOLDER [--sample N] [--seed S] [--out FOLDER]``
protects CSV files and counts what leaves: names, row keys, invented codes, and the
share of all other columns. Nothing here asks the engine what a column is.
"""
