"""The list of columns, and the facts that it shows of each."""
