"""Relations between columns: one determines, sums up, replicates or renames others.

Pairs are compared on at most :data:`.compared_column.MAX_COMPARED_RECORDS` records.
"""
